/**
 * Hold what this client knows, and change it with each frame from the server.
 *
 * Pure: no clock, no network, no page. `apply` returns a new state and never changes the old one.
 * Groups, lobbies, tournaments and duels come whole with a version; frames overtake each other, so the greatest
 * version wins. Where a version cannot tell (who is away, something no longer exists), the frame's `now_ms` does.
 */

const NEWS_MS = 600_000; // a game lost longer ago is no news

/**
 * @typedef {import("./protocol.d.ts").Frame} Frame
 * @typedef {"connecting" | "online" | "offline" | "replaced" | "unknown" | "outdated" | "deleted"} Status
 * @typedef {{
 *   status: Status, offset: number | null, you: import("./protocol.d.ts").You | null, youAt: number, timing: import("./protocol.d.ts").Timing, codes: string[],
 *   languages: Record<string, import("./protocol.d.ts").Language>, lobby: import("./protocol.d.ts").Lobby | null, lobbyAt: number,
 *   tournament: import("./protocol.d.ts").Tournament | null, tournamentAt: number, duels: Record<string, import("./protocol.d.ts").Duel>, watching: string | null, watched: string[],
 *   presence: Record<string, {away: boolean, until_ms?: number, at: number}>, left: Record<string, boolean>,
 *   leftLobbyAt: number, group: import("./protocol.d.ts").Group | null, groupAt: number, profile: import("./protocol.d.ts").OwnProfile | null,
 *   results: import("./protocol.d.ts").TournamentResults | null, board: import("./protocol.d.ts").Duel | null, review: import("./protocol.d.ts").DuelReview | null,
 *   result: Pick<import("./protocol.d.ts").Result, "tournament_id" | "place" | "rating_change"> | null,
 *   lostGameAt: number | null, notice: {code: string, at: number} | null,
 * }} State
 * @typedef {import("./protocol.d.ts").Duel} Duel
 * @typedef {{now_ms: number, ref?: string}} When the part of a frame that says when it was sent, and in answer to what
 */

/** @returns {State} */
export const initial = () => ({
  status: "connecting", // connecting, online, offline, replaced, unknown (a token that names no player), outdated, deleted
  offset: null, // the server's clock minus ours, in ms
  you: null,
  youAt: 0,
  timing: { intro_seconds: 6, turn_seconds: 30, reconnect_seconds: 60, ping_seconds: 20 },
  codes: [], // languages that can be played
  languages: {}, // by code, once asked for
  lobby: null,
  lobbyAt: 0, // now_ms of the frame that brought it
  tournament: null,
  tournamentAt: 0,
  duels: {}, // by id, of this tournament
  watching: null, // id of a duel: the one that was chosen among `watched`, or the first
  watched: [], // ids of all duels that the player watches
  presence: {}, // by player: the latest news of an absence
  left: {}, // ids of tournaments left: ignore their late frames
  leftLobbyAt: 0,
  group: null, // of friends
  groupAt: 0,
  profile: null, // the player's own record, once asked for
  results: null, // how a tournament went, once asked for
  board: null, // a duel of those results, once asked for
  review: null, // how a duel narrowed its word down, once asked for
  result: null, // the last fixed place: tournament_id, place, rating_change
  lostGameAt: null, // when the player lost a game by being away: of the last one that they were told of
  notice: null, // a message for the player: {code, at}
});

/** Changes of the connection itself, which no frame brings.
 * @param {State} state @param {Status} status @returns {State} */
export const connection = (state, status) => ({ ...state, status });

/** The same client without its player: after a refused token.
 * @param {State} state @returns {State} */
export const forget = (state) => ({
  ...initial(), status: state.status, offset: state.offset, languages: state.languages,
});

/** @param {State} state @param {number} localMs */
export const serverNow = (state, localMs) => localMs + (state.offset ?? 0);

/**
 * Return the state after a frame that was received at `localMs` of a clock that nobody sets.
 * @param {State} state @param {Frame} frame @param {number} localMs @returns {State}
 */
export function apply(state, frame, localMs) {
  const change = CHANGES[frame.type];
  if (!change) return state;
  const offset = frame.now_ms - localMs;
  // A frame can only be late, so the greatest difference of a connection is the best estimate.
  const best = frame.type === "welcome" ? offset : Math.max(state.offset ?? -Infinity, offset);
  const timed = { ...state, offset: best };
  return change(timed, frame);
}

