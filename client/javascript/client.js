/** A player's client: it signs in, asks, listens, and goes on by itself after a lost connection. */

import { Connection } from "./connection.js";
import * as State from "./state.js";

/**
 * @typedef {import("./protocol.d.ts").Request} Request
 * @typedef {import("./protocol.d.ts").Frame} Frame
 * @typedef {import("./protocol.d.ts").Answers} Answers
 * @typedef {import("./protocol.d.ts").ErrorCode} ErrorCode
 */

/** The base of all errors that the client raises by itself. */
export class ClientError extends Error {}

/** The server refused the request, or failed (`busy`, `internal`). `field` and `players` say more, if they are there. */
export class Refused extends ClientError {
  /** @param {ErrorCode} code @param {string} message @param {string} [field] @param {string[]} [players] */
  constructor(code, message, field, players = []) {
    super(field ? `${code} (${field}): ${message}` : `${code}: ${message}`);
    this.code = code;
    this.field = field;
    this.players = players;
  }
}

/** No answer came. The request may have taken effect or not; the view, renewed after a reconnect, shows it. */
export class Unanswered extends ClientError {}

/** The client is closed and does not connect again. */
export class Ended extends ClientError {}

/** The player has connected elsewhere, so this client has closed. */
export class Replaced extends Ended {}

/** Not sent again after a reconnect: they may have been carried out, and once more is not the same. */
const ONCE = ["join", "joinGroup", "renewInvite", "startGroup"];
const BUSY_ATTEMPTS = 4;
const MEMBERS_ANSWER_MS = 5_500; // a startGroup not answered by then is sent again: the server names who did not answer

/**
 * One player on one WebSocket. `await client.connect()` signs in, as a new player or with a `token` as that one. From
 * then on the client keeps `view` up to date, until it is closed or its player has connected elsewhere.
 */
export class TournamentClient {
  #connection;
  /** @type {Map<string, {message: any, sent: boolean, resolve: (frame: any) => void, reject: (error: Error) => void}>} */
  #pending = new Map();
  /** @type {Set<(frame: Frame | null) => void>} */
  #listeners = new Set();
  #options;
  /** @type {ClientError | null} */
  #end = null;
  #connected = false;

