"""Finish every minute what a crash left undone. Every lost timer or push is found again here."""

from collections.abc import Callable

from aws_lambda_powertools import Logger

from ... import clock, words
from ...config import settings
from ...lifecycle.forfeits import forfeit
from ...lifecycle.rescue import rescue
from ...lifecycle.silence import check_bye, check_lobby
from ...matchmaking.merging import merge_lobbies
from ...metrics import Metric, count, count_swept
from ...store import PLAYERS, away_players, load, open_lobbies, overdue_tournaments, running_tournaments

logger = Logger(child=True)

EVERY_RATING = 1e9


def sweep() -> dict[str, int]:
    """Rescue tournaments, forfeit for absent players, find silent ones in lobbies and byes, and merge lobbies.

    Return the number of each. A failure does not stop the rest.
    """
    done = {"rescued": 0, "forfeited": 0, "silent": 0, "merged": 0, "failed": 0}
    now_ms = clock.now_ms()

    def attempt(kind: str, how: Callable[[str], int], key: str) -> None:
        try:
            done[kind] += how(key)
        except Exception:
            done["failed"] += 1
            count(Metric.SWEEP_FAILED)
            logger.exception("sweeping failed", kind=kind, key=key)

    try:
        count(Metric.TOURNAMENTS_RUNNING, running_tournaments())
    except Exception:
        logger.exception("the running tournaments could not be counted")
    for tournament_id in overdue_tournaments(now_ms):
        attempt("rescued", rescue, tournament_id)
        attempt("silent", check_bye, tournament_id)
    for player_id in away_players(now_ms - settings().reconnect_ms):
        attempt("forfeited", _forfeit, player_id)
    for language in words.languages():
        for lobby in open_lobbies(language, 0, EVERY_RATING):
            attempt("silent", check_lobby, lobby.value.lobby_id)
            attempt("merged", _merge, lobby.value.lobby_id)
    for kind in ("rescued", "forfeited", "silent", "merged"):
        count_swept(kind, done[kind])
    return done


def _forfeit(player_id: str) -> bool:
    player = load(PLAYERS, player_id)
    return player is not None and forfeit(player_id, player.value.epoch)


def _merge(lobby_id: str) -> bool:
    return merge_lobbies(lobby_id) is not None
