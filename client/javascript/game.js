/** Derive from the state which screen to draw, whose turn it is, and each player's lives. Pure. */

export const START_LIVES = 3;
export const TURNS = 12;
const GRACE_MS = 4000;

/** replaced, unknown, deleted, connecting, home, lobby, introduction, duel, aside (own duel over, a bye, or out), over. */
export function screen(state, now) {
  const { status, you, lobby, tournament } = state;
  if (["replaced", "unknown", "deleted"].includes(status)) return status;
  if (!you) return "connecting";
  if (lobby) return "lobby";
  if (!tournament) return "home";
  if (tournament.over) return "over";
  if (now < tournament.starts_at_ms) return "introduction";
  const duel = ownDuel(state);
  return duel && !duel.over ? "duel" : "aside";
}

export const player = (state, id) =>
  state.tournament?.players.find((each) => each.player_id === id)
  ?? state.lobby?.players.find((each) => each.player_id === id);

/** Return the name of another player in a game or a group. */
export const nameOf = (state, id) =>
  (player(state, id) ?? state.group?.members.find((each) => each.player_id === id))?.nickname ?? "?";

export const isMe = (state, id) => state.you?.player_id === id;

/** A duel of this round; before its first frame it follows from the pairing and the server's timing. */
export function duelOf(state, match) {
  const { tournament, timing, duels } = state;
  return duels[match.duel_id] ?? {
    duel_id: match.duel_id,
    version: 0,
    tournament_id: tournament.tournament_id,
    round: tournament.round,
    language: tournament.language,
    length: match.length,
    players: match.players.map((id) => ({ player_id: id, lives: player(state, id).lives })),
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

export const ownMatch = ({ tournament, you }) =>
  tournament?.matches.find((match) => match.players.includes(you.player_id));

export function ownDuel(state) {
  const match = ownMatch(state);
  return match && duelOf(state, match);
}

export function watchedDuel(state) {
  const match = state.tournament?.matches.find((each) => each.duel_id === state.watching);
  return match && state.duels[match.duel_id];
}

export const opponent = (state, duel) => duel.players.find((each) => !isMe(state, each.player_id)).player_id;

/** won, lost, drawn or stopped (by an operator), for one player of a duel that is over. */
export function outcome(duel, id) {
  if (!duel.ending) return "stopped";
  if (!duel.winner) return "drawn";
  return duel.winner === id ? "won" : "lost";
}

/** Lives as of the last duel over: a tournament frame has those at the round's start only. */
export function lives(state, id) {
  const ends = Object.values(state.duels).filter((duel) => duel.over && duel.tournament_id === state.tournament.tournament_id);
  const told = ends.flatMap((duel) => duel.players).filter((each) => each.player_id === id).map((each) => each.lives);
  return Math.min(player(state, id).lives, ...told);
}

export const outlook = (state, id) =>
  state.tournament.matches.flatMap((match) => state.duels[match.duel_id]?.out ?? []).find((each) => each.player_id === id);

export function isAway(state, id) {
  const fate = player(state, id)?.fate ?? "in";
  if (fate !== "in" || state.tournament?.over) return false; // a player who is out may have disconnected
  const said = state.presence[id];
  const since = state.lobby ? state.lobbyAt : state.tournamentAt;
  return said && said.at >= since ? said.away : Boolean(player(state, id)?.away);
}

/** Everybody, best first: those still in by lives, then by place. */
export function standings(state) {
  const rank = (each) => each.place ?? outlook(state, each.player_id)?.best_place ?? 0;
  return state.tournament.players
    .map((each) => ({
      ...each,
      lives: lives(state, each.player_id),
      outlook: each.place ? undefined : outlook(state, each.player_id),
      hasLeft: each.fate === "left" || (state.tournament.leavers ?? []).includes(each.player_id),
      away: isAway(state, each.player_id),
    }))
    .sort((a, b) => rank(a) - rank(b) || a.hasLeft - b.hasLeft || b.lives - a.lives);
}

export function isOut(state) {
  const mine = player(state, state.you.player_id);
  return mine.fate !== "in" || lives(state, state.you.player_id) === 0;
}

/** Mark a guess as the server does (R17). It serves the explanation of the rules: no duel's word is here before its end. */
export function marksOf(guess, word) {
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

/** The best mark of each letter over the whole shared board: it never falls back. */
export function keyMarks(rows) {
  const best = {};
  for (const row of rows) {
    [...(row.word ?? "")].forEach((letter, i) => {
      const mark = row.marks[i];
      if (STRENGTH[mark] > (STRENGTH[best[letter]] ?? 0)) best[letter] = mark;
    });
  }
  return best;
}

/** Return true if a frame is overdue: ask again. */
export function overdue(state, now) {
  const { lobby, tournament, timing } = state;
  if (lobby?.started) return true;
  if (!tournament || tournament.over) return false;
  const duels = tournament.matches.map((match) => duelOf(state, match));
  const followed = [ownDuel(state), watchedDuel(state)].filter((duel) => duel && !duel.over);
  return followed.some((duel) => now > duel.deadline_ms + GRACE_MS)
    || duels.every((duel) => duel.over)
    || now > tournament.starts_at_ms + TURNS * timing.turn_seconds * 1000 + GRACE_MS;
}
