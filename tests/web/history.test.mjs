import assert from "node:assert/strict";
import { test } from "node:test";

import { guessed, languages, livesByRound, places, tally } from "../../web/history.js";

const duel = (players, more) => ({ players, ending: "solved", ...more });
const results = {
  players: ["ann", "bob", "cat"].map((player_id) => ({ player_id })),
  rounds: [
    { number: 1, duels: [duel(["ann", "bob"], { winner: "ann" })], bye: "cat", leavers: [] },
    { number: 2, duels: [duel(["ann", "cat"], { ending: "drawn" })], bye: "bob", leavers: [] },
    { number: 3, duels: [duel(["bob", "cat"], { ending: "forfeited", winner: "cat" })], bye: "ann", leavers: ["bob"] },
    { number: 4, duels: [{ players: ["ann", "cat"] }], leavers: [] },
  ],
};
const cells = (id) => livesByRound(results).find((each) => each.player_id === id).cells;

test("lives fall with each duel that is lost or drawn (R6), and to nothing on leaving (R27)", () => {
  assert.deepEqual(cells("ann").map((each) => each.lives), [3, 2, 2, 2]);
  assert.deepEqual(cells("bob").map((each) => each.lives), [2, 2, 0, 0]);
  assert.deepEqual(cells("ann").map((each) => each.event), ["won", "drawn", "bye", "stopped"]);
  assert.deepEqual(cells("bob").map((each) => each.event), ["lost", "bye", "left", null]);
});

test("a player's duels are counted", () => {
  assert.deepEqual(tally(results, "ann"), { won: 1, lost: 0, drawn: 1 });
  assert.deepEqual(tally(results, "bob"), { won: 0, lost: 2, drawn: 0 });
});

test("places are counted, the best first, without tournaments that do not count", () => {
  const recent = [{ place: 3 }, { place: 1 }, { place: 3 }, { place: 8, voided: true }];
  assert.deepEqual(places(recent), [[1, 1], [3, 2]]);
});

test("guessed words are counted by the player's own turn; older records have none", () => {
  assert.deepEqual(guessed([{ solved: [1, 3, 3] }, { solved: [6] }, {}, { solved: [2], voided: true }]), [1, 0, 2, 0, 0, 1]);
});

test("tournaments are counted by language, with the best place; older records name none", () => {
  const recent = [{ language: "de", place: 3 }, { language: "kk", place: 2 }, { language: "de", place: 1 }, { place: 1 }, { language: "kk", place: 1, voided: true }];
  assert.deepEqual(languages(recent), [{ language: "de", games: 2, best: 1 }, { language: "kk", games: 1, best: 2 }]);
});
