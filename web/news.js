/** Describe a change for a user who does not see the page. Pure. */

import { isMe, opponent, outcome, ownDuel, player, watchedDuel } from "./game.js";
import { text } from "./messages.js";
import { face } from "./typing.js";

/** Sentences for what changed from one state to the next. */
export function news(before, after) {
  if (!after.you) return [];
  if (after.lobby) {
    const same = before.lobby?.players.length === after.lobby.players.length;
    return same ? [] : [text.lobbySeats(after.lobby.players.length, after.lobby.seats)];
  }
  const duel = after.tournament && (watchedDuel(after) ?? ownDuel(after));
  const known = duel && before.duels[duel.duel_id];
  if (!duel?.version || known === duel) return [];
  const labels = labelsOf(after, duel.language);
  const name = (id) => (isMe(after, id) ? text.you : player(after, id).nickname);
  const rows = duel.rows.slice(known?.rows.length ?? 0).map((row) => spoken(row, name(row.player_id), null, labels));
  if (!duel.over) return [...rows, isMe(after, duel.to_move) ? text.yourTurn : text.turnOf(name(duel.to_move))];
  if (known?.over) return [];
  const mine = duel.players.find((each) => isMe(after, each.player_id));
  const end = mine ? text[outcome(duel, mine.player_id)] : duel.winner ? text.wonBy(name(duel.winner)) : text.withoutWinner(duel.ending);
  return [...rows, end, `${text.theWord} ${duel.display ?? duel.word}`];
}

/** Describe a row in words, for a screen reader. */
export function spoken(row, name, draft, labels) {
  if (row?.word) {
    const marks = [...row.word].map((letter, i) => text.tile(face(labels(letter)), row.marks[i])).join("; ");
    return text.rowGuess(name, [...row.word].map(labels).join(""), marks);
  }
  if (row) return text.rowSkip(name);
  return draft ? text.rowDraft(draft.letters.map(labels).join("")) : text.rowEmpty(name);
}

export function labelsOf(state, code) {
  const labels = new Map(state.languages[code]?.tiles.map((tile) => [tile.letter, tile.label]));
  return (letter) => labels.get(letter) ?? letter;
}
