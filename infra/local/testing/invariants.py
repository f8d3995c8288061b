"""Check all that is stored against the rules, computed here anew: at every moment, and when all is at rest.

`Rules` looks at what has changed, and at everything that it touches. So the whole is checked after each change.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import TypeAdapter

from infra.local.testing.world import PLAYERS, World
from wordle_tournament.protocol.messages import MESSAGES
from wordle_tournament.rules.lobby import Lobby, movers

State = dict[str, Any]
Place = tuple[str, int, int]
"""A tournament that a player has finished: its id, the place and the rating change."""

LIVES = 3
FRAMES = {model.model_fields["type"].default: model for model in MESSAGES}
LOBBY = TypeAdapter(Lobby)


class Rules:
    """All that is stored, item by item as it is written, and the rules that it must keep."""

    def __init__(self) -> None:
        self.ratings: dict[str, int] = {}
        """The first rating of each player who had not 1000."""
        self.states: dict[str, dict[str, State]] = defaultdict(dict)
        """By table and key."""
        self._versions: dict[tuple[str, str], int] = {}
        self._over: dict[str, State] = {}
        """The duels that are over: what they are like does not change any more."""
        self._finished: dict[str, list[tuple[str, int, int]]] = {}
        """By tournament: the places that are fixed."""
        self._entered: dict[str, set[str]] = defaultdict(set)
        """By player: the tournaments."""

    def note(self, written: Mapping[tuple[str, str], State | None]) -> None:
        """Take in items that were written (None for a deleted one), and check them with all that they touch.

        An item is given with its `version` and its `state`. Raise AssertionError.
        """
        touched: dict[tuple[str, str], None] = {}
        for (table, key), item in written.items():
            before = self.states[table].get(key)
            if item is not None and "version" not in item:
                continue  # no aggregate: a count of messages
            if item is None:
                self.states[table].pop(key, None)
                self._versions.pop((table, key), None)
            else:
                assert item["version"] >= self.version(table, key), f"the version of {table} {key} shrinks"
                self._versions[table, key] = item["version"]
                self.states[table][key] = item["state"]
            after = self.states[table].get(key)
            for state in (before, after):
                if state is not None:
                    touched.update(dict.fromkeys(self._touches(table, key, state)))
        for table, key in touched:
            if table == "TournamentsTable" and key in self.games:
                self._settle(key)
        for table, key in touched:
            if key in self.states[table]:
                self._check(table, key)

    def version(self, table: str, key: str) -> int:
        """Return the newest version of an item; 0 if there was none."""
        return self._versions.get((table, key), 0)

    @property
    def players(self) -> dict[str, State]:
        return self.states["PlayersTable"]

    @property
    def games(self) -> dict[str, State]:
        return self.states["TournamentsTable"]

    @property
    def duels(self) -> dict[str, State]:
        return self.states["DuelsTable"]

    def _touches(self, table: str, key: str, state: State) -> Iterable[tuple[str, str]]:
        """Return the items whose rules this one has to do with."""
        yield table, key
        match table:
            case "PlayersTable" if key.startswith("history."):
                yield table, key.removeprefix("history.")
            case "PlayersTable" if "." not in key:
                if state["game"] is not None:
                    yield "LobbiesTable", state["game"]
                    yield "TournamentsTable", state["game"]
                for game in state["unplaced"]:
                    yield "TournamentsTable", game
                if state["group"] is not None:
                    yield "GroupsTable", state["group"]
            case "LobbiesTable" if "seats" in state:
                for seat in state["seats"]:
                    yield "PlayersTable", seat["player_id"]
            case "GroupsTable":
                for member in state["members"]:
                    yield "PlayersTable", member
            case "TournamentsTable":
                yield "LobbiesTable", key
                for entrant in state["entrants"]:
                    yield "PlayersTable", entrant["player_id"]
            case "DuelsTable" if state["phase"] == "over":
                yield "TournamentsTable", key.partition(".")[0]

    def _check(self, table: str, key: str) -> None:
        state = self.states[table][key]
        match table:
            case "PlayersTable" if "." not in key:
                self._check_player(key, state)
            case "LobbiesTable" if "seats" in state:
                self._check_lobby(key, state)
            case "GroupsTable":
                self._check_group(key, state)
            case "TournamentsTable":
                self._check_tournament(state)
            case "DuelsTable":
                self._check_duel(key, state)

    def _settle(self, key: str) -> None:
        game = self.games[key]
        self._finished[key] = settled(game) if not game["voided"] else []
        for entrant in game["entrants"]:
            self._entered[entrant["player_id"]].add(key)

    def finished(self, player_id: str) -> list[Place]:
        """Return the tournaments that the player has finished."""
        return [
            (key, place, change)
            for key in sorted(self._entered[player_id])
            for one, place, change in self._finished.get(key, ())
            if one == player_id
        ]

    # -- each kind -------------------------------------------------------------------------------

    def _check_player(self, player_id: str, player: State) -> None:
        lobbies, groups, games = self.states["LobbiesTable"], self.states["GroupsTable"], self.games
        assert (player["connection_id"] is None) == (player["away_since_ms"] is not None)
        assert player["group"] is None or player_id in groups[player["group"]]["members"]
        if player["game"] is not None:
            assert player["watching"] is None
            assert any(seat["player_id"] == player_id for seat in lobbies[player["game"]]["seats"]), "R26"
            assert player["game"] not in games or not games[player["game"]]["ended_at_ms"]
        finished = self.finished(player_id)
        assert player["games"] == len(finished)
        assert player["rating"] == self.ratings.get(player_id, 1000) + sum(change for _, _, change in finished)
        record = self.players.get(f"history.{player_id}", {"recent": []})["recent"]
        shown = [
            (one["tournament_id"], one["place"], one["rating_change"])
            for one in record
            if not games[one["tournament_id"]]["voided"]
        ]
        assert sorted(shown) == sorted(finished)

    def _check_lobby(self, key: str, lobby: State) -> None:
        seats, players, groups = lobby["seats"], self.players, self.states["GroupsTable"]
        assert len({seat["player_id"] for seat in seats}) == len(seats) <= PLAYERS
        assert lobby["started"] == (len(seats) == PLAYERS) == (key in self.games), "R1"
        for seat in seats if not lobby["started"] else ():
            assert players[seat["player_id"]]["game"] == key
            assert players[seat["player_id"]]["nickname"] == seat["nickname"]
            assert players[seat["player_id"]]["group"] in (None, seat["party"]), "R31"
            party = {one["player_id"] for one in seats if one["party"] == seat["party"]}
            assert party == {seat["party"]} or party == set(groups[seat["party"]]["members"]), "R29"

    def _check_group(self, key: str, group: State) -> None:
        assert len(group["members"]) <= PLAYERS
        assert group["leader"] in group["members"] or not group["members"], "R31"
        assert all(self.players[member]["group"] == key for member in group["members"])

    def _check_duel(self, key: str, duel: State) -> None:
        assert [row["player_id"] for row in duel["rows"]] == (duel["players"] * 6)[: len(duel["rows"])], "R11"
        if duel["phase"] == "over":
            assert self._over.setdefault(key, duel) == duel, "what is over stays"

    def _check_tournament(self, game: State) -> None:
        key, current, players, duels = game["tournament_id"], game["rounds"][-1], self.players, self.duels
        words = [duels[match["duel_id"]]["word"] for played in game["rounds"] for match in played["matches"]]
        assert len(set(words)) == len(words) <= 23, "R7, R12"
        for played, following in zip(game["rounds"], game["rounds"][1:], strict=False):
            assert played["results"]
            assert following["bye"] is None or following["bye"] != played["bye"], "R5"
        out = {player_id for player_id, _, _ in settled(game)}
        still_in = [one["player_id"] for one in game["entrants"] if one["player_id"] not in out]
        if not game["stopped"]:
            assert (game["ended_at_ms"] is None) == (len(still_in) > 1), "R7, R27"
        if game["ended_at_ms"] is not None:
            # A stopped tournament gives no place, so it stays among those without one.
            known = [one for player_id, one in players.items() if "." not in player_id]
            unplaced = [one for player in known for one in player["unplaced"] if not game["stopped"]]
            assert key not in [*(one["game"] for one in known), *unplaced]
            return
        fallen = {one for match in current["matches"] for one in lost_last_life(duels[match["duel_id"]])}
        left = [one for one in still_in if one not in current["leavers"] and one not in fallen]
        for player_id in [one for one in still_in if one in players]:
            if player_id in current["leavers"]:
                assert players[player_id]["game"] != key
            elif players[player_id]["game"] != key:
                # Gone for good at no cost: without a life, or with nobody left to play against.
                assert key in players[player_id]["unplaced"]
                assert player_id in fallen or left in ([player_id], [])


class Invariants:
    """Check one world, again and again: all of it each time."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.ratings: dict[str, int] = {}
        """The first rating of each player who had not 1000."""
        self._rules = Rules()
        self._items: dict[tuple[str, str], State] = {}
        self._frames = 0

    def check(self) -> None:
        """All that is stored is as the rules have it."""
        self._rules.ratings = self.ratings
        items = {
            (table, key): item
            for table in self.world.backend.template.tables
            for key, item in self.world.items(table).items()
        }
        deleted = dict.fromkeys(self._items.keys() - items.keys())
        self._items = items
        self._rules.note({**deleted, **items})
        self._check_frames(self._rules.duels)

    def _check_frames(self, duels: State) -> None:
        texts, self._frames = self.world.connections.texts[self._frames :], len(self.world.connections.texts)
        for text in texts:
            frame = json.loads(text)
            FRAMES[frame["type"]].model_validate_json(text)
            for duel in [frame["duel"]] if frame["type"] == "duel" else frame.get("duels", []):
                assert ("word" in duel) == duel["over"]
                assert not duel["over"] or duels[duel["duel_id"]]["phase"] == "over", "R18"

    def check_at_rest(self) -> None:
        """Check what holds once every timer and the sweeper have done their work."""
        check_at_rest(
            {table: self.world.items(table) for table in self.world.backend.template.tables},
            self.world.connections.closed,
        )


