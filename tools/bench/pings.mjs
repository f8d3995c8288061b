/** Feeds the page's connection, in virtual time, what a player hears (JSON on standard input). Prints its pings. */

import { readFileSync } from "node:fs";

const heard = JSON.parse(readFileSync(0, "utf8"));
let now = 0;
let pings = 0;
let socket = null;
let worker = null;

class FakeSocket {
  static OPEN = 1;
  readyState = 1;
  constructor() { socket = this; }
  close() {}
  send(text) {
    const { action, ref } = JSON.parse(text);
    pings += action === "ping";
    const type = { ping: "pong", here: "heard" }[action];
    if (type) heard.unshift([now, { type, now_ms: 1 }]);
  }
}

Object.defineProperty(globalThis, "performance", { value: { now: () => now }, configurable: true });
Object.assign(globalThis, {
  WebSocket: FakeSocket,
  Worker: class { constructor() { worker = this; } },
  addEventListener() {},
  document: { hidden: false, addEventListener() {} },
});

const { Connection } = await import(new URL("../../client/javascript/connection.js", import.meta.url));
const ignore = () => {};
const tokens = { read: () => "p.secret", save: ignore, forget: ignore };
const connection = new Connection("ws://localhost/ws", tokens, { onFrame: ignore, onStatus: ignore, onTurnedAway: ignore });
connection.open();
socket.onopen();
const last = heard.at(-1)[0];
for (now = 0; now <= last + 1000; now += 1000) {
  while (heard.length && heard[0][0] <= now) {
    const [, { ref, ...frame }] = heard.shift(); // the refs are those of another client
    socket.onmessage({ data: JSON.stringify(frame) });
  }
  worker.onmessage();
}
console.log(pings);
