"""Boards grow turn by turn, are marked right, and end as they must (R6, R11-R17, R27, R33)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import assert_never

from bots.referee.limits import LENGTHS, TURNS
from bots.referee.record import Record
from wordle_tournament import words
from wordle_tournament.protocol.messages import Duel, Match


def boards(record: Record) -> Iterator[str]:
    """R6, R11-R17, R27: boards grow turn by turn, are marked right, and end as they must."""
    for number, versions in record.rounds.items():
        lives = {player.player_id: player.lives for player in versions[0].players}
        for match in versions[0].matches:
            end = record.last(match.duel_id)
            if end is None:
                if number in record.settled:
                    yield f"R3: {match.duel_id} was not told to be over"
                continue
            seen = record.duels[match.duel_id]
            losers = [player for player in match.players if player != end.winner]
            yield from _players(end, match)
            yield from _rows(end, match)
            yield from _growth(record, seen)
            yield from _running_versions(seen[:-1], match)
            yield from _ending(end, losers, versions[-1].leavers)
            yield from _lives(end, losers, lives)
            if seen[0].round != number:
                yield f"R2: {match.duel_id} is not of round {number}"


def _players(end: Duel, match: Match) -> Iterator[str]:
    if tuple(player.player_id for player in end.players) != match.players:
        yield f"R11: {end.duel_id} was not played by {match.players} in that order"


def _rows(end: Duel, match: Match) -> Iterator[str]:
    """Each row is by the player to move, a listed word and marked right, and ends the duel if it solves it."""
    word = end.word or ""
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


def _growth(record: Record, versions: Sequence[Duel]) -> Iterator[str]:
    """Rows are only added, and no turn is skipped before its deadline."""
    end = versions[-1]
    for one, other in pairwise(versions):
        if other.rows[: len(one.rows)] != one.rows:
            yield f"R11: {end.duel_id} lost a row"
        new = other.rows[len(one.rows) :]
        if len(new) == 1 and new[0].word is None:
            sent_ms = record.sent_ms.get((other.duel_id, other.version))
            early_ms = 0 if sent_ms is None else (one.deadline_ms or 0) - sent_ms
            if early_ms > 0:
                yield f"R15: turn {one.turn} of {end.duel_id} was skipped {early_ms} ms early"


def _running_versions(versions: Sequence[Duel], match: Match) -> Iterator[str]:
    """No version but the last shows an end, and each one names the turn and the player to move."""
    for one in versions:
        if one.over or one.word or one.display or one.ending or one.winner:
            yield f"R18: {one.duel_id} told of its end before it was over"
        elif one.turn != len(one.rows) + 1 or one.to_move != match.players[len(one.rows) % 2]:
            yield f"R11: version {one.version} of {one.duel_id} has turn {one.turn}, to move {one.to_move}"


def _ending(end: Duel, losers: Sequence[str], leavers: Sequence[str]) -> Iterator[str]:
    if not _ends_as_it_says(end, losers, leavers) or len(end.rows) > TURNS:
        yield f"R13, R16, R27: {end.duel_id} ended {end.ending} after {len(end.rows)} rows, winner {end.winner}"


def _ends_as_it_says(end: Duel, losers: Sequence[str], leavers: Sequence[str]) -> bool:
    solved = bool(end.rows) and end.rows[-1].word == (end.word or "")
    match end.ending:
        case "solved":
            return solved and len(losers) == 1
        case "drawn":
            return not solved and len(end.rows) == TURNS and len(losers) == 2
        case "forfeited":
            return not solved and len(losers) == 1 and losers[0] in leavers
        case None:
            return False  # an operator has stopped it: the rules know no such end
        case _:
            assert_never(end.ending)


def _lives(end: Duel, losers: Sequence[str], lives: Mapping[str, int]) -> Iterator[str]:
    """A loser has one life less, or none after a forfeit."""
    for player in end.players:
        left = lives[player.player_id] - (player.player_id in losers)
        if player.lives != (0 if end.ending == "forfeited" and player.player_id in losers else left):
            yield f"R6: {player.player_id} has {player.lives} lives after {end.duel_id}"


def secret_words(record: Record) -> Iterator[str]:
    """R12, R33: words from the list, of the length announced, none twice."""
    lengths = {match.duel_id: match.length for one in record.tournaments for match in one.matches}
    seen: Counter[str] = Counter()
    for duel_id, length in lengths.items():
        duel = record.last(duel_id)
        if duel is None or duel.word is None:
            continue
        seen[duel.word] += 1
        if length not in LENGTHS or len(duel.word) != length or duel.word not in words.answers(duel.language, length):
            yield f"R33: the word of {duel_id} is not in the list of answers of {length} letters"
    for word, times in seen.items():
        if times > 1:
            yield f"R12: {word} was the secret word {times} times"


def marks(guess: str, word: str) -> list[str]:
    """Mark correct letters first, then present ones from the left, each letter as often as the word has it (R17)."""
    found = ["correct" if typed == right else "absent" for typed, right in zip(guess, word, strict=True)]
    unpaid = Counter(right for right, mark in zip(word, found, strict=True) if mark != "correct")
    for index, typed in enumerate(guess):
        if found[index] == "absent" and unpaid[typed]:
            unpaid[typed] -= 1
            found[index] = "present"
    return found
