"""Route `leave`: leave the lobby or the tournament (R25, R27)."""

from wordle_tournament.entry import route
from wordle_tournament.play.lobby.leave import leave
from wordle_tournament.protocol.requests import Leave

handler = route(Leave, leave)
