/**
 * Turn typed text into tiles, by the labels of the language: one key may be two characters (Uzbek sh, oʻ).
 * A draft is the tiles so far and `pending`, the beginning of a label that is no tile itself (the c of ch). Pure.
 */

export const EMPTY = Object.freeze({ letters: [], pending: "" });

const APOSTROPHES = /[\u02bb\u02bc\u02bd\u02b9\u2018\u2019\u201b\u2032\u0060\u00b4\u0027\uff07]/gu;
const LIGATURES = { œ: "oe", æ: "ae", ĳ: "ij", ı: "i" };

/** The draft after typing `text`, and the first character that the language does not have, if any. */
export function type(language, length, draft, text) {
  const byLabel = new Map(language.tiles.map((tile) => [plain(tile.label), tile.letter]));
  const labels = new Map(language.tiles.map((tile) => [tile.letter, plain(tile.label)]));
  let { letters, pending } = draft;
  let unknown;

  const put = (letter) => {
    if (letters.length < length) letters = [...letters, letter];
    pending = "";
  };
  const one = (char) => {
    const joined = pending || labels.get(letters.at(-1)) || "";
    const both = byLabel.get(joined + char);
    if (joined && both) {
      if (!pending) letters = letters.slice(0, -1);
      put(both);
    } else if (pending) {
      unknown ??= pending;
      pending = "";
      one(char);
    } else if (byLabel.has(char)) put(byLabel.get(char));
    else if (labels.has(char)) put(char);
    else if ([...byLabel.keys()].some((label) => label.startsWith(char))) pending = letters.length < length ? char : "";
    else if (LIGATURES[char]) [...LIGATURES[char]].forEach(one);
    else if (byLabel.has(base(char))) put(byLabel.get(base(char)));
    else unknown ??= char;
  };

  for (const char of plain(text)) {
    if (!/[\s\p{M}\p{Cf}]/u.test(char)) one(char);
  }
  return { draft: { letters, pending }, unknown };
}

export const erase = ({ letters, pending }) => (pending ? { letters, pending: "" } : { letters: letters.slice(0, -1), pending });

const plain = (text) => text.normalize("NFC").toLowerCase().replace(APOSTROPHES, "ʻ");
const base = (char) => [...char.normalize("NFD")][0];

/** A label as a tile shows it: A, Sh, Oʻ; and ß never becomes SS. */
export function face(label) {
  const [first, ...rest] = label;
  return (first === "ß" ? "ẞ" : first.toUpperCase()) + rest.join("");
}
