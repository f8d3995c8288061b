"""One suite of scripted servers for both clients: each server fails in one way, and both clients do the same."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.client.drivers import NODE, Driver, Failed, JavaScriptDriver, PythonDriver
from tests.client.fake_server import NOW_MS, FakeServer, Frame, duel, error, fake_server, group, lobby, once, tournament
from wordle_tournament_client.client import VERSION

needs_node = pytest.mark.skipif(NODE is None, reason="Node is not here")
PATIENCE_SECONDS = 20
LONGEST_PAUSE_SECONDS = 0.05
"""That of both drivers, before the last reconnects."""
LATER_MS = 60_000


@pytest.fixture(params=[PythonDriver, pytest.param(JavaScriptDriver, marks=needs_node)], ids=["python", "javascript"])
async def driver(request: pytest.FixtureRequest) -> AsyncIterator[Driver]:
    driver: Driver = request.param()
    yield driver
    await driver.close()


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    async with fake_server() as server:
        yield server


async def shows(driver: Driver, right: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Wait until the client's view is right, and return it. Raise TimeoutError if it never is."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not right(seen := await driver.look()):
            await asyncio.sleep(0.01)
    return seen


async def pushed(driver: Driver, server: FakeServer, *frames: Frame) -> dict[str, Any]:
    """Push the frames and return the view after the last of them: what follows a frame on a connection comes later."""
    for frame in frames:
        await server.push(frame)
    await driver.call("ping")
    return await driver.look()


@pytest.mark.parametrize("code", ["bad_token", "client_outdated"])
async def test_a_refusal_for_good_ends_the_client_after_one_hello(
    driver: Driver, server: FakeServer, code: str
) -> None:
    server.answers["hello"] = error(code)
    with pytest.raises(Failed) as failed:
        await driver.connect(server.url, "stale")
    assert (failed.value.kind, failed.value.code) == ("Refused", code)
    (hello,) = server.of("hello")
    assert hello["client"] in ("python", "javascript")
    assert hello["client_version"] == VERSION


@pytest.mark.parametrize("code", ["busy", "internal", "already_signed_in"])
async def test_a_hello_that_fails_is_sent_again_on_a_new_connection(
    driver: Driver, server: FakeServer, code: str
) -> None:
    server.answers["hello"] = once(error(code), server.welcome)
    await driver.connect(server.url, "mine")
    assert [hello["token"] for hello in server.of("hello")] == ["mine", "mine"]
    assert (await driver.look())["connected"]


async def test_a_new_player_keeps_the_token_over_a_lost_connection(driver: Driver, server: FakeServer) -> None:
    await driver.connect(server.url)
    assert (await driver.look())["token"] == "the-token"
    await server.end(1006)
    hellos = await server.hears("hello", 2)
    assert [hello.get("token") for hello in hellos] == [None, "the-token"]


async def test_a_busy_request_is_sent_again_with_the_same_ref(driver: Driver, server: FakeServer) -> None:
    await driver.connect(server.url, "mine")
    server.answers["rename"] = once(error("busy"), server.answers["rename"])
    await driver.call("rename", "Zoe")
    first, second = server.of("rename")
    assert first == second
    assert (await driver.look())["nickname"] == "Zoe"
    assert server.signed_in == 1


async def test_a_server_that_stays_busy_is_given_up_with_its_code(driver: Driver, server: FakeServer) -> None:
    await driver.connect(server.url, "mine")
    server.answers["rename"] = error("busy")
    with pytest.raises(Failed) as failed:
        await driver.call("rename", "Zoe")
    assert (failed.value.kind, failed.value.code) == ("Refused", "busy")
    assert len(server.of("rename")) == 4


async def test_a_refusal_is_final(driver: Driver, server: FakeServer) -> None:
    await driver.connect(server.url, "mine")
    server.answers["rename"] = error("nickname_length", "nickname")
    with pytest.raises(Failed) as failed:
        await driver.call("rename", "Zo")
    assert failed.value.code == "nickname_length"
    assert len(server.of("rename")) == 1


async def test_a_throttled_request_is_sent_again_on_the_same_connection(driver: Driver, server: FakeServer) -> None:
    await driver.connect(server.url, "mine")
    server.answers["guess"] = lambda _: None
    guessing = asyncio.create_task(driver.call("guess", "l1.1.1", 1, "crane"))
    await server.hears("guess")
    server.answers["guess"] = lambda frame: {"type": "duel", "duel": duel(frame["turn"] + 1, frame["duel"])}
    await server.push_text(json.dumps({"message": "Too Many Requests", "connectionId": "c=", "requestId": "r="}))
    await guessing
    first, second = server.of("guess")
    assert first == second
    assert server.signed_in == 1


async def test_a_client_that_flooded_pauses_before_it_comes_back(driver: Driver, server: FakeServer) -> None:
    """For the longest pause at least; a lost connection comes back sooner. It stays the same player."""
    await driver.connect(server.url, "mine")
    loop = asyncio.get_running_loop()
    before = loop.time()
    await server.push({"type": "error", "code": "flooding", "message": "no"})
    hellos = await server.hears("hello", 2)
    assert loop.time() - before >= LONGEST_PAUSE_SECONDS
    assert [hello["token"] for hello in hellos] == ["mine", "mine"]


@pytest.mark.parametrize("how", ["frame", "error"])
async def test_a_replaced_client_ends_and_stays_away(driver: Driver, server: FakeServer, how: str) -> None:
    await driver.connect(server.url, "mine")
    if how == "frame":
        await server.push({"type": "replaced"})
    else:
        await server.push({"type": "error", "code": "replaced", "message": "no"})
    seen = await shows(driver, lambda view: view["ended"] is not None)
    assert (seen["ended"], seen["connected"]) == ("Replaced", False)
    with pytest.raises(Failed) as failed:
        await driver.call("sync")
    assert failed.value.kind == "Replaced"
    assert server.signed_in == 1


async def test_frames_late_doubled_and_out_of_order_lead_to_the_newest(driver: Driver, server: FakeServer) -> None:
    await driver.connect(server.url, "mine")
    frames: list[Frame] = [
        {"type": "duel", "duel": duel(3)},  # before its tournament
        {"type": "tournament", "tournament": tournament(2), "now_ms": NOW_MS + 2},
        {"type": "duel", "duel": duel(3)},
        {"type": "duel", "duel": duel(2)},
        {"type": "tournament", "tournament": tournament(1), "now_ms": NOW_MS + 3},
        {"type": "tournament", "tournament": tournament(2), "now_ms": NOW_MS + 2},
        {"type": "lobby", "lobby": lobby(9, started=True), "now_ms": NOW_MS + 4},  # it has started
    ]
    seen = await pushed(driver, server, *frames)
    assert (seen["tournament"], seen["duels"], seen["lobby"]) == (["l1", 2], {"l1.1.1": 3}, None)


async def test_the_clock_decides_where_there_is_no_version(driver: Driver, server: FakeServer) -> None:
    await driver.connect(server.url, "mine")
    away = {"type": "presence", "player_id": "you", "away": True, "until_ms": NOW_MS + LATER_MS}
    seen = await pushed(
        driver,
        server,
        {"type": "lobby", "lobby": lobby(2, players=("me", "you"))},
        {**away, "now_ms": NOW_MS + 20},
        {"type": "presence", "player_id": "you", "away": False, "now_ms": NOW_MS + 10},
        {"type": "group", "group": group(3), "now_ms": NOW_MS + 5},
        {"type": "group", "group": group(2), "now_ms": NOW_MS + 6},
    )
    assert (seen["away"], seen["group"], seen["lobby"]) == (["you"], ["g1", 3], ["l1", 2])


async def test_a_device_clock_set_back_does_not_move_the_servers(driver: Driver, server: FakeServer) -> None:
    await driver.connect(server.url, "mine")
    before = await driver.now_ms()
    await driver.set_clock_back()
    await driver.call("ping")
    assert NOW_MS <= before <= await driver.now_ms() < NOW_MS + LATER_MS


async def test_a_half_open_connection_is_given_up_for_another(driver: Driver, server: FakeServer) -> None:
    await driver.connect(server.url, "mine")
    server.answers["guess"] = once(lambda _: None, server.answers["guess"])
    await driver.call("guess", "l1.1.1", 1, "crane")
    first, second = server.of("guess")
    assert first == second
    assert server.signed_in == 2


async def test_a_request_that_is_not_the_same_twice_is_not_sent_twice(driver: Driver, server: FakeServer) -> None:
    await driver.connect(server.url, "mine")
    server.answers["startGroup"] = lambda _: None
    starting = asyncio.create_task(driver.call("start_group", "en"))
    await server.hears("startGroup")
    await server.end(1006)
    with pytest.raises(Failed) as failed:
        await starting
    assert failed.value.kind == "Unanswered"
    assert len(server.of("startGroup")) == 1


async def test_a_connection_that_the_server_has_forgotten_signs_in_anew(driver: Driver, server: FakeServer) -> None:
    await driver.connect(server.url, "mine")
    server.answers["rename"] = once(error("not_signed_in"), server.answers["rename"])
    await driver.call("rename", "Zoe")
    assert len(server.of("rename")) == 2
    assert server.signed_in == 2


async def test_a_question_is_answered_without_the_caller(driver: Driver, server: FakeServer) -> None:
    server.answers["here"] = once(error("busy"), lambda _: {"type": "heard"})
    await driver.connect(server.url, "mine")
    await server.push({"type": "question", "what": "duel", "id": "l1.1.1", "number": 4})
    for here in await server.hears("here", 2):
        assert (here["what"], here["id"], here["number"]) == ("duel", "l1.1.1", 4)


async def test_a_deletion_whose_answer_was_lost_is_a_success(driver: Driver, server: FakeServer) -> None:
    await driver.connect(server.url, "mine")
    server.answers["deleteMe"] = lambda _: None
    deleting = asyncio.create_task(driver.call("delete_me"))
    await server.hears("deleteMe")
    server.answers["hello"] = error("bad_token")
    await server.end(1006)
    await deleting


async def test_what_a_newer_server_says_does_no_harm(driver: Driver, server: FakeServer) -> None:
    await driver.connect(server.url, "mine")
    await server.push_text("not JSON")
    await server.push_text("[]")
    seen = await pushed(
        driver,
        server,
        {"type": "weather", "sun": True},
        {"type": "you", "you": {**server.you(), "nickname": "Ada", "hat": "red"}, "moon": 1},
    )
    assert seen["nickname"] == "Ada"
    assert seen["ended"] is None
    assert server.signed_in == 1
