"""Holds what eight players were sent against the rules, knowing nothing of the server but its frames.

What is right is reckoned here anew, by none of the server's own rules. Each check below reads the record of one
tournament, or of its settled rounds while it runs, and yields what is not as the rules say, with the rule's number.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from wordle_tournament import words
from wordle_tournament.protocol.messages import (
    Duel,
    DuelChanged,
    Match,
    Message,
    Result,
    Snapshot,
    Tournament,
    TournamentChanged,
    TournamentPlayer,
)

from .client import parse

PLAYERS = 8
LIVES = 3
LENGTHS = (4, 5, 6)
TURNS = 12
MOST_DUELS = 23
ROUNDS = range(3, 13)


class Heard(NamedTuple):
    """A frame, and which of the players got it."""

    listener: int
    text: str


@dataclass(slots=True)
class Record:
    """One tournament as it was told: each version once, oldest first, and when it was first told (`now_ms`).

    A `state` or `welcome` does not tell when: its time is from before what it shows was read.
    """

    frames: list[tuple[int, Any, Message]] = field(default_factory=list)
    tournaments: list[Tournament] = field(default_factory=list)
    duels: dict[str, list[Duel]] = field(default_factory=dict)
    told_ms: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether it was told to be over."""
        return bool(self.tournaments) and self.tournaments[-1].over

    @property
    def settled(self) -> dict[int, list[Tournament]]:
        """As `rounds`, without the one that was still being played."""
        rounds = self.rounds
        return rounds if self.over else {number: told for number, told in rounds.items() if number + 1 in rounds}

    @property
    def rounds(self) -> dict[int, list[Tournament]]:
        """The versions told during each round; the last one also when it was over."""
        rounds: dict[int, list[Tournament]] = {}
        for told in self.tournaments:
            rounds.setdefault(told.round, []).append(told)
        return rounds

    def last(self, duel_id: str) -> Duel | None:
        """A duel as it was told last, if it was over then."""
        told = self.duels.get(duel_id)
        return told[-1] if told and told[-1].over else None


def record(heard: Iterable[Heard], tournament_id: str | None = None) -> Record:
    """Sort out what was heard of that tournament, or of the only one.

    Raises pydantic.ValidationError for a frame that is not of the protocol.
    """
    made = Record()
    tournaments: dict[int, Tournament] = {}
    duels: dict[str, dict[int, Duel]] = {}
    for listener, text in heard:
        message = parse(text)
        made.frames.append((listener, json.loads(text), message))
        for tournament in _tournaments(message):
            if tournament_id in (None, tournament.tournament_id):
                tournaments.setdefault(tournament.version, tournament)
        for duel in _duels(message):
            if tournament_id not in (None, duel.tournament_id):
                continue
            duels.setdefault(duel.duel_id, {}).setdefault(duel.version, duel)
            if isinstance(message, DuelChanged):
                key = duel.duel_id, duel.version
                made.told_ms[key] = min(made.told_ms.get(key, message.now_ms), message.now_ms)
    made.tournaments = [tournaments[version] for version in sorted(tournaments)]
    made.duels = {
        duel_id: [versions[version] for version in sorted(versions)] for duel_id, versions in sorted(duels.items())
    }
    return made


def faults(heard: Iterable[Heard]) -> list[str]:
    """Everything that is not as the rules say, in a tournament heard from its start to its end; [] if all is well."""
    told = record(heard)
    return faults_so_far(told) if told.over or not told.tournaments else ["the tournament is not over"]


def faults_so_far(told: Record) -> list[str]:
    """The same of a tournament heard from its start that may still run; its last round is not judged then."""
    if not told.tournaments:
        return ["no tournament was heard of"]
    return list(dict.fromkeys(fault for check in CHECKS for fault in check(told)))


def consistent_versions(told: Record) -> Iterator[str]:
    """Whoever is told of a version is told the same, but for who is away."""
    seen: dict[tuple[str, int], Tournament | Duel] = {}
    for _, _, message in told.frames:
        things: list[tuple[str, Tournament | Duel]] = [(one.duel_id, one) for one in _duels(message)]
        things += [(one.tournament_id, _all_there(one)) for one in _tournaments(message)]
        for thing_id, thing in things:
            if seen.setdefault((thing_id, thing.version), thing) != thing:
                yield f"{thing_id} was told in two ways as version {thing.version}"


def start(told: Record) -> Iterator[str]:
    """R1: eight players with three lives."""
    first = told.tournaments[0]
    if len({player.player_id for player in first.players}) != PLAYERS or len(first.players) != PLAYERS:
        yield f"R1: {len(first.players)} players"
    if any(player.lives != LIVES or player.fate != "in" for player in first.players):
        yield f"R1: not everybody starts with {LIVES} lives"
    if len({one.tournament_id for one in told.tournaments}) != 1:
        yield "R1: more than one tournament was told of"
    if sorted(told.rounds) != list(range(1, len(told.rounds) + 1)):
        yield f"R2: the rounds told of are {sorted(told.rounds)}"


