"""A player: who they are, where they sit, and whether they are there (R26, R28, R34)."""

from dataclasses import dataclass, replace

from ..errors import ErrorCode, GameError
from .rating import START


@dataclass(frozen=True, slots=True)
class Player:
    """A player as stored.

    `game` is the id of the lobby or running tournament they are in (a tournament keeps its lobby's id), `watching`
    that of a tournament they are out of but have not left, `group` that of their friends. `epoch` counts their
    connections; `away_since_ms` is set while there is none, and `forfeited` once they count as having left (R28).
    `unplaced` are the tournaments in which they have no place: stopped, or left in a round not settled yet (R9).
    `token_hash` is the SHA-256 of their token's secret, in hex; `renamed_at_ms` are the renames of the last hour.
    """

    player_id: str
    token_hash: str
    nickname: str
    created_at_ms: int
    rating: int = START
    games: int = 0
    game: str | None = None
    watching: str | None = None
    connection_id: str | None = None
    epoch: int = 0
    away_since_ms: int | None = None
    forfeited: bool = False
    group: str | None = None
    renamed_at_ms: tuple[int, ...] = ()
    unplaced: tuple[str, ...] = ()

    @property
    def away(self) -> bool:
        return self.connection_id is None


def connect(player: Player, connection_id: str) -> Player:
    """The player is here on this connection; an older one is replaced (R28)."""
    if player.connection_id == connection_id:
        return player
    return replace(player, connection_id=connection_id, epoch=player.epoch + 1, away_since_ms=None, forfeited=False)


def drop(player: Player, connection_id: str, now_ms: int) -> Player:
    """That connection has ended. The end of one that was replaced means nothing (R28)."""
    if player.connection_id != connection_id:
        return player
    return replace(player, connection_id=None, away_since_ms=now_ms)


def has_left(player: Player, window_ms: int, now_ms: int) -> bool:
    """Whether the player has been away too long to come back to the game they are in (R28)."""
    return player.away_since_ms is not None and now_ms - player.away_since_ms >= window_ms


def check_free(player: Player, lobby: bool) -> None:
    """Refuse one who is already in a game (R26); `lobby` says whether that game is still a lobby.

    Raises GameError: IN_LOBBY or IN_TOURNAMENT.
    """
    if player.game is not None:
        if lobby:
            raise GameError(ErrorCode.IN_LOBBY, "You are already in a lobby.")
        raise GameError(ErrorCode.IN_TOURNAMENT, "You are still in a tournament.")


def take_seat(player: Player, game: str) -> Player:
    """The player is in that lobby, and watches nothing any more."""
    return replace(player, game=game, watching=None)


def leave_game(player: Player) -> Player:
    """The player is in no game and watches none."""
    return replace(player, game=None, watching=None)


def leave_tournament(player: Player) -> Player:
    """The player is in no game and watches none; of the tournament they were in, the round's end fixes their place."""
    unplaced = player.unplaced if player.game is None else (*player.unplaced, player.game)
    return replace(leave_game(player), unplaced=unplaced)


def enter_group(player: Player, group_id: str) -> Player:
    """The player is in that group of friends."""
    return replace(player, group=group_id)


def leave_group(player: Player) -> Player:
    """The player is in no group of friends."""
    return replace(player, group=None)


def take_back(player: Player, rating_change: int) -> Player:
    """A tournament of the player's was voided: its rating change is taken back, and it does not count as a game."""
    return replace(player, rating=player.rating - rating_change, games=player.games - 1)


RENAMES_AN_HOUR = 3
HOUR_MS = 60 * 60 * 1000


def rename(player: Player, nickname: str, now_ms: int) -> Player:
    """The player under another nickname, which is a valid one; the same again is no rename.

    Raises GameError(TOO_MANY_RENAMES) after three in an hour; its `until_ms` says when the next is allowed.
    """
    if nickname == player.nickname:
        return player
    lately = tuple(at_ms for at_ms in player.renamed_at_ms if now_ms - at_ms < HOUR_MS)
    if len(lately) >= RENAMES_AN_HOUR:
        raise GameError(
            ErrorCode.TOO_MANY_RENAMES,
            f"A nickname can be changed {RENAMES_AN_HOUR} times an hour.",
            until_ms=lately[-RENAMES_AN_HOUR] + HOUR_MS,
        )
    return replace(player, nickname=nickname, renamed_at_ms=(*lately, now_ms))


def finish(player: Player, tournament_id: str, rating_change: int) -> Player:
    """The player's place in the tournament is fixed: the change is added to today's rating (R20, R21).

    One who was in it until now may watch on (R10); one who had left keeps whatever they do since.
    """
    free = _watch_on(player) if player.game == tournament_id else player
    return replace(
        free,
        rating=player.rating + rating_change,
        games=player.games + 1,
        unplaced=tuple(game for game in player.unplaced if game != tournament_id),
    )


def finish_unplaced(player: Player) -> Player:
    """The player's tournament was stopped: they are free, and may look at where it ended."""
    return replace(_watch_on(player), unplaced=leave_tournament(player).unplaced)


def _watch_on(player: Player) -> Player:
    return replace(player, game=None, watching=player.game)
