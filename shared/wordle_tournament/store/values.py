"""What is stored but is no part of the game."""

from dataclasses import dataclass, replace

DAY = 24 * 60 * 60
GAME_DAYS = 30
"""How long a tournament is kept after its end."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A WebSocket connection, the player who signed in on it, and when it was opened, by API Gateway's clock."""

    connection_id: str
    player_id: str
    opened_at_ms: int = 0


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
    """A tournament that a player has finished; `rating` is theirs from then on.

    In one that was voided since, the change is 0.
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

    There may be more of them than are shown: those that are still kept, so that deleting the player finds them.
    """

    player_id: str
    best_place: int | None
    recent: tuple[Finished, ...] = ()


@dataclass(frozen=True, slots=True)
class OperatorSettings:
    """The settings that operators can change while the game runs."""

    queue_open: bool = True


RECENT = 50
"""How many tournaments a record shows."""
MOST = 150
"""How many it keeps of one who plays more than that in 30 days: they have to go into one frame (`export`)."""


def add_to_history(history: History | None, player_id: str, finished: Finished) -> History:
    """The player's record with one more tournament."""
    if history is None:
        return History(player_id, finished.place, (finished,))
    since_ms = finished.at_ms - GAME_DAYS * DAY * 1000
    recent = tuple(
        one for number, one in enumerate((finished, *history.recent)) if number < RECENT or one.at_ms >= since_ms
    )
    return History(player_id, min(history.best_place or finished.place, finished.place), recent[:MOST])


def void_in_history(history: History, tournament_id: str) -> History:
    """The record after a tournament was voided: without its rating change, as if it had not counted.

    If it was the best place, that is now the best of those that the record still has.
    """
    at = next((number for number, one in enumerate(history.recent) if one.tournament_id == tournament_id), None)
    if at is None or history.recent[at].voided:
        return history
    voided = history.recent[at]
    # The newest first: whatever came later was added on top of it.
    since = tuple(replace(one, rating=one.rating - voided.rating_change) for one in history.recent[:at])
    void = replace(voided, rating_change=0, rating=voided.rating - voided.rating_change, voided=True)
    recent = (*since, void, *history.recent[at + 1 :])
    best = history.best_place
    if best == voided.place:
        best = min((one.place for one in recent if not one.voided), default=None)
    return History(history.player_id, best, recent)
