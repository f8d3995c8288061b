"""The question whether players are still there (R28).

A question stands where it is judged: in the duel in which a turn was skipped, in the lobby that waits, in the
tournament that has a bye, or in the group that starts. It is numbered, and only an answer with its number counts.
"""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asked:
    """A player who was asked, and the connection on which."""

    player_id: str
    connection_id: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question to players, asked at a time in ms. A later one in the same place has a greater number."""

    number: int
    asked_ms: int
    players: tuple[Asked, ...]

    def on(self, connection_id: str) -> Asked | None:
        """Return the player who was asked on that connection, or None."""
        return next((asked for asked in self.players if asked.connection_id == connection_id), None)


def ask(before: Question | None, connections: Collection[tuple[str, str]], now_ms: int) -> Question:
    """Return the question that follows `before`, to the players on these (player, connection)."""
    number = 1 if before is None else before.number + 1
    return Question(number, now_ms, tuple(Asked(player, connection) for player, connection in connections))


def answer_to(question: Question, player_id: str) -> str:
    """Return the player's answer to the question, as it is stored."""
    return f"{player_id}.{question.number}"


def waited_for(question: Question | None, answers: Collection[str]) -> tuple[Asked, ...]:
    """Return the players who have not answered the question yet."""
    if question is None:
        return ()
    return tuple(asked for asked in question.players if answer_to(question, asked.player_id) not in answers)


def silent(question: Question | None, answers: Collection[str], now_ms: int, silence_ms: int) -> tuple[Asked, ...]:
    """Return the players whose time to answer the question is over, and who have not answered it (R28)."""
    if question is None or now_ms - question.asked_ms < silence_ms:
        return ()
    return waited_for(question, answers)
