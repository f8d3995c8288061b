"""Anything that players do, in any order, between any two calls of anything else, and with any call failing.

Chance moves a crowd, by a seed. After every move all that is stored is held against the rules, computed here anew; in
the end everything comes to rest, nobody is stuck, and every client knows what is stored.
"""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from infra.local.aws import FunctionError
from infra.local.testing import PLAYERS, Crash, Frame, Machines, Player, World, client_error, wrong
from infra.local.testing.invariants import Invariants
from tests.integration.conftest import Scenes, gather
from wordle_tournament.words import Language, languages

State = dict[str, Any]

MOVES = 80
LANGUAGES = ("en", "en", "en", "uz")
RATINGS = (800, 1000, 1000, 1000, 1150, 1201)
WAITS_MS = (100, 1_000, 6_001, 15_000, 31_000, 65_000)
WORDS = ("zzzz", "abc", "oʻzgʻa", "İß")
EVER = {"hello": 3, "drop": 1.5, "sync": 2, "rename": 2, "ask": 2, "join_group": 4, "lead": 1, "task": 6}
RARELY = {"elsewhere": 1, "createGroup": 0.7, "leaveGroup": 0.5, "unwatch": 1, "watchAll": 1, "delete_me": 0.5}
EMPTY: Mapping[str, Any] = {}
ABSENT: Mapping[str, State] = {"state": {"connection_id": None}}
SEEDS = range(2)


