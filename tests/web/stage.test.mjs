import assert from "node:assert/strict";
import { test } from "node:test";

import { news } from "../../web/news.js";
import { connection } from "../../client/javascript/state.js";
import { follow, happenings, initial, nextCue, release, revealMs, scene, turning } from "../../web/stage.js";
import english from "../../web/texts/en.js";
import { use } from "../../web/messages.js";
import { after, duel, lobby, person, row, tournament, welcome } from "./make.mjs";

use("en", english);

const START = 6000; // of the first round
const told = (more) => ({ type: "tournament", tournament: tournament(more) });
const board = (more) => ({ type: "duel", duel: duel(more) });
const playing = (...frames) => after(welcome(), told(), board(), ...frames);
const guess = board({ version: 2, rows: [row("ann", "crane", "G-Y--")], turn: 2, to_move: "me" });
const ending = (more) => board({
  version: 3, rows: [row("ann", "crane", "G-Y--"), row("me", "rebel", "GGGGG")], over: true, ending: "solved", winner: "me",
  word: "rebel", display: "Rebel", to_move: null, deadline_ms: null, turn: 3,
  players: [{ player_id: "ann", lives: 2 }, { player_id: "me", lives: 3 }], ...more,
});
const lost = ending({ winner: "ann", players: [{ player_id: "ann", lives: 3 }, { player_id: "me", lives: 2 }] });
const between = (before, then, ...frames) => happenings(before, then, START + 10, START + 20, ...frames);
const kinds = (found) => found.map((each) => each.kind);
const nextRound = told({ version: 2, round: 2, starts_at_ms: START + 30_000, matches: [{ duel_id: "d3", players: ["me", "bob"], length: 4 }] });

test("a row is revealed tile by tile, then it is the user's turn", () => {
  const found = between(playing(), playing(guess));
  assert.deepEqual(kinds(found), ["row", "turn"]);
  assert.equal(found[0].ms, revealMs(5));
  assert.ok(revealMs(6) > revealMs(4));
  assert.ok(found[1].mine);
});

test("a skipped turn is one, and shorter than a word", () => {
  const [skip] = between(playing(), playing(board({ version: 2, rows: [{ player_id: "ann", marks: [] }], turn: 2, to_move: "me" })));
  assert.equal(skip.kind, "skip");
  assert.ok(skip.ms < revealMs(4));
});

test("rows that were missed come in their order, and only once", () => {
  const before = playing();
  const found = between(before, playing(lost));
  assert.deepEqual(kinds(found), ["row", "row", "ended", "life"]);
  assert.deepEqual(found.slice(0, 2).map((each) => each.index), [0, 1]);
  assert.deepEqual(between(playing(lost), playing(lost, lost)), []);
});

test("a duel that is won costs no life", () => {
  assert.deepEqual(kinds(between(playing(guess), playing(guess, ending()))), ["row", "ended"]);
});

test("an end that comes after the next round is played all the same", () => {
  const before = playing(guess, nextRound);
  assert.deepEqual(kinds(between(before, playing(guess, nextRound, ending()))), ["row", "ended"]);
});

test("a round begins with its pairing, once", () => {
  const before = playing(lost);
  const [begins, ...more] = between(before, playing(lost, nextRound));
  assert.deepEqual([begins.kind, begins.round, begins.opponent, begins.length, begins.first], ["round", 2, "bob", 4, true]);
  assert.deepEqual(more, []);
  assert.deepEqual(between(playing(lost, nextRound), playing(lost, nextRound)), []);
});

test("the first turn begins when the introduction ends, without a frame", () => {
  assert.deepEqual(kinds(happenings(playing(), playing(), START - 1, START)), ["turn"]);
  assert.deepEqual(happenings(playing(), playing(), START, START + 1), []);
});

test("ten seconds before the end of the user's turn are a happening, the opponent's are not", () => {
  const mine = playing(board({ version: 2, turn: 2, to_move: "me", rows: [row("ann", "crane", "-----")], deadline_ms: 50_000 }));
  assert.deepEqual(kinds(happenings(mine, mine, 39_999, 40_000)), ["soon"]);
  assert.deepEqual(happenings(mine, mine, 40_000, 40_250), []);
  assert.deepEqual(happenings(playing(), playing(), 25_999, 26_000), []);
});

test("a lost connection, and that it is back", () => {
  const online = playing();
  const offline = connection(online, "offline");
  assert.deepEqual(kinds(between(online, offline)), ["lost"]);
  assert.deepEqual(kinds(between(offline, online)), ["back"]);
});

