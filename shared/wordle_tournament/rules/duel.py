"""One duel: two players, one secret word, one shared board, in turns (R11-R18).

Each row of the board is a turn, including a skipped one (R15). So the number of the current turn is one more than the
number of rows, and that number says which player moves.
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from ..errors import ErrorCode, GameError
from .marks import Marks, mark
from .question import Asked, Question

TURNS_EACH = 6
TURNS = 2 * TURNS_EACH
LENGTHS = (4, 5, 6)


class Phase(StrEnum):
    """The phase of a duel's life."""

    PLAYING = "playing"
    OVER = "over"


class Ending(StrEnum):
    """The reason why a duel is over."""

    SOLVED = "solved"
    DRAWN = "drawn"
    FORFEITED = "forfeited"


@dataclass(frozen=True, slots=True)
class Row:
    """One turn on the board; `word` is None if the turn was skipped (R15)."""

    player_id: str
    word: str | None = field(default=None, repr=False)
    marks: Marks = ()


@dataclass(frozen=True, slots=True)
class Outlook:
    """The possible effect of the rest of the round on the places, as known when it opened or somebody left (R9)."""

    players_in: int
    others_out_at_least: int
    others_out_at_most: int


@dataclass(frozen=True, slots=True)
class Duel:
    """A duel as it is stored. `players[0]` guesses first; `lives` are the lives at its start, in the same order."""

    duel_id: str
    tournament_id: str
    round: int
    language: str
    word: str = field(repr=False)  # never in a log or an error's text (R18)
    players: tuple[str, str]
    lives: tuple[int, int]
    outlook: Outlook
    starts_at_ms: int
    turn_ms: int
    deadline_ms: int
    rows: tuple[Row, ...] = ()
    phase: Phase = Phase.PLAYING
    ending: Ending | None = None
    winner: str | None = None
    ended_at_ms: int | None = None
    questions: tuple[Question, ...] = ()
    """The last question to each player whose turn was skipped, until they guess (R28)."""

    @property
    def turn(self) -> int:
        """The number of the current turn, from 1; TURNS + 1 when all are used."""
        return len(self.rows) + 1

    @property
    def to_move(self) -> str | None:
        """The player whose turn it is; None once the duel is over."""
        return None if self.phase is Phase.OVER else self.players[len(self.rows) % 2]

    @property
    def over(self) -> bool:
        return self.phase is Phase.OVER

    def opponent(self, player_id: str) -> str:
        """Return the other of the two players. Raises GameError(NOT_IN_DUEL) for anybody else."""
        first, second = self.players
        if player_id == first:
            return second
        if player_id == second:
            return first
        raise GameError(ErrorCode.NOT_IN_DUEL, "You do not play in this duel.", field="duel")

    @property
    def losers(self) -> tuple[str, ...]:
        """The players who lose a life by the duel (R6): none while it runs, and none if it was cancelled."""
        if not self.over or self.ending is None:
            return ()
        return tuple(player for player in self.players if player != self.winner)

    @property
    def lives_left(self) -> tuple[int, int]:
        """The lives of both players after the duel as far as it has gone; a player who forfeits has none left (R27)."""
        first, second = (
            0 if self.ending is Ending.FORFEITED and player in self.losers else lives - (player in self.losers)
            for player, lives in zip(self.players, self.lives, strict=True)
        )
        return first, second


def row_already_played(duel: Duel, player_id: str, turn: int, word: str) -> bool:
    """Return True if this guess is on the board already: a resend, answered like the first (R11, once per turn)."""
    return (
        1 <= turn <= len(duel.rows) and duel.rows[turn - 1].player_id == player_id and duel.rows[turn - 1].word == word
    )


def check_turn(duel: Duel, player_id: str, turn: int, received_ms: int) -> None:
    """Refuse a guess that may not be made now, whatever its word (R11, R17).

    `turn` is the turn that the player means; `received_ms` is when the server got the guess. Raises GameError:
    NOT_IN_DUEL, DUEL_OVER, TURN_OVER (played, skipped or past its deadline), NOT_STARTED, NOT_YOUR_TURN.
    """
    duel.opponent(player_id)
    if duel.over:
        raise GameError(ErrorCode.DUEL_OVER, "This duel is over.", field="duel")
    if turn < duel.turn:
        raise GameError(ErrorCode.TURN_OVER, f"Turn {turn} has already been played or skipped.", field="turn")
    if received_ms < duel.starts_at_ms:
        raise GameError(ErrorCode.NOT_STARTED, "The round's introduction is still running.")
    if turn > duel.turn or player_id != duel.to_move:
        raise GameError(ErrorCode.NOT_YOUR_TURN, "It is your opponent's turn.")
    if received_ms >= duel.deadline_ms:
        raise GameError(ErrorCode.TURN_OVER, "The time for this turn is over.", field="turn")


