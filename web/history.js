/** Read a finished tournament: lives round by round, the user's duels, and the text to share. Pure. */

import { START_LIVES } from "../client/javascript/game.js";

/**
 * Return the lives of each player after each round, with what happened to them in it: won, lost, drawn, stopped, bye,
 * left, or null once they are out. Rows are in the order of `results.players`.
 */
export function livesByRound({ players, rounds }) {
  return players.map(({ player_id }) => {
    let lives = START_LIVES;
    const cells = rounds.map((round) => {
      if (lives === 0) return { lives: 0, event: null };
      const event = eventOf(round, player_id);
      if (event === "lost" || event === "drawn") lives -= 1;
      if (event === "left") lives = 0;
      return { lives, event };
    });
    return { player_id, cells };
  });
}

function eventOf(round, id) {
  if (round.leavers.includes(id)) return "left";
  if (round.bye === id) return "bye";
  const duel = round.duels.find((each) => each.players.includes(id));
  if (!duel) return null;
  if (!duel.ending) return "stopped";
  if (!duel.winner) return "drawn";
  return duel.winner === id ? "won" : "lost";
}

/** Return how many duels a player has won, lost and drawn. */
export function tally(results, id) {
  const events = livesByRound(results).find((each) => each.player_id === id)?.cells.map((each) => each.event) ?? [];
  const count = (event) => events.filter((each) => each === event).length;
  return { won: count("won"), lost: count("lost") + count("left"), drawn: count("drawn") };
}

/** Return how often each place was reached, the best first: [place, times]. Tournaments that do not count are left out. */
export function places(recent) {
  const times = new Map();
  for (const { place, voided } of recent) if (!voided) times.set(place, (times.get(place) ?? 0) + 1);
  return [...times].sort(([a], [b]) => a - b);
}

/** Return how many words were guessed in each of the player's own turns, from the first to the sixth. */
export function guessed(recent) {
  const turns = Array.from({ length: 6 }, () => 0);
  for (const { voided, solved } of recent) if (!voided) for (const turn of solved ?? []) turns[turn - 1] += 1;
  return turns;
}

/** Return the tournaments of each language, most played first: {language, games, best}. Older records name no language. */
export function languages(recent) {
  const found = new Map();
  for (const { voided, language, place } of recent) {
    if (voided || !language) continue;
    const { games = 0, best = Infinity } = found.get(language) ?? {};
    found.set(language, { language, games: games + 1, best: Math.min(best, place) });
  }
  return [...found.values()].sort((a, b) => b.games - a.games || a.best - b.best);
}
