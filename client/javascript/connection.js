/** The WebSocket: signs in, resumes by itself, stays alive, and notices when it is dead. Knows nothing of the game. */

/**
 * @typedef {import("./protocol.d.ts").Frame} Frame
 * @typedef {import("./protocol.d.ts").Request} Request
 */

const FORGOTTEN_MS = 40_000; // nothing heard for longer: the device slept, and the server may count the connection as lost
const LONGEST_QUIET_MS = 9 * 60_000; // API Gateway closes a connection after ten idle minutes
const HERE_TRIES = 4; // then the time to answer is over
const FOR_GOOD = ["replaced", "bad_token", "client_outdated"]; // refusals after which connecting again would not help
const FAILED = ["busy", "internal"]; // the server could not; the same request may work later

/** The version of this package: the project's. */
export const VERSION = "1.0.0";

/** A clock that nobody sets; the device's own may jump. */
const clock = () => performance.now();

export class Connection {
  /** @type {WebSocket | null} */
  #socket = null;
  #stopped = false;
  #flooded = false;
  #attempts = 0;
  #openedAt = 0;
  #retryAt = Infinity;
  #sentAt = 0; // of the oldest message not answered yet, while one waits
  #spokeAt = 0;
  #heardAt = 0;
  /** @type {Map<string, {message: Request, tries: number, most: number}>} */
  #insisting = new Map(); // messages to be sent until they are answered, by ref: {message, tries, most}
  #waiting = false;
  #welcomed = false;
  #pingMs = 20_000;
  #refs = 0;
  #lastRef = "";