/** @type {Record<string, (state: State, frame: any) => State>} */
const CHANGES = {
  welcome: (state, frame) => {
    const known = state.you && state.you.player_id !== frame.you.player_id ? forget(state) : state;
    return {
      ...withLostGame(snapshot(known, frame), frame), status: "online", timing: frame.timing, codes: frame.languages,
      offset: state.offset,
    };
  },
  state: (state, frame) => snapshot(state, frame),
  lobby: (state, frame) => withLobby(state, frame.lobby, frame),
  tournament: (state, frame) => withTournament(state, frame.tournament, frame),
  duel: (state, frame) => {
    if (frame.ref?.startsWith("board")) return { ...state, board: frame.duel };
    const next = withDuel(state, frame.duel);
    return frame.ref?.startsWith("watch") ? { ...next, watching: frame.duel.duel_id, watched: [frame.duel.duel_id] } : next;
  },
  duels: (state, frame) => withWatched(frame.duels.reduce(withDuel, state), frame.duels.map((/** @type {Duel} */ duel) => duel.duel_id)),
  unwatched: (state) => ({ ...state, watching: null, watched: [] }),
  left: (state, frame) => (isAnother(state, frame) ? state : LEFT[frame.what](state, frame)),
  group: (state, frame) => withGroup(state, frame.group, frame),
  profile: (state, frame) => ({ ...withYou(state, frame.you, frame), profile: frame }),
  results: (state, frame) => ({ ...state, results: frame }),
  review: (state, frame) => ({ ...state, review: frame }),
  deleted: (state) => ({ ...forget(state), status: "deleted" }),
  result: (state, frame) => ({
    ...(state.you ? withYou(state, { ...state.you, rating: frame.rating }, frame) : state),
    result: { tournament_id: frame.tournament_id, place: frame.place, rating_change: frame.rating_change },
  }),
  you: (state, frame) => withYou(state, frame.you, frame),
  presence: (state, { player_id, away, until_ms, now_ms }) => {
    if (state.presence[player_id]?.at > now_ms) return state;
    return { ...state, presence: { ...state.presence, [player_id]: { away, until_ms, at: now_ms } } };
  },
  languages: (state, frame) => ({
    ...state, languages: Object.fromEntries(frame.languages.map((/** @type {import("./protocol.d.ts").Language} */ each) => [each.code, each])),
  }),
  pong: (state) => state,
  replaced: (state) => ({ ...state, status: "replaced" }),
  error: (state, frame) => {
    if (frame.code === "replaced") return { ...state, status: "replaced" };
    if (frame.code === "client_outdated") return { ...state, status: "outdated" };
    return frame.code === "bad_token" ? { ...forget(state), status: "unknown" } : state;
  },
};

/** Look at one of the watched duels more than at the others. It asks nothing of the server.
 * @param {State} state @param {string} duel its id @returns {State} */
export const look = (state, duel) => (state.watched.includes(duel) ? { ...state, watching: duel } : state);

/** The chosen duel stays, also after its end, which the user may be reading. A late answer may name duels that are over.
 * @param {State} state @param {string[]} ids @returns {State} */
function withWatched(state, ids) {
  const watched = ids.filter((id) => state.duels[id] && !state.duels[id].over);
  const stays = state.watching && (watched.includes(state.watching) || state.duels[state.watching]?.over);
  return { ...state, watched, watching: stays ? state.watching : watched[0] ?? null };
}

/** @param {State} state @param {any} frame @returns {State} */
function snapshot(state, frame) {
  let next = withYou(state, frame.you, frame);
  if (frame.group) next = withGroup(next, frame.group, frame);
  else if (state.groupAt <= frame.now_ms) next = { ...next, group: null };
  if (frame.lobby) next = withLobby(next, frame.lobby, { ...frame, ref: "snapshot" });
  else if (state.lobbyAt <= frame.now_ms) next = { ...next, lobby: null };
  if (frame.tournament) next = withTournament(next, frame.tournament, frame);
  else if (state.tournamentAt <= frame.now_ms) {
    if (stillIn(state)) next = { ...next, notice: { code: "dropped", at: frame.now_ms } };
    next = withoutTournament(next);
  }
  // A server of before `watchAll` names only one.
  const watched = frame.watched?.length ? frame.watched : [frame.watching].filter(Boolean);
  return { ...withWatched((frame.duels ?? []).reduce(withDuel, next), watched), ...(!watched.length && { watching: null }) };
}

/** A player who was away for too long, perhaps with the page closed, is told once what they are not in any more.
 * @param {State} state @param {import("./protocol.d.ts").Welcome} frame @returns {State} */
function withLostGame(state, { lost_game, now_ms }) {
  if (!lost_game || lost_game.at_ms === state.lostGameAt || now_ms - lost_game.at_ms > NEWS_MS) return state;
  const code = lost_game.restarted ? "restarted" : lost_game.what === "lobby" ? "left_lobby" : "dropped";
  return { ...state, lostGameAt: lost_game.at_ms, notice: { code, at: now_ms } };
}

/** Players away and members' activity change without a new version: of two equal versions the later is the newer.
 * @param {{version: number}} told @param {number} toldAt @param {{version: number}} known @param {number} knownAt */
const older = (told, toldAt, known, knownAt) =>
  told.version < known.version || (told.version === known.version && toldAt < knownAt);

/** @param {State} state @param {import("./protocol.d.ts").You} you @param {When} when @returns {State} */
const withYou = (state, you, { now_ms }) => (now_ms < state.youAt ? state : { ...state, you, youAt: now_ms });

