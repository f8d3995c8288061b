"""Secrets: the word of a running duel (R18) anywhere; tokens, invites, nicknames and words in logs.

The game is played in Ukrainian: its words cannot occur by chance in what is written in English.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import boto3
import pytest

from infra.local.aws import FunctionError
from infra.local.testing import PLAYERS, START_MS, WINDOW_MS, Game, Player, World, client_error, holds
from tests.integration.conftest import Scenes
from wordle_tournament import words

LANGUAGE = "uk"


@dataclass
class Listener:
    """Hears everything that leaves the functions, and knows what it must not be at that time."""

    world: World
    caplog: pytest.LogCaptureFixture
    capfd: pytest.CaptureFixture[str]
    said: list[str] = field(default_factory=list)
    never_logged: set[str] = field(default_factory=set)

    def running(self) -> set[str]:
        duels = self.world.items("DuelsTable").values()
        return {item["state"]["word"] for item in duels if item["phase"] == "playing"}

    def hear_frame(self, text: str) -> None:
        for word in self.running():
            assert not holds(text, word), f"the word of a running duel in {text[:60]}..."

    def check(self) -> None:
        """Return everything logged, returned and started since the last call."""
        out, err = self.capfd.readouterr()
        # moto's and the local stack's own loggers are no part of a deployment.
        ours = [record for record in self.caplog.records if not record.name.startswith(("moto", "infra", "asyncio"))]
        logged = "\n".join([out, err, *(f"{record.getMessage()} {record.exc_text or ''}" for record in ours)])
        self.caplog.clear()
        for secret in self.never_logged | self.running():
            assert not holds(logged, secret), "a secret was logged"
        for text in [*self.said, json.dumps([start.__dict__ for start in self.world.starts], ensure_ascii=False)]:
            for secret in self.running():
                assert not holds(text, secret), "a running duel's word reached the machines"
        self.said.clear()


@pytest.fixture
def listener(
    world: World,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    written: object,
) -> Iterator[Listener]:
    # As a deployment with LogLevel DEBUG has it: Lambda sets the root logger.
    caplog.set_level(logging.DEBUG)
    listener = Listener(world, caplog, capfd)
    invoke = world.backend.invoke

    def overheard(function: str, event: Any) -> Any:
        try:
            result = invoke(function, event)
        except FunctionError as error:
            listener.said.append(json.dumps(error.payload["errorMessage"], ensure_ascii=False))
            raise
        listener.said.append(json.dumps(result, ensure_ascii=False))
        return result

    post = world.connections.post

    def overheard_post(connection_id: str, data: bytes) -> None:
        listener.hear_frame(data.decode())
        post(connection_id, data)

    monkeypatch.setattr(world.backend, "invoke", overheard)
    monkeypatch.setattr(world.connections, "post", overheard_post)
    yield listener
    listener.check()


def _begin(world: World, listener: Listener) -> Game:
    players = world.players(PLAYERS)
    for number, player in enumerate(players):
        nickname = f"Аделаїда {number}"
        player.ask("rename", nickname=nickname)
        listener.never_logged |= {nickname.casefold(), player.token, player.token.split(".")[1]}
    for player in players:
        player.ask("join", language=LANGUAGE)
    game = Game(world, players[0].state["game"], {player.id: player for player in players})
    world.advance(game.id)
    game.begin()
    return game


def _harmless(duel: dict[str, Any], listener: Listener) -> str:
    """A wrong guess in which no running duel's word is hidden; it is not to be logged either."""
    secrets = listener.running()
    length = len(duel["word"])
    word = next(word for word in words.guesses(LANGUAGE, length) if not any(one in word for one in secrets))
    listener.never_logged.add(word)
    return word


@pytest.mark.thorough
def test_nothing_says_the_word_of_a_running_duel(world: World, listener: Listener) -> None:
    """A whole game with watchers, returning and leaving players, skips, refusals, and every way to ask."""
    game = _begin(world, listener)
    listener.check()
    for number in range(13):
        if game.over:
            break
        game.begin()
        _play_round(game, number, listener)
        world.advance(game.id)
        for player in _some(game):
            _ask_everything(game, player)
        listener.check()
    assert game.over
    everything = "\n".join(world.connections.texts)
    played = [result["word"] for played in game.state["rounds"] for result in played["results"]]
    assert played
    assert all(holds(everything, word) for word in played), "afterwards each word is told"


