import assert from "node:assert/strict";
import { test } from "node:test";

import { PAGE_LANGUAGES, rich, text, use } from "../../web/messages.js";
import english from "../../web/texts/en.js";

const FORMS = ["one", "two", "few", "many", "other"];
const isPlural = (value) => value && typeof value === "object" && !Array.isArray(value) && Object.keys(value).every((key) => FORMS.includes(key));
const slots = (sentence) => new Set([...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));

/** Every sentence of a catalogue by its path; the forms of a plural are one sentence with several values. */
function sentences(value, path = "") {
  if (typeof value === "string") return [[path, [value]]];
  if (isPlural(value)) return [[path, Object.values(value)]];
  return Object.entries(value).flatMap(([key, each]) => sentences(each, `${path}/${key}`));
}

const ENGLISH = new Map(sentences(english));

for (const code of PAGE_LANGUAGES) {
  const { default: words } = await import(`../../web/texts/${code}.js`);
  const here = new Map(sentences(words));

  test(`${code} has every text, and no other`, () => assert.deepEqual([...here.keys()], [...ENGLISH.keys()]));

  test(`${code} fills the same slots`, () => {
    for (const [path, forms] of here) {
      const known = new Set(ENGLISH.get(path).flatMap((form) => [...slots(form)]));
      for (const form of forms) {
        for (const name of slots(form)) assert.ok(known.has(name) || (name === "n" && known.has("place")), `${path}: {${name}}`);
        const counts = path === "/ordinal" || forms.length > 1 || isPlural(english[path.slice(1)]);
        for (const name of known) if (name !== "n" || !counts) assert.ok(slots(form).has(name), `${path} lacks {${name}}`);
      }
    }
  });

  test(`${code} has a form for every number`, () => {
    const rules = new Intl.PluralRules(code);
    for (const [key, value] of Object.entries(words)) {
      if (!isPlural(value) || key === "ordinal") continue;
      for (let n = 0; n <= 120; n += 1) assert.ok(rules.select(n) in value, `${key}: ${rules.select(n)} for ${n}`);
    }
  });

  test(`${code} says nothing with an empty text, and leaves no English`, () => {
    const same = [];
    for (const [path, forms] of here) {
      assert.equal(forms.some((form) => form.trim() === ""), path === "/where/free", path);
      if (code !== "en" && forms.join() === ENGLISH.get(path).join() && forms[0].replace(/\{\w+\}/g, "").length > 9) same.push(path);
    }
    assert.deepEqual(same.filter((path) => path !== "/title"), []);
  });

  test(`${code} writes every text without a slot left over`, () => {
    use(code, words);
    const values = [3, 2, "x", "y", "z"];
    for (const key of Object.keys(words)) {
      const made = text[key];
      if (typeof made !== "function" || ["languageName", "refusal", "rules", "example", "graph", "friendsJoined", "ordinal"].includes(key)) continue;
      assert.doesNotMatch(String(made(...values)), /[{}]|undefined|NaN/, key);
    }
    for (const wrong of Object.keys(words.refusals)) assert.doesNotMatch(text.refusal(wrong, ["a", "b"], "12:00"), /[{}]/);
    assert.ok(rich("wordWas", "WORD").includes("WORD"));
    for (let place = 1; place <= 8; place += 1) assert.match(text.finalPlace(place, -7), new RegExp(`${place}.*−7`));
    use("en", english);
  });
}

test("English counts and orders as people do", () => {
  assert.deepEqual([1, 2, 3, 4].map(text.ordinal), ["1st", "2nd", "3rd", "4th"]);
  assert.equal(text.games(1), "1 tournament finished");
  assert.equal(text.stillPlaying(["Ann", "Bob", "Cy"]), "Still playing or searching: Ann, Bob, and Cy");
  assert.equal(text.finalPlace(7, -18), "You finished 7th. Rating −18.");
});

test("an unknown code is told with the code, and no wait is made up", () => {
  assert.equal(text.refusal("strange"), "That did not work (strange).");
  assert.equal(text.refusal("too_many_renames"), "You can change your nickname three times an hour.");
});
