"""Route `ping`: show that the connection is alive (R28)."""

from wordle_tournament.entry import route
from wordle_tournament.play.gateway.ping import ping
from wordle_tournament.protocol.requests import Ping

handler = route(Ping, ping)
