/** The page's texts in the language that the user reads: sentences with slots, plurals, lists, dates and numbers. */

/** The languages of the page: those of the game, and Vietnamese. */
export const PAGE_LANGUAGES = ["en", "id", "de", "es", "fr", "it", "nl", "uz", "pl", "pt", "kk", "ru", "uk", "vi"];

const FORMS = new Set(["one", "two", "few", "many", "other"]);

// The names of the slots that the arguments of a text fill, in order. A text without arguments is not listed.
const SLOTS = Object.fromEntries(Object.entries({
  rating: "n", games: "n", lastResult: "place change", makeLeaderLabel: "name", removeLabel: "name", groupTitle: "n",
  waitForLeader: "name", stillPlaying: "names", stillAway: "names", friendsJoined: "names n", bestPlace: "place",
  resultsOf: "when", playedAt: "when", duelWon: "winner loser", duelDrawn: "a b", duelStopped: "a b", turns: "n",
  boardOf: "a b", ratingBecame: "change rating", graph: "n first last most least", timesPlace: "place n",
  shareLine: "place n change", shareDuels: "won lost drawn", lobbySeats: "n seats", lobbyStarts: "n", round: "n",
  introYou: "name n", introSecond: "name", startsIn: "n", byeOf: "name", letters: "n", duelTitle: "name", duelOf: "a b",
  turnOf: "name", turnNumber: "n of", typeAhead: "n of", field: "n of letters whose", tile: "letter mark", rowGuess: "name word marks",
  rowYou: "word marks", rowSkip: "name", rowDraft: "word", rowEmpty: "name", notYet: "name", tooFew: "n",
  noSuchLetter: "letter language", byPosition: "language", wonBy: "name", forfeited: "name", wordWas: "word", livesLeft: "n",
  lastRound: "n", lastDuel: "n end", outlook: "best worst", outlookOne: "place", finalPlace: "place change", watchLabel: "a b", follow: "name", following: "name", reviewStart: "n", reviewRow: "before after",
  timesTurn: "n times", timeLeft: "n", standings: "n",
  livesOf: "n", overWinner: "name", overYou: "place change", overYouShared: "place change",
}).map(([key, names]) => [key, names.split(" ")]));

const PLACES = new Set(["place", "best", "worst"]);

let code = "en";
/** @type {any} */
let words = {}; // until the first `speak` has come back
let rules = makeRules();

function makeRules() {
  const plural = new Intl.PluralRules(code);
  const ordinal = new Intl.PluralRules(code, { type: "ordinal" });
  const number = new Intl.NumberFormat(code, { useGrouping: false });
  const list = new Intl.ListFormat(code, { type: "conjunction" });
  return { plural, ordinal, number, list };
}

/**
 * Load and use the texts of a language. If that fails, the texts stay as they are; on a page without any, they are
 * English. Return the language in use. Raises the browser's error if those cannot be loaded either.
 */
export async function speak(wanted) {
  if (PAGE_LANGUAGES.includes(wanted)) {
    try {
      use(wanted, (await import(`./texts/${wanted}.js`)).default);
    } catch { /* not reachable: better another language than no page */ }
  }
  if (!words.title) use("en", (await import("./texts/en.js")).default);
  document.documentElement.lang = code;
  document.documentElement.dir = "ltr"; // of all languages so far
  return code;
}

/** Use these texts at once. */
export function use(wanted, texts) {
  code = wanted;
  words = texts;
  rules = makeRules();
}

/** Return the page's language. */
export const spokenLanguage = () => code;

const formOf = (forms, category) => forms[category] ?? forms.other ?? forms.many;

const ordinalOf = (n) => fill(formOf(words.ordinal, rules.ordinal.select(n)), { n });

const signed = (n) => (n > 0 ? `+${rules.number.format(n)}` : n < 0 ? `−${rules.number.format(-n)}` : "±0");

/** Return the value of a slot as it is written: a number, a place, a change of rating, a list of names or a text. */
function written(name, value) {
  if (Array.isArray(value)) return rules.list.format(value);
  if (typeof value !== "number") return value;
  if (PLACES.has(name)) return ordinalOf(value);
  return name === "change" ? signed(value) : rules.number.format(value);
}

