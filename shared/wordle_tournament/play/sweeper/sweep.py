"""Finish every minute what a crash left undone. Every lost timer or push is found again here."""

from collections.abc import Callable, Iterator
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
from ...store import (
    LOBBIES,
    PLAYERS,
    Change,
    all_waiting_lobbies,
    away_players,
    commit,
    load,
    overdue_tournaments,
    running_tournaments,
)

logger = Logger(child=True)

LONGEST_WAIT_SECONDS = 30
"""The longest time to answer for which a sweep waits: well within a minute and the function's time limit."""
WORK_MS = 20_000
"""The time for which a sweep begins new work: with the wait for answers it ends within a minute. The next goes on."""


def sweep(shard: int | None = None) -> dict[str, int]:
    """Rescue tournaments, forfeit for absent players, find silent ones in lobbies and byes, and merge lobbies.

    Look at one partition of the indexes, or at all. Players in lobbies and byes are asked whether they are there, and
    looked at again when their time to answer is over. Return the number of each. A failure does not stop the rest.
    """
    work = _Work()
    asked: list[tuple[Check, str]] = []

    def check(how: Check, key: str) -> int:
        checked = how(key)
        if checked.asked:
            asked.append((how, key))
        return checked.silent

    if not shard:
        try:
            count(Metric.TOURNAMENTS_RUNNING, running_tournaments())
        except Exception:
            logger.exception("the running tournaments could not be counted")
    work.on(
        "tournaments",
        overdue_tournaments(work.began_ms, shard),
        rescued=rescue,
        silent=partial(check, check_bye),
    )
    work.on("players", away_players(work.began_ms - settings().reconnect_ms, shard), forfeited=_forfeit)
    for language in words.languages():
        work.on("lobbies", all_waiting_lobbies(language, shard), silent=partial(check, check_lobby), merged=_merge)
    if asked and settings().silence_seconds <= LONGEST_WAIT_SECONDS:
        # Waiting for the next minute would let a pulled cable go unnoticed for two (R28).
        clock.sleep(settings().silence_seconds)
        for how, key in asked:
            work.attempt("silent", partial(_judge, how), key)
    for kind in ("rescued", "forfeited", "silent", "merged"):
        count_swept(kind, work.done[kind])
    return work.done


class _Work:
    """The work of a sweep: how much was done of each kind. A failure does not stop the rest."""

    def __init__(self) -> None:
        self.began_ms = clock.now_ms()
        self.done = {"rescued": 0, "forfeited": 0, "silent": 0, "merged": 0, "failed": 0}

    def on(self, what: str, keys: Iterator[str], **how: Callable[[str], int]) -> None:
        """Do that for each key, while there is time. A listing that fails ends with those it has shown."""
        try:
            for key in keys:
                if clock.now_ms() - self.began_ms > WORK_MS:
                    logger.warning("there is more to sweep than fits into a minute", what=what)
                    return
                for kind, act in how.items():
                    self.attempt(kind, act, key)
        except Exception:
            self._failed("the index could not be read", what)

    def attempt(self, kind: str, how: Callable[[str], int], key: str) -> None:
        """Do that once, and count it."""
        try:
            self.done[kind] += how(key)
        except Exception:
            self._failed("sweeping failed", kind, key)

    def _failed(self, message: str, kind: str, key: str = "") -> None:
        self.done["failed"] += 1
        count(Metric.SWEEP_FAILED)
        logger.exception(message, kind=kind, key=key)


class Check(Protocol):
    """A function that finds the silent players of a lobby or a tournament."""

    def __call__(self, key: str, /, ask_anew: bool = True) -> Checked: ...


def _judge(how: Check, key: str) -> int:
    return how(key, ask_anew=False).silent


def _forfeit(player_id: str) -> bool:
    player = load(PLAYERS, player_id)
    return player is not None and forfeit(player_id, player.value.epoch)


def _merge(lobby_id: str) -> bool:
    lobby = load(LOBBIES, lobby_id)
    if lobby is not None and not lobby.value.open:
        # Code of 1.0.0 has started it and left it in the index of waiting lobbies, which that code does not know.
        commit(Change(LOBBIES, lobby, lobby.value, new_version=False))
        return False
    return merge_lobbies(lobby_id) is not None
