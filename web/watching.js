/** Choose which of the watched boards is the large one. Pure. */

import { lives, watchedDuels } from "../client/javascript/game.js";

/**
 * Return the running duel that is most worth watching, or null: that of the player whom the user follows, then a
 * friend's, then the longest one, then the one in which fewest lives are left, since somebody may go out.
 */
export function nextToWatch(state, followed = null) {
  const friends = new Set(state.group?.members.map((each) => each.player_id));
  const rank = (duel) => {
    const ids = duel.players.map((each) => each.player_id);
    const first = ids.includes(followed) ? 0 : ids.some((id) => friends.has(id)) ? 1 : 2;
    return first * 1000 - duel.rows.length * 10 + ids.reduce((sum, id) => sum + lives(state, id), 0);
  };
  return watchedDuels(state).sort((a, b) => rank(a) - rank(b))[0] ?? null;
}
