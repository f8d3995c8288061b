"""The simulated players: each has a client that keeps to the protocol's guide, and a policy drawn from the seed.

A client knows what its frames say, by the view of the published client kit, and nothing else. Only two things come from
outside, as they do in life: friends pass on an invite, and a player may think of the right word.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from pydantic import ValidationError

from infra.local.simulation.chance import Chance
from infra.local.simulation.faults import Faults
from infra.local.simulation.fibers import VirtualTime
from wordle_tournament import words
from wordle_tournament.protocol import messages
from wordle_tournament.protocol.errors import ErrorCode
from wordle_tournament.protocol.messages import Duel, Message
from wordle_tournament_client.client import REPEATABLE, parse
from wordle_tournament_client.view import View

TICK_MS = 3_000
PATIENCE_MS = 8_000
"""A request without an answer for so long means that the connection is dead."""
PING_MS = 60_000
OVERDUE_MS = 5_000
REPEATED = frozenset(str(request.model_fields["action"].default) for request in REPEATABLE)
AGAIN = frozenset({"join", "startGroup", "joinGroup", "hello"})
"""Sent again after a lost answer, as the guide says for all requests: these after a new sign-in."""
WRONG_WORDS = 40


@dataclass(eq=False)
class Connection:
    """A WebSocket: what API Gateway thinks of it, and whether the client still has it."""

    connection_id: str
    client: Client
    opened_ms: int
    open: bool = False
    """By API Gateway."""
    there: bool = True
    """The client still has it."""
    arrives_ms: int = 0
    """When the last frame so far arrives: frames of a connection do not overtake each other on their way."""
    sent: int = 0
    """The frames sent to it so far."""
    spoke_ms: int = 0
    """When the client's last message came."""


class Net(Protocol):
    """The world as a client meets it."""

    time: VirtualTime
    chance: Chance
    faults: Faults
    closing: bool
    """No new games are wanted."""
    invites: dict[str, str]
    """By a group's name: the invite that friends have been given."""

    def open(self, client: Client) -> Connection:
        """Begin to connect; `Client.connected` or `Client.lost` follows."""

    def send(self, connection: Connection, text: str, name: str) -> None:
        """Send a message."""

    def hang_up(self, connection: Connection, how: str) -> None:
        """End the connection from the client's side, or by the network: `how` is a kind of fault, or `closed`."""

    def secret(self, duel_id: str) -> str:
        """Return the word that a player may think of."""

    def note(self, *what: Any) -> None:
        """Write a line of the history."""


@dataclass(eq=False)
class Pending:
    """A request that waits for its answer."""

    action: str
    text: str
    ref: str
    sent_ms: int


@dataclass(frozen=True)
class Policy:
    """How a player plays."""

    language: str
    games: int
    """The tournaments that the player wants to play."""
    skill: float
    """The share of turns in which the player thinks of the word."""
    haste_ms: int
    """The longest time that the player thinks."""
    friends: str = ""
    """The name of a group of friends; its first player leads."""
    leads: bool = False
    size: int = 1
    starts_ms: int = 0


