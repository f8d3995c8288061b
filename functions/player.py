"""Routes of a player's name and record: `rename` (R34, R35), `profile`, `results`, `board` and `review`."""

from wordle_tournament.entry import dispatch, make_clients, route
from wordle_tournament.play.player.board import board
from wordle_tournament.play.player.profile import profile
from wordle_tournament.play.player.rename import rename
from wordle_tournament.play.player.results import results
from wordle_tournament.play.player.review import review
from wordle_tournament.protocol.requests import Board, Profile, Rename, Results, Review

handler = dispatch(
    {
        "rename": route(Rename, rename),
        "profile": route(Profile, profile),
        "results": route(Results, results),
        "board": route(Board, board),
        "review": route(Review, review),
    }
)
make_clients(timers=False)
