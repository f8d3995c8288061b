/** Derive from the state which screen to draw, whose turn it is, and each player's lives. Pure. */

/**
 * @typedef {import("./state.js").State} State
 * @typedef {import("./protocol.d.ts").Duel} Duel
 * @typedef {import("./protocol.d.ts").Match} Match
 */

/**
 * The tournament, of which only the caller knows that there is one.
 * @param {State} state @returns {import("./protocol.d.ts").Tournament}
 */
const played = (state) => /** @type {any} */ (state.tournament);

/**
 * A player's line in it.
 * @param {State} state @param {string} id @returns {import("./protocol.d.ts").TournamentPlayer}
 */
const entry = (state, id) => /** @type {any} */ (played(state).players.find((each) => each.player_id === id));

export const START_LIVES = 3;
export const TURNS = 12;
const GRACE_MS = 4000;

/** replaced, unknown, outdated, deleted, connecting, home, lobby, introduction, duel, aside (own duel over, a bye, or out), over.
 * @param {State} state @param {number} now by the server's clock */
export function screen(state, now) {
  const { status, you, lobby, tournament } = state;
  if (["replaced", "unknown", "outdated", "deleted"].includes(status)) return status;
  if (!you) return "connecting";
  if (lobby) return "lobby";
  if (!tournament) return "home";
  if (tournament.over) return "over";
  if (now < tournament.starts_at_ms) return "introduction";
  const duel = ownDuel(state);
  return duel && !duel.over ? "duel" : "aside";
}

/**
 * A player of the tournament, or of the lobby, whose players have no place and no lives yet.
 * @param {State} state @param {string} id
 * @returns {Partial<import("./protocol.d.ts").TournamentPlayer> & import("./protocol.d.ts").LobbyPlayer | undefined}
 */
export const player = (state, id) =>
  state.tournament?.players.find((each) => each.player_id === id)
  ?? state.lobby?.players.find((each) => each.player_id === id);

/** Return the name of another player in a game or a group.
 * @param {State} state @param {string} id */
export const nameOf = (state, id) =>
  (player(state, id) ?? state.group?.members.find((each) => each.player_id === id))?.nickname ?? "?";

/** @param {State} state @param {string} id */
export const isMe = (state, id) => state.you?.player_id === id;

/** A duel of this round; before its first frame it follows from the pairing and the server's timing.
 * @param {State} state @param {Match} match @returns {Duel} */
export function duelOf(state, match) {
  const { timing, duels } = state;
  const tournament = played(state);
  return duels[match.duel_id] ?? {
    duel_id: match.duel_id,
    version: 0,
    tournament_id: tournament.tournament_id,
    round: tournament.round,
    language: tournament.language,
    length: match.length,
    players: match.players.map((id) => ({ player_id: id, lives: entry(state, id).lives })),
    rows: [],
    turn: 1,
    to_move: match.players[0],
    starts_at_ms: tournament.starts_at_ms,
    turn_ms: timing.turn_seconds * 1000,
    deadline_ms: tournament.starts_at_ms + timing.turn_seconds * 1000,
    over: false,
    out: [],
  };
}

/** @param {State} state @returns {Match | undefined} */
export const ownMatch = ({ tournament, you }) =>
  tournament?.matches.find((match) => match.players.includes(you?.player_id ?? ""));

/** @param {State} state @returns {Duel | undefined} */
export function ownDuel(state) {
  const match = ownMatch(state);
  return match && duelOf(state, match);
}

/** @param {State} state @returns {Duel | undefined} */
export function watchedDuel(state) {
  const match = state.tournament?.matches.find((each) => each.duel_id === state.watching);
  return match && state.duels[match.duel_id];
}

/** The running duels of this round that the player watches.
 * @param {State} state @returns {Duel[]} */
export const watchedDuels = (state) => (state.tournament?.matches ?? [])
  .filter((match) => state.watched.includes(match.duel_id)).map((match) => state.duels[match.duel_id]).filter((duel) => duel && !duel.over);

/** @param {State} state @param {Duel} duel @returns {string} */
export const opponent = (state, duel) => duel.players.find((each) => !isMe(state, each.player_id))?.player_id ?? "";

/** won, lost, drawn or stopped (by an operator), for one player of a duel that is over.
 * @param {Duel} duel @param {string} id */
