"""Routes of running duels: `guess` (R11-R18), `watch`, `watchAll` and `unwatch` (R10).

A cold start of this function falls into a player's 30 seconds. So it loads what a guess needs; watching is loaded by
the first message that asks for it.
"""

from wordle_tournament.entry import Call, dispatch, make_clients, route
from wordle_tournament.play.duel.guess import guess
from wordle_tournament.protocol.messages import DuelChanged, DuelsWatched, Unwatched
from wordle_tournament.protocol.requests import Guess, Unwatch, Watch, WatchAll


def _watch(call: Call, request: Watch) -> DuelChanged:
    from wordle_tournament.play.duel.watch import watch

    return watch(call, request)


def _watch_all(call: Call, request: WatchAll) -> DuelsWatched:
    from wordle_tournament.play.duel.watch_all import watch_all

    return watch_all(call, request)


def _unwatch(call: Call, request: Unwatch) -> Unwatched:
    from wordle_tournament.play.duel.unwatch import unwatch

    return unwatch(call, request)


handler = dispatch(
    {
        "guess": route(Guess, guess),
        "watch": route(Watch, _watch),
        "watchAll": route(WatchAll, _watch_all),
        "unwatch": route(Unwatch, _unwatch),
    }
)
make_clients()