  /**
   * `onToken` gets the token of a new player: keep it, it is the only key. `onChange` gets each frame that the view has
   * taken in. `answerMs` is the time that a request waits for its answer, reconnects included; a connection without an
   * answer for `patienceMs` counts as dead; `backoffMs` are the first and the longest pause before a reconnect.
   * `client` and `version` name an application on this kit to the server, which may turn old versions away.
   *
   * @param {string} url
   * @param {string | null} [token]
   * @param {{onToken?: (token: string) => void, onChange?: (frame: Frame) => void, answerMs?: number,
   *   patienceMs?: number, backoffMs?: [number, number], tickMs?: number, client?: string, version?: string}} [options]
   */
  constructor(url, token = null, options = {}) {
    /** @type {string | null} */
    this.token = token;
    this.view = State.initial();
    this.#options = { answerMs: 30_000, backoffMs: /** @type {[number, number]} */ ([500, 10_000]), ...options };
    const tokens = { read: () => this.token, save: (/** @type {string} */ made) => this.#keep(made), forget() {} };
    this.#connection = new Connection(url, tokens, {
      onFrame: (frame) => this.#take(frame),
      onStatus: () => this.#disconnected(),
      onTurnedAway: (ref) => this.#turnedAway(ref),
    }, options);
  }

  /** Connect and sign in. This takes as long as it needs. Throw Refused for a token that names no player or a version that is not served. */
  async connect() {
    this.#connection.open();
    await this.until((view) => (this.#connected ? view.you : null));
    return this;
  }

  /** Close the connection for good. Waiting requests throw Ended, iterators end. */
  close() {
    this.#finish(new Ended("the client is closed"));
  }

  /** True if the client is signed in right now. */
  get connected() { return this.#connected; }

  /** Why the client will not connect again; null while it still will. */
  get ended() { return this.#end; }

  /** Return an estimate of the server's clock, in milliseconds of the Unix epoch. It is never ahead of it. */
  serverNowMs() { return State.serverNow(this.view, performance.now()); }

  /** Yield every frame from now on that the view takes in. End when the client has ended. */
  async* events() {
    /** @type {(Frame | null)[]} */
    const queue = [];
    let wake = () => {};
    const listener = (/** @type {Frame | null} */ frame) => { queue.push(frame); wake(); };
    this.#listeners.add(listener);
    try {
      while (!this.#end || queue.length) {
        if (!queue.length) await new Promise((resolve) => { wake = () => resolve(undefined); });
        const frame = queue.shift();
        if (!frame) return;
        yield frame;
      }
    } finally {
      this.#listeners.delete(listener);
    }
  }

  /**
   * Return the result of `look` on the view as soon as it is neither null nor undefined. Throw if the client ends before.
   * @template T @param {(view: State.State) => T | null | undefined} look @returns {Promise<T>}
   */
  until(look) {
    return new Promise((resolve, reject) => {
      const listener = () => {
        const found = look(this.view);
        if (found == null && !this.#end) return;
        this.#listeners.delete(listener);
        if (found == null) reject(this.#end);
        else resolve(found);
      };
      this.#listeners.add(listener);
      listener();
    });
  }

  /** @param {string} language */
  async join(language) { return (await this.ask({ action: "join", language })).lobby; }

  async leaveLobby() {
    await this.ask({ action: "leave", what: "lobby", id: this.view.lobby?.lobby_id });
    if (this.view.lobby) await this.sync(); // it was merged into another meanwhile
  }

  async leaveTournament() {
    await this.ask({ action: "leave", what: "tournament", id: this.view.tournament?.tournament_id });
  }

  /** Guess `word` in that turn of that duel. It may be sent several times; it is played once.
   * @param {string} duel @param {number} turn @param {string} word */
  async guess(duel, turn, word) { return (await this.ask({ action: "guess", duel, turn, word })).duel; }

  /** @param {string} nickname */
  async rename(nickname) { return (await this.ask({ action: "rename", nickname })).you; }

  /** @param {string} duel */
  async watch(duel) {
    const answer = await this.ask({ action: "watch", duel });
    this.view = { ...this.view, watching: duel, watched: [duel] };
    return answer.duel;
  }

  /** Watch all running duels of the round. Returns these and those that are over, without the own one. */
  async watchAll() { return (await this.ask({ action: "watchAll" })).duels; }

  async unwatch() { await this.ask({ action: "unwatch" }); }

  async sync() { return this.ask({ action: "sync" }); }

  async languages() { return (await this.ask({ action: "languages" })).languages; }

  async ping() { await this.ask({ action: "ping" }); }

  async createGroup() { return (await this.ask({ action: "createGroup" })).group; }

  /** @param {string} invite */
  async joinGroup(invite) { return (await this.ask({ action: "joinGroup", invite })).group; }

  async leaveGroup() { await this.ask({ action: "leaveGroup", group: this.view.group?.group_id }); }

  /** @param {string} player */
  async removeMember(player) { return (await this.ask({ action: "removeMember", player })).group; }

  /** @param {string} player */
  async handOver(player) { return (await this.ask({ action: "handOver", player })).group; }

  async renewInvite() { return (await this.ask({ action: "renewInvite" })).group; }

  /** @param {string} language */
  async startGroup(language) { return (await this.ask({ action: "startGroup", language }, MEMBERS_ANSWER_MS)).lobby; }

  /** @param {string} tournament */
  async results(tournament) { return this.ask({ action: "results", tournament }); }

  /** @param {string} duel */
  async board(duel) { return (await this.ask({ action: "board", duel })).duel; }

  /** How many answers were still possible before and after each row of a duel that is over.
   * @param {string} duel */
  async review(duel) { return this.ask({ action: "review", duel }); }

  async profile() { return this.ask({ action: "profile" }); }

  /** Return everything that is stored about the player; `older_tournaments` are those of the record's pages. */
  async export() {
    const { data } = await this.ask({ action: "export" });
    const history = /** @type {{pages?: number[]} | null} */ (data.history);
    const older = [];
    for (let page = history?.pages?.length ?? 0; page > 0; page -= 1) {
      older.push(.../** @type {string[]} */ ((await this.ask({ action: "export", page })).data.tournaments));
    }
    return older.length ? { ...data, older_tournaments: older } : data;
  }

  /** Delete the player for good; the token is worthless then. */
  async deleteMe() {
    try {
      await this.ask({ action: "deleteMe", confirm: true, player: this.view.you?.player_id });
    } catch (error) {
      // An attempt whose answer was lost has deleted the player, so the token of a new connection names nobody.
      if (!(error instanceof Refused && error.code === "bad_token")) throw error;
    }
  }

  /**
   * Send a request and return its answer. Throw Refused, Unanswered, or Ended once the client has ended.
   * @template {keyof Answers} A
   * @param {Extract<Request, {action: A}>} message
   * @param {number} [againMs] send it once more if it has no answer by then
   * @returns {Promise<Answers[A]>}
   */
  async ask(message, againMs) {
    // One ref for all attempts: by it the server recognises a request that it has carried out.
    const ref = this.#connection.ref(message.action, globalThis.crypto.randomUUID());
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#askOnce(message, ref, againMs);
      } catch (error) {
        if (!(error instanceof Refused && error.code === "busy") || attempt >= BUSY_ATTEMPTS) throw error;
        const [first, longest] = this.#options.backoffMs;
        await pause(Math.min(first * 2 ** attempt, longest) * Math.random());
      }
    }
  }

  /** @param {any} message @param {string} ref @param {number} [againMs] @returns {Promise<any>} */
  #askOnce(message, ref, againMs) {
    if (this.#end) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      const pending = { message, sent: false, resolve, reject };
      const timers = [setTimeout(() => {
        reject(new Unanswered(`no answer within ${this.#options.answerMs} ms`));
        done();
      }, this.#options.answerMs)];
      if (againMs) timers.push(setTimeout(() => this.#connected && this.#connection.send(message, ref), againMs));
      const done = () => {
        timers.forEach(clearTimeout);
        this.#pending.delete(ref);
      };
      pending.resolve = (frame) => { done(); resolve(frame); };
      pending.reject = (error) => { done(); reject(error); };
      this.#pending.set(ref, pending);
      if (this.#connected) pending.sent = this.#connection.send(message, ref) !== null;
    });
  }

  /** @param {Frame} frame */
  #take(frame) {
    const before = this.view;
    this.view = State.apply(this.view, frame, performance.now());
    const pending = this.#pending.get(frame.ref ?? "");
    if (frame.type === "welcome") this.#resume();
    if (frame.type === "error") {
      if (frame.code === "replaced") return this.#finish(new Replaced("the player has connected elsewhere"));
      const refused = new Refused(frame.code, frame.message, frame.field, frame.players);
      if (frame.code === "not_signed_in") {
        this.#connected = false;
        if (pending) pending.sent = false; // it waits for the welcome
      } else if (["bad_token", "client_outdated"].includes(frame.code)) this.#finish(refused);
      else pending?.reject(refused);
      return;
    }
    if (frame.type === "replaced") return this.#finish(new Replaced("the player has connected elsewhere"));
    pending?.resolve(frame);
    const { offset: _, ...news } = this.view;
    if (!Object.entries(news).some(([key, value]) => before[/** @type {keyof typeof news} */ (key)] !== value)) return;
    this.#options.onChange?.(frame);
    for (const listener of [...this.#listeners]) listener(frame);
  }

  /** Go on where the last connection ended: send the waiting requests, fail those that are unsafe to repeat. */
  #resume() {
    this.#connected = true;
    for (const [ref, pending] of [...this.#pending]) {
      if (pending.sent && ONCE.includes(pending.message.action)) {
        pending.reject(new Unanswered("the connection was lost before the answer came"));
      } else pending.sent = this.#connection.send(pending.message, ref) !== null;
    }
  }

  #disconnected() {
    this.#connected = false;
  }

  /** @param {string} ref */
  #turnedAway(ref) {
    const pending = this.#pending.get(ref) ?? [...this.#pending.values()].filter((each) => each.sent).at(-1);
    if (!pending) return;
    if (ONCE.includes(pending.message.action)) pending.reject(new Unanswered("the gateway turned it away, or lost the answer"));
    else pending.reject(new Refused("busy", "The gateway had too much to do."));
  }

  /** @param {string} token */
  #keep(token) {
    this.token = token;
    this.#options.onToken?.(token);
  }

  /** @param {ClientError} reason */
  #finish(reason) {
    if (this.#end) return;
    this.#end = reason;
    this.#connected = false;
    this.#connection.close();
    for (const pending of [...this.#pending.values()]) pending.reject(reason);
    for (const listener of [...this.#listeners]) listener(null);
  }
}

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