  /**
   * `tokens` has read, save and forget; `onFrame` gets each frame, `onStatus` connecting or offline, `onTurnedAway` the
   * ref of a message that the gateway did not let through. A connection without an answer for `patienceMs` counts as
   * dead; `backoffMs` are the first and the longest pause before the next; `tickMs` is how often it looks. `client` and
   * `version` are told to the server, which may turn old versions away. `openSocket` opens a socket; it may return one
   * that is open already, on which nothing was sent.
   *
   * @param {string} url
   * @param {{read: () => string | null, save: (token: string) => void, forget: () => void}} tokens
   * @param {{onFrame: (frame: any) => void, onStatus: (status: "connecting" | "offline") => void,
   *   onTurnedAway: (ref: string) => void}} handlers
   * @param {{patienceMs?: number, backoffMs?: [number, number], tickMs?: number, client?: string, version?: string}} [times]
   * @param {(url: string) => WebSocket} [openSocket]
   */
  constructor(url, tokens, { onFrame, onStatus, onTurnedAway }, times = {}, openSocket = (address) => new WebSocket(address)) {
    this.software = { client: times.client ?? "javascript", client_version: times.version ?? VERSION };
    this.url = url;
    this.openSocket = openSocket;
    this.tokens = tokens;
    this.onFrame = onFrame;
    this.onStatus = onStatus;
    this.onTurnedAway = onTurnedAway;
    this.patienceMs = times.patienceMs ?? 8_000;
    const [first, longest] = times.backoffMs ?? [500, 10_000];
    this.firstRetryMs = first;
    this.longestRetryMs = longest;
    this.stopTicking = everyTick(times.tickMs ?? 1000, () => this.#tick());
    globalThis.addEventListener?.("online", () => this.#wake());
    globalThis.document?.addEventListener("visibilitychange", () => document.hidden || this.#wake());
  }

  /** Connect. Also called when a replaced client takes over again, and when a client without a player starts again. */
  open() {
    this.#stopped = this.#flooded = false;
    this.#retryAt = Infinity;
    this.#drop();
    this.onStatus(this.#attempts ? "offline" : "connecting");
    const socket = this.openSocket(this.url);
    this.#socket = socket;
    this.#waiting = true;
    this.#openedAt = this.#sentAt = this.#heardAt = clock();
    socket.onopen = () => this.#hello();
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = () => this.#lost();
    if (socket.readyState === WebSocket.OPEN) this.#hello();
  }

  /** Close for good, and stop the timer. */
  close() {
    this.#stop();
    this.stopTicking();
  }

  /**
   * Sends a message and returns its ref, or null while there is no connection.
   * @param {Request} message @returns {string | null}
   */
  send(message, ref = this.ref(message.action)) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return null;
    this.#socket.send(JSON.stringify({ ...message, ref }));
    this.#spokeAt = clock();
    this.#lastRef = ref;
    if (!this.#waiting) this.#sentAt = this.#spokeAt;
    this.#waiting = true;
    return ref;
  }

  /**
   * Sends a message for which nobody has clicked: if the server could not answer it, again after growing pauses, at
   * most so many times in all.
   * @param {Request} message
   */
  insist(message, most = Infinity) {
    const ref = this.send(message);
    if (ref) this.#insisting.set(ref, { message, tries: 1, most });
  }

  /**
   * Returns the next ref, which begins with the action; with a `key` it is like no other of the player.
   * @param {string} action @param {string} [key]
   */
  ref(action, key) {
    this.#refs += 1;
    return `${action}-${key ?? this.#refs}`;
  }

  #hello() {
    const token = this.tokens.read();
    this.send({ action: "hello", ...(token && { token }), ...this.software });
  }

  /** @param {string} data */
  #receive(data) {
    this.#heardAt = clock();
    let frame;
    try {
      frame = JSON.parse(data);
    } catch {
      return;
    }
    if (typeof frame?.type !== "string") {
      // The gateway's own errors, such as too many requests, have no type. The gateway is up, and connecting again would
      // only add requests; but a hello has to be answered. The error does not name its request: most likely it is the
      // last one sent.
      if (!this.#welcomed) return;
      this.#waiting = false;
      if (!this.#again(this.#lastRef)) this.onTurnedAway(this.#lastRef);
      return;
    }
    this.#waiting = false;
    if (frame.type === "question") return this.#answer(frame);
    if (FAILED.includes(frame.code) && this.#again(frame.ref)) return;
    this.#insisting.delete(frame.ref);
    if (frame.type === "heard") return;
    // A refused hello leaves nobody signed in: connect again, after a growing pause. With the token that is always safe.
    if (frame.type === "error" && frame.ref?.startsWith("hello-") && !FOR_GOOD.includes(frame.code)) return this.#lost();
    if (frame.type === "welcome") {
      this.#welcomed = true;
      this.#pingMs = frame.timing.ping_seconds * 1000;
      if (frame.token) this.tokens.save(frame.token);
    }
    if (["replaced", "deleted"].includes(frame.type) || FOR_GOOD.includes(frame.code)) this.#stop();
    this.onFrame(frame);
    if (frame.code === "flooding") return this.#pause();
    if (frame.code === "not_signed_in") this.#hello();
  }

  /**
   * Tells the server, which has asked, that somebody is here.
   * @param {import("./protocol.d.ts").Question} question
   */
  #answer({ what, id, number }) {
    this.insist({ action: "here", what, id, number }, HERE_TRIES);
  }

  /**
   * Sends the message with that ref again after a pause, if it is to be insisted on. Returns whether it is.
   * @param {string} ref
   */
  #again(ref) {
    const insisting = this.#insisting.get(ref);
    if (!insisting) return false;
    const { message, tries, most } = insisting;
    if (tries >= most) this.#insisting.delete(ref);
    else {
      setTimeout(() => {
        if (this.#insisting.get(ref) !== insisting) return; // another connection, whose welcome says all anew
        this.#insisting.set(ref, { ...insisting, tries: tries + 1 });
        this.send(message, ref);
      }, Math.min(this.firstRetryMs * 2 ** tries, this.longestRetryMs) * (0.5 + Math.random() / 2));
    }
    return true;
  }

  #tick() {
    const now = clock();
    if (now >= this.#retryAt) this.open();
    else if (this.#waiting && now - this.#sentAt > this.patienceMs) this.#lost();
    else if (this.#socket && !this.#waiting && now - this.#heardAt > FORGOTTEN_MS) this.open();
    else if (!this.#waiting && (now - this.#heardAt >= this.#pingMs || now - this.#spokeAt >= LONGEST_QUIET_MS)) {
      this.send({ action: "ping" });
    }
  }

  #wake() {
    if (this.#stopped || this.#flooded) return;
    if (this.#retryAt < Infinity || clock() - this.#heardAt > FORGOTTEN_MS) this.open();
    else if (!this.#waiting) this.send({ action: "ping" });
  }

  #lost() {
    this.#drop();
    if (this.#stopped) return;
    this.onStatus("offline");
    // A connection cut at once, even after its welcome, was no success: two devices may be replacing each other.
    if (clock() - this.#openedAt > this.longestRetryMs) this.#attempts = 0;
    const wait = Math.min(this.firstRetryMs * 2 ** this.#attempts, this.longestRetryMs);
    this.#attempts += 1;
    this.#retryAt = clock() + wait * (0.5 + Math.random() / 2);
  }

  /** Comes back after a pause longer than all others: too many messages came on this connection. Nothing shortens it. */
  #pause() {
    this.#lost();
    if (this.#stopped) return;
    this.#flooded = true;
    this.#retryAt = clock() + this.longestRetryMs * (1 + Math.random() / 2);
  }

  #stop() {
    this.#stopped = true;
    this.#retryAt = Infinity;
    this.#drop();
  }

  #drop() {
    this.#waiting = this.#welcomed = false;
    this.#insisting.clear();
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }
}

/**
 * Timers of a hidden page slow down to one a minute, a worker's do not: so a player in a lobby stays connected.
 * @param {number} ms @param {() => void} callback @returns {() => void} stops it
 */
function everyTick(ms, callback) {
  let stop = () => {};
  const plainly = () => {
    const timer = setInterval(callback, ms);
    stop = () => clearInterval(timer);
  };
  try {
    const worker = new Worker(new URL("./ticker.js", import.meta.url));
    worker.onmessage = callback;
    worker.onerror = plainly;
    stop = () => worker.terminate();
  } catch {
    plainly();
  }
  return () => stop();
}
