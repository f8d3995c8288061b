/** Brings the parts together: frames change the state, the state is drawn, people's actions become messages. */

import { connection, store, takeOver, tokens } from "./start.js";
import { isMe, isOut, nameOf, overdue, ownDuel, player, screen, watchedDuel, watchedDuels } from "../client/javascript/game.js";
import { PAGE_LANGUAGES, speak, text } from "./messages.js";
import { letterAt } from "./keys.js";
import { labelsOf, news } from "./news.js";
import * as Settings from "./settings.js";
import * as Stage from "./stage.js";
import { nextToWatch } from "./watching.js";
import * as State from "../client/javascript/state.js";
import { EMPTY, erase, type } from "../client/javascript/typing.js";
import { askForName, askToDelete, askToLeave, draw, loadSheets, showFailure } from "./view.js";

const LOOK_MS = 500; // for answers and frames that do not come
const EDGE_MS = 2; // a timer may be early by a fraction
const MEMBERS_ANSWER_MS = 5_500;
const PATIENCE_MS = 5000;
const LONGEST_PAUSE_MS = 60_000;
const BUSY_TRIES = 5;
const DONE_MS = 5000;
const SLOW_MS = 1500;
const SHEETS_MS = 3000;
const DEAD_MS = 6000; // no answer to the first hello
const FIRST_REPEAT_MS = 400;
const REPEAT_MS = 80;
const CLICK_MS = 400;

const opened = performance.now();
let state = State.initial();
const ui = {
  draft: EMPTY, // the guess being typed
  pressed: null, // the button whose request waits for its answer: {what, arg, ref, at}
  slow: false, // the answer to it, or to the guess, takes long
  sent: null, // the guess waiting for its answer: {message, ref, at, tries}
  refusal: "", // why the last guess was not played
  message: "", // any other notice
  toldAt: 0,
  toldUntil: Infinity,
  language: store.read("language"),
  settings: Settings.load(store),
  lasts: true, // what is kept on the device outlasts the page
  invite: null, // to a friend's group, until it is joined or refused for good
  invited: false, // it has been tried by itself
  stage: Stage.initial(), // what is playing: rows that turn over, an ended duel that stays
  local: 0, // the device's time in ms, of a clock that nobody sets
  followed: null, // the player whose duel is the large one in every round
  sheetsCame: () => render(),
  sheetsFailed: () => {
    ui.sheets = [];
    tell(text.offline, DONE_MS);
    render();
  },
  sheets: [], // what the open dialog shows: record, results, board; the last one is on top
};
let lastHeard = 0;
let nextSync = 0;
let syncPause = 0;
let shown = null;
let asked = null; // the last request: {message, ref, tries}
let acting = null; // the button that is being pressed
let gathered = null; // the player's data, as far as they have come: {data, left}
let starting = null; // the start of the group while its members are asked: {message, ref, at}

const HANDLERS = {
  onFrame: receive,
  onStatus: (status) => {
    const before = state;
    state = State.connection(state, status);
    perform(before);
    render();
  },
  onTurnedAway: (ref) => refused({ code: "busy", ref }),
};

// Frames

function receive(frame, at) {
  const before = state;
  lastHeard = at;
  if (frame.ref && frame.ref === ui.pressed?.ref) ui.pressed = null;
  if (frame.type === "lobby" || (frame.ref && frame.ref === starting?.ref)) starting = null;
  state = State.apply(state, frame, at);
  (AFTER[frame.type] ?? (() => {}))(frame);
  if (state.notice && state.notice !== before.notice) tell(text.notices[state.notice.code] ?? "");
  settleGuess(before);
  perform(before);
  render();
}

const reduced = matchMedia("(prefers-reduced-motion: reduce)");
const still = () => !Settings.moves(ui.settings, reduced.matches);
/** Sound and vibration come after the first drawing: nobody misses them before. */
function signal(happening, settings, wait = 0) {
  if (settings.sound || settings.vibration) import("./feedback.js").then((feedback) => feedback.signal(happening, settings, wait)).catch(() => {});
}

let performed = 0; // the server's time up to which everything was performed