export function outcome(duel, id) {
  if (!duel.ending) return "stopped";
  if (!duel.winner) return "drawn";
  return duel.winner === id ? "won" : "lost";
}

/** Lives as of the last duel over: a tournament frame has those at the round's start only.
 * @param {State} state @param {string} id @returns {number} */
export function lives(state, id) {
  const ends = Object.values(state.duels).filter((duel) => duel.over && duel.tournament_id === played(state).tournament_id);
  const told = ends.flatMap((duel) => duel.players).filter((each) => each.player_id === id).map((each) => each.lives);
  return Math.min(entry(state, id).lives, ...told);
}

/** @param {State} state @param {string} id @returns {import("./protocol.d.ts").Outlook | undefined} */
export const outlook = (state, id) =>
  played(state).matches.flatMap((match) => state.duels[match.duel_id]?.out ?? []).find((each) => each.player_id === id);

/** @param {State} state @param {string} id @returns {boolean} */
export function isAway(state, id) {
  const fate = (state.tournament && entry(state, id)?.fate) ?? "in";
  if (fate !== "in" || state.tournament?.over) return false; // a player who is out may have disconnected
  const said = state.presence[id];
  const since = state.lobby ? state.lobbyAt : state.tournamentAt;
  return said && said.at >= since ? said.away : Boolean(player(state, id)?.away);
}

/** Everybody, best first: those still in by lives, then by place.
 * @param {State} state */
export function standings(state) {
  const rank = (/** @type {import("./protocol.d.ts").TournamentPlayer} */ each) => each.place ?? outlook(state, each.player_id)?.best_place ?? 0;
  return played(state).players
    .map((each) => ({
      ...each,
      lives: lives(state, each.player_id),
      outlook: each.place ? undefined : outlook(state, each.player_id),
      hasLeft: each.fate === "left" || (played(state).leavers ?? []).includes(each.player_id),
      away: isAway(state, each.player_id),
    }))
    .sort((a, b) => rank(a) - rank(b) || Number(a.hasLeft) - Number(b.hasLeft) || b.lives - a.lives);
}

/** @param {State} state @returns {boolean} */
export function isOut(state) {
  const me = state.you?.player_id ?? "";
  return entry(state, me).fate !== "in" || lives(state, me) === 0;
}

/** Mark a guess as the server does (R17). It serves the explanation of the rules: no duel's word is here before its end.
 * @param {string} guess @param {string} word */
export function marksOf(guess, word) {
  /** @type {import("./protocol.d.ts").Mark[]} */
  const marks = [...guess].map((letter, i) => (letter === word[i] ? "correct" : "absent"));
  const left = [...word].filter((_, i) => marks[i] !== "correct");
  [...guess].forEach((letter, i) => {
    const found = left.indexOf(letter);
    if (marks[i] === "correct" || found < 0) return;
    marks[i] = "present";
    left.splice(found, 1);
  });
  return marks;
}

const STRENGTH = { absent: 1, present: 2, correct: 3 };

/** The best mark of each letter over the whole shared board: it never falls back.
 * @param {import("./protocol.d.ts").Row[]} rows */
export function keyMarks(rows) {
  /** @type {Record<string, import("./protocol.d.ts").Mark>} */
  const best = {};
  for (const row of rows) {
    [...(row.word ?? "")].forEach((letter, i) => {
      const mark = row.marks[i];
      if (STRENGTH[mark] > (STRENGTH[best[letter]] ?? 0)) best[letter] = mark;
    });
  }
  return best;
}

/** Return true if a frame is overdue: ask again.
 * @param {State} state @param {number} now by the server's clock @returns {boolean} */
export function overdue(state, now) {
  const { lobby, tournament, timing } = state;
  if (lobby?.started) return true;
  if (!tournament || tournament.over) return false;
  const duels = tournament.matches.map((match) => duelOf(state, match));
  const followed = [ownDuel(state), ...watchedDuels(state)];
  return followed.some((duel) => duel && !duel.over && now > duel.deadline_ms + GRACE_MS)
    || duels.every((duel) => duel.over)
    || now > tournament.starts_at_ms + TURNS * timing.turn_seconds * 1000 + GRACE_MS;
}
