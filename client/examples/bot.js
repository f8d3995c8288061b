/** Play a tournament: node client/examples/bot.js [ws://127.0.0.1:8000/ws]; Node 20 needs --experimental-websocket. */

import { Refused, TournamentClient, ownDuel } from "../javascript/index.js";

const WORDS = "able bird cold dark east fish gold hand crane slate pilot round house light stone garden silver planet winter";

/** @param {import("../javascript/state.js").State} view */
function myTurn(view) {
  if (view.tournament?.over) return "over";
  const duel = ownDuel(view);
  return duel && !duel.over && duel.to_move === view.you?.player_id ? duel : null;
}

const client = await new TournamentClient(process.argv[2] ?? "ws://127.0.0.1:8000/ws").connect();
await client.join("en");
for (let duel = await client.until(myTurn); duel !== "over"; duel = await client.until(myTurn)) {
  const { duel_id, turn, length } = duel;
  const words = WORDS.split(" ").filter((word) => word.length === length);
  try {
    await client.guess(duel_id, turn, words[Math.floor(Math.random() * words.length)] ?? "");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    console.log(error.code);
    await new Promise((resolve) => { setTimeout(resolve, 300); }); // not started yet, or too late: the next frame tells
  }
}
const { tournament, you } = client.view;
console.log("place", tournament?.players.find(({ player_id }) => player_id === you?.player_id)?.place);
client.close();
