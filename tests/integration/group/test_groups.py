"""Friends in a group, from the invite to the next game (R26, R28-R31)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from infra.local.testing import PLAYERS, RECONNECT_MACHINE, WINDOW_MS, Crash, Frame, Game, Player, World, at_once
from tests.integration.conftest import Scenes, gather
from wordle_tournament.matchmaking import queue_switch
from wordle_tournament.play.admin import verbs

DAY_MS = 24 * 60 * 60 * 1000


def invite_of(member: Player) -> str:
    return str(member.ask("sync")["group"]["invite"])


def shown(member: Player) -> Frame:
    """The group as the member knows it: the greatest version, and of that what was told last."""
    told = [frame["group"] for frame in member.frames if frame["type"] == "group"]
    newest = max(group["version"] for group in told)
    return dict([group for group in told if group["version"] == newest][-1])


def stored(world: World, member: Player) -> dict[str, Any]:
    return world.state("GroupsTable", member.state["group"])


def error(who: Player, action: str, **fields: Any) -> Frame:
    """The refusal; nothing stored has changed by it."""
    before = who.world.everything()
    answer = who.ask(action, **fields)
    assert answer["type"] == "error", answer
    assert who.world.everything() == before
    return answer


def lose(world: World, player: Player) -> None:
    """Drop, and stay away for the 60 seconds."""
    player.drop()
    start = [start for start in world.started(RECONNECT_MACHINE) if start.input["player_id"] == player.id][-1]
    world.sleep(WINDOW_MS)
    assert world.forfeit(player.id, start.input["epoch"])


def play_with_strangers(world: World, group: list[Player]) -> Game:
    """The group and strangers in a tournament whose first round is on."""
    lobby = group[0].ask("startGroup", language="en")["lobby"]
    strangers = world.players(PLAYERS - len(group))
    for stranger in strangers:
        stranger.ask("join", language="en")
    game = Game(world, lobby["lobby_id"], {player.id: player for player in [*group, *strangers]})
    world.advance(game.id)
    game.begin()
    return game


# Coming together


def test_a_group_of_one_is_led_by_its_maker_and_has_an_invite_that_cannot_be_guessed(world: World) -> None:
    leader = world.player()
    group = leader.ask("createGroup")["group"]
    assert group["leader"] == leader.id
    (member,) = group["members"]
    assert (member["player_id"], member["rating"], member["away"], member["where"]) == (leader.id, 1000, False, "free")
    group_id, _, secret = group["invite"].partition(".")
    assert group_id == group["group_id"]
    assert len(secret) >= 22, "128 bits"
    assert leader.ask("sync")["group"] == group


def test_who_comes_by_the_link_is_shown_to_all_in_order_of_coming(world: World) -> None:
    group = gather(world, 4)
    assert [member["player_id"] for member in shown(group[3])["members"]] == [player.id for player in group]
    for member in group[:3]:
        assert shown(member) == shown(group[3])


def test_the_link_followed_again_is_answered_alike(world: World) -> None:
    leader, friend = gather(world, 2)
    before = world.everything()
    assert friend.ask("joinGroup", invite=invite_of(leader))["group"] == shown(friend)
    assert world.everything() == before


def test_the_ninth_by_link_is_refused(world: World) -> None:
    group, ninth = gather(world, 8), world.player()
    assert error(ninth, "joinGroup", invite=invite_of(group[0]))["code"] == "group_full"
    group[7].ask("leaveGroup")
    assert ninth.ask("joinGroup", invite=invite_of(group[0]))["type"] == "group"


def test_one_in_another_group_or_in_a_lobby_is_refused(world: World) -> None:
    (leader,), (other, friend), waiting = gather(world, 1), gather(world, 2), world.player()
    waiting.ask("join", language="en")
    assert error(friend, "joinGroup", invite=invite_of(leader))["code"] == "in_group"
    assert error(other, "createGroup")["code"] == "in_group"
    assert error(waiting, "joinGroup", invite=invite_of(leader))["code"] == "in_lobby"
    assert error(waiting, "createGroup")["code"] == "in_lobby"


def test_an_invite_of_a_group_that_has_ended_is_good_for_nothing(world: World) -> None:
    (leader,), stranger = gather(world, 1), world.player()
    invite = invite_of(leader)
    leader.ask("leaveGroup")
    assert error(stranger, "joinGroup", invite=invite)["code"] == "no_such_group"
    assert "group" not in leader.ask("sync")


def test_a_renewed_invite_takes_the_place_of_the_old_one(world: World) -> None:
    (leader, friend), stranger = gather(world, 2), world.player()
    old = invite_of(leader)
    renewed = leader.ask("renewInvite")["group"]["invite"]
    assert shown(friend)["invite"] == renewed != old
    assert error(stranger, "joinGroup", invite=old)["code"] == "no_such_group"
    assert stranger.ask("joinGroup", invite=renewed)["type"] == "group"
    before = world.everything()
    assert friend.ask("joinGroup", invite=old)["group"] == shown(friend), "as the first time"
    assert world.everything() == before


def test_of_two_who_come_at_once_for_the_eighth_place_one_gets_it(world: World) -> None:
    group, late = gather(world, 7), world.players(2)
    invite = invite_of(group[0])
    answers = at_once(*(partial(one.ask, "joinGroup", invite=invite) for one in late))
    assert sorted(answer.get("code", "in") for answer in answers) == ["group_full", "in"]
    (inside,) = [one.id for one in late if one.state["group"]]
    assert stored(world, group[0])["members"] == [*(member.id for member in group), inside]


def test_a_group_that_nobody_has_used_for_a_day_is_seen_nowhere_though_it_is_still_stored(world: World) -> None:
    group, stranger = gather(world, 2), world.player()
    invite, group_id = invite_of(group[0]), group[0].state["group"]
    world.sleep(DAY_MS - 1000)
    for member in group:
        assert member.reconnect()["group"]["group_id"] == group_id
    stranger.reconnect()
    world.sleep(1000)
    assert group_id in world.items("GroupsTable")
    heard = [len(member.frames) for member in group]
    assert error(stranger, "joinGroup", invite=invite)["code"] == "no_such_group"
    assert error(group[1], "joinGroup", invite=invite)["code"] == "no_such_group"
    for action, fields in {
        "removeMember": {"player": group[1].id},
        "handOver": {"player": group[1].id},
        "renewInvite": {},
        "startGroup": {"language": "en"},
    }.items():
        assert error(group[0], action, **fields)["code"] == "not_in_group"
    group[1].ask("rename", nickname="Ada Lovelace")
    assert "group" not in group[1].ask("sync")
    for member, before in zip(group, heard, strict=True):
        assert not [frame for frame in member.frames[before:] if frame["type"] == "group"]
    group[1].drop()
    world.sleep(WINDOW_MS + 1)
    world.sweep()
    assert "group" not in group[1].reconnect()
    assert group[0].ask("join", language="en")["type"] == "lobby"
    assert group[1].ask("createGroup")["type"] == "group"


@pytest.mark.thorough
def test_a_group_lives_on_for_a_day_after_each_use(world: World) -> None:
    leader, friend = gather(world, 2)
    uses: list[Callable[[], Any]] = [
        lambda: leader.ask("renewInvite"),
        lambda: leader.ask("handOver", player=friend.id),
        lambda: friend.ask("startGroup", language="en"),
    ]
    for use in uses:
        use()
        world.sleep(DAY_MS - 1000)
        for member in (leader, friend):
            assert "group" in member.reconnect()
    world.sleep(1000)
    assert "group" not in leader.reconnect(), "to come back is no use"


def test_two_who_follow_each_others_links_at_once_are_never_both_without_a_group(world: World) -> None:
    (one,), (other,) = gather(world, 1), gather(world, 1)
    invites = invite_of(one), invite_of(other)
    answers = at_once(
        lambda: one.ask("joinGroup", invite=invites[1]), lambda: other.ask("joinGroup", invite=invites[0])
    )
    assert [answer["code"] for answer in answers] == ["in_group"] * 2, "each leaves their own first"
    assert stored(world, one)["members"] == [one.id]
    assert stored(world, other)["members"] == [other.id]


def test_two_who_follow_one_link_and_make_a_group_at_once_are_in_one(world: World) -> None:
    (leader,), friend = gather(world, 1), world.player()
    invite = invite_of(leader)
    again = Player(world, friend.connection_id, friend.id, friend.token)
    again.refs = friend.refs
    at_once(lambda: friend.ask("joinGroup", invite=invite), lambda: again.ask("createGroup"))
    groups = [item["state"]["members"] for item in world.items("GroupsTable").values()]
    assert sum(friend.id in members for members in groups) == 1
    assert friend.id in stored(world, friend)["members"]


# The lead


def test_only_the_leader_hands_over_renews_removes_and_starts(world: World) -> None:
    leader, friend, third = gather(world, 3)
    for action, fields in {
        "handOver": {"player": friend.id},
        "removeMember": {"player": third.id},
        "renewInvite": {},
        "startGroup": {"language": "en"},
    }.items():
        assert error(friend, action, **fields)["code"] == "not_leader"
    handed = leader.ask("handOver", player=friend.id)["group"]
    assert handed["leader"] == friend.id
    assert shown(third) == handed
    assert error(leader, "renewInvite")["code"] == "not_leader"
    assert friend.ask("renewInvite")["type"] == "group"


def test_who_is_named_has_to_be_in_the_group(world: World) -> None:
    (leader, _), stranger = gather(world, 2), world.player()
    assert error(leader, "handOver", player=stranger.id)["code"] == "not_in_group"
    assert error(leader, "removeMember", player=leader.id)["code"] == "cannot_remove_yourself"
    assert leader.ask("handOver", player=leader.id)["group"]["leader"] == leader.id


def test_the_lead_is_not_handed_to_one_who_is_away_so_that_the_group_can_always_start(world: World) -> None:
    leader, friend = gather(world, 2)
    lose(world, friend)
    refusal = error(leader, "handOver", player=friend.id)
    assert (refusal["code"], refusal["field"], refusal["players"]) == ("member_away", "player", [friend.id])
    leader.ask("removeMember", player=friend.id)
    assert leader.ask("startGroup", language="en")["type"] == "lobby"


def test_one_handed_the_lead_as_they_drop_leads_for_sixty_seconds_at_most(world: World) -> None:
    leader, friend = gather(world, 2)
    at_once(partial(leader.ask, "handOver", player=friend.id), friend.drop)
    world.sleep(WINDOW_MS + 1)
    world.sweep()
    assert shown(leader)["leader"] == leader.id
    assert leader.ask("renewInvite")["type"] == "group"


def test_when_the_leader_leaves_the_longest_standing_connected_member_leads(world: World) -> None:
    leader, away, friend, last = gather(world, 4)
    away.drop()
    assert leader.ask("leaveGroup")["what"] == "group"
    for member in (friend, last):
        assert shown(member)["leader"] == friend.id
        assert [one["player_id"] for one in shown(member)["members"]] == [away.id, friend.id, last.id]
    assert leader.state["group"] is None
    assert friend.ask("renewInvite")["type"] == "group"


def test_when_nobody_is_connected_the_longest_standing_leads(world: World) -> None:
    leader, friend, last = gather(world, 3)
    for member in (last, friend):
        member.drop()
    leader.ask("leaveGroup")
    assert friend.reconnect()["group"]["leader"] == friend.id


def test_a_leader_away_for_sixty_seconds_leads_no_more_and_comes_back_as_an_ordinary_member(world: World) -> None:
    leader, friend, third = gather(world, 3)
    leader.drop()
    assert shown(friend)["members"][0]["away"]
    assert shown(friend)["leader"] == leader.id, "there are 60 seconds to come back"
    (start,) = world.started(RECONNECT_MACHINE)
    world.sleep(WINDOW_MS - 1)
    assert not world.forfeit(leader.id, start.input["epoch"])
    world.sleep(1)
    assert world.forfeit(leader.id, start.input["epoch"])
    assert shown(friend)["leader"] == shown(third)["leader"] == friend.id
    back = leader.reconnect()["group"]
    assert back["leader"] == friend.id
    assert [member["player_id"] for member in back["members"]] == [leader.id, friend.id, third.id]
    assert error(leader, "startGroup", language="en")["code"] == "not_leader"
    assert not shown(friend)["members"][0]["away"]


def test_a_leader_who_is_back_in_time_goes_on_leading(world: World) -> None:
    leader, friend = gather(world, 2)
    leader.drop()
    world.sleep(WINDOW_MS - 1)
    assert leader.reconnect()["group"]["leader"] == leader.id
    (start,) = world.started(RECONNECT_MACHINE)
    world.sleep(WINDOW_MS)
    assert not world.forfeit(leader.id, start.input["epoch"])
    assert shown(friend)["leader"] == leader.id


def test_a_leader_gone_without_a_word_is_found_by_the_sweep(world: World) -> None:
    leader, friend = gather(world, 2)
    leader.drop()
    world.sleep(WINDOW_MS + 1)
    assert world.sweep()["forfeited"] == 1
    assert shown(friend)["leader"] == friend.id
    world.sleep(WINDOW_MS)
    assert world.sweep()["forfeited"] == 0, "once"


def test_a_leader_gone_without_a_word_is_found_even_when_the_group_is_used_again_after_a_day(world: World) -> None:
    """Nothing was pushed to the leader for longer than a connection lasts (R28, R31)."""
    leader, friend = gather(world, 2)
    for one in (leader, friend):
        one.drop(notice=False)
    world.sleep(DAY_MS - WINDOW_MS - 1000)
    friend.reconnect()
    world.sleep(WINDOW_MS + 1)
    assert world.sweep()["forfeited"] == 1
    assert shown(friend)["leader"] == friend.id


def test_when_all_were_lost_the_first_to_come_back_leads(world: World) -> None:
    group = gather(world, 3)
    for member in group:
        member.drop()
    world.sleep(WINDOW_MS + 1)
    world.sweep()
    assert group[2].reconnect()["group"]["leader"] == group[2].id
    assert group[2].ask("renewInvite")["type"] == "group"
    assert group[0].reconnect()["group"]["leader"] == group[2].id


def test_who_comes_back_leads_though_the_first_hello_died_on_the_way(world: World) -> None:
    group = gather(world, 2)
    for member in group:
        member.drop()
    world.sleep(WINDOW_MS + 1)
    world.sweep()
    back = group[1]
    back.connection_id = world.connection_id()

    def crash(service: str, operation: str, params: Any) -> None:
        if operation == "TransactWriteItems":
            raise Crash

    hook = world.on_call(crash, after=True)
    with pytest.raises(Crash):
        back.send("hello", "r", token=back.token)
    hook.close()
    assert back.state["connection_id"] == back.connection_id
    assert back.hello()["group"]["leader"] == back.id


def test_who_comes_by_link_into_a_group_of_lost_ones_leads(world: World) -> None:
    group, friend = gather(world, 2), world.player()
    invite = invite_of(group[0])
    for member in group:
        member.drop()
    world.sleep(WINDOW_MS + 1)
    world.sweep()
    assert friend.ask("joinGroup", invite=invite)["group"]["leader"] == friend.id


def test_when_the_leader_deletes_the_account_the_next_one_leads(world: World) -> None:
    leader, friend = gather(world, 2)
    assert leader.ask("deleteMe", confirm=True)["type"] == "deleted"
    assert shown(friend)["leader"] == friend.id
    assert [member["player_id"] for member in shown(friend)["members"]] == [friend.id]
    assert friend.ask("startGroup", language="en")["type"] == "lobby"


def test_a_member_who_leaves_as_they_are_promoted_does_not_lead(world: World) -> None:
    for _ in range(3):
        leader, friend, last = gather(world, 3)
        at_once(partial(leader.ask, "leaveGroup"), partial(friend.ask, "leaveGroup"))
        assert stored(world, last)["members"] == [last.id]
        assert stored(world, last)["leader"] == last.id
        assert shown(last)["leader"] == last.id


def test_a_member_who_leaves_as_the_lead_is_handed_to_them_does_not_lead(world: World) -> None:
    for _ in range(3):
        leader, friend = gather(world, 2)
        handed, left = at_once(
            partial(leader.ask, "handOver", player=friend.id),
            partial(friend.ask, "leaveGroup"),
        )
        assert left["type"] == "left"
        assert handed["type"] == "group" or handed["code"] == "not_in_group"
        assert stored(world, leader)["leader"] == leader.id
        assert stored(world, leader)["members"] == [leader.id]


def test_the_last_one_to_leave_ends_the_group(world: World) -> None:
    leader, friend = gather(world, 2)
    group_id = leader.state["group"]
    leader.ask("leaveGroup")
    friend.ask("leaveGroup")
    assert world.state("GroupsTable", group_id)["members"] == []
    assert friend.ask("createGroup")["type"] == "group"


def test_who_is_removed_is_told_and_comes_again_only_by_the_new_link(world: World) -> None:
    leader, friend, third = gather(world, 3)
    known = invite_of(friend)
    heard = len(leader.frames)
    group = leader.ask("removeMember", player=friend.id)["group"]
    assert [frame["type"] for frame in leader.frames[heard:]] == ["group"], "the answer, and nothing twice"
    assert [member["player_id"] for member in group["members"]] == [leader.id, third.id]
    assert friend.last("left")["what"] == "group"
    assert shown(third) == group
    assert "group" not in friend.ask("sync")
    assert error(friend, "joinGroup", invite=known)["code"] == "no_such_group"
    assert friend.ask("joinGroup", invite=group["invite"])["group"]["members"][-1]["player_id"] == friend.id


def test_everybody_sees_what_a_member_is_called_and_whether_they_are_there(world: World) -> None:
    leader, friend = gather(world, 2)
    friend.ask("rename", nickname="Ada Lovelace")
    assert shown(leader)["members"][1]["nickname"] == "Ada Lovelace"
    friend.drop()
    assert shown(leader)["members"][1]["away"]
    friend.reconnect()
    assert not shown(leader)["members"][1]["away"]


# Looking for a game


def test_all_members_get_the_lobby_and_the_group_shows_that_they_wait(world: World) -> None:
    group = gather(world, 3)
    lobby = group[0].ask("startGroup", language="en")["lobby"]
    for member in group[1:]:
        assert member.last("lobby")["lobby"] == lobby
    for member in group:
        assert [one["where"] for one in shown(member)["members"]] == ["lobby"] * 3
        assert member.ask("sync")["lobby"] == lobby


def test_a_start_sent_again_is_answered_alike(world: World) -> None:
    leader, friend = gather(world, 2)
    lobby = leader.ask("startGroup", language="en")["lobby"]
    heard, before = len(friend.frames), world.everything()
    assert leader.ask("startGroup", language="en")["lobby"] == lobby
    assert world.everything() == before
    assert {frame["type"] for frame in friend.frames[heard:]} <= {"group"}


def test_a_start_in_a_second_language_is_refused_naming_who_waits(world: World) -> None:
    group = gather(world, 2)
    group[0].ask("startGroup", language="en")
    refusal = error(group[0], "startGroup", language="de")
    assert refusal["code"] == "member_playing"
    assert refusal["players"] == [member.id for member in group]


def test_seats_that_are_taken_are_answered_while_the_queue_is_closed_and_new_ones_refused(world: World) -> None:
    (leader, friend), alone, late = gather(world, 2), world.player(), world.player()
    alone.ask("join", language="en")
    lobby = leader.ask("startGroup", language="en")["lobby"]
    queue_switch.switch(False)
    before = world.everything()
    assert leader.ask("startGroup", language="en")["lobby"] == lobby
    assert alone.ask("join", language="en")["lobby"] == lobby
    assert world.everything() == before
    assert error(late, "join", language="en")["code"] == "queue_closed"
    assert error(alone, "join", language="de")["code"] == "in_lobby"
    friend.ask("leave", what="lobby")
    assert error(leader, "startGroup", language="en")["code"] == "queue_closed"


def test_a_start_in_no_language_is_refused(world: World) -> None:
    assert error(gather(world, 1)[0], "startGroup", language="xx")["code"] == "unknown_language"


def test_a_start_without_a_member_who_is_away_is_refused_naming_them(world: World) -> None:
    leader, friend, third = gather(world, 3)
    friend.drop()
    refusal = error(leader, "startGroup", language="en")
    assert (refusal["code"], refusal["players"]) == ("member_away", [friend.id])
    friend.reconnect()
    assert leader.ask("startGroup", language="en")["type"] == "lobby"
    assert third.state["game"] == leader.state["game"]


def test_a_member_does_not_join_alone(world: World) -> None:
    group = gather(world, 2)
    for member in group:
        assert error(member, "join", language="en")["code"] == "in_group"


def test_nobody_comes_into_a_group_that_is_looking_for_a_game(world: World) -> None:
    (leader,), late = gather(world, 1), world.player()
    leader.ask("startGroup", language="en")
    assert error(late, "joinGroup", invite=invite_of(leader))["code"] == "group_searching"
    leader.ask("leave", what="lobby")
    assert late.ask("joinGroup", invite=invite_of(leader))["type"] == "group"


Leaving = Callable[[World, list[Player]], Any]

WAYS_OUT: dict[str, Leaving] = {
    "a member leaves the lobby": lambda world, group: group[2].ask("leave", what="lobby"),
    "the leader leaves the lobby": lambda world, group: group[0].ask("leave", what="lobby"),
    "a member leaves the group": lambda world, group: group[2].ask("leaveGroup"),
    "the leader leaves the group": lambda world, group: group[0].ask("leaveGroup"),
    "a member is removed": lambda world, group: group[0].ask("removeMember", player=group[2].id),
    "a member is lost": lambda world, group: lose(world, group[2]),
    "the leader is lost": lambda world, group: lose(world, group[0]),
    "a member deletes the account": lambda world, group: group[2].ask("deleteMe", confirm=True),
}


@pytest.mark.parametrize("way", WAYS_OUT)
def test_when_one_is_out_of_the_lobby_the_whole_group_is_and_all_are_told(world: World, way: str) -> None:
    stranger = world.player()
    stranger.ask("join", language="en")
    group = gather(world, 4)
    group[0].ask("startGroup", language="en")
    assert len(stranger.last("lobby")["lobby"]["players"]) == 5
    heard = {member.id: len(member.frames) for member in group}
    WAYS_OUT[way](world, group)
    assert [one["player_id"] for one in stranger.last("lobby")["lobby"]["players"]] == [stranger.id]
    ((_, lobby),) = world.lobbies().items()
    assert [seat["player_id"] for seat in lobby["seats"]] == [stranger.id]
    deleted = way == "a member deletes the account"
    for member in group[:2] if deleted else group:
        assert member.state["game"] is None
        assert member.state["rating"] == 1000
    for member in (group[1], group[3]):
        told = [frame for frame in member.frames[heard[member.id] :] if frame["type"] in ("left", "group")]
        assert ("left", "lobby") in [(frame["type"], frame.get("what")) for frame in told]
        assert {one["where"] for one in shown(member)["members"]} == {"free"}
    leads = next(member for member in group if member.id == shown(group[1])["leader"])
    if way != "a member is lost":
        group[2 if "leader is lost" not in way else 0].drop()
    left = [member for member in group if member.id in [one["player_id"] for one in shown(group[1])["members"]]]
    for member in left:
        member.reconnect()
    assert leads.ask("startGroup", language="en")["lobby"]["lobby_id"] == stranger.state["game"]


def test_a_search_that_has_become_a_game_is_not_left_by_leaving_the_lobby(world: World) -> None:
    group = gather(world, 8)
    assert group[0].ask("startGroup", language="en")["lobby"]["started"]
    assert error(group[3], "leave", what="lobby")["code"] == "too_late"
    assert {member.state["game"] for member in group} == {group[0].state["game"]}


STARTING: dict[str, Callable[[list[Player]], Any]] = {
    "the leader drops": lambda group: group[0].drop(),
    "a member drops": lambda group: group[2].drop(),
    "the leader deletes the account": lambda group: group[0].ask("deleteMe", confirm=True),
    "a member leaves the group": lambda group: group[2].ask("leaveGroup"),
    "the leader starts twice": lambda group: group[0].ask("startGroup", language="en"),
}


@pytest.mark.parametrize("way", STARTING)
def test_whatever_happens_while_a_start_is_under_way_all_of_the_group_are_seated_or_none(
    world: World, way: str
) -> None:
    group = gather(world, 3)
    starter = replace(group[0])
    at_once(partial(starter.send, "startGroup", "start", language="en"), partial(STARTING[way], group))
    world.sleep(WINDOW_MS + 1)
    world.sweep()
    members = stored(world, group[1])["members"]
    seated = [[seat["player_id"] for seat in lobby["seats"]] for lobby in world.lobbies().values()]
    assert seated in ([], [members])
    assert {world.state("PlayersTable", member)["game"] is None for member in members} == {not seated}
    leader = shown(group[1])["leader"]
    assert leader == stored(world, group[1])["leader"]
    assert leader == (group[1].id if "the leader d" in way else group[0].id)


# Playing, and back again


def test_all_groups_show_that_their_members_play_whoever_took_the_last_seat(world: World) -> None:
    one, other, alone = gather(world, 3), gather(world, 4), world.player()
    one[0].ask("startGroup", language="en")
    other[0].ask("startGroup", language="en")
    game_id = alone.ask("join", language="en")["lobby"]["lobby_id"]
    world.advance(game_id)
    for member in [*one, *other]:
        assert {friend["where"] for friend in shown(member)["members"]} == {"tournament"}


def test_groups_whose_lobbies_are_merged_into_a_full_one_show_that_their_members_play(world: World) -> None:
    one, alone, other = gather(world, 4), world.player(), gather(world, 4)
    one[0].ask("startGroup", language="en")
    alone.ask("join", language="en")
    other[0].ask("startGroup", language="en")
    alone.ask("leave", what="lobby")
    (game_id,) = world.items("TournamentsTable")
    world.advance(game_id)
    for member in [*one, *other]:
        assert member.state["game"] == game_id
        assert {friend["where"] for friend in shown(member)["members"]} == {"tournament"}


@pytest.mark.thorough
def test_a_group_shows_the_ratings_that_a_voided_tournament_gives_back(world: World) -> None:
    group = gather(world, 2)
    game = play_with_strangers(world, group)
    game.finish()
    assert [one["rating"] for one in shown(group[0])["members"]] == [one.state["rating"] for one in group]
    verbs.void(game.id)
    assert [one["rating"] for one in shown(group[0])["members"]] == [1000, 1000]


def test_a_group_shows_that_its_members_are_free_when_operators_stop_their_tournament(world: World) -> None:
    group = gather(world, 2)
    game = play_with_strangers(world, group)
    verbs.stop(game.id)
    for member in group:
        assert {friend["where"] for friend in shown(member)["members"]} == {"free"}
    assert group[0].ask("startGroup", language="en")["type"] == "lobby"


@pytest.mark.thorough
def test_a_start_while_members_play_is_refused_naming_who_until_they_are_out(world: World) -> None:
    group = gather(world, 3)
    game = play_with_strangers(world, group)
    refusal = error(group[0], "startGroup", language="en")
    assert (refusal["code"], refusal["players"]) == ("member_playing", [member.id for member in group])
    for member in group:
        assert {one["where"] for one in member.ask("sync")["group"]["members"]} == {"tournament"}
    group[2].ask("leave", what="tournament")
    assert error(group[0], "startGroup", language="en")["players"] == [group[0].id, group[1].id]
    assert [one["where"] for one in shown(group[0])["members"]] == ["tournament", "tournament", "free"]
    game.finish()
    assert [one["where"] for one in shown(group[0])["members"]] == ["free"] * 3
    assert group[0].ask("startGroup", language="en")["type"] == "lobby"


@pytest.mark.thorough
def test_when_all_members_are_out_they_start_again_while_the_others_play_on(world: World) -> None:
    group = gather(world, 2)
    game = play_with_strangers(world, group)
    strangers = game.all[2:]
    while any(member.state["game"] == game.id for member in group):
        game.begin()
        for duel in game.duels:
            winners = [stranger for stranger in strangers if stranger.id in duel["players"]]
            if duel["phase"] != "over":
                game.solve(duel["duel_id"], winners[0] if winners else None)
        world.advance(game.id)
    assert not game.over
    for member in group:
        assert {one["where"] for one in shown(member)["members"]} == {"free"}
        assert member.ask("sync")["tournament"]["tournament_id"] == game.id, "they may watch on"
    assert group[0].ask("startGroup", language="en")["type"] == "lobby"
    for member in group:
        state = member.ask("sync")
        assert "tournament" not in state
        assert state["lobby"]["lobby_id"] == group[0].state["game"]
    heard = [len(member.frames) for member in group]
    game.begin()
    game.finish_round()
    for member, before in zip(group, heard, strict=True):
        assert {frame["type"] for frame in member.frames[before:]} <= {"lobby", "group"}


@pytest.mark.thorough
def test_a_member_in_another_tournament_is_named_and_waited_for(scenes: Scenes, world: World) -> None:
    game = scenes.final()
    finalist = next(player for player in game.all if player.state["game"] == game.id)
    leader, *_ = gather(world, 2)
    assert finalist.ask("joinGroup", invite=invite_of(leader))["type"] == "group", "a link used during a tournament"
    refusal = error(leader, "startGroup", language="en")
    assert (refusal["code"], refusal["players"]) == ("member_playing", [finalist.id])
    game.finish()
    assert shown(leader)["members"][2]["where"] == "free"
    lobby = leader.ask("startGroup", language="en")["lobby"]
    assert finalist.id in [one["player_id"] for one in lobby["players"]]


@pytest.mark.thorough
def test_after_the_tournament_the_group_is_there_and_plays_again(world: World) -> None:
    group = gather(world, 8)
    for number in (1, 2):
        lobby = group[0].ask("startGroup", language="en")["lobby"]
        assert lobby["started"]
        game = Game(world, lobby["lobby_id"], {member.id: member for member in group})
        world.advance(game.id)
        game.finish()
        for member in group:
            state = member.ask("sync")
            assert state["you"]["games"] == number, "group games are rated like any other (R22)"
            assert [one["player_id"] for one in state["group"]["members"]] == [one.id for one in group]
            assert state["tournament"]["over"]
            shown_ratings = {one["player_id"]: one["rating"] for one in state["group"]["members"]}
            assert shown_ratings == {one.id: one.state["rating"] for one in group}
    assert len(world.items("TournamentsTable")) == 2


@pytest.mark.thorough
def test_the_leader_lost_in_the_middle_of_a_game_has_left_it_and_leads_no_more(world: World) -> None:
    group = gather(world, 3)
    game = play_with_strangers(world, group)
    lose(world, group[0])
    assert group[0].id in game.state["rounds"][-1]["leavers"]
    for member in group[1:]:
        assert shown(member)["leader"] == group[1].id
    for duel in game.duels:
        world.skip(duel["duel_id"])
    game.finish()
    game.assert_ended_right()
    assert error(group[1], "startGroup", language="en")["players"] == [group[0].id]
    group[1].ask("removeMember", player=group[0].id)
    assert group[1].ask("startGroup", language="en")["type"] == "lobby"


@pytest.mark.thorough
def test_who_leaves_the_group_in_a_tournament_plays_on(world: World) -> None:
    group = gather(world, 3)
    game = play_with_strangers(world, group)
    assert group[1].ask("leaveGroup")["what"] == "group"
    group[0].ask("removeMember", player=group[2].id)
    assert group[1].state["game"] == group[2].state["game"] == game.id
    assert game.state["rounds"][-1]["leavers"] == []
    game.finish()
    game.assert_ended_right()
    assert group[1].ask("join", language="de")["type"] == "lobby"


@pytest.mark.thorough
def test_of_a_group_that_went_out_together_nobody_hears_twice_of_the_same_end(world: World) -> None:
    group = gather(world, 2)
    game = play_with_strangers(world, group)
    game.finish()
    for member in group:
        assert len([frame for frame in member.frames if frame["type"] == "result"]) == 1
