/** Sign in while the modules that draw are still on their way. main.js takes over, with all that has come until then. */

import { Connection } from "../client/javascript/connection.js";
import { makeStore } from "./store.js";

export const store = makeStore();

// One player per browser profile; ?player=2 is a second one, to play against yourself.
const slot = new URLSearchParams(location.search).get("player");
const tokenKey = `token${slot ? `.${slot}` : ""}`;
export const tokens = { read: () => store.read(tokenKey), save: (token) => store.save(tokenKey, token), forget: () => store.forget(tokenKey) };

let handlers = null;
let waiting = []; // what has come before main.js: the handler's name, its argument, and the device's time
const pass = (name) => (value) => {
  if (handlers) handlers[name](value, performance.now());
  else waiting.push([name, value, performance.now()]);
};

const server = document.querySelector("meta[name=server]").content
  || `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/ws`;

/** The first socket is that of boot.js, if it still is of use. */
function openSocket(url) {
  const { earlySocket: early } = window;
  delete window.earlySocket;
  return early && early.readyState <= WebSocket.OPEN ? early : new WebSocket(url);
}

export const connection = new Connection(server, tokens,
  { onFrame: pass("onFrame"), onStatus: pass("onStatus"), onTurnedAway: pass("onTurnedAway") }, { client: "page" }, openSocket);

/** Give everything to these handlers from now on, and first what has come already. */
export function takeOver(chosen) {
  handlers = chosen;
  for (const [name, value, at] of waiting) handlers[name](value, at);
  waiting = [];
}

addEventListener("page-failed", () => connection.close()); // nobody plays on a page that cannot draw
connection.open();
