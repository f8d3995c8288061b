"""The client against a server that loses connections, answers late or not at all, and says things unheard of."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from tests.client.fake_server import NOW_MS, FakeServer, duel, error, fake_server, lobby, once
from wordle_tournament.protocol.errors import ErrorCode
from wordle_tournament.protocol.messages import DuelChanged, Message
from wordle_tournament_client import Ended, Refused, Replaced, TournamentClient, Unanswered

QUICK = (0.01, 0.05)
"""Pauses before connecting again, so that tests need not wait."""


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    async with fake_server() as server:
        yield server


def client_of(server: FakeServer, token: str | None = None) -> TournamentClient:
    return TournamentClient(server.url, token, backoff_seconds=QUICK)


# Signing in


async def test_a_new_player_gets_the_token_once_and_may_keep_it(server: FakeServer) -> None:
    kept: list[str] = []
    async with TournamentClient(server.url, on_token=kept.append) as client:
        assert client.token == "the-token"
        assert client.connected
        assert client.view.you is not None
    assert kept == ["the-token"]
    assert "token" not in server.of("hello")[0]


async def test_a_known_player_signs_in_with_the_token(server: FakeServer) -> None:
    async with client_of(server, "mine") as client:
        assert client.token == "mine"
    assert server.of("hello")[0]["token"] == "mine"


async def test_a_token_that_is_not_known_is_refused_and_not_tried_again(server: FakeServer) -> None:
    server.answers["hello"] = error("bad_token")
    with pytest.raises(Refused) as refused:
        async with client_of(server, "stale"):
            pass
    assert refused.value.code is ErrorCode.BAD_TOKEN
    assert len(server.of("hello")) == 1


@pytest.mark.parametrize("code", ["busy", "internal", "already_signed_in"])
async def test_signing_in_is_tried_again_while_the_server_refuses_without_a_lasting_reason(
    server: FakeServer, code: str
) -> None:
    server.answers["hello"] = once(error(code), once(error(code), server.welcome))
    async with client_of(server):
        assert len(server.of("hello")) == 3


@pytest.mark.parametrize("code", ["busy", "internal"])
async def test_a_question_is_answered_until_the_server_has_heard(server: FakeServer, code: str) -> None:
    server.answers["here"] = once(error(code), lambda _: {"type": "heard"})
    async with client_of(server):
        await server.push({"type": "question", "what": "lobby", "id": "l1", "number": 1})
        await server.hears("here", times=2)


async def test_a_server_that_is_not_up_yet_is_waited_for() -> None:
    server = FakeServer()
    await server.open()
    port = server.port
    await server.close()
    client = TournamentClient(f"ws://127.0.0.1:{port}/ws", backoff_seconds=QUICK)
    entering = asyncio.create_task(client.__aenter__())
    await asyncio.sleep(QUICK[1])
    await server.open(port)
    await entering
    await client.close()
    await server.close()


async def test_an_address_that_can_never_work_is_an_error_at_once() -> None:
    with pytest.raises(Ended, match="InvalidURI"):
        async with TournamentClient("http://127.0.0.1/ws"):
            pass


async def test_a_connection_without_a_welcome_is_given_up_for_another(server: FakeServer) -> None:
    server.answers["hello"] = once(lambda _: None, server.welcome)
    async with TournamentClient(server.url, patience_seconds=0.05, backoff_seconds=QUICK):
        # On a slow machine more answers come too late.
        assert len(server.of("hello")) >= 2


# Coming back


@pytest.mark.parametrize("code", [1000, 1001, 1006, 1009, 1011])
async def test_a_lost_connection_is_resumed_with_the_token(server: FakeServer, code: int) -> None:
    async with client_of(server) as client:
        await server.end(code)
        hellos = await server.hears("hello", 2)
        await client.ping()
        assert hellos[1]["token"] == "the-token"


async def test_a_guess_whose_answer_was_lost_is_sent_again_unchanged(server: FakeServer) -> None:
    answer = server.answers["guess"]
    server.answers["guess"] = once(lambda _: None, answer)
    async with client_of(server) as client:
        guessing = asyncio.create_task(client.guess("l1.1.1", 1, "crane"))
        await server.hears("guess")
        await server.end(1006)
        played = await guessing
        assert played.turn == 2
    first, second = server.of("guess")
    assert first == second


async def test_a_join_whose_answer_was_lost_fails_and_is_not_sent_twice(server: FakeServer) -> None:
    server.answers["join"] = lambda _: None
    async with client_of(server) as client:
        joining = asyncio.create_task(client.join("en"))
        await server.hears("join")
        await server.end(1006)
        with pytest.raises(Unanswered):
            await joining
        await client.ping()
    assert len(server.of("join")) == 1


async def test_a_request_made_while_disconnected_waits_for_the_connection(server: FakeServer) -> None:
    async with client_of(server) as client:
        await server.end(1006)
        while client.connected:
            await asyncio.sleep(0)
        assert (await client.join("en")).lobby_id == "l1"
    assert len(server.of("join")) == 1


async def test_a_connection_on_which_answers_stay_out_is_given_up(server: FakeServer) -> None:
    answer = server.answers["sync"]
    server.answers["sync"] = once(lambda _: None, answer)
    async with TournamentClient(server.url, patience_seconds=0.05, backoff_seconds=QUICK) as client:
        await client.sync()
    # On a slow machine more answers come too late.
    assert len(server.of("hello")) >= 2


async def test_without_any_answer_a_request_ends_in_time(server: FakeServer) -> None:
    server.answers["join"] = lambda _: None
    async with TournamentClient(server.url, answer_seconds=0.05) as client:
        with pytest.raises(Unanswered):
            await client.join("en")


async def test_a_connection_that_the_server_has_forgotten_is_signed_in_anew(server: FakeServer) -> None:
    answer = server.answers["join"]
    server.answers["join"] = once(error("not_signed_in"), answer)
    async with client_of(server) as client:
        assert (await client.join("en")).lobby_id == "l1"
    assert len(server.of("hello")) == 2
    assert len(server.of("join")) == 2


async def test_silence_is_broken_by_pings(server: FakeServer) -> None:
    server.ping_seconds = 1
    async with client_of(server):
        await server.hears("ping")


# Ending


async def test_a_replaced_client_ends_and_does_not_come_back(server: FakeServer) -> None:
    async with client_of(server) as client:
        seen: list[Message] = []

        async def listen() -> None:
            seen.extend([message async for message in client.events()])

        listening = asyncio.create_task(listen())
        await asyncio.sleep(0)
        await server.push({"type": "replaced"})
        await listening
        assert isinstance(client.ended, Replaced)
        with pytest.raises(Replaced):
            await client.ping()
        with pytest.raises(Replaced):
            await client.until(lambda view: view.lobby)
        await asyncio.sleep(2 * QUICK[1])
    assert len(server.of("hello")) == 1
    assert seen == []


async def test_a_request_refused_since_replaced_ends_the_client(server: FakeServer) -> None:
    server.answers["join"] = error("replaced")
    async with client_of(server) as client:
        with pytest.raises(Replaced):
            await client.join("en")
        assert isinstance(client.ended, Replaced)


async def test_a_client_whose_hello_came_after_a_newer_ones_is_replaced(server: FakeServer) -> None:
    server.answers["hello"] = error("replaced")
    with pytest.raises(Replaced):
        async with client_of(server, "mine"):
            pass
    assert len(server.of("hello")) == 1


async def test_closing_leaves_no_task_behind_and_ends_what_is_under_way(server: FakeServer) -> None:
    before = asyncio.all_tasks()
    server.answers["join"] = lambda _: None
    client = client_of(server)
    async with client:
        joining = asyncio.create_task(client.join("en"))
        await server.hears("join")
    with pytest.raises(Ended):
        await joining
    await client.close()
    ours = {task for task in asyncio.all_tasks() - before if "server" not in str(task.get_coro())}
    assert not {task for task in ours if "wordle_tournament_client" in str(task.get_coro())}


# Asking


async def test_every_request_gets_its_own_answer(server: FakeServer) -> None:
    async with client_of(server) as client:
        assert (await client.join("en")).language == "en"
        assert (await client.guess("l1.1.1", 3, "crane")).turn == 4
        assert (await client.watch("l1.1.2")).duel_id == "l1.1.2"
        assert client.view.watching == "l1.1.2"
        assert [one.duel_id for one in await client.watch_all()] == ["l1.1.2", "l1.1.3"]
        assert (client.view.watched, client.view.watching) == (["l1.1.2", "l1.1.3"], "l1.1.2")
        await client.unwatch()
        assert not client.view.watched
        assert client.view.watching is None
        assert (await client.rename("Nick")).nickname == "Nick"
        assert (await client.sync()).you.player_id == "me"
        assert await client.languages() == []
        await client.leave_lobby()
        await client.leave_tournament()
        await client.ping()
    assert [frame["what"] for frame in server.of("leave")] == ["lobby", "tournament"]


async def test_groups_records_and_goodbyes_are_answered_too(server: FakeServer) -> None:
    async with client_of(server) as client:
        assert (await client.create_group()).invite == "come"
        assert (await client.join_group("come")).group_id == "g1"
        assert (await client.remove_member("you")).leader == "me"
        assert (await client.hand_over("you")).leader == "me"
        assert (await client.renew_invite()).invite == "come"
        assert (await client.start_group("en")).lobby_id == "l1"
        assert client.view.group is not None
        await client.leave_group()
        assert client.view.group is None
        assert (await client.board("l9.1.1")).version == 13
        assert (await client.review("l9.1.1")).answers == 900
        assert (await client.results("l9")).tournament_id == "l9"
        assert (await client.profile()).recent == []
        assert await client.export() == {"player": 1}
        await client.delete_me()
    assert server.of("deleteMe")[0]["confirm"] is True


async def test_leaving_names_its_target_and_goes_on_after_a_lost_answer(server: FakeServer) -> None:
    answer = server.answers["leave"]
    async with client_of(server) as client:
        await client.join("en")
        server.answers["leave"] = once(lambda _: None, answer)
        leaving = asyncio.create_task(client.leave_lobby())
        await server.hears("leave")
        await server.end(1006)
        await leaving
        assert client.view.lobby is None
    assert [frame["id"] for frame in server.of("leave")] == ["l1", "l1"]


async def test_a_deletion_whose_answer_was_lost_is_a_success(server: FakeServer) -> None:
    """The token of the next connection names nobody any more."""
    server.answers["deleteMe"] = lambda _: None
    async with client_of(server) as client:
        deleting = asyncio.create_task(client.delete_me())
        assert (await server.hears("deleteMe"))[0]["player"] == "me"
        server.answers["hello"] = error("bad_token")
        await server.end(1006)
        await deleting


async def test_the_pages_of_an_export_are_asked_for_too(server: FakeServer) -> None:
    first = {"player": {}, "history": {"pages": [5, 9]}}
    server.answers["export"] = lambda frame: {
        "type": "export",
        "data": {"tournaments": [f"g{frame['page']}"]} if "page" in frame else first,
    }
    async with client_of(server) as client:
        assert await client.export() == {**first, "older_tournaments": ["g2", "g1"]}


async def test_answers_are_told_apart_whatever_their_order(server: FakeServer) -> None:
    server.answers["guess"] = lambda _: None
    async with client_of(server) as client:
        first = asyncio.create_task(client.guess("l1.1.1", 1, "crane"))
        second = asyncio.create_task(client.guess("l1.1.2", 5, "slate"))
        sent = {frame["duel"]: frame["ref"] for frame in await server.hears("guess", 2)}
        await server.push({"type": "duel", "ref": sent["l1.1.2"], "duel": duel(6, "l1.1.2")})
        await server.push({"type": "duel", "ref": sent["l1.1.1"], "duel": duel(2, "l1.1.1")})
        assert (await first).duel_id == "l1.1.1"
        assert (await second).duel_id == "l1.1.2"


async def test_a_refusal_says_why(server: FakeServer) -> None:
    server.answers["join"] = error("bad_request", "language")
    async with client_of(server) as client:
        with pytest.raises(Refused) as refused:
            await client.join("en")
    assert (refused.value.code, refused.value.field) == (ErrorCode.BAD_REQUEST, "language")


async def test_a_code_that_a_newer_server_adds_counts_as_internal(server: FakeServer) -> None:
    server.answers["join"] = error("too_sunny")
    async with client_of(server) as client:
        with pytest.raises(Refused) as refused:
            await client.join("en")
    assert refused.value.code is ErrorCode.INTERNAL


async def test_a_busy_server_is_asked_again(server: FakeServer) -> None:
    answer = server.answers["join"]
    server.answers["join"] = once(error("busy"), answer)
    async with client_of(server) as client:
        await client.join("en")
    assert len(server.of("join")) == 2


GATEWAYS = '{"message": "Too Many Requests", "connectionId": "c", "requestId": "r"}'


async def test_what_the_gateway_turns_away_is_asked_again_on_the_same_connection(server: FakeServer) -> None:
    server.answers["guess"] = once(lambda _: None, server.answers["guess"])
    async with client_of(server) as client:
        guessing = asyncio.create_task(client.guess("l1.1.1", 1, "crane"))
        await server.hears("guess")
        await server.push_text(GATEWAYS)
        assert (await guessing).duel_id == "l1.1.1"
    assert len(server.of("guess")) == 2
    assert server.signed_in == 1


async def test_what_is_not_safe_to_repeat_is_not_asked_again_when_the_gateway_turns_it_away(server: FakeServer) -> None:
    server.answers["renewInvite"] = lambda _: None
    async with client_of(server) as client:
        asking = asyncio.create_task(client.renew_invite())
        await server.hears("renewInvite")
        await server.push_text(GATEWAYS)
        with pytest.raises(Unanswered):
            await asking
    assert len(server.of("renewInvite")) == 1
    assert server.signed_in == 1


async def test_a_ping_that_the_gateway_turns_away_is_no_reason_to_connect_anew(server: FakeServer) -> None:
    server.ping_seconds = 0
    server.answers["ping"] = once(lambda _: None, server.answers["ping"])
    async with client_of(server):
        await server.hears("ping")
        await server.push_text(GATEWAYS)
        await server.hears("ping", times=2)
    assert server.signed_in == 1


async def test_a_server_that_stays_busy_refuses_in_the_end(server: FakeServer) -> None:
    server.answers["join"] = error("busy")
    async with client_of(server) as client:
        with pytest.raises(Refused) as refused:
            await client.join("en")
    assert refused.value.code is ErrorCode.BUSY


# Listening


async def test_an_overtaken_frame_changes_nothing_and_is_no_event(server: FakeServer) -> None:
    changes: list[Message] = []
    async with TournamentClient(server.url, on_change=changes.append) as client:
        for version in (3, 2, 4):
            await server.push({"type": "duel", "duel": duel(version)})
        await client.until(lambda view: view.duels["l1.1.1"].version == 4 or None if view.duels else None)
    assert [change.duel.version for change in changes if isinstance(change, DuelChanged)] == [3, 4]


async def test_an_answer_that_was_overtaken_by_a_push_still_answers(server: FakeServer) -> None:
    server.answers["join"] = lambda _: None
    async with client_of(server) as client:
        joining = asyncio.create_task(client.join("en"))
        ref = (await server.hears("join"))[0]["ref"]
        await server.push({"type": "lobby", "lobby": lobby(5, players=("me", "you"))})
        await server.push({"type": "lobby", "lobby": lobby(4), "ref": ref})
        assert (await joining).version == 4
        assert client.view.lobby is not None
        assert client.view.lobby.version == 5


async def test_events_are_heard_by_every_listener(server: FakeServer) -> None:
    async with client_of(server) as client:

        async def first_lobby() -> Message | None:
            async for message in client.events():
                return message
            return None

        listeners = [asyncio.create_task(first_lobby()) for _ in range(2)]
        await asyncio.sleep(0)
        await server.push({"type": "lobby", "lobby": lobby()})
        assert all(await asyncio.gather(*listeners))


@pytest.mark.parametrize("text", ["nonsense", "null", "[]", '{"type":"fireworks","now_ms":1}', '{"type":"duel"}'])
async def test_a_frame_that_is_not_understood_is_passed_over(server: FakeServer, text: str) -> None:
    unknown: list[str] = []
    async with TournamentClient(server.url, on_unknown=lambda frame, _: unknown.append(frame)) as client:
        await server.push_text(text)
        await client.ping()
    assert unknown == [text]


async def test_what_is_not_understood_is_logged_without_what_it_says(
    server: FakeServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with client_of(server) as client:
        await server.push({"type": "welcome", "token": "very-secret"})
        with caplog.at_level(logging.DEBUG, logger="wordle_tournament_client"):
            await client.ping()
    assert "does not understand" in caplog.text
    assert "very-secret" not in caplog.text


async def test_fields_that_a_newer_server_adds_are_passed_over(server: FakeServer) -> None:
    async with client_of(server) as client:
        await server.push({"type": "lobby", "lobby": {**lobby(), "mood": "merry"}, "weather": "fine"})
        assert (await client.until(lambda view: view.lobby)).lobby_id == "l1"


async def test_the_quickest_frame_sets_the_clock(server: FakeServer) -> None:
    async with client_of(server) as client:
        await server.push({"type": "pong", "now_ms": NOW_MS + 60_000})
        await server.push({"type": "pong", "now_ms": NOW_MS + 1})
        await client.ping()
        assert client.server_now_ms() >= NOW_MS + 60_000
