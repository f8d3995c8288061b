import assert from "node:assert/strict";
import { test } from "node:test";

import { EMPTY, erase, face, type } from "../../client/javascript/typing.js";

const language = (letters, spellings = {}, labels = {}) => ({
  tiles: [...letters].map((letter) => ({ letter, label: labels[letter] ?? letter })), spellings,
});
const EN = language("abcdefghijklmnopqrstuvwxyz", { é: "e", ĳ: "ij" });
const RU = language("абвгдежзийклмнопрстуфхцчшщъыьэюя", { ё: "е" });
const DE = language("abcdefghijklmnopqrstuvwxyzäöüß");
const PL = language("aąbcćdeęfghijklłmnńoóprsśtuwyzźż");
const MARKS = "ʻʼ’‘'`´";
const UZ = language("abdefghijklmnopqrstuvxyzöğşç", {
  sh: "ş", ch: "ç", ō: "ö", ...Object.fromEntries([...MARKS].flatMap((mark) => [[`o${mark}`, "ö"], [`g${mark}`, "ğ"]])),
}, { ö: "oʻ", ğ: "gʻ", ş: "sh", ç: "ch" });

const typed = (in_, text, length = 6) => type(in_, length, EMPTY, text).draft.letters.join("");

test("letters of either case", () => assert.equal(typed(EN, "CraNe"), "crane"));
test("no more than the word has", () => assert.equal(typed(EN, "cranes", 5), "crane"));
test("spaces and invisible characters are no letters", () => assert.equal(typed(EN, " cr\u200bane\u00ad "), "crane"));
test("Cyrillic; ё is е in Russian, й is itself", () => assert.equal(typed(RU, "Ёйи"), "ейи"));
test("a decomposed letter is the composed one", () => assert.equal(typed(DE, "u\u0308ber"), "über"));
test("ß stays one letter, ẞ too", () => assert.equal(typed(DE, "ßẞ"), "ßß"));
test("marks that the language does not have are dropped, its own stay", () => {
  assert.equal(typed(EN, "café"), "cafe");
  assert.equal(typed(PL, "żółć"), "żółć");
});
test("ligatures are two letters", () => assert.equal(typed(EN, "ĳs"), "ijs"));

test("Uzbek: sh and ch are one tile, however they come", () => {
  assert.equal(typed(UZ, "shch"), "şç");
  const s = type(UZ, 5, EMPTY, "s").draft;
  assert.deepEqual(type(UZ, 5, s, "h").draft.letters, ["ş"]);
});
test("Uzbek: ō is the server's ö, no o", () => assert.equal(typed(UZ, "ō"), "ö"));
test("a mark that comes after its letter is folded with it", () => assert.equal(type(EN, 5, type(EN, 5, EMPTY, "e").draft, "\u0301").draft.letters.join(""), "e"));
for (const mark of MARKS) {
  test(`Uzbek: o${mark} and g${mark} are one tile`, () => assert.equal(typed(UZ, `o${mark}g${mark}`), "öğ"));
}
test("Uzbek: the last tile may still become a digraph when all are full", () => assert.equal(typed(UZ, "abos" + "h", 4), "aboş"));
test("Uzbek: a c waits for its h, and is no letter without it", () => {
  const { draft } = type(UZ, 5, EMPTY, "c");
  assert.deepEqual(draft, { letters: [], pending: "c" });
  assert.deepEqual(erase(draft), EMPTY);
  const next = type(UZ, 5, draft, "a");
  assert.deepEqual([next.draft.letters, next.unknown], [["a"], "c"]);
});
test("Uzbek: a key of the screen's keyboard is its letter", () => assert.equal(typed(UZ, "ö"), "ö"));

test("the first letter that the language does not have is told", () => {
  assert.equal(type(RU, 5, EMPTY, "q").unknown, "q");
  assert.equal(type(EN, 5, EMPTY, "5").unknown, "5");
  assert.equal(type(UZ, 5, EMPTY, "'").unknown, "'");
});

test("deleting", () => {
  assert.deepEqual(erase({ letters: ["a", "b"], pending: "" }), { letters: ["a"], pending: "" });
  assert.deepEqual(erase(EMPTY), EMPTY);
});

test("a tile's face: ß never becomes SS, a digraph has one capital", () => {
  assert.deepEqual(["a", "ß", "sh", "oʻ", "й"].map(face), ["A", "ẞ", "Sh", "Oʻ", "Й"]);
});
