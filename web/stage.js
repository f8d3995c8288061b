/**
 * Turn two successive states into happenings with durations: what the view plays, the news speak, and sound and
 * vibration follow. Also decide how long an ended duel stays on the screen. Pure: times are arguments.
 */

import { isMe, isOut, lives, opponent, outcome, ownDuel, player, screen } from "../client/javascript/game.js";

const FLIP_MS = 420; // one tile turns
const STAGGER_MS = 220; // and the next one begins this much later
const SKIP_MS = 400;
const HOLD_MS = 2600; // an ended board can be read for so long after its last tile has turned
const LEAST_MS = 2000; // also if the next duel has begun already
const SOON_MS = 10_000;

/** Return how long a row of so many tiles takes to turn over. */
export const revealMs = (length) => (length - 1) * STAGGER_MS + FLIP_MS;

/**
 * Return what has happened between `before` and `after`, in order: objects with `kind` and `ms`, the time to play it.
 * `then` and `now` are the server's times at both states.
 */
export function happenings(before, after, then, now) {
  if (!after.you || !before.you || before.you.player_id !== after.you.player_id) return [];
  return [
    ...connection(before, after), ...gathering(before, after), ...boards(before, after), ...places(before, after),
    ...rounds(before, after), ...turns(before, after, then, now),
  ];
}

function connection(before, after) {
  const lost = (state) => state.status === "offline";
  if (lost(before) === lost(after)) return [];
  return [{ kind: lost(after) ? "lost" : "back", ms: 0 }];
}

function gathering(before, after) {
  const found = [];
  const old = before.group?.group_id === after.group?.group_id && before.group?.members.map((each) => each.player_id);
  const joined = (old && after.group ? after.group.members : []).filter((each) => !old.includes(each.player_id));
  if (joined.length) found.push({ kind: "joined", ms: 0, names: joined.map((each) => each.nickname) });
  const { lobby } = after;
  if (lobby && lobby.players.length !== before.lobby?.players.length) {
    found.push({ kind: "seated", ms: 0, players: lobby.players.length, seats: lobby.seats });
  }
  return found;
}

/** New rows and ends of the duels that the user plays or watches. */
function boards(before, after) {
  if (!sameTournament(before, after)) return [];
  return followed(after).flatMap((duel) => {
    const known = before.duels[duel.duel_id];
    const mine = plays(after, duel);
    if (known === duel || (!known && !mine)) return [];
    const found = newRows(known, duel).map(({ row, index }) => ({
      kind: row.word ? "row" : "skip", ms: row.word ? revealMs(duel.length) : SKIP_MS, duel, row, index,
      mine: isMe(after, row.player_id),
    }));
    if (!duel.over || known?.over) return found;
    found.push({ kind: "ended", ms: HOLD_MS, duel, outcome: mine ? outcome(duel, after.you.player_id) : "watched" });
    if (mine && lives(after, after.you.player_id) < lives(before, after.you.player_id)) {
      found.push({ kind: "life", ms: 0, lives: lives(after, after.you.player_id) });
    }
    return found;
  });
}

function places(before, after) {
  const placed = after.result && after.result !== before.result && after.result.tournament_id !== before.result?.tournament_id;
  const found = [];
  if (sameTournament(before, after) && isOut(after) && !isOut(before)) found.push({ kind: "out", ms: 0 });
  if (placed) found.push({ kind: "placed", ms: 0, ...after.result, rating: after.you.rating });
  if (after.tournament?.over && sameTournament(before, after) && !before.tournament.over) {
    found.push({ kind: "over", ms: 0, winners: after.tournament.players.filter((each) => each.place === 1) });
  }
  return found;
}

function rounds(before, after) {
  const { tournament } = after;
  if (!tournament || tournament.over) return [];
  if (sameTournament(before, after) && before.tournament.round === tournament.round) return [];
  const duel = ownDuel(after);
  const own = duel && { opponent: opponent(after, duel), length: duel.length, first: isMe(after, duel.to_move) };
  return [{ kind: "round", ms: 0, round: tournament.round, bye: !own && !isOut(after), out: isOut(after), ...own }];
}

/** The turn of the user's own duel: it begins with a frame or with the end of the introduction. */
function turns(before, after, then, now) {
  const duel = after.tournament && ownDuel(after);
  if (!duel || duel.over || now < duel.starts_at_ms) return [];
  const known = sameTournament(before, after) ? before.duels[duel.duel_id] : null;
  const mine = isMe(after, duel.to_move);
  const began = then < duel.starts_at_ms || (known ? known.turn : 1) < duel.turn || screen(before, then) !== "duel";
  if (began) return [{ kind: "turn", ms: 0, mine, player: duel.to_move, duel }];
  const soon = duel.deadline_ms - SOON_MS;
  return mine && then < soon && now >= soon ? [{ kind: "soon", ms: 0, duel }] : [];
}

const sameTournament = (before, after) =>
  Boolean(after.tournament && before.tournament?.tournament_id === after.tournament.tournament_id);

const plays = (state, duel) => duel.players.some((each) => isMe(state, each.player_id));

const followed = (state) =>
  Object.values(state.duels).filter((duel) => plays(state, duel) || duel.duel_id === state.watching);

const newRows = (known, duel) =>
  duel.rows.map((row, index) => ({ row, index })).slice(known?.rows.length ?? 0);

/** Nothing is playing. `reveals` are rows that are turning over, by duel; `held` is the ended duel that stays. */
export const initial = () => ({ reveals: {}, held: null });

/**
 * Return the stage after these happenings. `local` is the device's time in ms. If `still`, rows do not turn over, but
 * an ended board stays as long.
 */
export function follow(stage, found, local, still = false) {
  let { reveals, held } = stage;
  for (const { kind, ms, duel, index, outcome: end } of found) {
    if (kind === "row" && !still) reveals = { ...reveals, [duel.duel_id]: { index, until: local + ms } };
    if (kind === "ended" && end !== "watched") {
      const read = Math.max(local, reveals[duel.duel_id]?.until ?? 0);
      held = { duel_id: duel.duel_id, since: local, read, least: read + LEAST_MS, until: read + HOLD_MS };
    }
  }
  return reveals === stage.reveals && held === stage.held ? stage : { reveals, held };
}

/** The user does not want to look any longer. */
export const release = (stage) => (stage.held ? { ...stage, held: null } : stage);

/** Return the screen to show: `ended` while the user's ended duel stays, else what the state says. */
export function scene(state, stage, now, local) {
  const name = screen(state, now);
  const { held } = stage;
  if (!held || !state.duels[held.duel_id] || !["duel", "aside", "introduction", "over"].includes(name)) return name;
  return local < (name === "duel" ? held.least : held.until) ? "ended" : name;
}

/** Return the index of the row of a duel that is turning over, or -1. */
export const turning = (stage, id, local) => (stage.reveals[id]?.until > local ? stage.reveals[id].index : -1);

/** Return the next moment, by the device's clock, at which the stage changes by itself; Infinity if none. */
export function nextCue(stage, local) {
  const cues = [...Object.values(stage.reveals).map((each) => each.until), stage.held?.read, stage.held?.least, stage.held?.until];
  return Math.min(...cues.filter((cue) => cue > local), Infinity);
}
