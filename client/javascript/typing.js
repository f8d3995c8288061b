/**
 * Turn typed text into tiles, by the server's own table of spellings: one key may be two characters (Uzbek sh, oʻ).
 * A draft is the tiles so far and `pending`, the beginning of a label that is no tile itself (the c of ch). Pure.
 */

/** @typedef {{letters: string[], pending: string}} Draft */

/** @type {Draft} */
export const EMPTY = Object.freeze({ letters: [], pending: "" });

const tables = new WeakMap();

/** Return a language's letters by spelling, and its labels by letter.
 * @param {import("./protocol.d.ts").Language} language */
function tableOf(language) {
  if (!tables.has(language)) {
    /** @type {Map<string, string>} */
    const labels = new Map(language.tiles.map((tile) => [tile.letter, tile.label]));
    /** @type {Map<string, string>} */
    const letters = new Map(Object.entries(language.spellings ?? {}));
    for (const [letter, label] of labels) letters.set(label, letter);
    for (const letter of labels.keys()) letters.set(letter, letter);
    tables.set(language, { labels, letters });
  }
  return tables.get(language);
}

/**
 * Return the draft after typing `text`, and the first character that the language does not have, if any.
 * @param {import("./protocol.d.ts").Language} language @param {number} length @param {Draft} draft @param {string} text
 * @returns {{draft: Draft, unknown: string | undefined}}
 */
export function type(language, length, draft, text) {
  const { labels, letters: table } = tableOf(language);
  let { letters, pending } = draft;
  let unknown;

  const put = (/** @type {string} */ found) => {
    letters = [...letters, ...found].slice(0, length);
    pending = "";
  };
  const one = (/** @type {string} */ char) => {
    const joined = pending || labels.get(letters.at(-1)) || "";
    const both = joined && table.get((joined + char).normalize("NFC"));
    if (both) {
      if (!pending) letters = letters.slice(0, -1);
      put(both);
    } else if (pending) {
      unknown ??= pending;
      pending = "";
      one(char);
    } else if (table.has(char)) put(table.get(char));
    else if ([...table.keys()].some((spelling) => spelling.startsWith(char))) pending = letters.length < length ? char : "";
    else unknown ??= char;
  };

  for (const char of text.normalize("NFC").toLowerCase()) {
    if (!/[\s\p{Cf}]/u.test(char)) one(char);
  }
  return { draft: { letters, pending }, unknown };
}

/** @param {Draft} draft @returns {Draft} */
export const erase = ({ letters, pending }) => (pending ? { letters, pending: "" } : { letters: letters.slice(0, -1), pending });

/**
 * A label as a tile shows it: A, Sh, Oʻ; and ß never becomes SS.
 * @param {string} label
 */
export function face(label) {
  const [first, ...rest] = label;
  return (first === "ß" ? "ẞ" : first.toUpperCase()) + rest.join("");
}
