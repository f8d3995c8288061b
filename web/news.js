/** Describe what has happened for a user who does not see the page. Pure. */

import { isMe, player } from "./game.js";
import { text } from "./messages.js";
import { face } from "./typing.js";

/** Return a sentence for each of the stage's happenings that is worth one, in order. */
export const news = (happenings, state) =>
  happenings.map((each) => SENTENCES[each.kind]?.(each, state)).filter(Boolean);

const nameOf = (state, id) => (isMe(state, id) ? text.you : player(state, id)?.nickname ?? "?");

const SENTENCES = {
  lost: (_, state) => (state.tournament ? text.offlineInGame : text.offline),
  back: () => text.backOnline,
  joined: ({ names }) => text.friendsJoined(names),
  seated: ({ players, seats }) => text.lobbySeats(players, seats),
  round: ({ round, bye, out, opponent, length, first }, state) => {
    if (out || bye) return `${text.introTitle(round)}. ${bye ? text.byeYou : ""}`;
    const name = nameOf(state, opponent);
    return `${text.introTitle(round)}. ${text.introYou(name, length)} ${first ? text.introFirst : text.introSecond(name)}`;
  },
  row: ({ duel, row }, state) => spoken(row, nameOf(state, row.player_id), null, labelsOf(state, duel.language)),
  skip: ({ row }, state) => text.rowSkip(nameOf(state, row.player_id)),
  ended: ({ duel, outcome }, state) => {
    const end = outcome !== "watched" ? text[outcome] : duel.winner ? text.wonBy(nameOf(state, duel.winner)) : text.withoutWinner(duel.ending);
    return duel.word ? `${end}. ${text.theWord} ${duel.display ?? duel.word}` : end;
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
