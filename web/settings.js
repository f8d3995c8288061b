/** The user's settings: their values, and how they are kept on the device. Pure, except for the store that is passed in. */

export const CHOICES = {
  motion: ["system", "on", "off"],
  keys: ["usual", "alphabet", "device"],
};

export const DEFAULTS = Object.freeze({
  sound: false, vibration: true, motion: "system", contrast: false, keys: "usual", leftHand: false, soon: false,
});

const fits = (name, value) =>
  (CHOICES[name] ? CHOICES[name].includes(value) : typeof value === typeof DEFAULTS[name]);

/** Return the settings that the store keeps, and the default for each that it does not hold or that does not fit. */
export function load(store) {
  let kept;
  try {
    kept = JSON.parse(store.read("settings") ?? "{}") ?? {};
  } catch {
    kept = {};
  }
  return Object.fromEntries(Object.entries(DEFAULTS).map(([name, value]) => [name, fits(name, kept[name]) ? kept[name] : value]));
}

/** Return the settings with one changed, and keep them. A value that does not fit changes nothing. */
export function change(store, settings, name, value) {
  if (!(name in DEFAULTS) || !fits(name, value)) return settings;
  const changed = { ...settings, [name]: value };
  store.save("settings", JSON.stringify(changed));
  return changed;
}

/** Return true if things may move. `reduced` is the system's wish. */
export const moves = (settings, reduced) => settings.motion === "on" || (settings.motion === "system" && !reduced);

/** Return rows of keys in the order that the user has chosen. */
export function rowsOf(language, settings) {
  if (settings.keys !== "alphabet") return language.keyboard;
  const letters = language.tiles.map((tile) => tile.letter);
  const rows = Math.ceil((letters.length + 3) / 10);
  const width = Math.ceil((letters.length + 3) / rows);
  return Array.from({ length: rows }, (_, i) => letters.slice(i * width, (i + 1) * width)).filter((row) => row.length);
}
