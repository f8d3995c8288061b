"""Check all that is stored against the rules, computed here anew: at every moment, and when all is at rest."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

from infra.local.testing import PLAYERS, World
from wordle_tournament.protocol.messages import MESSAGES
from wordle_tournament.rules.lobby import Lobby, movers

State = dict[str, Any]

LIVES = 3
FRAMES = {model.model_fields["type"].default: model for model in MESSAGES}
LOBBY = TypeAdapter(Lobby)


class Invariants:
    """Check one world, again and again: versions only grow, and what is over does not change any more."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.ratings: dict[str, int] = {}
        """The first rating of each player who had not 1000."""
        self._versions: dict[tuple[str, str], int] = {}
        self._over: dict[str, State] = {}
        """The duels that are over: what they are like does not change any more."""
        self._frames = 0

    def check(self) -> None:
        """All that is stored is as the rules have it."""
        items = {table: self.world.items(table) for table in self.world.backend.template.tables}
        for table, rows in items.items():
            for key, item in rows.items():
                assert item["version"] >= self._versions.get((table, key), 0)
                self._versions[table, key] = item["version"]
        states = {table: {key: item["state"] for key, item in rows.items()} for table, rows in items.items()}
        players = {key: one for key, one in states["PlayersTable"].items() if "." not in key}
        lobbies = {key: one for key, one in states["LobbiesTable"].items() if "seats" in one}
        groups, games, duels = states["GroupsTable"], states["TournamentsTable"], states["DuelsTable"]
        self._check_seats(players, lobbies, groups, games)
        for player_id, player in players.items():
            assert (player["connection_id"] is None) == (player["away_since_ms"] is not None)
            assert player["group"] is None or player_id in groups[player["group"]]["members"]
        for key, group in groups.items():
            assert len(group["members"]) <= PLAYERS
            assert group["leader"] in group["members"] or not group["members"], "R31"
            assert all(players[member]["group"] == key for member in group["members"])
        finished: dict[str, list[tuple[str, int, int]]] = {key: [] for key in players}
        for key, game in games.items():
            self._check_tournament(game, players, duels)
            for player_id, place, change in settled(game) if not game["voided"] else ():
                finished.get(player_id, []).append((key, place, change))
        for player_id, player in players.items():
            assert player["games"] == len(finished[player_id])
            assert player["rating"] == self.ratings.get(player_id, 1000) + sum(
                change for _, _, change in finished[player_id]
            )
            record = states["PlayersTable"].get(f"history.{player_id}", {"recent": []})["recent"]
            shown = [
                (one["tournament_id"], one["place"], one["rating_change"])
                for one in record
                if not games[one["tournament_id"]]["voided"]
            ]
            assert sorted(shown) == sorted(finished[player_id])
        self._check_frames(duels)

    def _check_seats(self, players: State, lobbies: State, groups: State, games: State) -> None:
        for key, lobby in lobbies.items():
            seats = lobby["seats"]
            assert len({seat["player_id"] for seat in seats}) == len(seats) <= PLAYERS
            assert lobby["started"] == (len(seats) == PLAYERS) == (key in games), "R1"
            for seat in seats if not lobby["started"] else ():
                assert players[seat["player_id"]]["game"] == key
                assert players[seat["player_id"]]["nickname"] == seat["nickname"]
                assert players[seat["player_id"]]["group"] in (None, seat["party"]), "R31"
                party = {one["player_id"] for one in seats if one["party"] == seat["party"]}
                assert party == {seat["party"]} or party == set(groups[seat["party"]]["members"]), "R29"
        for player_id, player in players.items():
            if player["game"] is not None:
                assert player["watching"] is None
                assert any(seat["player_id"] == player_id for seat in lobbies[player["game"]]["seats"]), "R26"
                assert player["game"] not in games or not games[player["game"]]["ended_at_ms"]

    def _check_tournament(self, game: State, players: State, duels: State) -> None:
        key, current = game["tournament_id"], game["rounds"][-1]
        words = [duels[match["duel_id"]]["word"] for played in game["rounds"] for match in played["matches"]]
        assert len(set(words)) == len(words) <= 23, "R7, R12"
        for played, following in zip(game["rounds"], game["rounds"][1:], strict=False):
            assert played["results"]
            assert following["bye"] is None or following["bye"] != played["bye"], "R5"
        for match in (match for played in game["rounds"] for match in played["matches"]):
            duel = duels[match["duel_id"]]
            assert [row["player_id"] for row in duel["rows"]] == (duel["players"] * 6)[: len(duel["rows"])], "R11"
            if duel["phase"] == "over":
                assert self._over.setdefault(match["duel_id"], duel) == duel, "what is over stays"
        out = {player_id for player_id, _, _ in settled(game)}
        still_in = [one["player_id"] for one in game["entrants"] if one["player_id"] not in out]
        if not game["stopped"]:
            assert (game["ended_at_ms"] is None) == (len(still_in) > 1), "R7, R27"
        if game["ended_at_ms"] is not None:
            # A stopped tournament gives no place, so it stays among those without one.
            unplaced = [key for one in players.values() for key in one["unplaced"] if not game["stopped"]]
            assert key not in [*(one["game"] for one in players.values()), *unplaced]
            return
        fallen = {one for match in current["matches"] for one in lost_last_life(duels[match["duel_id"]])}
        left = [one for one in still_in if one not in current["leavers"] and one not in fallen]
        for player_id in players.keys() & set(still_in):
            if player_id in current["leavers"]:
                assert players[player_id]["game"] != key
            elif players[player_id]["game"] != key:
                # Gone for good at no cost: without a life, or with nobody left to play against.
                assert key in players[player_id]["unplaced"]
                assert player_id in fallen or left in ([player_id], [])

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
        waiting = [LOBBY.validate_python(lobby) for lobby in self.world.lobbies().values()]
        assert not [movers(one, two) for one in waiting for two in waiting if movers(one, two)], "R24"
        players = {key: item for key, item in self.world.items("PlayersTable").items() if "." not in key}
        games = self.world.items("TournamentsTable")
        for item in players.values():
            assert "away_partition" not in item
            ended = [games[key]["state"] for key in item["state"]["unplaced"] if games[key]["state"]["ended_at_ms"]]
            assert all(game["stopped"] for game in ended)
            if item["state"]["game"] is not None:
                assert item["state"]["connection_id"] not in (None, *self.world.connections.closed), "R28"
        for group in (item["state"] for item in self.world.items("GroupsTable").values() if item["state"]["members"]):
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
