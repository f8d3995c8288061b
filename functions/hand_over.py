"""Route `handOver`: the leader has another member lead (R29)."""

from wordle_tournament.entry import route
from wordle_tournament.play.group.hand_over import hand_over
from wordle_tournament.protocol.requests import HandOver

handler = route(HandOver, hand_over)
