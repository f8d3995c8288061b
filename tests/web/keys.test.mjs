import assert from "node:assert/strict";
import { test } from "node:test";

import { letterAt } from "../../web/keys.js";

const language = (code, letters) => ({ code, tiles: [...letters].map((letter) => ({ letter, label: letter })) });
const LATIN = "abcdefghijklmnopqrstuvwxyz";
const RU = language("ru", "абвгдежзийклмнопрстуфхцчшщъыьэюя");

test("a Latin keyboard types Russian by position", () => {
  assert.equal(letterAt(RU, "q", "KeyQ"), "й");
  assert.equal(letterAt(RU, "m", "KeyM"), "ь");
  assert.equal(letterAt(RU, "ö", "Semicolon"), "ж");
});
test("a Cyrillic keyboard types Latin languages by position", () => {
  assert.equal(letterAt(language("en", LATIN), "й", "KeyQ"), "q");
  assert.equal(letterAt(language("fr", LATIN), "й", "KeyQ"), "a");
  assert.equal(letterAt(language("de", `${LATIN}äöüß`), "н", "KeyY"), "z");
});
test("a key of the language's own alphabet means what it typed", () => {
  assert.equal(letterAt(RU, "й", "KeyQ"), null);
  assert.equal(letterAt(language("fr", LATIN), "q", "KeyA"), null);
  assert.equal(letterAt(language("pl", "ąa"), "ą", "KeyA"), null);
});
test("Kazakh's own letters are on the digits, the Ukrainian ґ on its key", () => {
  const kk = language("kk", "аәбвгғіңүұқөһё");
  assert.equal(letterAt(kk, "2", "Digit2"), "ә");
  assert.equal(letterAt(kk, "ә", "Digit2"), null);
  assert.equal(letterAt(language("uk", "абґ"), "\\", "Backslash"), "ґ");
});
test("what no layout has stays what it is", () => {
  assert.equal(letterAt(RU, "5", "Digit5"), null);
  assert.equal(letterAt(RU, "q", ""), null);
  assert.equal(letterAt(language("uz", "abdef"), "ц", "KeyW"), null);
});
