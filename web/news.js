/** Describe what has happened for a user who does not see the page. Pure. */

import { isMe, player } from "../client/javascript/game.js";
import { text } from "./messages.js";
import { face } from "../client/javascript/typing.js";

/** Return a sentence for each of the stage's happenings that is worth one, in order.
 * @param {Record<string, any>} settings */
export const news = (happenings, state, settings = { soon: false }) =>
  happenings.filter((each) => each.kind !== "soon" || settings.soon).map((each) => SENTENCES[each.kind]?.(each, state)).filter(Boolean);

const nameOf = (state, id) => player(state, id)?.nickname ?? "?";

const SENTENCES = {
  lost: (_, state) => (state.tournament ? text.offlineInGame : text.offline),
  back: () => text.backOnline,
  joined: ({ names }) => text.friendsJoined(names),
  seated: ({ players, seats }) => text.lobbySeats(players, seats),
  round: ({ round, bye, out, opponent, length, first }, state) => {
    if (out || bye) return `${text.round(round)}. ${bye ? text.byeYou : ""}`;
    const name = nameOf(state, opponent);
    return `${text.round(round)}. ${text.introYou(name, length)} ${first ? text.introFirst : text.introSecond(name)}`;
  },
  row: ({ duel, row, mine }, state) => spoken(row, mine ? null : nameOf(state, row.player_id), null, labelsOf(state, duel.language)),
  skip: ({ row, mine }, state) => spoken(row, mine ? null : nameOf(state, row.player_id)),
  ended: ({ duel, outcome }, state) => {
    const end = outcome !== "watched" ? text[outcome] : duel.winner ? text.wonBy(nameOf(state, duel.winner)) : text.withoutWinner(duel.ending);
    return duel.word ? `${end}. ${text.wordWas(duel.display ?? duel.word)}` : end;
  },
  life: ({ lives }) => text.livesLeft(lives),
  out: () => text.outTitle,
  placed: ({ place, rating_change }) => text.finalPlace(place, rating_change),
  over: ({ winners }, state) => {
    if (winners.length !== 1) return text.endings[state.tournament.ending] ?? text.overShared;
    return isMe(state, winners[0].player_id) ? text.overWon : text.overWinner(winners[0].nickname);
  },
  turn: ({ mine, player: id }, state) => (mine ? text.yourTurn : text.turnOf(nameOf(state, id))),
  soon: () => text.tenLeft,
};

/** Describe a row in words, for a screen reader. Without a name it is the user's own. */
export function spoken(row, name, draft, labels) {
  if (row?.word) {
    const marks = [...row.word].map((letter, i) => text.tile(face(labels(letter)), text.marks[row.marks[i]])).join("; ");
    const word = [...row.word].map(labels).join("");
    return name ? text.rowGuess(name, word, marks) : text.rowYou(word, marks);
  }
  if (row) return name ? text.rowSkip(name) : text.rowSkipYou;
  if (draft) return text.rowDraft(draft.letters.map(labels).join(""));
  return name ? text.rowEmpty(name) : text.rowEmptyYou;
}

export function labelsOf(state, code) {
  const labels = new Map(state.languages[code]?.tiles.map((tile) => [tile.letter, tile.label]));
  return (letter) => labels.get(letter) ?? letter;
}