def _play_round(game: Game, number: int, listener: Listener) -> None:
    world = game.world
    for index, duel in enumerate(game.duels):
        mover, waiting = game.to_move(duel), game.waiting(duel)
        for player in _some(game):
            player.ask("watch", duel=duel["duel_id"])
        mover.guess(duel, _harmless(duel, listener))
        waiting.guess(duel, "тест" * 3)
        waiting.ask("guess", duel=duel["duel_id"], turn=1, word=_harmless(duel, listener))
        world.run_out(game.duel(duel["duel_id"]))
        world.skip(duel["duel_id"])
        if index == 0 and number == 0:
            waiting.drop()
            waiting.reconnect()
            mover.drop(notice=False)
        elif index == 0 and number == 1:
            waiting.ask("leave", what="tournament")
        elif index == 1 and number == 0:
            for player in _some(game):
                _ask_everything(game, player)
    for duel in game.duels:
        if duel["phase"] == "over":
            continue
        mover = game.to_move(duel)
        if mover.connection_id in world.connections.closed:
            mover.reconnect()
        listener.never_logged.add(duel["word"])
        world.now_ms = min(world.now_ms, duel["deadline_ms"] - 1)
        mover.guess(duel, duel["word"].upper())


def _some(game: Game) -> list[Player]:
    """Two who are there: each in another position from round to round."""
    there = [player for player in game.all if player.connection_id not in game.world.connections.closed]
    return game.world.rng.sample(there, 2)


def _ask_everything(game: Game, player: Player) -> None:
    player.ask("sync")
    player.ask("profile")
    player.ask("export")
    player.ask("unwatch")
    player.ask("results", tournament=game.id)
    for duel in game.duels:
        player.ask("board", duel=duel["duel_id"])
        player.ask("review", duel=duel["duel_id"])


@pytest.mark.parametrize("operation", ["GetItem", "UpdateItem", "SendTaskHeartbeat", "PostToConnection"])
@pytest.mark.parametrize("code", ["InternalServerError", "ValidationException", "AccessDeniedException"])
def test_what_goes_wrong_is_logged_without_secrets(
    scenes: Scenes, world: World, listener: Listener, operation: str, code: str
) -> None:
    game = _begin(world, listener)
    duel = game.duels[0]
    word = _harmless(duel, listener)

    def fail(service: str, called: str, params: Any) -> None:
        if called == operation:
            raise client_error(code, called)

    hook = world.on_call(fail)
    player = game.to_move(duel)
    player.send("guess", "x", duel=duel["duel_id"], turn=1, word=word)
    advance = partial(world.backend.invoke_task, "advance_round", tournament_id=game.id)
    for call in (advance, lambda: world.skip(duel["duel_id"]), world.sweep):
        with contextlib.suppress(FunctionError):
            call()
    hook.close()
    listener.check()


def test_a_stored_duel_that_is_broken_is_not_printed(world: World, listener: Listener) -> None:
    game = _begin(world, listener)
    duel = game.duels[0]
    boto3.client("dynamodb").update_item(
        TableName=world.table("DuelsTable"),
        Key={"duel_id": {"S": duel["duel_id"]}},
        UpdateExpression="SET #state.turn_ms = :wrong",
        ExpressionAttributeNames={"#state": "state"},
        ExpressionAttributeValues={":wrong": {"S": "soon"}},
    )
    answer = game.to_move(duel).guess(duel, _harmless(duel, listener))
    assert answer["code"] == "internal"
    with pytest.raises(FunctionError):
        world.advance(game.id)
    with pytest.raises(FunctionError):
        world.skip(duel["duel_id"])
    listener.check()


def test_tokens_and_invites_are_not_logged_and_tokens_not_stored(world: World, listener: Listener) -> None:
    leader, friend = world.players(2)
    invite = leader.ask("createGroup")["group"]["invite"]
    secrets = {leader.token, friend.token, invite, invite.split(".")[1]}
    secrets |= {player.token.split(".")[1] for player in (leader, friend)}
    listener.never_logged |= {secret.casefold() for secret in secrets} | secrets
    friend.ask("joinGroup", invite=invite)
    friend.ask("joinGroup", invite=f"{invite}x")
    friend.drop()
    friend.reconnect()
    friend.ask("hello", token=f"{leader.token}x")
    world.receive(friend.connection_id, json.dumps({"action": "hello", "token": {"x": leader.token}}))
    world.receive(friend.connection_id, json.dumps({"action": "joinGroup", "invite": invite, "more": friend.token}))
    stored = json.dumps(world.everything(), ensure_ascii=False, default=str)
    for player in (leader, friend):
        assert player.token.split(".")[1] not in stored
    for text in world.connections.texts:
        assert sum(token in text for token in (leader.token, friend.token)) == ("token" in json.loads(text))
    assert world.now_ms - START_MS < WINDOW_MS