/** Plays what has happened since `before`: rows turn over, and the news are spoken. */
function perform(before) {
  const local = performance.now();
  const now = State.serverNow(state, local);
  const found = Stage.happenings(before, state, performed || now, now);
  performed = now;
  ui.stage = Stage.follow(ui.stage, found, local, still());
  for (const sentence of news(found, state, ui.settings)) say("#news", sentence);
  for (const each of found) signal(each, ui.settings, each.kind === "ended" ? (ui.stage.held?.read ?? local) - local : 0);
}

const AFTER = {
  welcome: () => {
    if (state.codes.some((code) => !state.languages[code])) connection.insist({ action: "languages" });
    if (!state.codes.includes(ui.language)) ui.language = preferredLanguage();
    if (ui.sent) resend();
    offered = null; // an answer may have been lost with the connection
    choose();
    acceptInvite();
  },
  left: () => connection.insist({ action: "sync" }),
  you: () => document.querySelector("#rename").close(),
  group: ({ ref }) => {
    if (ref?.startsWith("joinGroup")) {
      ui.invite = null;
      if (state.tournament) tell(text.joined, DONE_MS);
    }
    if (ref?.startsWith("removeMember") || ref?.startsWith("renewInvite")) tell(text.renewed);
  },
  profile: () => openSheet("record"),
  results: () => openSheet("results"),
  review: () => openSheet("review"),
  duel: ({ ref }) => ref?.startsWith("board") && openSheet("board"),
  duels: () => choose(wanted),
  export: ({ data }) => gather(data),
  deleted: () => {
    tokens.forget();
    closeDialogs();
  },
  error: refused,
};

const QUIET = ["hello", "ping", "sync", "languages"]; // nobody has asked for these by a click
const RECORDS = ["results", "profile", "board", "review", "export"]; // a refusal says nothing about the game

/** @param {{code: string, ref?: string, players?: string[], until_ms?: number, now_ms?: number}} refusal */
function refused({ code, ref = "", players = [], until_ms, now_ms }) {
  const action = ref.split("-")[0];
  // The wait is by the server's clock, the time shown by the device's.
  const until = until_ms && text.clock(Date.now() + until_ms - now_ms);
  const why = text.refusal(code, players.map((id) => nameOf(state, id)), until);
  if (code === "flooding") return tell(why);
  // Nobody clicks for the invite of a link, and joining twice is joining once.
  const passing = code === "busy" || (code === "internal" && action === "joinGroup");
  if (passing && ref === asked?.ref && asked.tries < BUSY_TRIES) {
    const { message, tries } = asked;
    // With the same ref: the gateway's own refusal may be of a lost answer, and by the ref the server knows that request.
    setTimeout(() => request(message, tries + 1, ref), 300 * 2 ** tries * (0.5 + Math.random()));
    return;
  }
  if (action === "guess" && ref !== ui.sent?.ref) {
    if (!ui.sent) refuseGuess(why); // the turn ran out while it was on its way: its row shows that already
  } else if (action === "guess") {
    if (["busy", "internal"].includes(code) && ui.sent.tries < 4) ui.sent.at = performance.now() - PATIENCE_MS + 300; // again, in a moment
    else refuseGuess(why);
  } else if (action === "rename") {
    askForName(state, why);
    say("#alerts", why);
  } else if (action === "watchAll" && ref !== asked?.ref) {
    // Nobody has clicked for it: the next round has begun meanwhile, or the server is older than this page.
  } else if (ref && !QUIET.includes(action)) {
    if (code === "no_such_group") ui.invite = null;
    tell(why);
    if (!RECORDS.includes(action)) connection.insist({ action: "sync" });
  }
}

/**
 * A friend's link ends with #group= and the invite, which browsers send to no server. It is taken out of the address
 * at once and tried once: reloading the page must not bring the player back into a group.
 */
function readInvite() {
  const invite = new URLSearchParams(location.hash.slice(1)).get("group");
  if (!invite) return;
  Object.assign(ui, { invite, invited: false });
  history.replaceState(null, "", location.pathname + location.search);
}

function acceptInvite() {
  if (!ui.invite || ui.invited || state.status !== "online") return;
  ui.invited = true;
  request({ action: "joinGroup", invite: ui.invite });
}

addEventListener("hashchange", () => {
  readInvite();
  acceptInvite();
});