class Crowd:
    """Players and what they do by chance; `faults` and `crossings` say how often a call fails or is crossed."""

    def __init__(self, world: World, players: list[Player], seed: int, faults: float, crossings: float) -> None:
        self.world, self.players, self.rng = world, players, random.Random(seed)
        self.faults, self.crossings = faults, crossings
        self.machines = Machines(world)
        self.invariants = Invariants(world)
        self.log: list[Any] = []
        """The moves so far."""
        self._failing = False
        self._refs = 0
        self._connections: dict[str, list[str]] = {player.id: [player.connection_id] for player in players}
        for rating in self.rng.sample(RATINGS, 4):
            self.newcomer()
            self.invariants.ratings[self.players[-1].id] = rating
            world.set_rating(self.players[-1].id, rating)

    # -- what happens ------------------------------------------------------------------------------

    def step(self) -> None:
        """One move of somebody, disturbed or not; or time passes, with what the machines do in it."""
        if self.rng.random() < 0.8:
            self._disturbed(self.move)
            self.world.sleep(self.rng.choice((0, 1, 50)))
        else:
            self._disturbed(lambda: self.let_pass(self.rng.choice(WAITS_MS)))
        self.invariants.check()

    def let_pass(self, ms: int) -> None:
        end = self.world.now_ms + ms
        self.log.append(f"{ms} ms")
        self.machines.at(end, lambda: None)
        self.machines.run(lambda: self.world.now_ms >= end)

    def newcomer(self) -> None:
        player = Player(self.world, self.world.connection_id())
        welcome = self.send(player, "hello")
        if welcome["type"] == "welcome":
            player.id, player.token = welcome["you"]["player_id"], welcome["token"]
            self._connections[player.id] = [player.connection_id]
            self.players.append(player)

    def move(self) -> None:
        stored = self.world.items("PlayersTable")
        self.players = [player for player in self.players if player.id in stored]
        if len(self.players) < PLAYERS + 4:
            self.newcomer()
            return
        player = self.rng.choice(self.players)
        turns = [duel for duel in self.duels() if duel["phase"] == "playing"]
        if turns and self.rng.random() < 0.4:
            duel = self.rng.choice(turns)
            mover = duel["players"][len(duel["rows"]) % 2]
            player = next((one for one in self.players if one.id == mover), player)
        group = self.world.items("GroupsTable").get(str(player.state["group"]))
        if group and player.state["game"] is None and self.rng.random() < 0.5:
            player = next(one for one in self.players if one.id == group["state"]["leader"])
        player.connection_id = player.state["connection_id"] or player.connection_id
        if player.connection_id in self.world.connections.closed:
            self.hello(player)
            return
        weights = {**EVER, **RARELY, **self._fitting(player)}
        what = self.rng.choices(list(weights), list(weights.values()))[0]
        getattr(self, what, lambda player: self.send(player, what))(player)

    def _fitting(self, player: Player) -> dict[str, float]:
        game, group = player.state["game"], player.state["group"]
        if game is None:
            return {"join": 3 if group else 20, "start_group": 12 if group else 1, "watch": 3, "leave": 1}
        if game in self.world.items("TournamentsTable"):
            return {"guess": 40, "watch": 3, "leave": 1.5, "join": 0.5}
        return {"leave": 1.5, "join": 1, "start_group": 1}

    # -- moves, by action --------------------------------------------------------------------------

    def send(self, player: Player, action: str, fields: Mapping[str, Any] = EMPTY) -> Frame:
        """Returns the answer; that nobody is there to hear it is one too."""
        self._refs += 1
        ref = f"x{self._refs}"
        connection_id, failing = player.connection_id, self._failing
        self.log.append((connection_id, player.id, action, fields))
        self.world.receive(connection_id, json.dumps({"action": action, "ref": ref, **fields}))
        answers = [frame for frame in self.world.connections.frames[connection_id] if frame.get("ref") == ref]
        if connection_id in self.world.connections.closed and not answers:
            return {"type": "nobody"}
        (answer,) = answers
        self.log.append(answer.get("code", answer["type"]))
        assert failing or self._failing or answer.get("code") not in ("internal", "busy", "bad_request"), answer
        return dict(answer)

    def hello(self, player: Player) -> None:
        player.connection_id = self.world.connection_id()
        self._connections[player.id].append(player.connection_id)
        self.send(player, "hello", {"token": player.token})

    def elsewhere(self, player: Player) -> None:
        """Some other device or player speaks on a connection of old."""
        there = Player(self.world, self.rng.choice(self._connections[player.id]), player.id)
        self.send(there, *self.rng.choice((("sync", {}), ("hello", {"token": self.rng.choice(self.players).token}))))

    def drop(self, player: Player) -> None:
        """A connection ends, with or without notice, or the end of an old one is heard of late."""
        connection_id = self.rng.choice((player.connection_id, *self._connections[player.id]))
        self.log.append((connection_id, "ends"))
        self.world.connections.closed.add(connection_id)
        if self.rng.random() < 0.6:
            self.world.disconnected(connection_id)

    def join(self, player: Player) -> None:
        self.send(player, "join", {"language": self.rng.choice(LANGUAGES)})

    def start_group(self, player: Player) -> None:
        self.send(player, "startGroup", {"language": self.rng.choice(LANGUAGES)})

    def leave(self, player: Player) -> None:
        self.send(player, "leave", {"what": self.rng.choice(("lobby", "tournament"))})

    def duels(self) -> list[State]:
        """Those of the current rounds."""
        running = [one["state"] for one in self.world.items("TournamentsTable").values()]
        matches = [match for one in running if not one["ended_at_ms"] for match in one["rounds"][-1]["matches"]]
        return [self.world.state("DuelsTable", match["duel_id"]) for match in matches]

    def guess(self, player: Player) -> None:
        own = [duel for duel in self.duels() if player.id in duel["players"]]
        if not own:
            return
        turn = max(1, len(own[0]["rows"]) + self.rng.choice((1, 1, 1, 1, 1, 1, 0, 2)))
        word = self.rng.choice((own[0]["word"], wrong(own[0]), *WORDS))
        for _ in range(self.rng.choice((1, 1, 1, 2))):
            self.send(player, "guess", {"duel": own[0]["duel_id"], "turn": min(turn, 12), "word": word})

    def watch(self, player: Player) -> None:
        if duels := self.duels():
            self.send(player, "watch", {"duel": self.rng.choice(duels)["duel_id"]})

    def rename(self, player: Player) -> None:
        self.send(player, "rename", {"nickname": f"Name {self.rng.randrange(100)}"})

    def ask(self, player: Player) -> None:
        self.send(player, self.rng.choice(("profile", "export", "ping")))

    def join_group(self, player: Player) -> None:
        groups = [one["state"] for one in self.world.items("GroupsTable").values()]
        if groups:
            group = self.rng.choice(sorted(groups, key=lambda group: len(group["members"]))[-2:])
            self.send(player, "joinGroup", {"invite": f"{group['group_id']}.{group['secret']}"})

    def lead(self, player: Player) -> None:
        group = self.world.items("GroupsTable").get(str(player.state["group"]), {"state": {"members": []}})
        named = self.rng.choice(group["state"]["members"] or [player.id])
        action = self.rng.choice(("removeMember", "handOver", "renewInvite"))
        self.send(player, action, {} if action == "renewInvite" else {"player": named})

    def delete_me(self, player: Player) -> None:
        self.send(player, "deleteMe", {"confirm": True})

    def task(self, player: Player) -> None:
        """A machine's task is delivered again, late, or without any reason."""
        what = self.rng.choice(("skip", "skip", "advance", "forfeit", "sweep"))
        self.log.append(what)
        if what == "sweep":
            self.world.sweep()
        elif what == "forfeit":
            self.world.forfeit(player.id, max(0, player.state["epoch"] - self.rng.choice((0, 1))))
        elif what == "skip" and (duels := list(self.world.items("DuelsTable"))):
            self.world.skip(self.rng.choice(duels[-8:]))
        elif what == "advance" and (games := list(self.world.items("TournamentsTable"))):
            self.world.backend.invoke_task("advance_round", tournament_id=self.rng.choice(games))

    # -- what disturbs -----------------------------------------------------------------------------

    def _disturbed(self, act: Callable[[], None]) -> None:
        """Some call of the act fails or is its last, or others move right before or after it."""
        chance, number = self.rng.random(), self.rng.choice((1, 2, 3, 4, 5, 6, 8, 11, 16))
        if chance < self.faults:
            way = self.rng.choice(("refused", "lost", "crash", "crash"))
        elif chance < self.faults + self.crossings:
            way = self.rng.choice(("crossed before", "crossed after"))
        else:
            act()
            return
        calls = [0]
        thread = threading.current_thread()

        def disturb(service: str, operation: str, params: Mapping[str, Any]) -> None:
            # Frames go out in threads of their own; a move that crosses is not crossed itself.
            if threading.current_thread() is not thread or operation == "PostToConnection":
                return
            calls[0] += 1
            if calls[0] != number:
                return
            self.log.append((way, operation))
            match way:
                case "refused":
                    raise client_error("InternalServerError", operation, status=500)
                case "lost":
                    raise ReadTimeoutError(endpoint_url=f"https://{service}")
                case "crash":
                    raise Crash(operation)
                case _:
                    self.world.sleep(1)
                    self.move()
                    self.world.sleep(1)

        self._failing = chance < self.faults
        with self.world.on_call(disturb, after=way in ("lost", "crash", "crossed after")):
            try:
                act()
            except (Crash, FunctionError):
                assert self._failing
            finally:
                self._failing = False

    # -- in the end --------------------------------------------------------------------------------

    def come_to_rest(self) -> None:
        """Nothing fails any more; who is there plays on, and time passes."""
        self.log.append("rest")
        began_ms = self.world.now_ms
        while running := self.duels():
            assert self.world.now_ms - began_ms < 2 * 3_600_000, "stuck"
            for duel in (one for one in running if one["phase"] == "playing"):
                mover = Player(self.world, "", duel["players"][len(duel["rows"]) % 2])
                mover.connection_id = self.world.items("PlayersTable").get(mover.id, ABSENT)["state"]["connection_id"]
                if mover.connection_id and mover.connection_id not in self.world.connections.closed:
                    turn = {"duel": duel["duel_id"], "turn": len(duel["rows"]) + 1, "word": duel["word"]}
                    self.send(mover, "guess", turn)
            self.let_pass(7_000)
        self.let_pass(4 * 60_000)
        self.invariants.check()
        self.invariants.check_at_rest()

    def ask_for_state(self) -> None:
        """Everybody who is there: a frame may have been lost."""
        stored = self.world.items("PlayersTable")
        for player in (one for one in self.players if one.id in stored):
            player.connection_id = player.state["connection_id"] or player.connection_id
            if player.connection_id not in self.world.connections.closed:
                self.send(player, "sync")

    def check_views(self) -> None:
        """Check that the frames pushed to clients tell them the stored state."""
        players = {key: item["state"] for key, item in self.world.items("PlayersTable").items() if "." not in key}
        for player in players.values():
            if player["connection_id"] in (None, *self.world.connections.closed):
                continue
            known, away = told(self.world.connections.frames[player["connection_id"]])
            for table, key in (("LobbiesTable", player["game"]), ("GroupsTable", player["group"])):
                if key is None:
                    continue
                assert known[key]["version"] == self.world.item(table, key)["version"]
                for person in people(known[key]):
                    stored = players[person["player_id"]]
                    assert person["nickname"] == stored["nickname"]
                    assert away[person["player_id"]] == (stored["connection_id"] is None)
                    if table == "GroupsTable":
                        assert person["rating"] == stored["rating"]
                        assert person["where"] == ("lobby" if stored["game"] else "free")


