"""One world for all tests here, and in it the scenes that many of them begin with, each played once."""

import importlib
import json
import logging
import pkgutil
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import wordle_tournament
from infra.local.testing import PLAYERS, Game, Player, World
from wordle_tournament import log, metrics
from wordle_tournament.delivery import announce

# A logger keeps the service that it finds when its module is imported, which must not be that of a running stack.
for found in pkgutil.walk_packages(wordle_tournament.__path__, "wordle_tournament."):
    importlib.import_module(found.name)


def gather(world: World, size: int) -> list[Player]:
    """Make a group of so many players, and return them, the leader first."""
    leader, *friends = world.players(size)
    invite = leader.ask("createGroup")["group"]["invite"]
    for friend in friends:
        assert friend.ask("joinGroup", invite=invite)["type"] == "group"
    return [leader, *friends]


class Scenes:
    """Tournaments that have come so far. Each is made when it is first wanted; every test gets it as it was then."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.empty = world.save()
        self._made: dict[str, tuple[Callable[[], None], Game]] = {}

    def introduction(self, language: str = "en") -> Game:
        """Eight players who are shown the first round's pairings."""

        def make() -> Game:
            self.empty()
            return self.world.tournament(language=language)

        return self.scene(f"introduction {language}", make)

    def begun(self, language: str = "en") -> Game:
        """The first turns are on."""
        game = self.introduction(language)
        game.begin()
        return game

    def last_lives(self) -> Game:
        """Eight players with one life each."""

        def make() -> Game:
            game = self.introduction()
            game.draw_round()
            game.draw_round()
            return game

        return self.scene("last_lives", make, begin=True)

    def semifinal(self) -> Game:
        """Four left with one life each, two duels."""

        def make() -> Game:
            game = self.last_lives()
            game.finish_round()
            return game

        return self.scene("semifinal", make, begin=True)

    def final(self) -> Game:
        """Two left with one life each, one duel."""

        def make() -> Game:
            game = self.semifinal()
            game.finish_round()
            return game

        return self.scene("final", make, begin=True)

    def lobby(self) -> Game:
        """Seven in a lobby, and an eighth player who is not: `Game.all[-1]`. There is no tournament yet."""

        def make() -> Game:
            self.empty()
            players = self.world.players(PLAYERS)
            for player in players[:-1]:
                player.ask("join", language="en")
            return Game(self.world, players[0].state["game"], {player.id: player for player in players})

        return self.scene("lobby", make)

    def scene(self, name: str, make: Callable[[], Game], begin: bool = False) -> Game:
        """The scene of that name, made by `make` the first time."""
        if name not in self._made:
            game = make()
            if begin:
                game.begin()
            self._made[name] = (self.world.save(), game)
        restore, game = self._made[name]
        restore()
        return game.again()


class _Stdout(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        sys.stdout.write(f"{log.logger.registered_formatter.format(record)}\n")


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[[], list[dict[str, Any]]]:
    """Log lines and metrics as a deployment writes them; what there is of them since the last time."""
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
    monkeypatch.setattr(metrics._metrics, "namespace", "WordleTournament")
    monkeypatch.setattr(metrics._metrics, "service", "stack")
    ours = logging.getLogger(log.logger.name)
    monkeypatch.setattr(ours, "handlers", [_Stdout()])
    for logger in [ours, *logging.root.manager.loggerDict.values()]:
        if isinstance(logger, logging.Logger) and f"{logger.name}.".startswith(f"{ours.name}."):
            # Each has a level of its own, and remembers what it has found that to be enabled for.
            monkeypatch.setattr(logger, "level", logging.INFO)
            logger._cache.clear()  # type: ignore[attr-defined]

    def read() -> list[dict[str, Any]]:
        lines = capfd.readouterr().out.splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    return read


on_both = pytest.mark.parametrize("deployed", ["memory", "moto"], indirect=True)
"""A test that runs on the in-memory table and on moto: a sample, to see that it does not matter which."""


@pytest.fixture(scope="module")
def deployed(request: pytest.FixtureRequest) -> Iterator[Scenes]:
    with World(emulator=getattr(request, "param", "memory")) as world:
        yield Scenes(world)


@pytest.fixture
def scenes(deployed: Scenes) -> Iterator[Scenes]:
    deployed.empty()
    deployed.world.rng.seed(1)
    yield deployed
    deployed.empty()
    deployed.world.disturbed.close()
    deployed.world.connections.on_post = lambda connection_id: None
    assert not deployed.world.backend.denials
    # Or another test's call would lose a connection that has the same id by then.
    assert not announce.stale_connections()


@pytest.fixture
def world(scenes: Scenes) -> World:
    return scenes.world
