"""Checking a nickname, and changing it wherever it is shown (R34, R35)."""

from collections.abc import Callable

from .. import words
from ..delivery import announce
from ..delivery.screen import lobby_of
from ..errors import ErrorCode, GameError
from ..rules.lobby import Lobby, rename_seat
from ..rules.nickname import check_nickname
from ..rules.player import Player
from ..store import LOBBIES, PLAYERS, Change, Versioned, commit, retry_conflicts


def checked(nickname: str) -> str:
    """Return the nickname as it is stored, if it is allowed (R35).

    Raises GameError: NICKNAME_LENGTH, NICKNAME_CHARACTERS, NICKNAME_MIXED_SCRIPTS, NICKNAME_OFFENSIVE.
    """
    name = check_nickname(nickname)
    if words.is_blocked(name):
        raise GameError(
            ErrorCode.NICKNAME_OFFENSIVE,
            "A word of the nickname is a slur in one of the game's languages.",
            field="nickname",
        )
    return name


def give_name(find: Callable[[], Versioned[Player]], change: Callable[[Player], Player]) -> Player:
    """Change the name of the player that `find` returns, also in the lobby where they wait, and tell all who see it.

    The same name again is no change: nothing is written and nobody is told. Return the player. Raises what `find` and
    `change` raise, Conflict and StoreError.
    """
    before, player, lobby = retry_conflicts(lambda: _commit(find(), change))
    if player == before:
        return player.value
    with announce.best_effort():
        if lobby is not None:
            announce.lobby(lobby)
        announce.groups_of([player.value])
    return player.value


def _commit(
    player: Versioned[Player], change: Callable[[Player], Player]
) -> tuple[Versioned[Player], Versioned[Player], Versioned[Lobby] | None]:
    """Return the player before and after, and the lobby where they wait."""
    after = change(player.value)
    if after == player.value:
        return player, player, None
    player_write = Change(PLAYERS, player, after)
    lobby = lobby_of(player.value)
    if lobby is None or not lobby.value.open:
        return player, commit(player_write)[player_write], None
    lobby_write = Change(LOBBIES, lobby, rename_seat(lobby.value, after.player_id, after.nickname))
    committed = commit(player_write, lobby_write)
    return player, committed[player_write], committed[lobby_write]
