import assert from "node:assert/strict";
import { test } from "node:test";

import { DEFAULTS, change, load, moves, rowsOf } from "../../web/settings.js";
import { makeStore } from "../../web/store.js";

function fakeStorage() {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
}
const blocked = () => { throw new Error("SecurityError"); };
const full = () => ({ ...fakeStorage(), setItem: () => { throw new Error("QuotaExceededError"); } });

test("a setting is kept, and read again", () => {
  const storage = fakeStorage();
  change(makeStore(() => storage), DEFAULTS, "sound", true);
  assert.equal(load(makeStore(() => storage)).sound, true);
});

for (const [name, find] of [["blocked", blocked], ["full", full]]) {
  test(`storage that is ${name} keeps things as long as the page, and says so`, () => {
    const store = makeStore(find);
    const changed = change(store, load(store), "keys", "alphabet");
    assert.equal(changed.keys, "alphabet");
    assert.equal(load(store).keys, "alphabet");
    assert.equal(store.lasts(), false);
    store.forget("settings");
    assert.deepEqual(load(store), { ...DEFAULTS });
  });
}

test("what is no setting is left out", () => {
  for (const kept of ["{", "null", "[]", '{"sound": "loud", "motion": "wild", "more": 1}']) {
    const store = makeStore(fakeStorage);
    const storage = fakeStorage();
    storage.setItem("wordle-tournament.settings", kept);
    assert.deepEqual(load(makeStore(() => storage)), { ...DEFAULTS }, kept);
    assert.deepEqual(change(store, DEFAULTS, "motion", "wild"), DEFAULTS);
  }
});

test("things move as the user says, or else as the system says", () => {
  assert.deepEqual([true, false].map((reduced) => moves(DEFAULTS, reduced)), [false, true]);
  assert.equal(moves({ ...DEFAULTS, motion: "on" }, true), true);
  assert.equal(moves({ ...DEFAULTS, motion: "off" }, false), false);
});

test("an alphabetical keyboard has every key once, in order", () => {
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const language = { tiles: letters.map((letter) => ({ letter, label: letter })), keyboard: [["q"]] };
  const rows = rowsOf(language, { ...DEFAULTS, keys: "alphabet" });
  assert.deepEqual(rows.flat(), letters);
  assert.ok(rows.every((row) => row.length <= 11));
  assert.deepEqual(rowsOf(language, DEFAULTS), [["q"]]);
});
