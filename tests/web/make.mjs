/** Small factories: frames as the server sends them, with what a test does not care about filled in. */

import { apply, initial } from "../../client/javascript/state.js";

export const person = (id, more = {}) => ({ player_id: id, nickname: `Player ${id}`, rating: 1000, ...more });

export const lobby = (more = {}) => ({
  lobby_id: "l1", version: 1, language: "en", rating: 1000, seats: 8, players: [person("me")], started: false, ...more,
});

export const tournament = (more = {}) => ({
  tournament_id: "t1", version: 1, language: "en", round: 1, leavers: [], starts_at_ms: 6000, over: false,
  players: ["me", "ann", "bob", "cat"].map((id) => person(id, { lives: 3, fate: "in" })),
  matches: [
    { duel_id: "d1", players: ["ann", "me"], length: 5 },
    { duel_id: "d2", players: ["bob", "cat"], length: 4 },
  ],
  ...more,
});

export const duel = (more = {}) => ({
  duel_id: "d1", version: 1, tournament_id: "t1", round: 1, language: "en", length: 5,
  players: [{ player_id: "ann", lives: 3 }, { player_id: "me", lives: 3 }],
  rows: [], turn: 1, to_move: "ann", starts_at_ms: 6000, deadline_ms: 36_000, over: false, out: [], ...more,
});

export const row = (player_id, word, marks) => ({ player_id, word, marks: [...marks].map((each) =>
  ({ G: "correct", Y: "present", "-": "absent" })[each]) });

export const welcome = (more = {}) => ({
  type: "welcome", now_ms: 1000, protocol: 1, you: { ...person("me"), games: 0 }, languages: ["en"],
  timing: { intro_seconds: 6, turn_seconds: 30, reconnect_seconds: 60, ping_seconds: 20 }, ...more,
});

/** The state after these frames; each is heard the moment it was made unless it says `heard`. */
export const after = (...frames) => frames.reduce((state, { heard, ...frame }, i) => {
  const timed = { now_ms: 1000 + i, ...frame };
  return apply(state, timed, heard ?? timed.now_ms);
}, initial());
