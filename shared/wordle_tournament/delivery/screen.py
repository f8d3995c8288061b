"""The screen of a player: the lobby or tournament that they are in or watch, read now."""

from dataclasses import dataclass

from ..rules.lobby import Lobby
from ..rules.player import Player
from ..rules.tournament import Tournament
from ..store import DUELS, LOBBIES, TOURNAMENTS, Conflict, LiveDuel, Versioned, load, load_many


@dataclass(frozen=True, slots=True)
class Screen:
    """A lobby, or a tournament with the duels of its current round; neither if the player is in no game."""

    lobby: Versioned[Lobby] | None = None
    tournament: Versioned[Tournament] | None = None
    duels: tuple[LiveDuel, ...] = ()

    @property
    def player_ids(self) -> list[str]:
        """The players in the lobby or tournament."""
        if self.lobby:
            return [seat.player_id for seat in self.lobby.value.seats]
        if self.tournament:
            return [entrant.player_id for entrant in self.tournament.value.entrants]
        return []


def read(player: Player) -> Screen:
    """Return the player's screen. Raises StoreError."""
    game = player.game or player.watching
    if game is None:
        return Screen()
    tournament = load(TOURNAMENTS, game)
    if tournament is not None:
        return Screen(tournament=tournament, duels=tuple(duels_of(tournament)))
    return Screen(lobby=lobby_on_screen(player))


def lobby_on_screen(player: Player) -> Versioned[Lobby] | None:
    """Return the lobby of the player's game, if they have a seat there. Raises StoreError."""
    game = player.game or player.watching
    lobby = load(LOBBIES, game) if game is not None else None
    return lobby if lobby is not None and lobby.value.has(player.player_id) else None


def lobby_of(player: Player) -> Versioned[Lobby] | None:
    """Return the lobby in which the player has a seat, started or not; None in no game, or if it has expired.

    Raises Conflict if the player was moved to another lobby since they were read, and StoreError.
    """
    lobby = load(LOBBIES, player.game) if player.game is not None else None
    if lobby is not None:
        check_seat(player, lobby)
    return lobby


def check_seat(player: Player, lobby: Versioned[Lobby]) -> None:
    """Check that player and lobby, read one after the other, fit together. Raises Conflict if they do not."""
    if not lobby.value.has(player.player_id):
        raise Conflict("moved to another lobby meanwhile")


def duels_of(tournament: Versioned[Tournament]) -> list[LiveDuel]:
    """Return the duels of the tournament's current round in order of their ids, with one call. Raises StoreError."""
    duels = load_many(DUELS, (match.duel_id for match in tournament.value.round.matches))
    return [duels[duel_id] for duel_id in sorted(duels)]