const fill = (sentence, slots) => sentence.replace(/\{(\w+)\}/g, (_, name) => written(name, slots[name]) ?? "");

function sentence(value, slots) {
  const isPlural = typeof value === "object" && Object.keys(value).every((key) => FORMS.has(key));
  return isPlural ? formOf(value, rules.plural.select(Number(slots.n ?? 1))) : value;
}

const format = (value, slots) => fill(sentence(value, slots), slots);

const slotsOf = (key, values) => Object.fromEntries(SLOTS[key].map((name, i) => [name, values[i]]));

/** Return a text's parts, in order, with an element in place of a slot: rich("wordWas", element). */
export function rich(key, ...values) {
  const slots = slotsOf(key, values);
  return sentence(words[key], slots).split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name ? written(name, slots[name]) : part;
  });
}

/** Texts that choose between others, and what no catalogue has: dates, numbers and names. */
const MADE = {
  signed,
  ordinal: ordinalOf,
  number: (n) => rules.number.format(n),
  clock: (ms) => new Date(ms).toLocaleTimeString(code, { timeStyle: "short" }),
  at: (ms) => new Date(ms).toLocaleString(code, { dateStyle: "medium", timeStyle: "short" }),
  points: (n) => `${n < 0 ? "−" : "+"}${new Intl.NumberFormat(code, { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(Math.abs(n))}`,
  range: (best, worst) => (best === worst ? ordinalOf(best) : `${ordinalOf(best)}–${ordinalOf(worst)}`),
  /** A language of the game by its own name, and by its name in the page's language if that differs. */
  languageName: ({ code: game, name, native_name }) => {
    let here = name;
    try { here = new Intl.DisplayNames(code, { type: "language" }).of(game); } catch { /* the English name does */ }
    return here.toLowerCase() === native_name.toLowerCase() ? native_name : `${native_name} (${here})`;
  },
  rules: (seconds) => words.rules.map((rule) => fill(rule, { seconds })),
  example: (guesses) => words.example.map((line, i) =>
    fill(line, { a: words.exampleNames[0], b: words.exampleNames[1], word: guesses[i] })),
  overYou: (place, shared, change) => format(words[shared ? "overYouShared" : "overYou"], { place, n: place, change }),
  recordLine: (rating, games, best) =>
    [text.rating(rating), text.games(games), best && text.bestPlace(best)].filter(Boolean).join(" · "),
  duelLine: (a, b, winner, ending) =>
    (winner ? text.duelWon(winner, winner === a ? b : a) : ending ? text.duelDrawn(a, b) : text.duelStopped(a, b)),
  /** How a duel ended that nobody won: without an ending an operator stopped it. */
  withoutWinner: (ending) => (ending ? text.drawnShort : text.stoppedShort),
  outlook: (best, worst) => (best === worst ? text.outlookOne(best) : format(words.outlook, { best, worst })),
  friendsJoined: (names) => format(words.friendsJoined, { names, n: names.length }),
  rowDraft: (word) => (word ? format(words.rowDraft, { word }) : words.rowDraftEmpty),
  graph: (points) => format(words.graph, {
    n: points.length - 1, first: points[0], last: points.at(-1), most: Math.max(...points), least: Math.min(...points),
  }),
  /** Why a request was refused, by its stable code; `names` are the members in the way, `until` is when it ends. */
  refusal: (wrong, names = [], until = "") => {
    const why = words.refusals[wrong] ?? words.otherRefusal;
    // An older server does not say when the wait ends: then that sentence is left out.
    return fill(until ? why : why.replace(/ [^.]*\{until\}[^.]*\.$/, ""), { names, until, code: wrong });
  },
};

/**
 * `text.play` is a text, `text.rating(1000)` one with its slots filled in, `text.marks` a table of texts.
 * @type {any}
 */
export const text = new Proxy({}, {
  get: (_, key) => {
    if (key in MADE) return MADE[key];
    if (!(key in SLOTS)) return words[key];
    return (...values) => {
      const slots = slotsOf(key, values);
      return format(words[key], slots);
    };
  },
});