def check_at_rest(items: Mapping[str, Mapping[str, State]], closed: Iterable[str]) -> None:
    """Check what holds once every timer and the sweeper have done their work. `closed` are connections that ended."""
    waiting = [
        LOBBY.validate_python(item["state"])
        for key, item in items["LobbiesTable"].items()
        if not key.startswith("door.") and item["state"].get("seats")
        if not item["state"]["started"] and not item["state"]["merged_into"]
    ]
    assert not [movers(one, two) for one in waiting for two in waiting if movers(one, two)], "R24"
    players = {key: item for key, item in items["PlayersTable"].items() if "." not in key}
    games, gone = items["TournamentsTable"], {None, *closed}
    for item in players.values():
        assert "away_partition" not in item
        ended = [games[key]["state"] for key in item["state"]["unplaced"] if games[key]["state"]["ended_at_ms"]]
        assert all(game["stopped"] for game in ended)
        if item["state"]["game"] is not None:
            assert item["state"]["connection_id"] not in gone, "R28"
    for group in (item["state"] for item in items["GroupsTable"].values() if item["state"]["members"]):
        there = [member for member in group["members"] if players[member]["state"]["connection_id"]]
        assert not there or not players[group["leader"]]["state"]["gone"], "R31"


def settled(game: State) -> list[tuple[str, int, int]]:
    """Return the players whose place is fixed, with the place and the rating change (R8, R9, R19-R21)."""
    lives = {one["player_id"]: LIVES for one in game["entrants"]}
    fell: dict[str, tuple[int, bool]] = {}
    for played in (one for one in game["rounds"] if one["results"]):
        winners = {result["duel_id"]: result["winner"] for result in played["results"]}
        for match in played["matches"]:
            for player_id in match["players"]:
                lives[player_id] -= player_id != winners[match["duel_id"]]
        for player_id in lives.keys() - fell.keys():
            if player_id in played["leavers"] or lives[player_id] == 0:
                fell[player_id] = (played["number"], player_id not in played["leavers"])
    last = (1_000, True)
    if game["ended_at_ms"] is not None and not game["stopped"]:
        fell = {**dict.fromkeys(lives, last), **fell}
    rating = {one["player_id"]: one["rating"] for one in game["entrants"]}
    found = []
    for player_id, when in fell.items():
        others = [(rating[one], fell.get(one, last)) for one in lives if one != player_id]
        parts = [
            (when > other) + (when == other) / 2 - 1 / (1 + 10 ** ((points - rating[player_id]) / 400))
            for points, other in others
        ]
        found.append((player_id, 1 + sum(other > when for _, other in others), round(50 / 7 * sum(parts))))
    return found


def lost_last_life(duel: State) -> list[str]:
    """Return the players who lost the last life in the duel, also if they have left the tournament (R6, R7)."""
    if duel["phase"] != "over":
        return []
    lost = zip(duel["players"], duel["lives"], strict=True)
    return [one for one, lives in lost if one != duel["winner"] and (lives == 1 or duel["ending"] == "forfeited")]