function preferredLanguage() {
  const wished = navigator.languages.map((tag) => tag.split("-")[0]);
  return wished.find((code) => state.codes.includes(code)) ?? (state.codes.includes("en") ? "en" : state.codes[0]);
}

// Guessing

function settleGuess(before) {
  const duel = ownDuelIfAny(state);
  const old = ownDuelIfAny(before);
  if (!duel || duel.duel_id !== old?.duel_id || duel.over) {
    Object.assign(ui, { draft: EMPTY, sent: null, refusal: "" });
  } else if (duel.rows.length > old.rows.length) {
    ui.refusal = "";
    if (duel.rows.slice(old.rows.length).some((row) => row.word && isMe(state, row.player_id))) ui.draft = EMPTY;
    if (ui.sent && ui.sent.message.turn < duel.turn) ui.sent = null;
  }
}

const ownDuelIfAny = (some) => (some.you && some.tournament ? ownDuel(some) : undefined);

function typeText(characters) {
  const duel = ownDuelIfAny(state);
  const language = duel && state.languages[duel.language];
  if (!language || ui.sent) return;
  const { draft, unknown } = type(language, duel.length, ui.draft, characters);
  ui.draft = draft;
  ui.refusal = "";
  if (unknown) refuseGuess(text.noSuchLetter(unknown, text.languageName(language)));
  render();
}

function submit() {
  const duel = ownDuelIfAny(state);
  if (!duel || duel.over || ui.sent) return;
  if (!isMe(state, duel.to_move)) return refuseGuess(text.notYet(player(state, duel.to_move).nickname));
  if (ui.draft.letters.length < duel.length) return refuseGuess(text.tooFew(duel.length));
  const message = { action: "guess", duel: duel.duel_id, turn: duel.turn, word: ui.draft.letters.join("") };
  ui.sent = { message, ref: connection.ref("guess"), tries: 0, since: performance.now() };
  ui.refusal = "";
  resend();
  render();
}

/** The same guess of the same turn counts once, however often it arrives. */
function resend() {
  ui.sent.tries += 1;
  ui.sent.at = performance.now();
  connection.send(ui.sent.message, ui.sent.ref);
}

function refuseGuess(why) {
  ui.sent = null;
  ui.refusal = why;
  signal({ kind: "refused" }, ui.settings);
  say("#alerts", why);
  render();
}

// The user's actions

const ACTIONS = {
  play: () => join(ui.language),
  "leave-lobby": () => send({ action: "leave", what: "lobby", id: state.lobby?.lobby_id }),
  leave: () => askToLeave(),
  "leave-now": () => {
    document.querySelector("#confirm").close();
    leaveTournament();
  },
  home: leaveTournament,
  again: () => (state.group ? leaveTournament() : join(state.tournament.language)),
  "create-group": () => send({ action: "createGroup" }),
  "start-group": () => {
    store.save("language", ui.language);
    const message = { action: "startGroup", language: ui.language };
    send(message);
    starting = { message, ref: asked?.ref, at: performance.now() };
  },
  "join-group": () => send({ action: "joinGroup", invite: ui.invite }),
  "leave-group": () => send({ action: "leaveGroup", group: state.group?.group_id }),
  "remove-member": (player) => send({ action: "removeMember", player }),
  "hand-over": (player) => send({ action: "handOver", player }),
  "renew-invite": () => send({ action: "renewInvite" }),
  "copy-invite": async (link) => {
    document.querySelector("#invite").select();
    try {
      await navigator.clipboard.writeText(link);
      tell(text.copied, DONE_MS);
    } catch { /* not allowed here: it is selected, to be copied by hand */ }
    render();
  },
  share: async (words) => {
    try {
      if (navigator.share && matchMedia("(pointer: coarse)").matches) await navigator.share({ text: words });
      else {
        await navigator.clipboard.writeText(words);
        tell(text.shared, DONE_MS);
      }
    } catch { /* not allowed here, or the user has thought better of it */ }
    render();
  },
  record: () => send({ action: "profile" }),
  results: (tournament) => send({ action: "results", tournament }),
  board: (duel) => send({ action: "board", duel }),
  review: (duel) => send({ action: "review", duel }),
  "how-to": () => {
    openSheet("how-to");
    render();
  },
  settings: () => {
    openSheet("settings");
    render();
  },
  reload: () => location.reload(),
  "close-sheet": () => {
    ui.sheets.pop();
    ui.message = "";
    render();
  },
  export: () => send({ action: "export" }),
  delete: () => askToDelete(),
  rename: () => askForName(state),
  "close-rename": () => document.querySelector("#rename").close(),
  watch: (duel) => {
    idle = null;
    wanted = duel;
    if (state.watched.includes(duel)) choose(duel);
    else send({ action: "watchAll" });
    ui.stage = Stage.release(ui.stage);
    render();
    document.querySelector(".versus")?.scrollIntoView({ block: "nearest" });
  },
  follow: (id) => {
    ui.followed = ui.followed === id ? null : id;
    wanted = null;
    if (ui.followed) choose(nextToWatch(state, id)?.duel_id);
    render();
  },
  unwatch: () => {
    idle = roundNow();
    send({ action: "unwatch" });
  },
  "take-over": () => connection.open(),
  "start-anew": () => {
    tokens.forget();
    connection.open();
  },
  key: (letter) => typeText(letter),
  enter: submit,
  erase: eraseLetter,
  "go-on": () => {
    ui.stage = Stage.release(ui.stage);
    render();
  },
};

