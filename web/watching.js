/** Choose the duel that a player who has none sees next. Pure. */

import { duelOf, isMe, lives } from "../client/javascript/game.js";

/**
 * Return the running duel that is most worth watching, or null: a friend's before others, then the one in which fewest
 * lives are left, since somebody may go out.
 */
export function nextToWatch(state) {
  const { tournament, group } = state;
  const running = tournament.matches.map((match) => duelOf(state, match))
    .filter((duel) => !duel.over && !duel.players.some((each) => isMe(state, each.player_id)));
  const friends = new Set(group?.members.map((each) => each.player_id));
  const rank = (duel) => {
    const ids = duel.players.map((each) => each.player_id);
    return (ids.some((id) => friends.has(id)) ? 0 : 10) + ids.reduce((sum, id) => sum + lives(state, id), 0);
  };
  return running.sort((a, b) => rank(a) - rank(b))[0] ?? null;
}
