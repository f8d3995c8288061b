"""The stored values that are no part of the game's rules."""

from dataclasses import dataclass, replace

DAY = 24 * 60 * 60
GAME_DAYS = 30
"""The days for which a tournament is kept after its end."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A WebSocket connection, the player who signed in on it, and when it was opened, by API Gateway's clock.

    `told` is True once a repeated `hello` has told the others that the player is here: a third one need not.
    """

    connection_id: str
    player_id: str
    opened_at_ms: int = 0
    told: bool = False


@dataclass(frozen=True, slots=True)
class OpenedLobby:
    lobby_id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class RecentLobbies:
    """The lobbies of a language that were opened just now, which the index may not show yet.

    Each opening writes it. So of two at the same instant only one opens a lobby, and the other finds that one (R24).
    """

    language: str
    opened: tuple[OpenedLobby, ...] = ()


@dataclass(frozen=True, slots=True)
class Finished:
    """A tournament that a player has finished, and the player's `rating` after it.

    If the tournament was voided later, the change is 0.
    """

    tournament_id: str
    at_ms: int
    place: int
    rating_change: int
    rating: int
    voided: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """A player's record: the best place ever, and the last tournaments, newest first.

    It may hold more tournaments than are shown: all that are still kept, so that deleting the player finds them.
    """

    player_id: str
    best_place: int | None
    recent: tuple[Finished, ...] = ()


@dataclass(frozen=True, slots=True)
class OperatorSettings:
    """The settings that operators can change while the game runs."""

    queue_open: bool = True


RECENT = 50
"""The number of tournaments that a record shows."""
MOST = 150
"""The most tournaments that it keeps of somebody who plays many in 30 days: they must fit in one frame (`export`)."""


def add_to_history(history: History | None, player_id: str, finished: Finished) -> History:
    """Return the player's record with one more tournament."""
    if history is None:
        return History(player_id, finished.place, (finished,))
    since_ms = finished.at_ms - GAME_DAYS * DAY * 1000
    recent = tuple(
        played
        for number, played in enumerate((finished, *history.recent))
        if number < RECENT or played.at_ms >= since_ms
    )
    return History(player_id, min(history.best_place or finished.place, finished.place), recent[:MOST])


def void_in_history(history: History, tournament_id: str) -> History:
    """Return the record after the tournament was voided: without its rating change, as if it had not counted.

    If its place was the best, the best place is now that of the tournaments that the record still has.
    """
    index = next(
        (number for number, played in enumerate(history.recent) if played.tournament_id == tournament_id), None
    )
    if index is None or history.recent[index].voided:
        return history
    counted = history.recent[index]
    # The newest comes first. The rating changes of later tournaments were added on top of this one's.
    later = tuple(replace(played, rating=played.rating - counted.rating_change) for played in history.recent[:index])
    voided = replace(counted, rating_change=0, rating=counted.rating - counted.rating_change, voided=True)
    recent = (*later, voided, *history.recent[index + 1 :])
    best = history.best_place
    if best == counted.place:
        best = min((played.place for played in recent if not played.voided), default=None)
    return History(history.player_id, best, recent)