/** @param {State} state @param {import("./protocol.d.ts").Lobby} lobby @param {When} when @returns {State} */
function withLobby(state, lobby, { now_ms, ref }) {
  const mine = lobby.players.some((each) => each.player_id === state.you?.player_id);
  const known = state.lobby?.lobby_id === lobby.lobby_id ? state.lobby : null;
  if (known && older(lobby, now_ms, known, state.lobbyAt)) return state;
  if (!mine) return known ? { ...state, lobby: null, lobbyAt: now_ms } : state;
  if (state.tournament?.tournament_id === lobby.lobby_id || state.left[lobby.lobby_id]) return state;
  if (!ref && now_ms <= state.leftLobbyAt) return state; // a late frame of a lobby already left
  if (!known && now_ms < state.lobbyAt) return state; // of the lobby before a merger
  if (stillIn(state) && now_ms < state.tournamentAt) return state;
  // A player who waits for a game has left the previous tournament.
  return { ...leaving(state), lobby, lobbyAt: now_ms };
}

/** @param {State} state @param {import("./protocol.d.ts").Tournament} tournament @param {When} when @returns {State} */
function withTournament(state, tournament, { now_ms }) {
  const id = tournament.tournament_id;
  const current = state.tournament;
  const mine = tournament.players.find((each) => each.player_id === state.you?.player_id);
  if (!mine || state.left[id]) return state;
  if (current?.tournament_id === id) {
    return older(tournament, now_ms, current, state.tournamentAt) ? state : { ...state, tournament, tournamentAt: now_ms };
  }
  if (current && now_ms < state.tournamentAt) return state;
  const plays = mine.fate === "in" && !tournament.over;
  const lobby = plays || state.lobby?.lobby_id === id ? null : state.lobby;
  const duels = Object.values(state.duels).filter((each) => each.tournament_id === id);
  return {
    ...state, lobby, tournament, tournamentAt: now_ms,
    duels: Object.fromEntries(duels.map((each) => [each.duel_id, each])),
    watching: state.duels[state.watching ?? ""]?.tournament_id === id ? state.watching : null,
    watched: state.watched.filter((each) => state.duels[each]?.tournament_id === id),
  };
}

/** @param {State} state @param {import("./protocol.d.ts").Group} group @param {When} when @returns {State} */
function withGroup(state, group, { now_ms }) {
  const mine = group.members.some((each) => each.player_id === state.you?.player_id);
  const known = state.group?.group_id === group.group_id ? state.group : null;
  if (!mine || (known ? older(group, now_ms, known, state.groupAt) : now_ms < state.groupAt)) return state;
  return { ...state, group, groupAt: now_ms };
}

/** @param {State} state @param {When} when @returns {State} */
function leftGroup(state, { ref, now_ms }) {
  return { ...state, group: null, groupAt: now_ms, notice: ref ? state.notice : { code: "removed", at: now_ms } };
}

/** @param {State} state @param {Duel} duel @returns {State} */
function withDuel(state, duel) {
  const known = state.duels[duel.duel_id];
  if (state.left[duel.tournament_id] || (known && known.version >= duel.version)) return state;
  return { ...state, duels: { ...state.duels, [duel.duel_id]: duel } };
}

/** @param {State} state @param {When} frame @returns {State} */
function leftLobby(state, frame) {
  const code = state.group ? "search_ended" : "left_lobby";
  const notice = frame.ref ? state.notice : { code, at: frame.now_ms };
  return { ...state, lobby: null, lobbyAt: frame.now_ms, leftLobbyAt: frame.now_ms, notice };
}

/** @param {State} state @param {When} frame @returns {State} */
function leftTournament(state, frame) {
  const notice = frame.ref ? state.notice : { code: "dropped", at: frame.now_ms };
  return { ...leaving(state), tournamentAt: frame.now_ms, notice };
}

/** @param {State} state @returns {State} */
const leaving = (state) => (state.tournament
  ? { ...withoutTournament(state), left: { ...state.left, [state.tournament.tournament_id]: true } } : state);

/** @param {State} state @returns {State} */
const withoutTournament = (state) => ({ ...state, tournament: null, duels: {}, watching: null, watched: [] });

/** @param {State} state */
function stillIn({ tournament, you }) {
  return Boolean(tournament && !tournament.over
    && tournament.players.some((each) => each.player_id === you?.player_id && each.fate === "in"));
}

/** The answer to a late request, which has not touched the current lobby, tournament or group.
 * @param {State} state @param {import("./protocol.d.ts").Left} frame */
function isAnother(state, { ref, what, id }) {
  const current = { lobby: state.lobby?.lobby_id, tournament: state.tournament?.tournament_id, group: state.group?.group_id }[what];
  return Boolean(ref && id && current && id !== current);
}

/** @type {Record<string, (state: State, frame: any) => State>} */
const LEFT = { lobby: leftLobby, tournament: leftTournament, group: leftGroup };
