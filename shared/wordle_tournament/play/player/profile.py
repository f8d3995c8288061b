"""Show a player their own record."""

from dataclasses import asdict

from ...clock import now_ms
from ...delivery import views
from ...delivery.session import Call, signed_in
from ...protocol import messages
from ...protocol.requests import Profile
from ...store import HISTORIES, RECENT, load


def profile(call: Call, request: Profile) -> messages.OwnProfile:
    """Return rating, games, best place and the last tournaments. Raises GameError: NOT_SIGNED_IN, REPLACED."""
    player = signed_in(call).value
    history = load(HISTORIES, player.player_id)
    recent = history.value.recent if history else ()
    return messages.OwnProfile(
        now_ms=now_ms(),
        you=views.you(player),
        best_place=history.value.best_place if history else None,
        recent=[messages.Finished(**asdict(finished)) for finished in recent[:RECENT]],
    )
