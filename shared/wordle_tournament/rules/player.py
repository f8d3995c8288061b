"""A player: identity, the current game, and presence (R26, R28, R34)."""

from dataclasses import dataclass, replace

from ..errors import ErrorCode, GameError
from .rating import START


@dataclass(frozen=True, slots=True)
class LostGame:
    """A lobby, or a tournament if it had `started`, that the player has lost by being away too long (R28).

    If it is `restarted`, the server was started again instead, which ends the running games of one machine's stack.
    """

    game: str
    started: bool
    at_ms: int
    restarted: bool = False


@dataclass(frozen=True, slots=True)
class Player:
    """A player as it is stored.

    `game` is the id of the lobby or running tournament they are in (a tournament keeps its lobby's id), `watching`
    that of a tournament they are out of but have not left, `group` that of their friends. `epoch` counts their
    connections; `away_since_ms` is set while there is none, and `forfeited` once they count as having left (R28).
    `unplaced` are the tournaments in which they have no place: stopped, or left in a round not settled yet (R9).
    `lost_game` tells a returning player why they are in no game.
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
    lost_game: LostGame | None = None

    @property
    def away(self) -> bool:
        return self.connection_id is None

    def follows(self, tournament_id: str) -> bool:
        """Return True if the player is in the tournament, or is out of it and has not left it (R10)."""
        return tournament_id in (self.game, self.watching)


def connect(player: Player, connection_id: str) -> Player:
    """Record that the player is on this connection; it replaces an older one (R28)."""
    if player.connection_id == connection_id:
        return player
    return replace(player, connection_id=connection_id, epoch=player.epoch + 1, away_since_ms=None, forfeited=False)


def drop(player: Player, connection_id: str, now_ms: int) -> Player:
    """Record that the connection has ended. The end of a replaced connection changes nothing (R28)."""
    if player.connection_id != connection_id:
        return player
    return replace(player, connection_id=None, away_since_ms=now_ms)


def has_left(player: Player, window_ms: int, now_ms: int) -> bool:
    """Return True if the player has been away past the reconnect window (R28)."""
    return player.away_since_ms is not None and now_ms - player.away_since_ms >= window_ms


def check_free(player: Player, lobby: bool) -> None:
    """Check that the player is in no game (R26); `lobby` is True if their game is still a lobby.

    Raises GameError: IN_LOBBY, IN_TOURNAMENT.
    """
    if player.game is not None:
        if lobby:
            raise GameError(ErrorCode.IN_LOBBY, "You are already in a lobby.")
        raise GameError(ErrorCode.IN_TOURNAMENT, "You are still in a tournament.")


def take_seat(player: Player, game: str) -> Player:
    """Put the player into that lobby. They stop watching."""
    return replace(player, game=game, watching=None, lost_game=None)


def lose_game(player: Player, started: bool, now_ms: int) -> Player:
    """Take the player, who was away too long, out of the lobby, or out of the tournament if it has started (R28)."""
    after = leave_tournament(player) if started else leave_game(player)
    return after if player.game is None else replace(after, lost_game=LostGame(player.game, started, now_ms))


def leave_game(player: Player) -> Player:
    """Take the player out of every game, watched ones too."""
    return replace(player, game=None, watching=None)


def leave_tournament(player: Player) -> Player:
    """Take the player out of every game. The end of the round fixes their place in the tournament they were in."""
    unplaced = player.unplaced if player.game is None else (*player.unplaced, player.game)
    return replace(leave_game(player), unplaced=unplaced)


def enter_group(player: Player, group_id: str) -> Player:
    """Put the player into that group of friends."""
    return replace(player, group=group_id)


def leave_group(player: Player) -> Player:
    """Take the player out of their group of friends."""
    return replace(player, group=None)


def take_back(player: Player, rating_change: int) -> Player:
    """Take back the rating change of a voided tournament, which does not count as a game either."""
    return replace(player, rating=player.rating - rating_change, games=player.games - 1)


RENAMES_AN_HOUR = 3
HOUR_MS = 60 * 60 * 1000


def rename(player: Player, nickname: str, now_ms: int) -> Player:
    """Give the player another nickname, which must be a valid one; the same nickname again is no rename.

    Raises GameError(TOO_MANY_RENAMES) after three in an hour; its `until_ms` says when the next is allowed.
    """
    if nickname == player.nickname:
        return player
    recent = tuple(at_ms for at_ms in player.renamed_at_ms if now_ms - at_ms < HOUR_MS)
    if len(recent) >= RENAMES_AN_HOUR:
        raise GameError(
            ErrorCode.TOO_MANY_RENAMES,
            f"A nickname can be changed {RENAMES_AN_HOUR} times an hour.",
            until_ms=recent[-RENAMES_AN_HOUR] + HOUR_MS,
        )
    return replace(player, nickname=nickname, renamed_at_ms=(*recent, now_ms))


def finish(player: Player, tournament_id: str, rating_change: int) -> Player:
    """Add the rating change of a tournament in which the player's place is now fixed to today's rating (R20, R21).

    A player who was in it until now may watch on (R10). A player who had left stays in the game they are in since.
    """
    free = _watch_on(player) if player.game == tournament_id else player
    return replace(
        free,
        rating=player.rating + rating_change,
        games=player.games + 1,
        unplaced=tuple(game for game in player.unplaced if game != tournament_id),
    )


def finish_unplaced(player: Player) -> Player:
    """Free a player whose tournament an operator stopped. They may look at where it ended."""
    return replace(_watch_on(player), unplaced=leave_tournament(player).unplaced)


def _watch_on(player: Player) -> Player:
    return replace(player, game=None, watching=player.game)