function leaveTournament() {
  send({ action: "leave", what: "tournament", id: state.tournament?.tournament_id });
}

function join(language) {
  store.save("language", language);
  send({ action: "join", language });
}

function send(message) {
  ui.message = "";
  const ref = request(message);
  if (!ref) tell(text.offline);
  else if (acting) ui.pressed = { what: acting.dataset.do, arg: acting.dataset.arg, ref, at: ui.local };
  render();
}

function request(message, tries = 0, again = undefined) {
  const ref = connection.send(message, again);
  if (ref) asked = { message, ref, tries };
  return ref;
}

function openSheet(name) {
  if (!ui.sheets.includes(name)) ui.sheets.push(name);
}

function closeDialogs() {
  ui.sheets = [];
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
}

document.querySelector("#sheet").addEventListener("close", () => { ui.sheets = []; });

/** The player's data come in several frames if the player has played very many tournaments. */
function gather(data) {
  if (data.player) gathered = { data, left: data.history?.pages?.length ?? 0 };
  else gathered.data.older_tournaments = [...(gathered.data.older_tournaments ?? []), ...data.tournaments];
  if (gathered.left) {
    connection.insist({ action: "export", page: gathered.left });
    gathered.left -= 1;
  } else download("wordle-tournament.json", JSON.stringify(gathered.data, null, 2));
}

function download(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  tell(text.exported);
}

function eraseLetter() {
  if (ui.sent) return;
  Object.assign(ui, { draft: erase(ui.draft), refusal: "" });
  render();
}

document.addEventListener("click", (event) => {
  const target = event.target.closest?.("[data-do]");
  if (!target) {
    if (event.target.closest?.(".board")) guessField()?.focus({ preventScroll: true });
    return;
  }
  const until = touched.get(target); // a key of the keyboard has acted when it went down
  touched.delete(target);
  if (target.disabled || (event.detail && until > performance.now())) return;
  press(target);
});

function press(target) {
  acting = target;
  ACTIONS[target.dataset.do](target.dataset.arg);
  acting = null;
}

// The keyboard on the screen: a key acts when it goes down, so that two thumbs lose no letter. A click that no pointer
// has begun, from a keyboard or from assistive software, acts as well.

const touched = new Map(); // keys that have acted, and until when their click may still come
const holds = new Map(); // by pointer: {target, timer}

document.addEventListener("pointerdown", (event) => {
  tabbed = null;
  const target = event.target.closest?.(".keyboard [data-do]");
  if (!target || event.button) return;
  event.preventDefault(); // keeps the focus where it is, or a typed Enter would press the key again
  press(target);
  touched.set(target, Infinity);
  if (!still()) target.animate([{ filter: "brightness(.75)", transform: "scale(.94)" }, {}], 140);
  let timer = 0;
  const repeat = () => {
    if (target.dataset.do !== "erase") return;
    press(target);
    timer = setTimeout(repeat, REPEAT_MS);
    holds.set(event.pointerId, { target, timer });
  };
  timer = setTimeout(repeat, FIRST_REPEAT_MS);
  holds.set(event.pointerId, { target, timer });
});