def told(frames: list[Frame]) -> tuple[dict[str, State], dict[str, bool]]:
    """The newest of each lobby and group, and who is away, as a client takes it from its frames."""
    known: dict[str, tuple[tuple[int, int], State]] = {}
    away: dict[str, tuple[int, bool]] = {}
    for frame in frames:
        now_ms, seen = frame["now_ms"], [frame] if frame["type"] == "presence" else []
        for kind in ("lobby", "group"):
            if shown := frame.get(kind):
                key, age = shown[f"{kind}_id"], (shown["version"], now_ms)
                if key not in known or age >= known[key][0]:
                    known[key] = (age, shown)
                seen += people(shown)
        for person in seen:
            if now_ms >= away.get(person["player_id"], (0, False))[0]:
                away[person["player_id"]] = (now_ms, person["away"])
    return {key: shown for key, (_, shown) in known.items()}, {key: is_away for key, (_, is_away) in away.items()}


def people(shown: State) -> list[State]:
    """Those in a lobby, or the members of a group."""
    found: list[State] = shown["players"] if "players" in shown else shown["members"]
    return found


@pytest.fixture
def few_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweep looks through the lobbies of those that are played in here, and no others."""
    few: Mapping[str, Language] = {code: language for code, language in languages().items() if code in LANGUAGES}
    monkeypatch.setattr("wordle_tournament.play.sweeper.sweep.words.languages", lambda: few)


def start(scenes: Scenes, world: World, seed: int, faults: float, crossings: float) -> Crowd:
    """A tournament in its introduction, or a group that waits for players."""
    if seed % 2:
        return Crowd(world, scenes.introduction().all, seed, faults, crossings)
    group = gather(world, 3)
    group[0].ask("startGroup", language="en")
    return Crowd(world, group, seed, faults, crossings)


def play(crowd: Crowd) -> None:
    """Until all is at rest and known; what was done before anything failed is told with it."""
    try:
        for _ in range(MOVES):
            crowd.step()
        crowd.come_to_rest()
        if crowd.faults:
            crowd.ask_for_state()
        crowd.check_views()
    except BaseException as error:
        error.add_note("\n".join(map(str, crowd.log[-30:])))
        raise


@pytest.mark.usefixtures("few_languages")
@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_crosses_whatever_the_rules_hold_and_everybody_is_told(
    scenes: Scenes, world: World, seed: int
) -> None:
    play(start(scenes, world, seed, faults=0, crossings=0.6))


@pytest.mark.usefixtures("few_languages")
@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_fails_the_rules_hold_and_nobody_is_stuck(scenes: Scenes, world: World, seed: int) -> None:
    play(start(scenes, world, seed, faults=0.25, crossings=0.3))