def pairings(told: Record) -> Iterator[str]:
    """R2, R4, R5: all who are in are paired, nobody twice; byes only if odd and not twice running; few rematches."""
    before: Tournament | None = None
    for number, versions in told.rounds.items():
        opened = versions[0]
        if any(later.matches != opened.matches or later.bye != opened.bye for later in versions):
            yield f"R2: the pairings of round {number} changed"
        still_in = sorted(player.player_id for player in versions[0].players if player.fate == "in")
        bye = [] if opened.bye is None else [opened.bye]
        if sorted([player for match in opened.matches for player in match.players] + bye) != still_in:
            yield f"R2: round {number} does not pair everybody who is in once"
        if len(bye) != len(still_in) % 2:
            yield f"R5: round {number} has {len(still_in)} players and {len(bye)} byes"
        if before is not None:
            if opened.bye is not None and opened.bye == before.bye:
                yield f"R5: {opened.bye} has the bye in rounds {number - 1} and {number}"
            last = {frozenset(match.players) for match in before.matches}
            rematches = sum(frozenset(match.players) in last for match in opened.matches)
            if rematches > _fewest_rematches(still_in, last, before.bye):
                yield f"R4: round {number} has {rematches} rematches, more than needed"
        before = opened


def duels(told: Record) -> Iterator[str]:
    """R6, R11-R17, R27: boards grow turn by turn, are marked right, and end as they must."""
    for number, versions in told.rounds.items():
        lives = {player.player_id: player.lives for player in versions[0].players}
        for match in versions[0].matches:
            if told.last(match.duel_id) is None:
                if number in told.settled:
                    yield f"R3: {match.duel_id} was not told to be over"
                continue
            yield from _duel(told, match, lives, versions[-1].leavers)
            if told.duels[match.duel_id][0].round != number:
                yield f"R2: {match.duel_id} is not of round {number}"


def secret_words(told: Record) -> Iterator[str]:
    """R12, R33: words from the list, of the length announced, none twice."""
    lengths = {match.duel_id: match.length for one in told.tournaments for match in one.matches}
    seen: Counter[str] = Counter()
    for duel_id, length in lengths.items():
        duel = told.last(duel_id)
        if duel is None or duel.word is None:
            continue
        seen[duel.word] += 1
        if length not in LENGTHS or len(duel.word) != length or duel.word not in words.answers(duel.language, length):
            yield f"R33: the word of {duel_id} is not in the list of answers of {length} letters"
    for word, times in seen.items():
        if times > 1:
            yield f"R12: {word} was the secret word {times} times"


def settlements(told: Record) -> Iterator[str]:
    """R6-R9, R27: what each round did to lives, and who was out with which place."""
    openings = [versions[0] for versions in told.rounds.values()]
    for versions in told.rounds.values():
        for later in versions[1:]:
            if not later.over and [*map(_standing, later.players)] != [*map(_standing, versions[0].players)]:
                yield f"R9: the table changed within round {later.round}"
    for opened, after in pairwise([*openings, *([told.tournaments[-1]] if told.over else [])]):
        number = opened.round
        played = [told.last(match.duel_id) for match in opened.matches]
        lost = {
            player.player_id
            for duel in played
            if duel is not None
            for player in duel.players
            if player.player_id != duel.winner
        }
        left = set(told.rounds[number][-1].leavers)
        now = {player.player_id: player for player in after.players}
        still_in = [player for player in opened.players if player.fate == "in"]
        lives = {player.player_id: player.lives - (player.player_id in lost) for player in still_in}
        fallen = {player for player, count in lives.items() if count == 0} - left
        survivors = set(lives) - left - fallen
        for player in opened.players:
            if player.fate != "in" and _standing(now[player.player_id]) != _standing(player):
                yield f"R8: round {number} changed the standing of {player.nickname}, who was out"
        for player_id, count in lives.items():
            expected: tuple[int, str, int | None]
            if player_id in left:
                expected = (0, "left", 1 + len(survivors) + len(fallen))
            elif player_id in fallen:
                expected = (0, "out", 1 + len(survivors))
            elif after.over:
                expected = (count, "won", 1)
            else:
                expected = (count, "in", None)
            if _standing(now[player_id]) != expected:
                yield (
                    f"R6-R9: after round {number} {now[player_id].nickname} is told to be "
                    f"{_standing(now[player_id])}, not {expected}"
                )
        if after.over != (len(survivors) <= 1):
            yield f"R7: {len(survivors)} are in after round {number}, and the tournament is over: {after.over}"
        for duel in played:
            for outlook in duel.out if duel is not None else ():
                place = now[outlook.player_id].place or 0
                if place > outlook.worst_place or (not left and place < outlook.best_place):
                    yield f"R9: {outlook.player_id} was told {outlook}, and then place {place}"