for (const type of ["pointerup", "pointercancel"]) {
  document.addEventListener(type, ({ pointerId }) => {
    const hold = holds.get(pointerId);
    if (!hold) return;
    clearTimeout(hold.timer);
    holds.delete(pointerId);
    touched.set(hold.target, performance.now() + CLICK_MS); // a second finger gets no click
  });
}

// Where the mouse begins a click it would take the focus.
document.addEventListener("mousedown", (event) => {
  if (event.target.closest?.(".keyboard")) event.preventDefault();
});

document.addEventListener("change", ({ target }) => {
  if (target.id === "language") ui.language = target.value;
  if (target.id === "page-language") changePageLanguage(target.value);
  const { setting } = target.dataset;
  if (setting) {
    ui.settings = Settings.change(store, ui.settings, setting, target.type === "checkbox" ? target.checked : target.value);
    applySettings();
    if (setting === "sound" || setting === "vibration") signal({ kind: "turn", mine: true }, ui.settings);
    render();
  }
});

document.addEventListener("submit", (event) => {
  if (event.target.id === "delete-form" && event.submitter.value === "delete") send({ action: "deleteMe", confirm: true, player: state.you?.player_id });
  if (event.target.id !== "rename-form") return;
  event.preventDefault();
  const nickname = document.querySelector("#nickname").value;
  if (!request({ action: "rename", nickname })) askForName(state, text.offline);
});

const guessField = () => document.querySelector("#guess");
const ownControl = (target) => target.closest?.("input:not(#guess), select, textarea, dialog");

let lastKey = "";
let tabbed = null; // the control that the user has reached by Tab: Enter presses that one

document.addEventListener("focusin", ({ target }) => { tabbed = lastKey === "Tab" ? target : null; });

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  lastKey = key;
  const shortcut = (event.ctrlKey || event.metaKey) && !event.getModifierState("AltGraph");
  if (shown === "ended" && screen(state, State.serverNow(state, performance.now())) === "duel") {
    ui.stage = Stage.release(ui.stage); // the next duel's clock runs: a letter is meant for it
    render();
  }
  const menu = event.altKey && /^[\x20-\x7e]$/.test(key);
  if (shown !== "duel" || shortcut || menu || event.isComposing || ownControl(target)) return;
  const control = target.closest?.("button, a, summary");
  if (key === "Enter") {
    if (control && control === tabbed) return; // presses it
    if (!event.repeat) submit();
  } else if (key === "Backspace") eraseLetter();
  else if (key === " " && control) return; // presses it
  else if (key === " ") sayTime(); // no word has a space, and it does not scroll the board away either
  else if ([...key].length === 1) typeKey(key, event.code);
  else return;
  event.preventDefault();
  if (key !== "Enter") guessField()?.focus({ preventScroll: true });
});

/** Say whose turn it is and how much time is left. */
function sayTime() {
  const duel = ownDuel(state);
  const seconds = Math.max(0, Math.ceil((duel.deadline_ms - State.serverNow(state, performance.now())) / 1000));
  say("#news", `${isMe(state, duel.to_move) ? text.yourTurn : text.turnOf(player(state, duel.to_move).nickname)}. ${text.timeLeft(seconds)}`);
}

let explained = false; // that keys are read by their position

function typeKey(key, code) {
  const duel = ownDuelIfAny(state);
  const language = duel && state.languages[duel.language];
  const letter = language && letterAt(language, key, code);
  if (letter && !explained) {
    explained = true;
    tell(text.byPosition(text.languageName(language)), DONE_MS);
  }
  typeText(letter ?? key);
}

/** Read the field after an input method, dictation, the keyboard of a device or assistive software has changed it. */
function readField(field) {
  if (ui.sent) return render();
  const old = ui.draft;
  ui.draft = EMPTY;
  typeText(field.value.slice(0, 64));
  if (ui.draft === EMPTY && !field.value) ui.refusal = "";
  if (!state.languages[ownDuelIfAny(state)?.language]) ui.draft = old;
  render();
}