test("what happened before the page was opened is not played", () => {
  assert.deepEqual(between(after(), playing(lost)), []);
});

test("friends and players who come", () => {
  const group = (...ids) => ({ type: "group", group: { group_id: "g", version: ids.length, leader: "me", members: ids.map((id) => person(id)) } });
  const found = between(after(welcome(), group("me")), after(welcome(), group("me", "ann")));
  assert.deepEqual(found, [{ kind: "joined", ms: 0, names: ["Player ann"] }]);
  const seated = between(after(welcome()), after(welcome({ lobby: lobby() })));
  assert.deepEqual(kinds(seated), ["seated"]);
});

test("out, placed and over, in this order", () => {
  const players = tournament().players.map((each) => (each.player_id === "me" ? { ...each, lives: 0, fate: "out", place: 2, rating_change: 18 } : { ...each, place: each.player_id === "ann" ? 1 : 3 }));
  const result = { type: "result", tournament_id: "t1", place: 2, rating_change: 18, rating: 1018 };
  const end = playing(lost, told({ version: 5, players, over: true }), result);
  assert.deepEqual(kinds(between(playing(lost), end)), ["out", "placed", "over"]);
});

test("an ended board can be read for two seconds after its last tile, also when the next round has begun", () => {
  const state = playing(guess, ending(), nextRound);
  const stage = follow(initial(), between(playing(guess), playing(guess, ending())), 1000);
  const read = 1000 + revealMs(5);
  for (const local of [1000, read, read + 2000]) assert.equal(scene(state, stage, START + 500, local), "ended");
  assert.equal(scene(state, stage, START + 5000, stage.held.until), "introduction");
  assert.equal(scene(state, stage, START + 31_000, read + 1999), "ended", "even if the next duel's clock runs");
  assert.equal(scene(state, stage, START + 31_000, read + 2000), "duel");
});

test("it stays on the final screen too, and under reduced motion", () => {
  const over = playing(guess, ending(), told({ version: 7, over: true }));
  const found = between(playing(guess), over);
  for (const still of [false, true]) {
    const stage = follow(initial(), found, 0, still);
    assert.equal(scene(over, stage, START, 2000), "ended");
    assert.equal(scene(over, stage, START, stage.held.until), "over");
    assert.equal(turning(stage, "d1", 1), still ? -1 : 1);
  }
});

test("the user may go on at once, and leaving the tournament shows no board", () => {
  const state = playing(guess, ending());
  const stage = follow(initial(), between(playing(guess), state), 0);
  assert.equal(scene(state, release(stage), START, 100), "aside");
  assert.equal(scene(after(welcome()), stage, START, 100), "home");
});

test("the stage knows when it changes by itself", () => {
  const stage = follow(initial(), between(playing(guess), playing(guess, ending())), 0);
  assert.equal(nextCue(stage, 0), revealMs(5));
  assert.equal(nextCue(stage, revealMs(5)), stage.held.least);
  assert.equal(nextCue(stage, stage.held.until), Infinity);
  assert.equal(turning(stage, "d1", 0), 1);
  assert.equal(turning(stage, "d1", revealMs(5)), -1);
});

const spoken = (before, then) => news(between(before, then), then);

test("news: the opponent's guess with its marks, then whose turn it is", () => {
  const [words, turn] = spoken(playing(), playing(guess));
  assert.match(words, /Player ann guessed crane: C, right place; R, not in the word; A, elsewhere/);
  assert.equal(turn, "Your turn");
});

test("news: how the duel ended, the word as it is written, and the lives left", () => {
  assert.deepEqual(spoken(playing(guess), playing(guess, lost)).slice(1), ["You lost the duel. The word was Rebel", "You have 2 lives left."]);
});

test("news: the pairing, with the word's length and the one who begins", () => {
  assert.deepEqual(spoken(playing(lost), playing(lost, nextRound)),
    ["Round 2. You play against Player bob. The word has 4 letters. You guess first."]);
});

test("news: a watched duel that an operator stopped is no draw", () => {
  const other = { duel_id: "d2", players: [{ player_id: "bob", lives: 3 }, { player_id: "cat", lives: 3 }] };
  const watched = { type: "duel", duel: duel(other), ref: "watch-1" };
  const stop = duel({ ...other, version: 2, over: true, word: "crane", to_move: null, deadline_ms: null });
  assert.deepEqual(spoken(after(welcome(), told(), watched), after(welcome(), told(), watched, { type: "duel", duel: stop })),
    ["Stopped. The word was crane"]);
});
