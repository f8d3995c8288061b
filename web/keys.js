/** Read the keys of a physical keyboard that is set to another alphabet by their position. Pure. */

const codes = (names) => names.split(" ");
const letters = (row) => codes(row).map((letter) => `Key${letter}`);
const PLACES = [
  [...letters("Q W E R T Y U I O P"), "BracketLeft", "BracketRight"],
  [...letters("A S D F G H J K L"), "Semicolon", "Quote"],
  [...letters("Z X C V B N M"), "Comma", "Period"],
];

// The usual physical layout of each language. The keyboard on the screen differs: it has just the game's letters.
const QWERTY = "qwertyuiop asdfghjkl zxcvbnm";
const ROWS = {
  de: "qwertzuiopü asdfghjklöä yxcvbnm",
  es: "qwertyuiop asdfghjklñ zxcvbnm",
  fr: "azertyuiop qsdfghjklm wxcvbn",
  kk: "йцукенгшщзхъ фывапролджэ ячсмитьбю",
  ru: "йцукенгшщзхъ фывапролджэ ячсмитьбю",
  uk: "йцукенгшщзхї фівапролджє ячсмитьбю",
};
const DIGITS = codes("Digit2 Digit3 Digit4 Digit5 Digit8 Digit9 Digit0 Minus Equal");
const MORE = {
  kk: new Map(/** @type {[string, string][]} */ ([...[..."әіңғүұқөһ"].map((letter, i) => [DIGITS[i], letter]), ["Backquote", "ё"]])),
  uk: new Map([["Backslash", "ґ"], ["IntlBackslash", "ґ"]]),
};

const isLatin = (text) => /\p{Script=Latin}/u.test(text);

/** Return the letter at the position of a key that typed another alphabet, or null: then the key means what it typed. */
export function letterAt(language, key, code) {
  const known = new Set(language.tiles.map((tile) => tile.letter));
  const more = MORE[language.code]?.get(code);
  if (more && !known.has(key) && !isOwn(language, key)) return more;
  if (!/\p{L}/u.test(key) || isOwn(language, key)) return null;
  const rows = (ROWS[language.code] ?? QWERTY).split(" ");
  const found = PLACES.map((row, i) => [...rows[i]][row.indexOf(code)]).find(Boolean);
  return found && known.has(found) ? found : null;
}

const isOwn = (language, key) => /\p{L}/u.test(key) && isLatin(key) === isLatin(language.tiles[0].letter);