document.addEventListener("input", (event) => {
  if (event.target.id === "guess" && !event.isComposing) readField(event.target);
});
document.addEventListener("compositionend", ({ target }) => { if (target.id === "guess") readField(target); });

/** The field holds the draft, as it is written. */
function fillField(composing) {
  const field = guessField();
  const duel = field && ownDuelIfAny(state);
  if (!duel || composing) return;
  const written = ui.draft.letters.map(labelsOf(state, duel.language)).join("") + ui.draft.pending;
  if (field.value !== written) field.value = written;
}

let composing = false;
document.addEventListener("compositionstart", () => { composing = true; });
document.addEventListener("compositionend", () => { composing = false; });

document.addEventListener("paste", (event) => {
  if (shown !== "duel" || ownControl(event.target)) return;
  event.preventDefault();
  typeText(event.clipboardData.getData("text").slice(0, 64));
});

// Drawing

/** Stays until the user's next action, or for the given time, so that a user who was away finds it. */
function tell(words, ms = Infinity) {
  Object.assign(ui, { message: words, toldAt: performance.now(), toldUntil: performance.now() + ms });
  say("#alerts", words);
}

const NEWS_KEPT = 6;

/** Have screen readers read it out: each sentence is an element of its own, so that none is cut off by the next. */
function say(where, words) {
  if (!words) return;
  const line = document.createElement("p");
  line.textContent = words;
  const place = document.querySelector(where);
  place.append(line);
  while (place.childElementCount > NEWS_KEPT) place.firstChild.remove();
}

let ready = false; // the texts are there

function render() {
  if (!ready) return;
  ui.local = performance.now();
  if (performance.now() > ui.toldUntil) ui.message = "";
  const now = State.serverNow(state, ui.local);
  if (ui.pressed && (state.status !== "online" || ui.local - ui.pressed.at > LONGEST_PAUSE_MS)) ui.pressed = null;
  ui.slow = [ui.sent?.since, ui.pressed?.at].some((since) => ui.local - since > SLOW_MS) || (!state.you && ui.local - opened > DEAD_MS);
  ui.lasts = store.lasts();
  const name = draw(state, ui, now);
  fillField(composing);
  const duel = name === "duel" && ownDuel(state);
  const turn = duel && isMe(state, duel.to_move);
  const heading = turn ? `● ${text.yourTurn} · ${text.title}` : text.title;
  if (document.title !== heading) document.title = heading;
  drawLater(name, now);
  if (name !== shown) cameFromDuel = ["duel", "ended", "introduction"].includes(shown);
  if (name === shown) return watchOn();
  shown = name;
  setTimeout(look); // what the new screen asks for by itself
  if (performance.now() - ui.toldAt > LOOK_MS) ui.message = ""; // it was about the screen before
  if (state.tournament === null || isOut(state)) document.querySelector("#confirm").close();
  if (!document.querySelector("dialog[open]")) (guessField() ?? document.querySelector("#screen h1"))?.focus({ preventScroll: true });
  scrollTo(0, 0);
}

// A player whose duel is over sees the others without asking, as soon as their own has been looked at: the game's last
// duels are its most interesting ones. One request for each round, none after "Stop watching".

const READ_MS = 3000; // for the end of the large board

let idle = null; // the round in which the user does not want to watch
let offered = null; // the round whose duels were asked for last
let wanted = null; // the duel that the user has chosen to see large
let endedAt = null; // when the duel on the large board was over, by the device's clock

const roundNow = () => `${state.tournament?.tournament_id}/${state.tournament?.round}`;

/** Show a duel on the large board; without one, the duel most worth watching if the one there is over. */
function choose(duel = null) {
  const large = watchedDuel(state);
  const next = duel && state.watched.includes(duel) ? duel : (!large || large.over || !wanted) && nextToWatch(state, ui.followed)?.duel_id;
  if (next) state = State.look(state, next);
}

function watchOn() {
  const watched = watchedDuel(state);
  if (!watched?.over) endedAt = null;
  else endedAt ??= ui.local;
  if (shown !== "aside" || state.status !== "online" || idle === roundNow()) return;
  if (cameFromDuel && !watchedDuels(state).length && offered !== roundNow() && running(state)) {
    offered = roundNow();
    wanted = null;
    connection.insist({ action: "watchAll" }, BUSY_TRIES);
  } else if (watched?.over && ui.local - endedAt >= READ_MS && nextToWatch(state)) {
    wanted = null;
    choose();
    setTimeout(look);
  }
}

