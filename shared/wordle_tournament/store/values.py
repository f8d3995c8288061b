"""The stored values that are no part of the game's rules."""

from dataclasses import dataclass, replace

DAY = 24 * 60 * 60
GAME_DAYS = 30
"""The days for which a tournament is kept after its end."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A WebSocket connection, the player who signed in on it, and when it was opened, by API Gateway's clock.

    `rating` is the player's at the sign-in: a join looks for lobbies by it before it has read the player.
    `told` is True once a repeated `hello` has told the others that the player is here: a third one need not.
    """

    connection_id: str
    player_id: str
    opened_at_ms: int = 0
    told: bool = False
    rating: int | None = None


@dataclass(frozen=True, slots=True)
class OpenedLobby:
    lobby_id: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class RecentLobbies:
    """The lobbies of a language and rating band that were opened just now, which the index may not show yet.

    Each opening writes it. So of two at the same instant only one opens a lobby, and the other finds that one (R24).
    With several shards there are as many for each band, and an opening writes any one of them.
    """

    language: str
    opened: tuple[OpenedLobby, ...] = ()
    band: int | None = None
    """None in those of 1.0.0, of which each language had one."""
    shard: int = 0


@dataclass(frozen=True, slots=True)
class Finished:
    """A tournament that a player has finished, and the player's `rating` after it.

    If the tournament was voided later, the change is 0. `solved` are the player's own turns (1 to 6) in which they
    guessed a duel's word. Records of before release 1.1 have neither these nor the `language`.
    """

    tournament_id: str
    at_ms: int
    place: int
    rating_change: int
    rating: int
    voided: bool = False
    language: str | None = None
    solved: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """A player's record: the best place ever, and the last tournaments, newest first.

    Deleting the player must find all tournaments that are still kept. So `recent` may hold more than are shown, and the
    rest is in pages: `pages` has the time of the newest tournament of each.
    """

    player_id: str
    best_place: int | None
    recent: tuple[Finished, ...] = ()
    pages: tuple[int, ...] = ()

    @property
    def page_ids(self) -> list[str]:
        """The ids of its pages."""
        return [page_id(self.player_id, newest_at_ms) for newest_at_ms in self.pages]


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Tournaments of a player whose record holds more than fit into it; the newest ended at `newest_at_ms`."""

    player_id: str
    newest_at_ms: int
    tournaments: tuple[str, ...]


def page_id(player_id: str, newest_at_ms: int) -> str:
    """Return the id of a page."""
    return f"{player_id}.{newest_at_ms}"


@dataclass(frozen=True, slots=True)
class OperatorSettings:
    """The settings that operators can change while the game runs."""

    queue_open: bool = True


RECENT = 50
"""The number of tournaments that a record shows."""
MOST = 100
"""The most that it holds itself of a player of many in 30 days: they must fit in one frame (`export`)."""
PAGE = 50
"""The number of tournaments that go to a page when there are more."""


def add_to_history(history: History | None, player_id: str, finished: Finished) -> tuple[History, HistoryPage | None]:
    """Return the player's record with one more tournament, and the page to which it hands its oldest ones, if any."""
    if history is None:
        return History(player_id, finished.place, (finished,)), None
    since_ms = finished.at_ms - GAME_DAYS * DAY * 1000
    recent = tuple(
        played
        for number, played in enumerate((finished, *history.recent))
        if number < RECENT or played.at_ms >= since_ms
    )
    best = min(history.best_place or finished.place, finished.place)
    pages = tuple(at_ms for at_ms in history.pages if at_ms >= since_ms)
    if len(recent) <= MOST:
        return History(player_id, best, recent, pages), None
    recent, oldest = recent[:-PAGE], recent[-PAGE:]
    page = HistoryPage(player_id, oldest[0].at_ms, tuple(played.tournament_id for played in oldest))
    return History(player_id, best, recent, (*pages, page.newest_at_ms)), page


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
    return replace(history, best_place=best, recent=recent)