def places_and_ratings(told: Record) -> Iterator[str]:
    """R9, R19-R21: places are 1 + players above; rating changes follow from them; each player is told the same."""
    final = told.tournaments[-1]
    table = {player.player_id: player for player in final.players}
    ratings = {player.player_id: player.rating for player in told.tournaments[0].players}
    for player in final.players if told.over else []:
        place = player.place or 0
        above = sum((other.place or 0) < place for other in final.players)
        if place != 1 + above:
            yield f"R9: {player.nickname} has place {place} with {above} above"
    for tournament in told.tournaments:
        # Whoever is still in finishes above.
        places = {player.player_id: player.place or 0 for player in tournament.players}
        if {player.player_id: player.rating for player in tournament.players} != ratings:
            yield f"R21: the ratings changed within round {tournament.round}"
        for player in tournament.players:
            change = None if player.place is None else rating_change(player.player_id, places, ratings)
            if player.rating_change != change:
                yield f"R21: {player.nickname} is told a rating change of {player.rating_change}, not {change}"
    me: dict[int, str] = {}
    for listener, _, message in told.frames:
        if isinstance(message, Snapshot):
            me[listener] = message.you.player_id
        if isinstance(message, Result) and message.tournament_id == final.tournament_id:
            own = table[me[listener]]
            result = (message.place, message.rating_change, message.rating)
            if result != (own.place, own.rating_change, own.rating + (own.rating_change or 0)):
                yield f"R20: {own.nickname} got as result {result}, which is not what the table says"


def limits(told: Record) -> Iterator[str]:
    """R7: at most 23 duels; without leavers 3 to 12 rounds."""
    number = len({match.duel_id for one in told.tournaments for match in one.matches})
    if number > MOST_DUELS:
        yield f"R7: {number} duels"
    if told.over and not any(one.leavers for one in told.tournaments) and len(told.rounds) not in ROUNDS:
        yield f"R7: {len(told.rounds)} rounds"


def secrecy(told: Record) -> Iterator[str]:
    """R18: nobody is sent a secret word before they hear that its duel is over."""
    secrets = {
        duel_id: {spelling.casefold() for spelling in (duel.word, duel.display) if spelling}
        for duel_id in told.duels
        if (duel := told.last(duel_id)) is not None
    }
    public: set[tuple[int, str]] = set()
    for listener, frame, message in told.frames:
        public |= {(listener, duel.duel_id) for duel in _duels(message) if duel.over}
        public |= {(listener, duel_id) for duel_id in _settled(message)}
        for text, duel_id in _texts(frame):
            for secret_of, spellings in secrets.items():
                # A guess in another duel may be the word of this one: its player does not know.
                if (listener, secret_of) not in public and duel_id in (None, secret_of) and text in spellings:
                    yield f"R18: the word of {secret_of} was in a frame before its duel was over"


CHECKS: tuple[Callable[[Record], Iterator[str]], ...] = (
    consistent_versions,
    start,
    pairings,
    duels,
    secret_words,
    settlements,
    places_and_ratings,
    limits,
    secrecy,
)


def _duel(told: Record, match: Match, lives: dict[str, int], leavers: Sequence[str]) -> Iterator[str]:
    versions = told.duels[match.duel_id]
    end = versions[-1]
    word = end.word or ""
    if tuple(player.player_id for player in end.players) != match.players:
        yield f"R11: {end.duel_id} was not played by {match.players} in that order"
    for index, row in enumerate(end.rows):
        if row.player_id != match.players[index % 2]:
            yield f"R11: row {index + 1} of {end.duel_id} is not by whose turn it was"
        if row.word is None:
            continue
        if row.word not in words.guesses(end.language, match.length):
            yield f"R14: row {index + 1} of {end.duel_id} is not in the word list"
        elif len(row.word) != len(word) or list(row.marks) != marks(row.word, word):
            yield f"R17: row {index + 1} of {end.duel_id} is marked wrong"
        if row.word == word and (index + 1 < len(end.rows) or end.winner != row.player_id):
            yield f"R13: {end.duel_id} was solved in row {index + 1}, but that did not decide it"
    for one, other in pairwise(versions):
        if other.rows[: len(one.rows)] != one.rows:
            yield f"R11: {end.duel_id} lost a row"
        new = other.rows[len(one.rows) :]
        if len(new) == 1 and new[0].word is None:
            told_ms = told.told_ms.get((other.duel_id, other.version))
            early_ms = 0 if told_ms is None else (one.deadline_ms or 0) - told_ms
            if early_ms > 0:
                yield f"R15: turn {one.turn} of {end.duel_id} was skipped {early_ms} ms early"
    for one in versions[:-1]:
        if one.over or one.word or one.display or one.ending or one.winner:
            yield f"R18: {end.duel_id} told of its end before it was over"
        elif one.turn != len(one.rows) + 1 or one.to_move != match.players[len(one.rows) % 2]:
            yield f"R11: version {one.version} of {end.duel_id} has turn {one.turn}, to move {one.to_move}"
    solved = bool(end.rows) and end.rows[-1].word == word
    losers = [player for player in match.players if player != end.winner]
    right = {
        "solved": solved and len(losers) == 1,
        "drawn": not solved and len(end.rows) == TURNS and len(losers) == 2,
        "forfeited": not solved and len(losers) == 1 and losers[0] in leavers,
    }
    if not right.get(end.ending or "", False) or len(end.rows) > TURNS:
        yield f"R13, R16, R27: {end.duel_id} ended {end.ending} after {len(end.rows)} rows, winner {end.winner}"
    for player in end.players:
        left = lives[player.player_id] - (player.player_id in losers)
        if player.lives != (0 if end.ending == "forfeited" and player.player_id in losers else left):
            yield f"R6: {player.player_id} has {player.lives} lives after {end.duel_id}"