/** Return true if a duel that is not the user's is running. */
const running = ({ tournament, you, duels }) =>
  tournament.matches.some(({ duel_id, players }) => !duels[duel_id]?.over && !players.includes(you.player_id));

let cameFromDuel = false; // this page has shown the tournament's round before: nothing is chosen on a page just opened

let wake = 0; // the timer of the next drawing that no frame and no user causes

/** Draw again when something on the page changes by itself: a countdown, a row that turns over, a notice that goes. */
function drawLater(name, now) {
  clearTimeout(wake);
  const next = Math.min(ui.local + secondsChange(name, now), Stage.nextCue(ui.stage, ui.local), later(endedAt + READ_MS), ui.message ? ui.toldUntil : Infinity,
    ...[ui.sent?.since, ui.pressed?.at].map((since) => later(since + SLOW_MS)), state.you ? Infinity : later(opened + DEAD_MS));
  if (next < Infinity) wake = setTimeout(look, Math.max(next - ui.local, 0) + EDGE_MS);
}

const later = (moment) => (moment > ui.local ? moment : Infinity);

/** Return the time in ms until a countdown on this screen shows another number. */
function secondsChange(name, now) {
  const { tournament } = state;
  if (!tournament || tournament.over) return Infinity;
  const ends = [tournament.starts_at_ms, ...[ownDuel(state), watchedDuel(state)].map((duel) => duel?.deadline_ms)];
  const running = ["introduction", "duel", "ended", "aside"].includes(name) ? ends.filter((end) => end > now) : [];
  return Math.min(...running.map((end) => (end - now) % 1000 || 1000));
}

function look() {
  perform(state);
  render();
}

// A hidden page draws nothing for anybody; what was due is drawn when it is seen again.
document.addEventListener("visibilitychange", look);

setInterval(() => {
  const now = performance.now();
  if (ui.sent && now - ui.sent.at >= PATIENCE_MS) resend();
  if (starting && now - starting.at >= MEMBERS_ANSWER_MS) {
    // Not all members have answered. The server now names those who have not.
    connection.send(starting.message, starting.ref);
    starting = null;
  }
  if (!overdue(state, State.serverNow(state, now))) syncPause = PATIENCE_MS;
  else if (state.status === "online" && now - lastHeard > PATIENCE_MS && now > nextSync) {
    connection.send({ action: "sync" });
    nextSync = now + syncPause;
    syncPause = Math.min(syncPause * 2, LONGEST_PAUSE_MS);
  }
}, LOOK_MS);

/** The style sheet follows what the user has chosen. */
function applySettings() {
  const { contrast, leftHand } = ui.settings;
  const set = (name, value) => { document.documentElement.toggleAttribute(name, value); };
  set("data-moves", !still());
  set("data-contrast", contrast);
  set("data-left", leftHand);
}
reduced.addEventListener("change", applySettings);

async function changePageLanguage(code) {
  store.save("page-language", code);
  await speak(code);
  redrawAll();
}

/** Every text is new, also in dialogs that are open. */
function redrawAll() {
  for (const dialog of document.querySelectorAll("dialog:not(#sheet)")) dialog.close();
  render();
}

function wantedPageLanguage() {
  const kept = store.read("page-language");
  if (PAGE_LANGUAGES.includes(kept)) return kept;
  return navigator.languages.map((tag) => tag.split("-")[0]).find((code) => PAGE_LANGUAGES.includes(code)) ?? "en";
}

// A mistake in this page: say so, once, with a way on. The game itself is at the server.
let failed = false;
function fail() {
  if (failed) return;
  failed = true;
  const dialog = document.querySelector("#confirm");
  dialog.close();
  showFailure(dialog);
}
addEventListener("error", (event) => { if (event.error) fail(); });
addEventListener("unhandledrejection", fail);

readInvite();
applySettings();
await speak(wantedPageLanguage());
ready = true;
takeOver(HANDLERS);
document.documentElement.dataset.started = "";
look();
setTimeout(() => loadSheets().catch(() => {}), SHEETS_MS); // a dialog then opens at once, without a network too
