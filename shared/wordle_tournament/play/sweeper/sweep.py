"""Finish every minute what a crash left undone. Every lost timer or push is found again here."""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from aws_lambda_powertools import Logger

from ... import clock, words
from ...config import settings
from ...lifecycle.forfeits import forfeit
from ...lifecycle.rescue import rescue
from ...lifecycle.silence import Checked, check_bye, check_lobby
from ...matchmaking.merging import merge_lobbies
from ...metrics import Metric, count, count_swept
from ...store import PLAYERS, away_players, load, open_lobbies, overdue_tournaments, running_tournaments

logger = Logger(child=True)

EVERY_RATING = 1e9
LONGEST_WAIT_SECONDS = 30
"""The longest time to answer for which a sweep waits: well within a minute and the function's time limit."""


def sweep() -> dict[str, int]:
    """Rescue tournaments, forfeit for absent players, find silent ones in lobbies and byes, and merge lobbies.

    Players in lobbies and byes are asked whether they are there, and looked at again when their time to answer is over.
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

    asked: list[tuple[Check, str]] = []

    def check(how: Check, key: str) -> int:
        checked = how(key)
        if checked.asked:
            asked.append((how, key))
        return checked.silent

    try:
        count(Metric.TOURNAMENTS_RUNNING, running_tournaments())
    except Exception:
        logger.exception("the running tournaments could not be counted")
    for tournament_id in overdue_tournaments(now_ms):
        attempt("rescued", rescue, tournament_id)
        attempt("silent", partial(check, check_bye), tournament_id)
    for player_id in away_players(now_ms - settings().reconnect_ms):
        attempt("forfeited", _forfeit, player_id)
    for language in words.languages():
        for lobby in open_lobbies(language, 0, EVERY_RATING):
            attempt("silent", partial(check, check_lobby), lobby.value.lobby_id)
            attempt("merged", _merge, lobby.value.lobby_id)
    if asked and settings().silence_seconds <= LONGEST_WAIT_SECONDS:
        # Waiting for the next minute would let a pulled cable go unnoticed for two (R28).
        clock.sleep(settings().silence_seconds)
        for how, key in asked:
            attempt("silent", partial(_judge, how), key)
    for kind in ("rescued", "forfeited", "silent", "merged"):
        count_swept(kind, done[kind])
    return done


class Check(Protocol):
    """A function that finds the silent players of a lobby or a tournament."""

    def __call__(self, key: str, /, ask_anew: bool = True) -> Checked: ...


def _judge(how: Check, key: str) -> int:
    return how(key, ask_anew=False).silent


def _forfeit(player_id: str) -> bool:
    player = load(PLAYERS, player_id)
    return player is not None and forfeit(player_id, player.value.epoch)


def _merge(lobby_id: str) -> bool:
    return merge_lobbies(lobby_id) is not None
