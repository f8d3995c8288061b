import assert from "node:assert/strict";
import { test } from "node:test";

import { nextToWatch } from "../../web/watching.js";
import { after, duel, person, row, tournament, welcome } from "./make.mjs";

const MATCHES = [
  { duel_id: "d1", players: ["ann", "me"], length: 5 },
  { duel_id: "d2", players: ["bob", "cat"], length: 5 },
  { duel_id: "d3", players: ["dan", "eve"], length: 5 },
];
const game = (lives = {}, ...frames) => after(welcome(), {
  type: "tournament",
  tournament: tournament({
    matches: MATCHES,
    players: ["me", "ann", "bob", "cat", "dan", "eve"].map((id) => person(id, { lives: lives[id] ?? 3, fate: "in" })),
  }),
}, { type: "duels", duels: [running("d2", ["bob", "cat"]), running("d3", ["dan", "eve"])], ref: "watchAll-1" }, ...frames);
const running = (id, players, more = {}) => duel({ duel_id: id, players: players.map((each) => ({ player_id: each, lives: 3 })), ...more });
const over = (id, players) => ({
  type: "duel",
  duel: duel({ duel_id: id, version: 9, over: true, ending: "solved", winner: players[0], word: "crane", players: players.map((each) => ({ player_id: each, lives: 3 })) }),
});

test("the duel with the fewest lives comes first, and never one's own", () => {
  assert.equal(nextToWatch(game({ ann: 1, me: 1, eve: 1 })).duel_id, "d3");
});

test("a friend's duel comes before it", () => {
  const group = { type: "group", group: { group_id: "g", version: 1, leader: "me", members: [person("me"), person("bob")] } };
  assert.equal(nextToWatch(game({ eve: 1 }, group)).duel_id, "d2");
});

test("the longest duel comes before those with fewer lives", () => {
  const rows = { type: "duel", duel: running("d2", ["bob", "cat"], { version: 8, rows: [row("bob", null, ""), row("cat", null, "")] }) };
  assert.equal(nextToWatch(game({ eve: 1 }, rows)).duel_id, "d2");
});

test("the duel of the player whom the user follows comes before all others", () => {
  const group = { type: "group", group: { group_id: "g", version: 1, leader: "me", members: [person("me"), person("bob")] } };
  assert.equal(nextToWatch(game({ bob: 1 }, group), "dan").duel_id, "d3");
  assert.equal(nextToWatch(game({ bob: 1 }, group), "ann").duel_id, "d2", "whose own duel is not watched");
});

test("what is not watched is no choice", () => {
  assert.equal(nextToWatch(game({}, { type: "unwatched" })), null);
});

test("what is over is no choice", () => {
  assert.equal(nextToWatch(game({}, over("d2", ["bob", "cat"]))).duel_id, "d3");
  assert.equal(nextToWatch(game({}, over("d2", ["bob", "cat"]), over("d3", ["dan", "eve"]))), null);
});