class Client:
    """One player with one device."""

    def __init__(self, net: Net, name: str, policy: Policy) -> None:
        self.net, self.name, self.policy = net, name, policy
        self.view = View()
        self.token: str | None = None
        self.connection: Connection | None = None
        self.signed_in = False
        self.deleted = False
        self.seen: dict[str, None] = {}
        """The tournaments in which the player has been."""
        self.asleep_until_ms = 0
        self.sent = 0
        self.connected_times = 0
        self._pending: dict[str, Pending] = {}
        self._copies: dict[str, int] = {}
        self._planned: set[tuple[str, int]] = set()
        self._heard_ms = 0
        self._synced_ms = 0
        self._sync_pause_ms = OVERDUE_MS
        self._tick = 0
        self._not_before_ms = 0
        self._unread: list[tuple[Connection, str]] = []
        net.time.at(policy.starts_ms, self.connect)
        net.time.at(policy.starts_ms + TICK_MS + net.chance.whole(0, TICK_MS, name, "first tick"), self.tick)

    @property
    def player_id(self) -> str:
        return self.view.you.player_id if self.view.you is not None else ""

    @property
    def now_ms(self) -> int:
        return self.net.time.now_ms

    # -- connections -------------------------------------------------------------------------------

    def connect(self) -> None:
        if self.connection is None and not self.deleted:
            self.connected_times += 1
            self.connection = self.net.open(self)

    def connected(self, connection: Connection) -> None:
        """Sign in: the connection is open."""
        if connection is self.connection:
            self._heard_ms = self.now_ms
            self._hello()

    def lost(self, connection: Connection, back_ms: int) -> None:
        """Notice that the connection has ended, and come back after a while."""
        if connection is not self.connection:
            return
        connection.there = False
        self.connection, self.signed_in = None, False
        self._planned.clear()
        self.net.time.after(back_ms, self.connect)

    def hang_up(self, how: str, back_ms: int) -> None:
        connection = self.connection
        if connection is not None:
            self.net.hang_up(connection, how)
            self.lost(connection, back_ms)

    def _hello(self) -> None:
        self._pending = {ref: one for ref, one in self._pending.items() if one.action != "hello"}
        if self.token is None:
            self.ask("hello")
        else:
            self.ask("hello", token=self.token)

    # -- requests ----------------------------------------------------------------------------------

    def ask(self, action: str, **fields: Any) -> None:
        """Send a request; its answer comes as a frame."""
        self.sent += 1
        ref = f"{self.name}-{self.sent}"
        text = json.dumps({"action": action, "ref": ref, **fields})
        self._pending[ref] = Pending(action, text, ref, self.now_ms)
        self._send(self._pending[ref])

    def _send(self, pending: Pending) -> None:
        if self.connection is not None and self.connection.open:
            pending.sent_ms = self.now_ms
            self.net.send(self.connection, pending.text, f"{pending.ref} {pending.action}")

    def copies(self, name: str) -> int:
        """Count one more copy of a message on its way. Return how many there were before."""
        self._copies[name] = self._copies.get(name, -1) + 1
        return self._copies[name]

    @property
    def busy(self) -> bool:
        """True while an answer is awaited without which nothing should be asked."""
        return any(one.action not in ("here", "ping") for one in self._pending.values())

    # -- frames ------------------------------------------------------------------------------------

    def receive(self, connection: Connection, text: str) -> None:
        """Take a frame from the network."""
        if connection is not self.connection or self.deleted:
            return
        if self.now_ms < self.asleep_until_ms:
            self._unread.append((connection, text))
            return
        self._heard_ms = self.now_ms
        message = read(text)
        if message is None:
            self._gateway_failed()
            return
        pending = self._pending.pop(message.ref, None) if message.ref is not None else None
        match message:
            case messages.Question():
                self.ask("here", what=message.what, id=message.id, number=message.number)
            case messages.Replaced():
                self.hang_up(
                    "closed", self.net.chance.whole(2_000, 20_000, self.name, "replaced", self.connected_times)
                )
            case messages.Error():
                self._refused(message, pending)
            case _:
                self.view.apply(message)
                if isinstance(message, messages.Welcome):
                    self._welcome(message)
                if isinstance(message, messages.Deleted):
                    self._forget()
                    return
        if self.view.tournament is not None:
            self.seen[self.view.tournament.tournament_id] = None
        if self.view.group is not None and self.policy.leads:
            self.net.invites[self.policy.friends] = self.view.group.invite
        self.think()

    def _welcome(self, welcome: messages.Welcome) -> None:
        if welcome.token is not None:
            self.token = welcome.token
        self.signed_in = True
        for pending in list(self._pending.values()):
            if pending.action in REPEATED:
                self._send(pending)
            else:
                del self._pending[pending.ref]

    def _refused(self, error: messages.Error, pending: Pending | None) -> None:
        action = "" if pending is None else pending.action
        self.net.note(self.name, "refused", action, error.code)
        match error.code:
            case ErrorCode.BUSY | ErrorCode.INTERNAL if pending is not None:
                self._again(pending)
            case ErrorCode.BAD_TOKEN:
                self._forget()
            case ErrorCode.NOT_SIGNED_IN if action != "hello":
                self.signed_in = False
                self._hello()
            case ErrorCode.REPLACED | ErrorCode.ALREADY_SIGNED_IN:
                self.hang_up("closed", 1_500)
            case ErrorCode.QUEUE_CLOSED:
                self._not_before_ms = self.now_ms + 30_000
            case _ if action in ("join", "startGroup", "leave", "joinGroup", "createGroup"):
                # The view is not what is so, or somebody has to come first.
                self._not_before_ms = self.now_ms + 4_000
                self.ask("sync")

    def _again(self, pending: Pending) -> None:
        """Send a request once more after a while, by the same ref."""

        def again() -> None:
            if self.signed_in or pending.action == "hello":
                self._pending[pending.ref] = pending
                self._send(pending)

        self.net.time.after(1_000 + self.net.chance.whole(0, 1_000, pending.ref, "again", self.now_ms), again)

    def _gateway_failed(self) -> None:
        """Take the gateway's own error as one about the last request: it does not say which."""
        if self._pending:
            self._again(self._pending.pop(next(reversed(self._pending))))

    def _forget(self) -> None:
        self.deleted = True
        if self.connection is not None:
            self.net.hang_up(self.connection, "closed")
            self.connection.there = False
            self.connection = None

    # -- time --------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Look every few seconds at what does not come by itself."""
        if self.deleted:
            return
        self._tick += 1
        self.net.time.after(TICK_MS, self.tick)
        if self.now_ms < self.asleep_until_ms:
            return
        unread, self._unread = self._unread, []
        for sent_on, text in unread:
            self.receive(sent_on, text)
        connection = self.connection
        if connection is None or not connection.open or self._disturbed():
            return
        oldest = min((one.sent_ms for one in self._pending.values()), default=self.now_ms)
        if self.now_ms - oldest > PATIENCE_MS:
            self.hang_up("closed", self.net.chance.whole(200, 2_000, self.name, "dead", self._tick))
            return
        if not self.signed_in:
            return
        if self._overdue() and not self.busy:
            self._synced_ms = self.now_ms
            self._sync_pause_ms = min(20_000, 2 * self._sync_pause_ms)
            self.ask("sync")
        elif self.now_ms - self._heard_ms > PING_MS and not self._pending:
            self.ask("ping")
        if not self.busy:
            self._extra_moves()
        self.think()

    def _overdue(self) -> bool:
        """Return True if a frame is overdue, and nothing was heard."""
        tournament = self.view.tournament
        if self.now_ms - max(self._heard_ms, self._synced_ms) < self._sync_pause_ms:
            return False
        if self.view.lobby is not None and self.view.lobby.started:
            return True
        if tournament is None or tournament.over:
            self._sync_pause_ms = OVERDUE_MS
            return False
        duels = [self.view.duels.get(match.duel_id) for match in tournament.matches]
        late = [one for one in duels if one is not None and one.deadline_ms and self.now_ms > one.deadline_ms + 3_000]
        over = all(one is not None and one.over for one in duels)
        age_ms = self.now_ms - tournament.starts_at_ms
        if late or over or age_ms > 12 * 31_000:
            return True
        self._sync_pause_ms = OVERDUE_MS
        return False

    def _disturbed(self) -> bool:
        """Return True if the connection is disturbed by chance."""
        chance, faults, name = self.net.chance, self.net.faults, (self.name, self._tick)
        for kind in ("drop", "unnoticed drop", "half-open"):
            if faults.strikes(kind, *name):
                soon = chance.number("back", *name) < 0.7
                self.hang_up(kind, chance.whole(*((200, 8_000) if soon else (20_000, 110_000)), "back ms", *name))
                return True
        if faults.strikes("second device", *name):
            # The old connection stays open, and the server closes it.
            assert self.connection is not None
            self.lost(self.connection, 0)
            return True
        if faults.strikes("asleep", *name):
            self.asleep_until_ms = self.now_ms + chance.whole(5_000, 100_000, "asleep ms", *name)
            return True
        return False

    def sync(self) -> None:
        """Ask for everything, as after a doubt."""
        if self.signed_in and not self.deleted and self.connection is not None:
            self.ask("sync")

    # -- policy ------------------------------------------------------------------------------------

    def think(self) -> None:
        """Do what the player wants to do next."""
        if not self.signed_in or self.deleted or self.connection is None:
            return
        duel = self.view.duel
        if duel is not None and not duel.over and duel.to_move == self.player_id:
            self._plan_guess(duel)
            return
        if self.busy or self.now_ms < max(self._not_before_ms, 0):
            return
        tournament, me = self.view.tournament, self.view.me
        if tournament is not None and not tournament.over and me is not None and me.fate == "in":
            if not (duel is not None and duel.over and self._out(duel)):
                return
        elif self.view.lobby is not None:
            if self.net.closing and not self.view.lobby.started:
                self.ask("leave", what="lobby", id=self.view.lobby.lobby_id)
            return
        self._look_for_a_game()

    def _out(self, duel: Duel) -> bool:
        return any(one.player_id == self.player_id for one in duel.out)

    def _look_for_a_game(self) -> None:
        tournament, policy, group = self.view.tournament, self.policy, self.view.group
        if self.net.closing or len(self.seen) >= policy.games:
            if tournament is not None and tournament.over:
                self.ask("leave", what="tournament", id=tournament.tournament_id)
            return
        if tournament is not None:
            settled = tournament.over or (self.view.me is not None and self.view.me.fate != "in")
            if not settled:
                return
            if self.net.chance.number(self.name, "stays", tournament.tournament_id[:1], len(self.seen)) < 0.5 and (
                not tournament.over
            ):
                return  # looks on until it is over
        if policy.friends and group is None:
            if policy.leads:
                self.ask("createGroup")
            elif policy.friends in self.net.invites:
                self._not_before_ms = self.now_ms + 3_000
                self.ask("joinGroup", invite=self.net.invites[policy.friends])
        elif group is None:
            self.ask("join", language=policy.language)
        elif group.leader == self.player_id:
            ready = all(one.where == "free" and not one.away for one in group.members)
            if ready and (len(group.members) >= policy.size or self._tick > 20):
                self._not_before_ms = self.now_ms + 3_000
                self.ask("startGroup", language=policy.language)

    # -- guesses -----------------------------------------------------------------------------------

    def _plan_guess(self, duel: Duel) -> None:
        chance, faults, turn = self.net.chance, self.net.faults, duel.turn
        name = (self.name, duel.round, turn, len(self.seen))
        if (duel.duel_id, turn) in self._planned:
            return
        self._planned.add((duel.duel_id, turn))
        if faults.strikes("idle", *name):
            return
        at_ms = max(self.now_ms, duel.starts_at_ms) + chance.whole(200, self.policy.haste_ms, "thinks", *name)
        if duel.deadline_ms is not None and faults.strikes("last moment", *name):
            at_ms = max(self.now_ms, duel.deadline_ms + chance.whole(-500, 300, "last moment ms", *name))
        if faults.strikes("bad guess", *name):
            self.net.time.at(at_ms, lambda: self._guess_badly(duel, name))
            at_ms += 700
        self.net.time.at(at_ms, lambda: self._guess(duel, name))

    def _guess(self, duel: Duel, name: tuple[Any, ...]) -> None:
        known = self.view.duels.get(duel.duel_id)
        if known is None or known.over or known.turn != duel.turn or self.connection is None or not self.signed_in:
            self._planned.discard((duel.duel_id, duel.turn))
            return
        secret = self.net.secret(duel.duel_id)
        word = secret
        if self.net.chance.number("knows", *name) >= self.policy.skill:
            word = self.net.chance.one_of(
                [one for one in _wrong(duel.language, duel.length) if one != secret], "wrong", *name
            )
        self.ask("guess", duel=duel.duel_id, turn=duel.turn, word=word)

    def _guess_badly(self, duel: Duel, name: tuple[Any, ...]) -> None:
        if self.connection is None or not self.signed_in:
            return
        word = self.net.chance.one_of(("zzzz", "xqxqx", "a", "Ab C", "oʻ", "ÄÖ"), "bad", *name)
        turn = min(12, duel.turn + self.net.chance.one_of((0, 0, 0, 1), "bad turn", *name))
        self.ask("guess", duel=duel.duel_id, turn=turn, word=word)

    # -- moves that no tournament needs ------------------------------------------------------------

    def _extra_moves(self) -> None:
        chance, faults, name = self.net.chance, self.net.faults, (self.name, self._tick)
        view, group = self.view, self.view.group
        if faults.strikes("leave", *name):
            if view.lobby is not None:
                self.ask("leave", what="lobby", id=view.lobby.lobby_id)
            elif view.tournament is not None:
                self.ask("leave", what="tournament", id=view.tournament.tournament_id)
        elif view.tournament is not None and faults.strikes("watch", *name):
            matches = view.tournament.matches
            if view.watching is not None or not matches:
                self.ask("unwatch")
            else:
                self.ask("watch", duel=chance.one_of(matches, "watched", *name).duel_id)
        elif faults.strikes("rename", *name):
            self.ask("rename", nickname=f"Name {chance.whole(1, 99, 'nickname', *name)}")
        elif faults.strikes("ask", *name):
            self._ask_something(name)
        elif group is not None and faults.strikes("regroup", *name):
            self._regroup(group, name)
        elif faults.strikes("delete", *name):
            self.ask("deleteMe", confirm=True, player=self.player_id)

    def _ask_something(self, name: tuple[Any, ...]) -> None:
        what = self.net.chance.one_of(("profile", "export", "results", "board", "languages", "sync"), "asked", *name)
        tournament = self.view.tournament
        if what == "results":
            if self.seen:
                self.ask("results", tournament=next(reversed(self.seen)))
        elif what == "board":
            if tournament is not None and tournament.matches:
                self.ask("board", duel=self.net.chance.one_of(tournament.matches, "board", *name).duel_id)
        else:
            self.ask(what)

    def _regroup(self, group: messages.Group, name: tuple[Any, ...]) -> None:
        what = self.net.chance.one_of(("leaveGroup", "removeMember", "handOver", "renewInvite"), "regroup", *name)
        if what == "leaveGroup":
            self.ask(what, group=group.group_id)
        elif what == "renewInvite":
            self.ask(what)
        else:
            self.ask(what, player=self.net.chance.one_of(group.members, "named", *name).player_id)


@lru_cache(maxsize=2_000)
def read(text: str) -> Message | None:
    """Return the message of a frame; None for one of the gateway's own."""
    try:
        return parse(text)
    except ValidationError:
        if "type" in json.loads(text):
            raise
        return None


@lru_cache
def _wrong(language: str, length: int) -> list[str]:
    known = words.guesses(language, length)
    step = max(1, len(known) // WRONG_WORDS)
    return [known[number] for number in range(0, len(known), step)]
