"""`make play ARGS="--keep FOLDER"`: players, ratings, records and groups survive a restart of the one-process stack.

Changes are written to an SQLite file, in one transaction a second, so that a kill at any moment costs
at most the last two seconds and never half a change. Running games are not kept: their machines live in the process.
Players who were in one are free when the stack starts again, and are told why. Finished tournaments are kept, the last
TOURNAMENTS of them, for `results` and `board`.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from infra.local.memory_dynamodb import MemoryDynamoDB, Snapshot
from infra.local.memory_dynamodb.tables import Item
from infra.local.memory_dynamodb.values import Attributes
from wordle_tournament import clock
from wordle_tournament.rules.player import LostGame, Player, drop, leave_game
from wordle_tournament.store import PLAYERS, Change, commit, load

FILE = "wordle-tournament.sqlite3"
FORMAT = 1
"""Of the file. Another number is refused, so that no release misreads what a later one wrote."""
SAVE_SECONDS = 1.0
TIDY_SECONDS = 60.0
TOURNAMENTS = 100
"""The number of finished tournaments that the one-process stack remembers; AWS keeps those of 30 days."""
SETTINGS_KEY = "settings"
BUSY = 5
"""SQLite's primary result code SQLITE_BUSY: another process has the file."""

logger = logging.getLogger(__name__)


class CannotKeep(Exception):
    """The folder cannot be used; the text says why and what to do. Nothing in it was changed."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The names of the tables, by what they hold."""

    players: str
    groups: str
    lobbies: str
    tournaments: str
    duels: str


def kept(tables: Tables, snapshot: Snapshot) -> Iterator[tuple[str, str, Item]]:
    """Yield the items that are kept, each with its table and its key."""
    now = time.time()
    for name in (tables.players, tables.groups, tables.tournaments, tables.duels, tables.lobbies):
        for (key,), item in snapshot.tables[name].items():
            if expired(item.attributes, now):
                continue
            if name == tables.lobbies:
                wanted = key == SETTINGS_KEY
            elif name == tables.tournaments:
                wanted = _finished(item.attributes)
            elif name == tables.duels:
                tournament = snapshot.tables[tables.tournaments].get((tournament_of(key),))
                wanted = tournament is not None and _finished(tournament.attributes)
            else:
                wanted = True
            if wanted:
                yield name, key, item


def expired(attributes: Attributes, now: float) -> bool:
    """Return True if DynamoDB may delete the item, `now` being in seconds."""
    return "expires_at" in attributes and float(attributes["expires_at"]["N"]) < now


def tournament_of(duel_id: str) -> str:
    """Return the id of the duel's tournament, which its own id begins with."""
    return duel_id.split(".")[0]


def _finished(tournament: Attributes) -> bool:
    return "running_partition" not in tournament


