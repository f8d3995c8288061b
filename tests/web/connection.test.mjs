import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

/** Time that goes on only as it is told to, and sockets that a test answers. */
let now = 0;
let timers = [];
const sockets = [];

class Socket {
  static CONNECTING = 0;
  static OPEN = 1;
  readyState = 0;
  sent = [];

  constructor() { sockets.push(this); }
  open() { this.readyState = 1; this.onopen(); }
  send(text) { this.sent.push(JSON.parse(text)); }
  close() { this.readyState = 3; }

  answer(frame) { this.onmessage({ data: JSON.stringify({ now_ms: 0, ref: this.sent.at(-1).ref, ...frame }) }); }
  refuse(code) { this.answer({ type: "error", code, message: "no" }); }
  actions() { return this.sent.map((each) => each.action); }
}

Object.assign(globalThis, {
  WebSocket: Socket,
  addEventListener: () => {},
  document: { addEventListener: () => {}, hidden: false },
  setInterval: (act, every) => timers.push({ act, every, at: now + every }),
  setTimeout: (act, after) => timers.push({ act, at: now + after }),
});
Object.defineProperty(globalThis, "performance", { value: { now: () => now } });
const { Connection } = await import("../../client/javascript/connection.js");

/** Lets so many ms pass, in steps of a tenth of a second. */
function pass(ms) {
  for (const end = now + ms; now < end;) {
    now += 100;
    for (const timer of timers.filter(({ at }) => at <= now)) {
      if (timer.every) timer.at += timer.every;
      else timers.splice(timers.indexOf(timer), 1);
      timer.act();
    }
  }
}

const WELCOME = { type: "welcome", timing: { ping_seconds: 20 } };
let status;
let frames;
let connection;

beforeEach(() => {
  [now, timers, frames, status] = [1000, [], [], []];
  sockets.length = 0;
  connection = new Connection("ws://x", { read: () => "token", save: () => {}, forget: () => {} }, {
    onFrame: (frame) => frames.push(frame.code ?? frame.type), onStatus: (each) => status.push(each), onTurnedAway: () => {},
  });
  connection.open();
  sockets[0].open();
});

test("a socket that is open already says hello at once, and later ones are opened in the same way", () => {
  const early = new Socket();
  early.readyState = 1;
  const asked = [];
  const handlers = { onFrame: () => {}, onStatus: () => {}, onTurnedAway: () => {} };
  const one = new Connection("ws://y", { read: () => null, save: () => {}, forget: () => {} }, handlers, {}, (url) => (asked.push(url) === 1 ? early : new Socket()));
  one.open();
  assert.deepEqual(early.actions(), ["hello"]);
  early.onclose();
  pass(2000);
  assert.deepEqual(asked, ["ws://y", "ws://y"]);
});

/** The pauses between the connections while every hello is refused with that code. */
function pauses(code, many) {
  const opened = [now];
  while (opened.length <= many) {
    sockets.at(-1).refuse(code);
    const before = sockets.length;
    while (sockets.length === before) pass(100);
    opened.push(now);
    sockets.at(-1).open();
  }
  return opened.slice(1).map((at, i) => at - opened[i]);
}

for (const code of ["busy", "internal", "already_signed_in"]) {
  test(`a hello refused with ${code} is tried again on another connection, after growing pauses`, () => {
    const found = pauses(code, 7);
    assert.ok(found.at(-1) > 2 * found[0], String(found));
    assert.ok(Math.max(...found) <= 11_100, "but not for ever longer");
    assert.equal(status.at(-1), "offline");
    sockets.at(-1).answer(WELCOME);
    assert.deepEqual(frames, ["welcome"], "the page is told of the one that worked");
  });
}

for (const code of ["bad_token", "client_outdated", "replaced"]) {
  test(`a hello refused with ${code} is not tried again`, () => {
    sockets[0].refuse(code);
    pass(60_000);
    assert.equal(sockets.length, 1);
    assert.deepEqual(frames, [code]);
  });
}

test("a message for which nobody has clicked is sent until it is answered, after growing pauses", () => {
  const [socket] = sockets;
  socket.answer(WELCOME);
  connection.insist({ action: "languages" });
  const sentAt = [now];
  while (sentAt.length < 6) {
    socket.refuse(sentAt.length % 2 ? "busy" : "internal");
    const before = socket.sent.length;
    while (socket.sent.length === before) pass(100);
    sentAt.push(now);
  }
  const found = sentAt.slice(1).map((at, i) => at - sentAt[i]);
  assert.ok(found.at(-1) > 2 * found[0], String(found));
  assert.equal(new Set(socket.sent.slice(1).map((each) => each.ref)).size, 1, "the same request");
  socket.answer({ type: "languages", languages: [] });
  pass(15_000);
  assert.deepEqual(socket.actions(), ["hello", ...Array(6).fill("languages")]);
});

test("the gateway's own refusal of such a message is one too", () => {
  const [socket] = sockets;
  socket.answer(WELCOME);
  connection.insist({ action: "languages" });
  socket.onmessage({ data: JSON.stringify({ message: "Too Many Requests" }) });
  pass(2000);
  assert.deepEqual(socket.actions(), ["hello", "languages", "languages"]);
});

test("a question is answered at most four times", () => {
  const [socket] = sockets;
  socket.answer(WELCOME);
  socket.answer({ type: "question", what: "lobby", id: "l1", number: 3, ref: undefined });
  for (let i = 0; i < 4; i += 1) {
    socket.refuse("busy");
    pass(6000);
  }
  assert.deepEqual(socket.actions().slice(0, 5), ["hello", "here", "here", "here", "here"]);
  assert.ok(!socket.actions().slice(5).includes("here"));
});

test("a message that was insisted on is not sent on the next connection, whose welcome says all anew", () => {
  sockets[0].answer(WELCOME);
  connection.insist({ action: "sync" });
  sockets[0].refuse("busy");
  connection.open();
  sockets[1].open();
  sockets[1].answer(WELCOME);
  pass(5000);
  assert.deepEqual(sockets[1].actions(), ["hello"]);
});
