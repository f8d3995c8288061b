"""The record of one tournament, read from the frames that its players received."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from wordle_tournament.protocol.messages import Duel, DuelChanged, Message, Snapshot, Tournament, TournamentChanged
from wordle_tournament_client.client import parse


class Recorded(NamedTuple):
    """A frame, and the number of the player who received it."""

    listener: int
    text: str


@dataclass(slots=True)
class Record:
    """One tournament as its players saw it: each version once, oldest first.

    `sent_ms` says when a version of a duel was first pushed (`now_ms`). A `state` or `welcome` does not count: its time
    is from before its content was read.
    """

    frames: list[tuple[int, Any, Message]] = field(default_factory=list)
    tournaments: list[Tournament] = field(default_factory=list)
    duels: dict[str, list[Duel]] = field(default_factory=dict)
    sent_ms: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """True if the newest version says that the tournament is over."""
        return bool(self.tournaments) and self.tournaments[-1].over

    @property
    def settled(self) -> dict[int, list[Tournament]]:
        """As `rounds`, without the round that was still being played."""
        rounds = self.rounds
        return rounds if self.over else {number: seen for number, seen in rounds.items() if number + 1 in rounds}

    @property
    def rounds(self) -> dict[int, list[Tournament]]:
        """The versions sent during each round; the last round also has the version that says it is over."""
        rounds: dict[int, list[Tournament]] = {}
        for tournament in self.tournaments:
            rounds.setdefault(tournament.round, []).append(tournament)
        return rounds

    def last(self, duel_id: str) -> Duel | None:
        """Return the newest version of a duel, if that says that the duel is over."""
        versions = self.duels.get(duel_id)
        return versions[-1] if versions and versions[-1].over else None


def read_record(frames: Iterable[Recorded], tournament_id: str | None = None) -> Record:
    """Sort the frames of that tournament, or of the only one.

    Raise pydantic.ValidationError for a frame that is not of the protocol.
    """
    record = Record()
    tournaments: dict[int, Tournament] = {}
    duels: dict[str, dict[int, Duel]] = {}
    for listener, text in frames:
        message = parse(text)
        record.frames.append((listener, json.loads(text), message))
        for tournament in tournaments_in(message):
            if tournament_id in (None, tournament.tournament_id):
                tournaments.setdefault(tournament.version, tournament)
        for duel in duels_in(message):
            if tournament_id not in (None, duel.tournament_id):
                continue
            duels.setdefault(duel.duel_id, {}).setdefault(duel.version, duel)
            if isinstance(message, DuelChanged):
                key = duel.duel_id, duel.version
                record.sent_ms[key] = min(record.sent_ms.get(key, message.now_ms), message.now_ms)
    record.tournaments = [tournaments[version] for version in sorted(tournaments)]
    record.duels = {
        duel_id: [versions[version] for version in sorted(versions)] for duel_id, versions in sorted(duels.items())
    }
    return record


def tournaments_in(message: Message) -> list[Tournament]:
    """Return the tournament that a message shows, if any."""
    if isinstance(message, TournamentChanged):
        return [message.tournament]
    return [message.tournament] if isinstance(message, Snapshot) and message.tournament else []


def duels_in(message: Message) -> list[Duel]:
    """Return the duels that a message shows."""
    if isinstance(message, DuelChanged):
        return [message.duel]
    return message.duels if isinstance(message, Snapshot) else []


def settled_in(message: Message) -> set[str]:
    """Return the duels of the last settled round, whose words are shown with the tournament."""
    tournament = message.tournament if isinstance(message, TournamentChanged | Snapshot) else None
    return {duel.duel_id for duel in tournament.last_round.duels} if tournament and tournament.last_round else set()
