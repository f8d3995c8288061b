/** Keep small texts on the device. Where the browser keeps nothing, they last as long as the page. */

const PREFIX = "wordle-tournament.";

/** `find` returns the browser's storage, or throws where that is blocked. */
export function makeStore(find = () => localStorage) {
  const memory = new Map();
  let lasting = true;
  const attempt = (use, otherwise) => {
    try {
      return use(find());
    } catch {
      lasting = false;
      return otherwise();
    }
  };
  return {
    read: (name) => attempt((storage) => storage.getItem(PREFIX + name), () => memory.get(name) ?? null) ?? memory.get(name) ?? null,
    save: (name, value) => {
      memory.set(name, value);
      attempt((storage) => storage.setItem(PREFIX + name, value), () => {});
    },
    forget: (name) => {
      memory.delete(name);
      attempt((storage) => storage.removeItem(PREFIX + name), () => {});
    },
    /** Return true if what is saved outlasts the page. */
    lasts: () => lasting,
  };
}
