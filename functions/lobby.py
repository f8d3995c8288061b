"""Routes into a game and out of it: `join` (R23, R24, R26) and `leave` (R25, R27)."""

from wordle_tournament.entry import dispatch, make_clients, route
from wordle_tournament.play.lobby.join import join
from wordle_tournament.play.lobby.leave import leave
from wordle_tournament.protocol.requests import Join, Leave

handler = dispatch(
    {
        "join": route(Join, join),
        "leave": route(Leave, leave),
    }
)
make_clients()
