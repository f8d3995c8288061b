/** The JavaScript client, moved by a test: a command in JSON on each line of standard input, an answer on each of the output. */

import { createInterface } from "node:readline";
import * as kit from "../../client/javascript/index.js";

let client;

const look = () => {
  const { you, lobby, tournament, duels, watching, presence, group } = client.view;
  return {
    nickname: you?.nickname ?? null,
    rating: you?.rating ?? null,
    lobby: lobby && [lobby.lobby_id, lobby.version],
    tournament: tournament && [tournament.tournament_id, tournament.version],
    duels: Object.fromEntries(Object.values(duels).map((each) => [each.duel_id, each.version])),
    watching,
    group: group && [group.group_id, group.version],
    away: Object.entries(presence).filter(([, { away }]) => away).map(([id]) => id).sort(),
    connected: client.connected,
    ended: client.ended?.constructor.name ?? null,
    token: client.token,
  };
};

const COMMANDS = {
  connect: async ([url, token]) => {
    client = new kit.TournamentClient(url, token, { patienceMs: 400, backoffMs: [10, 50], tickMs: 20 });
    await client.connect();
  },
  call: ([method, ...values]) => client[method](...values),
  look: async () => look(),
  now: async () => client.serverNowMs(),
  setClockBack: async () => {
    Date.now = () => 0;
  },
  close: async () => client.close(),
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, command, values } = JSON.parse(line);
  try {
    console.log(JSON.stringify({ id, result: (await COMMANDS[command](values)) ?? null }));
  } catch (error) {
    console.log(JSON.stringify({ id, error: error.constructor.name, code: error.code ?? error.message }));
  }
}).on("close", () => process.exit());
