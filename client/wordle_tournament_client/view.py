"""The state that a client knows: the newest of everything that the server has sent.

Frames may overtake each other. Of one group, lobby, tournament or duel the greatest version wins. Of two frames with
the same version the later one by the server's clock (`now_ms`) wins, because `away` changes without a version. The
player's current group, lobby or tournament has no version either; there the clock decides too.
"""

from dataclasses import dataclass, field
from typing import TypeVar, assert_never

from wordle_tournament.protocol import messages
from wordle_tournament.protocol.messages import (
    Duel,
    Group,
    LeftWhat,
    Lobby,
    LobbyPlayer,
    Match,
    Message,
    Tournament,
    TournamentPlayer,
    You,
)

T = TypeVar("T", Lobby, Tournament, Duel)

NO_NEWS: tuple[type[Message], ...] = (
    messages.TournamentResults,
    messages.DuelReview,
    messages.OwnProfile,
    messages.OwnData,
    messages.Replaced,
    messages.LanguageList,
    messages.Pong,
    messages.Question,
    messages.Heard,
    messages.Error,
)
"""The messages without news for the screen; every other one has a case in `View.apply`."""


@dataclass(slots=True)
class View:
    """The state of one player's screen, in the server's own words. Read it; only `apply` changes it.

    `group` is the player's group of friends, `lobby` the lobby in which they wait, and `tournament` the one that they
    play or watch. `duels` are the duels seen of that tournament, by id; of those, `watched` are the ones being watched,
    and `watching` is the one that was chosen or the first. `results` are the player's final places, by
    tournament id.
    """

    you: You | None = None
    group: Group | None = None
    lobby: Lobby | None = None
    tournament: Tournament | None = None
    duels: dict[str, Duel] = field(default_factory=dict)
    watching: str | None = None
    watched: list[str] = field(default_factory=list)
    results: dict[str, messages.Result] = field(default_factory=dict)
    _placed_ms: int = 0
    _grouped_ms: int = 0
    _past: set[str] = field(default_factory=set)
    _presence: dict[str, messages.Presence] = field(default_factory=dict)

    def apply(self, message: Message) -> bool:
        """Apply a frame. Return True if it changed the view."""
        match message:
            case messages.Welcome() | messages.State():
                self._snapshot(message)
                return True
            case messages.LobbyChanged(lobby=lobby):
                return self._lobby(lobby, message.now_ms)
            case messages.TournamentChanged(tournament=tournament):
                return self._tournament(tournament, message.now_ms)
            case messages.DuelChanged(duel=duel):
                return self._duel(duel)
            case messages.DuelsWatched(duels=duels):
                return self._watch_all(duels)
            case messages.Left(what=what):
                if message.ref is not None and self._is_another(what, message.id):
                    return False  # the answer to a late request, which has not touched the current one
                return self._left(what, message.now_ms)
            case messages.GroupChanged(group=group):
                return self._group(group, message.now_ms)
            case messages.Result(tournament_id=tournament_id):
                self.results[tournament_id] = message
                if self.you is not None:
                    self.you = self.you.model_copy(update={"rating": message.rating})
                return True
            case messages.YouChanged(you=you):
                self.you = you
                return True
            case messages.Presence():
                return self._present(message)
            case messages.Unwatched():
                self.watching, self.watched = None, []
                return True
            case messages.Deleted():
                self._forget_player()
                return True
            case _:
                return False  # NO_NEWS

    def watch(self, duel: Duel) -> None:
        """Take in that the player watches this duel, and no other."""
        self.watching, self.watched = duel.duel_id, [duel.duel_id]

    @property
    def me(self) -> TournamentPlayer | None:
        """The player's own entry in the tournament's table."""
        if self.you is None or self.tournament is None:
            return None
        return next((one for one in self.tournament.players if one.player_id == self.you.player_id), None)

    @property
    def match(self) -> Match | None:
        """The player's own match of the current round; None with a bye or once out."""
        if self.you is None or self.tournament is None:
            return None
        return next((one for one in self.tournament.matches if self.you.player_id in one.players), None)

    @property
    def duel(self) -> Duel | None:
        """The player's own duel of the current round; None before its first frame."""
        return None if self.match is None else self.duels.get(self.match.duel_id)

    def away(self, player_id: str) -> bool:
        """Return True if that player has lost the connection."""
        presence = self._presence.get(player_id)
        return presence is not None and presence.away

    def away_until_ms(self, player_id: str) -> int | None:
        """Return when that player counts as having left, by the server's clock; None if they are connected."""
        presence = self._presence.get(player_id)
        return presence.until_ms if presence is not None and presence.away else None

    def _snapshot(self, message: messages.Welcome | messages.State) -> None:
        self.you = message.you
        # A server of before `watchAll` names only one.
        self.watching = message.watching
        self.watched = list(message.watched) or [one for one in (message.watching,) if one is not None]
        for duel in message.duels:
            self._duel(duel)
        if message.group is not None:
            self._group(message.group, message.now_ms)
        elif message.now_ms >= self._grouped_ms:
            self.group, self._grouped_ms = None, message.now_ms
        late = message.now_ms < self._placed_ms
        if message.lobby is not None:
            self._lobby(message.lobby, message.now_ms)
        elif not late:
            self.lobby = None
        if message.tournament is not None:
            self._tournament(message.tournament, message.now_ms)
        elif not late:
            self._forget_tournament()
        self._placed_ms = max(self._placed_ms, message.now_ms)

    def _lobby(self, lobby: Lobby, now_ms: int) -> bool:
        if self.tournament is not None and self.tournament.tournament_id == lobby.lobby_id:
            return False  # it has started: the tournament has its lobby's id
        same = self.lobby is not None and self.lobby.lobby_id == lobby.lobby_id
        if not self._newer(self.lobby, lobby, same, now_ms):
            return False
        inside = self.you is None or any(one.player_id == self.you.player_id for one in lobby.players)
        if not (inside or same):
            return False
        self._forget_tournament()
        self.lobby = lobby if inside else None
        for player in lobby.players:
            self._seen(player, now_ms)
        return True

    def _tournament(self, tournament: Tournament, now_ms: int) -> bool:
        same = self.tournament is not None and self.tournament.tournament_id == tournament.tournament_id
        if tournament.tournament_id in self._past or not self._newer(self.tournament, tournament, same, now_ms):
            return False
        if not same:
            self.duels = {
                duel_id: duel for duel_id, duel in self.duels.items() if duel.tournament_id == tournament.tournament_id
            }
        self.tournament = tournament
        if self.lobby is not None and self.lobby.lobby_id == tournament.tournament_id:
            self.lobby = None
        for player in tournament.players:
            self._seen(player, now_ms)
        return True

    def _newer(self, known: T | None, received: T, same: bool, now_ms: int) -> bool:
        """Return True if `received` is newer: by version if it is the known thing, then by the server's clock."""
        if known is not None and same:
            if (received.version, now_ms) <= (known.version, self._placed_ms):
                return False
        elif now_ms < self._placed_ms:
            return False
        self._placed_ms = max(self._placed_ms, now_ms)
        return True

    def _duel(self, duel: Duel) -> bool:
        known = self.duels.get(duel.duel_id)
        if duel.tournament_id in self._past or (known is not None and duel.version <= known.version):
            return False
        self.duels[duel.duel_id] = duel
        return True

    def _watch_all(self, duels: list[Duel]) -> bool:
        for duel in duels:
            self._duel(duel)
        self.watched = [duel.duel_id for duel in duels if not duel.over]
        if self.watching not in self.watched:
            self.watching = next(iter(self.watched), None)
        return True

    def _group(self, group: Group, now_ms: int) -> bool:
        """Apply a group. Of the same version the later frame wins: `away` and `where` have no version."""
        if self.group is not None and self.group.group_id == group.group_id:
            if (group.version, now_ms) <= (self.group.version, self._grouped_ms):
                return False
        elif now_ms < self._grouped_ms:
            return False
        self.group, self._grouped_ms = group, now_ms
        return True

    def _is_another(self, what: LeftWhat, left_id: str | None) -> bool:
        current = {
            "group": self.group and self.group.group_id,
            "lobby": self.lobby and self.lobby.lobby_id,
            "tournament": self.tournament and self.tournament.tournament_id,
        }[what]
        return None not in (left_id, current) and left_id != current

    def _left(self, what: LeftWhat, now_ms: int) -> bool:
        if now_ms < (self._grouped_ms if what == "group" else self._placed_ms):
            return False
        match what:
            case "group":
                self.group, self._grouped_ms = None, now_ms
            case "lobby":
                self.lobby, self._placed_ms = None, now_ms
            case "tournament":
                self._placed_ms = now_ms
                self._forget_tournament()
            case _:
                assert_never(what)
        return True

    def _forget_player(self) -> None:
        self._forget_tournament()
        self.you = self.group = self.lobby = None
        self.results = {}

    def _forget_tournament(self) -> None:
        if self.tournament is not None:
            self._past.add(self.tournament.tournament_id)  # nobody comes back to one they have left
        self.tournament = None
        self.watching, self.watched = None, []
        self.duels = {}

    def _seen(self, player: LobbyPlayer | TournamentPlayer, now_ms: int) -> None:
        presence = messages.Presence(
            now_ms=now_ms, player_id=player.player_id, away=player.away, until_ms=player.away_until_ms
        )
        self._present(presence)

    def _present(self, presence: messages.Presence) -> bool:
        known = self._presence.get(presence.player_id)
        if known is not None and presence.now_ms < known.now_ms:
            return False
        self._presence[presence.player_id] = presence
        return True
