/** A player's end of Wordle Tournament in JavaScript: the connection, what it knows, and what follows from that. */

export { ClientError, Ended, Refused, Replaced, TournamentClient, Unanswered } from "./client.js";
export { Connection, VERSION } from "./connection.js";
export * from "./game.js";
/** @typedef {import("./state.js").State} State */
export { apply, connection, forget, initial, serverNow } from "./state.js";
export { EMPTY, erase, face, type } from "./typing.js";
