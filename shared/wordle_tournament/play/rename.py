"""Choose a nickname (R34, R35)."""

from collections.abc import Callable

from .. import words
from ..clock import now_ms
from ..protocol import messages
from ..protocol.errors import ErrorCode
from ..protocol.requests import Rename
from ..rules.lobby import Lobby, rename_seat
from ..rules.nickname import check_nickname
from ..rules.player import Player
from ..rules.player import rename as rename_player
from ..store import LOBBIES, PLAYERS, Change, Stored, Write, commit, retry_conflicts
from . import announce, groups, views
from .refused import Refused
from .screen import lobby_of
from .session import Call, signed_in


def rename(call: Call, request: Rename) -> messages.YouChanged:
    """Rename the player, in the lobby they wait in too; a running tournament keeps the old name.

    Raises RuleError: NICKNAME_LENGTH, NICKNAME_CHARACTERS, NICKNAME_MIXED_SCRIPTS, TOO_MANY_RENAMES; Refused:
    NICKNAME_OFFENSIVE, NOT_SIGNED_IN, REPLACED.
    """
    nickname = checked(request.nickname)
    player = give_name(lambda: signed_in(call), lambda before: rename_player(before, nickname, now_ms()))
    return messages.YouChanged(now_ms=now_ms(), you=views.you(player))


def checked(nickname: str) -> str:
    """The nickname as it is stored, if anybody may be called that (R35).

    Raises RuleError: NICKNAME_LENGTH, NICKNAME_CHARACTERS, NICKNAME_MIXED_SCRIPTS; Refused: NICKNAME_OFFENSIVE.
    """
    name = check_nickname(nickname)
    if words.is_blocked(name):
        raise Refused(ErrorCode.NICKNAME_OFFENSIVE, field="nickname")
    return name


def give_name(find: Callable[[], Stored[Player]], change: Callable[[Player], Player]) -> Player:
    """Change the name of the player that is found, in the lobby they wait in too, and tell all who see it there.

    Raises what the two raise, Conflict and StoreError.
    """
    player, lobby = retry_conflicts(lambda: _commit(find(), change))
    if lobby is not None:
        announce.lobby(lobby)
    groups.announce_groups([player.value])
    return player.value


def _commit(player: Stored[Player], change: Callable[[Player], Player]) -> tuple[Stored[Player], Stored[Lobby] | None]:
    after = change(player.value)
    writes: list[Write] = [Change(PLAYERS, player, after)]
    lobby = lobby_of(player.value)
    if lobby is not None and lobby.value.open:
        writes.append(Change(LOBBIES, lobby, rename_seat(lobby.value, after.player_id, after.nickname)))
    changed = commit(*writes)
    return changed[0], changed[1] if len(changed) > 1 else None
