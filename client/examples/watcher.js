/** Take a seat, let all turns pass, and print the tournament: node client/examples/watcher.js [URL]. */

import { TournamentClient, nameOf } from "../javascript/index.js";

const client = await new TournamentClient(process.argv[2] ?? "ws://127.0.0.1:8000/ws").connect();
await client.join("en");
for await (const frame of client.events()) {
  const name = (/** @type {string} */ id) => nameOf(client.view, id);
  if (frame.type === "tournament" && frame.tournament.over) break;
  if (frame.type === "tournament") console.log("round", frame.tournament.round, frame.tournament.matches.map(({ players }) => players.map(name)));
  if (frame.type === "duel" && frame.duel.over) console.log(frame.duel.display, frame.duel.ending, name(frame.duel.winner ?? ""));
  if (frame.type === "result") console.log("place", frame.place, frame.rating_change);
}
client.close();
