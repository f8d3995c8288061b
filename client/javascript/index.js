/** A player's end of Wordle Tournament in JavaScript: the connection, what it knows, and what follows from that. */

export { Connection } from "./connection.js";
export * from "./game.js";
export * from "./state.js";
export { EMPTY, erase, face, type } from "./typing.js";