def guess(duel: Duel, player_id: str, turn: int, word: str, received_ms: int, now_ms: int) -> Duel:
    """Play `word`, canonical and in the word list, in `turn`.

    The guess counts by when it was received (R17); the opponent's 30 s start now. Raises GameError as
    `check_turn` does.
    """
    check_turn(duel, player_id, turn, received_ms)
    row = Row(player_id, word, mark(word, duel.word))
    duel = replace(duel, questions=_questions_to_others(duel, player_id))  # a guess is an answer
    if word == duel.word:
        return _end(replace(duel, rows=(*duel.rows, row)), Ending.SOLVED, player_id, now_ms)
    return _after_turn(duel, row, now_ms)


def skip(duel: Duel, turn: int, now_ms: int, grace_ms: int) -> Duel:
    """Skip `turn` if it is the current one and over by `grace_ms`; otherwise return the duel unchanged (R15).

    In the grace a guess that was received before the deadline is processed and counts (R17).
    """
    player_id = duel.to_move
    if player_id is None or turn != duel.turn or now_ms < duel.deadline_ms + grace_ms:
        return duel
    return _after_turn(duel, Row(player_id), now_ms)


def ask(duel: Duel, player_id: str, connection_id: str, now_ms: int) -> Duel:
    """Ask the player, whose turn was skipped, whether they are there (R28). Once the duel is over nobody is asked.

    The number of the question is that of the skipped turn.
    """
    duel.opponent(player_id)
    if duel.over:
        return duel
    question = Question(len(duel.rows), now_ms, (Asked(player_id, connection_id),))
    return replace(duel, questions=(*_questions_to_others(duel, player_id), question))


def forfeit(duel: Duel, player_id: str, now_ms: int) -> Duel:
    """End the duel because the player leaves: the opponent wins (R27). A duel that is over stays as it ended."""
    opponent = duel.opponent(player_id)
    return duel if duel.over else _end(duel, Ending.FORFEITED, opponent, now_ms)


def cancel(duel: Duel, now_ms: int) -> Duel:
    """End the duel because an operator stops its tournament: nobody wins or loses."""
    return duel if duel.over else replace(duel, phase=Phase.OVER, ended_at_ms=now_ms)


def with_outlook(duel: Duel, outlook: Outlook) -> Duel:
    """Return the duel with that outlook while it runs. A duel that is over stays as it was told."""
    return duel if duel.over else replace(duel, outlook=outlook)


def places_possible(duel: Duel, player_id: str) -> tuple[int, int] | None:
    """Return the best and the worst place of a player whose last life this duel took, else None (R9).

    The round's other duels decide between them. The worst is certain; a player who leaves later can only improve the
    place, also beyond the best.
    """
    duel.opponent(player_id)
    out = [player for player, lives in zip(duel.players, duel.lives_left, strict=True) if not lives]
    if not duel.over or player_id not in out or duel.ending is Ending.FORFEITED:
        return None
    left = duel.outlook.players_in - len(out)
    return 1 + left - duel.outlook.others_out_at_most, 1 + left - duel.outlook.others_out_at_least


def _questions_to_others(duel: Duel, player_id: str) -> tuple[Question, ...]:
    return tuple(
        question for question in duel.questions if all(asked.player_id != player_id for asked in question.players)
    )


def _after_turn(duel: Duel, row: Row, now_ms: int) -> Duel:
    rows = (*duel.rows, row)
    if len(rows) == TURNS:
        return _end(replace(duel, rows=rows), Ending.DRAWN, None, now_ms)
    return replace(duel, rows=rows, deadline_ms=now_ms + duel.turn_ms)


def _end(duel: Duel, ending: Ending, winner: str | None, now_ms: int) -> Duel:
    return replace(duel, phase=Phase.OVER, ending=ending, winner=winner, ended_at_ms=now_ms)