class Keeper:
    """Keeps a database in a folder. `open` it, `restore` from it once, then `follow` the database until `close`."""

    def __init__(self, folder: Path, tables: Tables) -> None:
        self.path = folder / FILE
        self._tables = tables
        self._saved: dict[tuple[str, str], Item] = {}
        self._file: sqlite3.Connection | None = None
        self._ended = threading.Event()
        self._follower: threading.Thread | None = None

    def open(self) -> None:
        """Take the folder for this process. Raise CannotKeep if another has it, or if the file is not ours to write."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=1)
            # The lock is held until the file is closed, and the system takes it from a process that dies.
            self._file.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("BEGIN IMMEDIATE")
            (format_,) = self._file.execute("PRAGMA user_version").fetchone()
            tables = [name for (name,) in self._file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            if not format_ and not tables:
                self._file.execute("CREATE TABLE items (place TEXT, key TEXT, json TEXT, PRIMARY KEY (place, key))")
                self._file.execute(f"PRAGMA user_version = {FORMAT}")
                format_ = FORMAT
            self._file.execute("COMMIT")
            (sound,) = self._file.execute("PRAGMA quick_check(1)").fetchone()
        except OSError as error:
            raise self._refusal(f"{self.path.parent} cannot be used: {error.strerror or error}.") from error
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == BUSY:
                raise self._refusal(f"Another process keeps its game in {self.path.parent}. End it first.") from error
            raise self._refusal(self._damaged(error)) from error
        if sound != "ok":
            raise self._refusal(self._damaged(sound))
        if format_ != FORMAT:
            raise self._refusal(f"{self.path} has format {format_}, and this release reads {FORMAT} only.")

    def restore(self, database: MemoryDynamoDB) -> int:
        """Put what was kept into the database, and free the players of games that were running. Return their number.

        Raise CannotKeep for an item that cannot be read.
        """
        assert self._file is not None
        places = {place: getattr(self._tables, place) for place in Tables.__slots__}
        found: dict[str, list[Attributes]] = {name: [] for name in places.values()}
        now = time.time()
        try:
            for place, text in self._file.execute("SELECT place, json FROM items"):
                attributes = json.loads(text)
                if not expired(attributes, now):
                    found[places[place]].append(attributes)
        except (sqlite3.Error, ValueError, KeyError) as error:
            raise self._refusal(self._damaged(error)) from error
        for name, items in found.items():
            database.fill(name, items)
        finished = {item["tournament_id"]["S"] for item in found[self._tables.tournaments]}
        freed = 0
        for item in found[self._tables.players]:
            freed += free(item["player_id"]["S"], finished)
        return freed

    def follow(self, database: MemoryDynamoDB) -> None:
        """Save every change of the database from now on."""

        def run() -> None:
            while not self._ended.wait(SAVE_SECONDS):
                self._save_or_log(database)

        self._save_or_log(database)
        self._follower = threading.Thread(target=run, name="keeper", daemon=True)
        self._follower.start()

    def save(self, database: MemoryDynamoDB) -> int:
        """Write what has changed since the last time, all or nothing. Return the number of changed items."""
        assert self._file is not None
        items = {(name, key): item for name, key, item in kept(self._tables, database.snapshot())}
        changed = [(at, item) for at, item in items.items() if self._saved.get(at) is not item]
        gone = self._saved.keys() - items.keys()
        if changed or gone:
            places = {getattr(self._tables, place): place for place in Tables.__slots__}
            with self._transaction() as file:
                file.executemany(
                    "INSERT OR REPLACE INTO items VALUES (?, ?, ?)",
                    ((places[name], key, item.json) for (name, key), item in changed),
                )
                file.executemany(
                    "DELETE FROM items WHERE place = ? AND key = ?", ((places[name], key) for name, key in gone)
                )
            self._saved = items
        return len(changed) + len(gone)

    def close(self, database: MemoryDynamoDB | None = None) -> None:
        """Save the database for the last time, if it is given, and leave the folder to others."""
        self._ended.set()
        if self._follower is not None:
            self._follower.join()
        if self._file is not None:
            if database is not None:
                self._save_or_log(database)
            self._file.close()
            self._file = None

    def _save_or_log(self, database: MemoryDynamoDB) -> None:
        try:
            self.save(database)
        except (sqlite3.Error, OSError):
            # A full disk, for instance. The next second tries again, with all that has changed until then.
            logger.exception("what changed could not be written to %s; trying again", self.path)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        assert self._file is not None
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield self._file
        except BaseException:
            self._file.execute("ROLLBACK")
            raise
        self._file.execute("COMMIT")

    def _refusal(self, text: str) -> CannotKeep:
        if self._file is not None:
            self._file.close()
            self._file = None
        return CannotKeep(text)

    def _damaged(self, why: object) -> str:
        return (
            f"{self.path} cannot be read ({why}). It was left as it is: move it away to start anew, or put a copy of "
            "an earlier day in its place."
        )


def free(player_id: str, finished: Iterable[str]) -> bool:
    """Take the player out of a connection and a game of the last run, as the store would. Return True if out of a game.

    `finished` are the tournaments that were over. The player is away from now on; a group keeps its members (R31).
    """
    stored = load(PLAYERS, player_id)
    if stored is None:
        return False
    before = stored.value
    over = frozenset(finished)
    after = _without_game(before, over)
    if before.connection_id is not None:
        after = drop(after, before.connection_id, clock.now_ms())
    elif before.away_since_ms is not None and before.group is not None and not before.forfeited:
        after = replace(after, away_since_ms=clock.now_ms())  # nobody could come back while the stack was down
    if after != before:
        commit(Change(PLAYERS, stored, after))
    return before.game is not None and after.game is None


def _without_game(player: Player, finished: frozenset[str]) -> Player:
    unplaced = tuple(one for one in player.unplaced if one in finished)
    after = replace(player, unplaced=unplaced)
    if player.game is None:
        return after if player.watching is None else leave_game(after)
    # Whether it had started is not known, and costs nothing either way.
    lost = LostGame(player.game, started=False, at_ms=clock.now_ms(), restarted=True)
    return replace(leave_game(after), lost_game=lost)


def tidy(database: MemoryDynamoDB, tables: Tables) -> None:
    """Delete what DynamoDB would have deleted by now, and all but the last TOURNAMENTS finished tournaments."""
    snapshot = database.snapshot()
    now = time.time()
    for name, items in snapshot.tables.items():
        database.drop(name, {key: item for key, item in items.items() if expired(item.attributes, now)})
    finished = sorted(
        (float(item.attributes["expires_at"]["N"]), key)
        for key, item in snapshot.tables[tables.tournaments].items()
        if _finished(item.attributes)
    )
    old = {key for _, (key,) in finished[:-TOURNAMENTS]}
    if old:
        database.drop(tables.tournaments, _of(snapshot.tables[tables.tournaments], old))
        database.drop(tables.lobbies, _of(snapshot.tables[tables.lobbies], old))
        database.drop(tables.duels, _of(snapshot.tables[tables.duels], old))


def _of(items: Mapping[tuple[str, ...], Item], tournaments: set[str]) -> dict[tuple[str, ...], Item]:
    return {key: item for key, item in items.items() if tournament_of(key[0]) in tournaments}