def marks(guess: str, word: str) -> list[str]:
    """Correct ones first, then present ones from the left, each letter as often as the word has it (R17)."""
    found = ["correct" if typed == right else "absent" for typed, right in zip(guess, word, strict=True)]
    unpaid = Counter(right for right, mark in zip(word, found, strict=True) if mark != "correct")
    for index, typed in enumerate(guess):
        if found[index] == "absent" and unpaid[typed]:
            unpaid[typed] -= 1
            found[index] = "present"
    return found


def rating_change(player: str, places: Mapping[str, int], ratings: Mapping[str, int]) -> int:
    """Elo over the seven others, K = 50 shared between them, rounded once (R21)."""
    total = 0.0
    for other in places:
        if other != player:
            score = 0.5 if places[other] == places[player] else float(places[player] < places[other])
            total += score - 1 / (1 + 10 ** ((ratings[other] - ratings[player]) / 400))
    return round(50 / 7 * total)


def _fewest_rematches(players: Sequence[str], last: set[frozenset[str]], last_bye: str | None) -> int:
    """Of all pairings that are allowed, the fewest pairs that met in the round before."""
    if len(players) % 2:
        return min(
            _fewest_rematches([one for one in players if one != bye], last, None) for bye in players if bye != last_bye
        )
    if not players:
        return 0
    first, *rest = players
    return min(
        (frozenset((first, partner)) in last) + _fewest_rematches([one for one in rest if one != partner], last, None)
        for partner in rest
    )


def _standing(player: TournamentPlayer) -> tuple[int, str, int | None]:
    return player.lives, player.fate, player.place


def _all_there(tournament: Tournament) -> Tournament:
    players = [player.model_copy(update={"away": False}) for player in tournament.players]
    return tournament.model_copy(update={"players": players})


def _tournaments(message: Message) -> list[Tournament]:
    if isinstance(message, TournamentChanged):
        return [message.tournament]
    return [message.tournament] if isinstance(message, Snapshot) and message.tournament else []


def _duels(message: Message) -> list[Duel]:
    if isinstance(message, DuelChanged):
        return [message.duel]
    return message.duels if isinstance(message, Snapshot) else []


def _settled(message: Message) -> set[str]:
    """Duels of the last settled round, whose words are told with the tournament."""
    shown = message.tournament if isinstance(message, TournamentChanged | Snapshot) else None
    return {duel.duel_id for duel in shown.last_round.duels} if shown is not None and shown.last_round else set()


# Fields whose texts are chosen from a few that the protocol knows, or by clients, and may be words by chance.
NOT_SECRET = frozenset(
    {"ref", "type", "fate", "ending", "marks", "what", "where", "code", "language", "languages", "nickname", "message"}
)


def _texts(value: Any, duel_id: str | None = None) -> Iterator[tuple[str, str | None]]:
    """Every text in a frame, and its parts between signs, with the duel whose board it is on."""
    if isinstance(value, dict):
        own = value.get("duel_id", duel_id)
        for name, part in value.items():
            if name == "rows" or (name in ("word", "display") and "duel_id" in value):
                yield from _texts(part, own)
            elif name not in NOT_SECRET:
                yield from _texts(part, duel_id)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part, duel_id)
    elif isinstance(value, str):
        yield value.casefold(), duel_id
        yield from ((part, duel_id) for part in re.split(r"[\W_]+", value.casefold()))
