"""Every verb of the operators' command, over HTTP on the local stack and in process as on a deployed one."""

from __future__ import annotations

from tests.admin.conftest import Command, Scene

NO_PLAYER = "p" + "0" * 20
NO_TOURNAMENT = "g" + "0" * 20


def test_a_player_is_shown_with_their_record(command: Command, scene: Scene) -> None:
    table = scene.finished()
    winner = command.shown("show-player", table.people[0].id)
    assert winner["player_id"] == table.people[0].id
    assert winner["rating"] == 1025
    assert winner["history"]["recent"][0]["tournament_id"] == table.tournament_id
    assert "token_hash" not in winner
    status, out, _ = command("show-player", table.people[0].id)
    assert status == 0
    assert "1025" in out
    assert table.tournament_id in out


def test_a_running_tournament_is_shown_without_its_words(command: Command, scene: Scene) -> None:
    table = scene.tournament()
    answer = command.shown("show-tournament", table.tournament_id)
    assert answer["state"] == "running"
    assert answer["round"] == 1
    assert len(answer["players"]) == 8
    assert len(answer["duels"]) == 4
    assert {player for duel in answer["duels"] for player in duel["players"]} == {person.id for person in table.people}
    status, out, _ = command("show-tournament", table.tournament_id)
    assert status == 0
    assert "Duels of the current round" in out


def test_the_running_are_listed(command: Command, scene: Scene) -> None:
    running, over = scene.tournament(), scene.finished()
    listed = {one["tournament_id"]: one for one in command.shown("running")}
    assert listed[running.tournament_id]["players_in"] == 8
    assert over.tournament_id not in listed
    command.shown("stop", running.tournament_id)
    assert running.tournament_id not in {one["tournament_id"] for one in command.shown("running")}


def test_stopped_everybody_is_free_and_no_rating_has_changed(command: Command, scene: Scene) -> None:
    table = scene.tournament()
    first = command.shown("stop", table.tournament_id)
    assert first["state"] == "stopped"
    assert all("place" not in player and "rating_change" not in player for player in first["players"])
    for person in table.people:
        person.wait_for(lambda frame: frame.get("tournament", {}).get("over") is True)
        state = person.ask("sync")
        assert state["you"]["rating"] == 1000
    assert command.shown("stop", table.tournament_id)["ended_at_ms"] == first["ended_at_ms"]


def test_whom_a_verb_finds_gone_is_lost(command: Command, scene: Scene) -> None:
    table = scene.tournament()
    gone, gateway = table.people[0], scene.stack.gateway
    gateway.deliver_disconnects = False
    try:
        gone.connection.close()
        command.shown("stop", table.tournament_id)
    finally:
        gateway.deliver_disconnects = True
    assert command.shown("show-player", gone.id)["connection_id"] is None
    assert command.shown("show-player", table.people[1].id)["connection_id"] is not None


def test_voided_the_ratings_are_what_they_were_also_when_asked_twice(command: Command, scene: Scene) -> None:
    table = scene.finished()
    for _ in range(2):
        assert command.shown("void", table.tournament_id)["state"] == "voided"
        for person in table.people:
            player = command.shown("show-player", person.id)
            assert (player["rating"], player["games"]) == (1000, 0)
            assert [one["voided"] for one in player["history"]["recent"]] == [True]


def test_a_running_tournament_is_stopped_by_voiding(command: Command, scene: Scene) -> None:
    table = scene.tournament()
    table.people[0].ask("leave", what="tournament")
    assert command.shown("void", table.tournament_id)["state"] == "voided"
    assert command.shown("show-player", table.people[1].id)["game"] is None


def test_settling_what_is_not_due_changes_nothing_but_starts_a_clock(command: Command, scene: Scene) -> None:
    table = scene.tournament()
    before = command.shown("show-tournament", table.tournament_id)
    for _ in range(2):
        after = command.shown("settle", table.tournament_id)
        assert (after["round"], after["duels"]) == (before["round"], before["duels"])
    names = [execution.name for execution in scene.stack.executions("TournamentMachine")]
    assert sum(name.startswith(f"{table.tournament_id}-admin-") for name in names) == 2
    command.shown("stop", table.tournament_id)
    assert "is over" in command.refused("settle", table.tournament_id)


def test_a_player_is_renamed_and_a_bad_nickname_refused(command: Command, scene: Scene) -> None:
    person = scene.person()
    for _ in range(2):
        assert command.shown("rename", person.id, "Brave Otter")["nickname"] == "Brave Otter"
    assert person.ask("sync")["you"]["nickname"] == "Brave Otter"
    assert "3 to 20" in command.refused("rename", person.id, "x")


def test_a_player_is_deleted_once(command: Command, scene: Scene) -> None:
    table = scene.finished()
    gone = table.people[3].id
    assert command.shown("delete", gone) == {"deleted": gone}
    assert f"there is no player {gone}" in command.refused("delete", gone)
    assert f"there is no player {gone}" in command.refused("show-player", gone)
    names = {
        one["player_id"]: one["nickname"] for one in command.shown("show-tournament", table.tournament_id)["players"]
    }
    assert names[gone] not in {name for player, name in names.items() if player != gone}


def test_the_queue_is_closed_and_opened_and_a_running_game_goes_on(command: Command, scene: Scene) -> None:
    table, late = scene.tournament(), scene.person()
    for _ in range(2):
        assert command.shown("close-queue") == {"queue": "closed"} == command.shown("show-queue")
    assert late.ask("join", language="en")["code"] == "queue_closed"
    assert command.shown("show-tournament", table.tournament_id)["state"] == "running"
    for _ in range(2):
        assert command.shown("open-queue") == {"queue": "open"} == command.shown("show-queue")
    assert late.ask("join", language="en")["type"] == "lobby"
    late.ask("leave", what="lobby")


def test_ids_that_nobody_has_are_said_plainly(command: Command) -> None:
    for verb in ("show-player", "delete"):
        assert f"there is no player {NO_PLAYER}" in command.refused(verb, NO_PLAYER)
    assert f"there is no player {NO_PLAYER}" in command.refused("rename", NO_PLAYER, "Brave Otter")
    for verb in ("show-tournament", "stop", "void", "settle"):
        assert f"there is no tournament {NO_TOURNAMENT}" in command.refused(verb, NO_TOURNAMENT)


def test_ids_of_another_kind_are_not_looked_up(command: Command) -> None:
    assert "is no tournament's id" in command.refused("show-tournament", NO_PLAYER)
    assert "is no player's id" in command.refused("show-player", f"history.{NO_PLAYER}")


def test_no_verb_shows_a_running_word_or_a_token(command: Command, scene: Scene) -> None:
    # Its words cannot occur by chance in what is said in English.
    table = scene.tournament("uk")
    secrets = scene.secrets(table)
    assert len(secrets) >= 4 + 8 + 8
    for as_json in ([], ["--json"]):
        command("running", *as_json)
        command("show-tournament", table.tournament_id, *as_json)
        command("settle", table.tournament_id, *as_json)
        command("show-player", table.people[0].id, *as_json)
        command("rename", table.people[0].id, "Brave Otter", *as_json)
        command("rename", table.people[0].id, "!", *as_json)
    command("stop", table.tournament_id, "--yes")
    assert "Brave Otter" in command.said
    assert not [secret for secret in secrets if secret in command.said]
