import assert from "node:assert/strict";
import { test } from "node:test";

import {
  isAway, isOut, keyMarks, lives, overdue, ownDuel, screen, standings, watchedDuel,
} from "../../client/javascript/game.js";
import { after, duel, lobby, person, row, tournament, welcome } from "./make.mjs";

const playing = (more, ...frames) => after(welcome(), { type: "tournament", tournament: tournament(more) }, ...frames);
const ended = duel({
  version: 5, over: true, ending: "solved", winner: "ann", word: "crane", to_move: null, deadline_ms: null,
  players: [{ player_id: "ann", lives: 3 }, { player_id: "me", lives: 2 }],
});

test("each screen in its time", () => {
  assert.equal(screen(after(), 0), "connecting");
  assert.equal(screen(after(welcome()), 0), "home");
  assert.equal(screen(after(welcome({ lobby: lobby() })), 0), "lobby");
  assert.equal(screen(playing(), 5999), "introduction");
  assert.equal(screen(playing(), 6000), "duel");
  assert.equal(screen(playing({}, { type: "duel", duel: ended }), 7000), "aside");
  assert.equal(screen(playing({ bye: "me", matches: [] }), 7000), "aside");
  assert.equal(screen(playing({ over: true }), 7000), "over");
  assert.equal(screen(after(welcome(), { type: "replaced" }), 0), "replaced");
  assert.equal(screen(after(welcome(), { type: "error", code: "client_outdated", message: "" }), 0), "outdated");
});

test("before its first frame a duel follows from the pairing (R11)", () => {
  const { to_move, deadline_ms, turn, length } = ownDuel(playing());
  assert.deepEqual({ to_move, deadline_ms, turn, length }, { to_move: "ann", deadline_ms: 36_000, turn: 1, length: 5 });
});

test("lives: one is gone as soon as the duel is over, not at the round's end", () => {
  const state = playing({}, { type: "duel", duel: ended });
  assert.equal(lives(state, "me"), 2);
  assert.equal(lives(state, "ann"), 3);
});

test("the keyboard shows a letter's best mark over both players' rows, and never falls back", () => {
  const rows = [row("ann", "crane", "-G--Y"), { player_id: "me", marks: [] }, row("me", "eerie", "YY---")];
  assert.deepEqual(keyMarks(rows), { c: "absent", r: "correct", a: "absent", n: "absent", e: "present", i: "absent" });
});

test("standings: those in by lives, then by place; equal places for equal fate (R8, R9)", () => {
  const players = [
    person("bob", { lives: 0, fate: "out", place: 3, rating_change: 11 }), person("me", { lives: 1, fate: "in" }),
    person("ann", { lives: 3, fate: "in" }), person("cat", { lives: 0, fate: "out", place: 3, rating_change: 11 }),
  ];
  assert.deepEqual(standings(playing({ players })).map((each) => [each.player_id, each.place]),
    [["ann", undefined], ["me", undefined], ["bob", 3], ["cat", 3]]);
});

test("who has lost the last life is out at once, with the places still possible (R9)", () => {
  const last = { ...ended, players: [{ player_id: "ann", lives: 1 }, { player_id: "me", lives: 0 }],
    out: [{ player_id: "me", best_place: 3, worst_place: 4 }] };
  const state = playing({}, { type: "duel", duel: last });
  assert.ok(isOut(state));
  assert.deepEqual(standings(state).at(-1).outlook, { player_id: "me", best_place: 3, worst_place: 4 });
});

test("one who left during the round is last and said to have left (R27)", () => {
  const state = playing({ leavers: ["ann"] });
  assert.ok(standings(state).at(-1).hasLeft);
  assert.equal(standings(state).at(-1).player_id, "ann");
});

test("an absence: what was said last counts", () => {
  const gone = { type: "presence", player_id: "ann", away: true, now_ms: 2000 };
  assert.equal(isAway(playing({}, gone), "ann"), true);
  assert.equal(isAway(playing({}, gone, { type: "tournament", now_ms: 3000, tournament: tournament({ version: 2 }) }), "ann"), false);
});

test("a duel watched in the round before is not watched any more", () => {
  const other = duel({ duel_id: "d2" });
  const watching = playing({}, { type: "duel", duel: other, ref: "watch-1" });
  assert.equal(watchedDuel(watching).duel_id, "d2");
  const next = tournament({ version: 2, round: 2, matches: [{ duel_id: "d3", players: ["bob", "cat"], length: 4 }] });
  assert.equal(watchedDuel(playing({}, { type: "duel", duel: other, ref: "watch-1" }, { type: "tournament", tournament: next })), undefined);
});

test("long after a deadline, something must have been missed", () => {
  assert.equal(overdue(playing(), 39_000), false);
  assert.equal(overdue(playing(), 41_000), true);
  assert.equal(overdue(playing({ over: true }), 99_000), false);
  assert.equal(overdue(after(welcome({ lobby: lobby({ started: true }) })), 1000), true);
});

test("who is out may be gone: that is no lost connection", () => {
  const players = [person("me", { lives: 3, fate: "in" }), person("ann", { lives: 0, fate: "out", place: 8, away: true })];
  assert.equal(isAway(playing({ players }), "ann"), false);
});
