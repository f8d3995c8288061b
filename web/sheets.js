/** Draw the dialog's pages: how to play, settings, record, results, boards and reviews. Each leads to the next. */

import { h, show } from "./dom.js";
import { duelOf, isMe, lives, outcome, marksOf } from "../client/javascript/game.js";
import { guessed, languages, livesByRound, places, tally } from "./history.js";
import { rich, text } from "./messages.js";
import { labelsOf, spoken } from "./news.js";
import { CHOICES } from "./settings.js";
import { button, board, legend, rowTiles, pastDuels, nick, side, reviewButton } from "./view.js";

const SHEETS = { record, results, board: pastBoard, review, settings, "how-to": howTo };
const OPEN_TO_ALL = new Set(["settings", "how-to"]);

/** Draw the page that is on top, or close the dialog if there is none. */
export function drawSheet(state, ui, banner) {
  const dialog = document.querySelector("#sheet");
  const name = ui.sheets.at(-1);
  if (!name || !(state.you || OPEN_TO_ALL.has(name))) {
    if (dialog.open) dialog.close();
    return;
  }
  const turned = dialog.dataset.page !== name || !dialog.open;
  if (turned) dialog.replaceChildren();
  dialog.dataset.page = name;
  show(dialog, h("div", {}, banner, SHEETS[name](state, ui),
    h("div.start.foot", {}, button("close-sheet", ui.sheets.length > 1 ? text.back : text.close, { kind: "main" }))));
  if (!dialog.open) dialog.showModal();
  if (turned) {
    dialog.querySelector("h2").focus();
    dialog.scrollTop = 0;
  }
}

const sheetTitle = (words) => h("h2", { id: "sheet-title", tabindex: "-1" }, words);

/** The user's settings, each kept as soon as it changes. */
function settings(state, { settings: now, lasts }) {
  const tick = (name, label) => h("label.tick", {}, h("input", { type: "checkbox", "data-setting": name, checked: now[name] }), " ", label);
  const pick = (name, label, names) => h("label.tick", {}, h("span", {}, label), " ",
    h("select", { "data-setting": name }, CHOICES[name].map((choice) =>
      h("option", { value: choice, "data-key": choice, selected: now[name] === choice }, names[choice]))));
  return [sheetTitle(text.settings),
    tick("sound", text.sound), tick("vibration", text.vibration), tick("contrast", text.contrast), tick("leftHand", text.leftHand),
    tick("soon", text.soon), h("p.quiet", {}, text.spaceHint),
    pick("motion", text.motion, text.motions), pick("keys", text.keys, text.keyKinds),
    h("p.quiet", {}, lasts ? text.settingsKept : text.settingsLost)];
}

/** All rules, and a duel row by row. */
function howTo(state) {
  const [first, second] = text.exampleNames;
  const words = text.exampleWords;
  const secret = words[2];
  const guesses = [words[0], null, words[1], secret];
  const lines = text.example(guesses);
  return [sheetTitle(text.howTo), h("p.lead", {}, text.lead),
    h("h3", {}, text.exampleTitle),
    h("ol.example", {}, guesses.map((guess, i) => h(`li.row.${i % 2 ? "b" : "a"}`, { "data-key": i },
      h("span.who", { "aria-hidden": "true" }, i % 2 ? second : first),
      h("span.tiles", { "aria-hidden": "true" }, guess ? rowTiles({ word: guess, marks: marksOf(guess, secret) }, secret.length, (letter) => letter)
        : rowTiles({}, secret.length)),
      h("span.note", {}, lines[i])))),
    h("h3", {}, text.marksTitle), legend(),
    h("ul.rules", {}, text.rules(state.timing.turn_seconds).map((rule, i) => h("li", { "data-key": i }, rule)))];
}

/** The user's own record: the rating over the last tournaments, each with a link to its results, and the user's data. */
function record(state) {
  const { you, best_place, recent } = state.profile;
  return [sheetTitle(text.recordTitle), h("p", {}, text.recordLine(you.rating, you.games, best_place)),
    recent.length > 0 ? [h("h3", {}, text.graphTitle), graph(recent), placesChart(recent), guessesChart(recent), byLanguage(state, recent),
      h("ul.pairs", {}, recent.map((each) => h("li", { "data-key": each.tournament_id },
        h("span", {}, h("b", {}, text.ordinal(each.place)),
          each.voided ? h("span.tag", {}, text.voided) : ` · ${text.ratingBecame(each.rating_change, each.rating)} `,
          h("span.quiet.line", {}, text.at(each.at_ms))),
        h("span.end", {}, button("results", text.resultsButton, {
          kind: "small", "data-arg": each.tournament_id, "aria-label": text.resultsOf(text.at(each.at_ms)) })))))]
      : h("p", {}, text.noTournaments),
    h("h3", {}, text.dataTitle), h("p", {}, text.dataText),
    h("div.start", {}, button("export", text.exportData), button("delete", text.deleteMe, { kind: "danger" }))];
}

/** In which of their turns the user has guessed words, as bars. */
function guessesChart(recent) {
  const turns = guessed(recent);
  const most = Math.max(...turns);
  return most > 0 && [h("h3", {}, text.guessesTitle), h("ul.bars.narrow", {}, turns.map((times, i) => h("li", { "data-key": i },
    h("span", { "aria-hidden": "true" }, i + 1),
    h("span.bar-of", { "aria-hidden": "true", style: `width:${Math.round((times / most) * 100)}%` }, times),
    h("span.unseen", {}, text.timesTurn(i + 1, times)))))];
}

/** Tournaments and best place in each language. */
function byLanguage(state, recent) {
  const rows = languages(recent);
  return rows.length > 0 && [h("h3", {}, text.byLanguage), h("table", {},
    h("thead", {}, h("tr", {}, [text.language, text.tournaments, text.best].map((label) => h("th", { scope: "col" }, label)))),
    h("tbody", {}, rows.map(({ language, games, best }) => h("tr", { "data-key": language },
      h("th", { scope: "row" }, state.languages[language] ? text.languageName(state.languages[language]) : language),
      h("td", {}, games), h("td.number", {}, text.ordinal(best))))))];
}

/** How often each place was reached, as bars. */
function placesChart(recent) {
  const counted = places(recent);
  const most = Math.max(...counted.map(([, times]) => times));
  return [h("h3", {}, text.placesTitle), h("ul.bars", {}, counted.map(([place, times]) => h("li", { "data-key": place },
    h("span", { "aria-hidden": "true" }, text.ordinal(place)),
    h("span.bar-of", { "aria-hidden": "true", style: `width:${Math.round((times / most) * 100)}%` }, times),
    h("span.unseen", {}, text.timesPlace(place, times)))))];
}

const WIDE = 320;
const HIGH = 110;
const EDGE = 14;

/** The rating after each tournament as a line, oldest first; the same in words for a screen reader. */
function graph(recent) {
  const ratings = [...recent].reverse().map((each) => each.rating);
  const points = [ratings[0] - recent.at(-1).rating_change, ...ratings];
  const [low, high] = [Math.min(...points), Math.max(...points)];
  const x = (i) => EDGE + (i * (WIDE - 2 * EDGE - 40)) / (points.length - 1);
  const y = (rating) => (high === low ? HIGH / 2 : EDGE + ((high - rating) * (HIGH - 2 * EDGE)) / (high - low));
  const dot = (rating, i) => h(`circle${i === points.length - 1 ? ".last" : ""}`, { cx: x(i), cy: y(rating), r: i === points.length - 1 ? 5 : 2.5 });
  const level = (rating) => [h("line", { x1: EDGE, x2: WIDE - 46, y1: y(rating), y2: y(rating) }),
    h("text", { x: WIDE - 40, y: y(rating) + 4 }, rating)];
  return h("svg.graph", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": text.graph(points) },
    [...new Set([high, low])].map(level), h("polyline", { points: points.map((rating, i) => `${x(i)},${y(rating)}`).join(" ") }),
    points.map(dot));
}

const SIGNS = { won: "✓", lost: "✗", drawn: "=", bye: "–", left: "✗", stopped: "–" };

/** Everybody's lives after each round: one look shows who fell when. */
function livesTable(results, name, mine) {
  const words = { won: text.wonTag, drawn: text.drawnShort, bye: text.byeTitle, left: text.hasLeft, stopped: text.stoppedShort };
  return h("div.wide", { tabindex: "0", role: "group", "aria-label": text.livesTitle }, h("table.rounds", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, text.name), results.rounds.map((round) => h("th", { scope: "col" }, h("span.unseen", {}, text.round(round.number)), h("span", { "aria-hidden": "true" }, round.number))))),
    h("tbody", {}, livesByRound(results).map(({ player_id, cells }) => h("tr", { "data-key": player_id, class: player_id === mine?.player_id && "me" },
      h("th", { scope: "row" }, h("span.name", {}, h("bdi", {}, name(player_id)))),
      cells.map(({ lives: left, event }, i) => h("td", { "data-key": i, class: event ? `lives-${left}` : "gone" },
        event && [h("span", { "aria-hidden": "true" }, left, h("small", {}, SIGNS[event])), h("span.unseen", {}, `${text.livesOf(left)}${words[event] ? `, ${words[event]}` : ""}`)])))))));
}

/** The result as a text: sentences, which read well aloud too, and no squares. */
function shareText(results, mine) {
  const { won, lost, drawn } = tally(results, mine.player_id);
  return [text.title, text.shareLine(mine.place, results.rounds.length, mine.rating_change ?? 0), text.shareDuels(won, lost, drawn),
    `${location.origin}${location.pathname}`].join("\n");
}

const nameIn = (results, id) => results.players.find((each) => each.player_id === id)?.nickname ?? "?";

/** The results of a tournament: places, the parts of the user's rating change, and every duel with its word and board. */
function results({ results, you }) {
  const name = (id) => nameIn(results, id);
  const mine = results.players.find((each) => each.player_id === you.player_id);
  const ended = results.ended_at_ms ? text.playedAt(text.at(results.ended_at_ms)) : text.stillRunning;
  return [sheetTitle(text.resultsTitle), h("p.quiet", {}, ended), text.endings[results.ending] && h("p", {}, text.endings[results.ending]),
    h("table", {},
      h("thead", {}, h("tr", {}, [text.place, text.name, text.before, text.change].map((label) => h("th", { scope: "col" }, label)))),
      h("tbody", {}, results.players.map((each) => h("tr", { "data-key": each.player_id, class: each === mine && "me" },
        h("td", {}, each.place ? text.ordinal(each.place) : ""),
        h("th", { scope: "row" }, h("span.name", {}, h("bdi", {}, each.nickname), each.fate === "left" && h("span.tag", {}, text.hasLeft))),
        h("td", {}, each.rating), h("td.number", {}, each.rating_change == null ? "" : text.signed(each.rating_change)))))),
    mine?.place && h("div.start", {}, button("share", text.share, { "data-arg": shareText(results, mine) })),
    results.rounds.length > 0 && [h("h3", {}, text.livesTitle), livesTable(results, name, mine)],
    mine?.parts.length > 0 && [h("h3", {}, text.resultsWhy), h("p.quiet", {}, text.resultsHow),
      h("table", {}, h("tbody", {}, mine.parts.map((part) => h("tr", { "data-key": part.player_id },
        h("td", {}, text.outcomes[part.outcome]), h("th", { scope: "row" }, h("span.name", {}, h("bdi", {}, name(part.player_id)))),
        h("td.number", {}, text.points(part.points)))),
      h("tr.sum", {}, h("td", {}), h("th", { scope: "row" }, text.sum), h("td.number", {}, text.signed(mine.rating_change)))))],
    results.rounds.map((round) => [h("h3", {}, text.round(round.number)),
      pastDuels(round, results.language, name, you, (duel, a, b) =>
        button("board", text.boardButton, { kind: "small", "data-arg": duel.duel_id, "aria-label": text.boardOf(a, b) }))])];
}

/** The board of a duel that is over. */
function pastBoard(state) {
  const { board: duel, results } = state;
  const [a, b] = duel.players.map((each) => nameIn(results, each.player_id));
  return [sheetTitle(text.duelOf(a, b)),
    h("p", {}, `${text.duelLine(a, b, duel.winner && nameIn(results, duel.winner), duel.ending)}. `,
      rich("wordWas", h("b", { lang: duel.language }, duel.display ?? duel.word))),
    board(state, duel, {}, (id) => nameIn(results, id)), reviewButton(duel)];
}

/** How a duel narrowed its word down: beside each row the words that were still possible, as numbers and as a bar. */
function review(state) {
  const { review: counts, board: past, duels: known, results } = state;
  const duel = known[counts.duel_id] ?? (past?.duel_id === counts.duel_id ? past : null);
  if (!duel) return sheetTitle(text.reviewTitle);
  const called = (id) => (state.tournament?.tournament_id === duel.tournament_id ? nick(state, id) : nameIn(results, id));
  const labels = labelsOf(state, duel.language);
  const share = (n) => Math.round((Math.log(n + 1) / Math.log(counts.answers + 1)) * 100); // each step is some times fewer
  return [sheetTitle(text.reviewTitle), h("p.quiet", {}, text.duelOf(...duel.players.map((each) => called(each.player_id)))),
    h("p", {}, text.reviewStart(counts.answers)),
    h("ol.review", { lang: duel.language, style: `--length:${duel.length}` }, duel.rows.map((row, i) => {
      const name = isMe(state, row.player_id) ? text.you : called(row.player_id);
      const { before, after } = counts.rows[i];
      return h(`li.row.${side(state, duel, row.player_id)}`, { "data-key": i },
        h("span.who", { "aria-hidden": "true" }, h("bdi", {}, name)),
        h("span.unseen", {}, `${spoken(row, isMe(state, row.player_id) ? null : name, null, labels)}. ${text.reviewRow(before, after)}`),
        h("span.tiles", { "aria-hidden": "true" }, rowTiles(row, duel.length, labels)),
        h("span.left", { "aria-hidden": "true" }, h("b", {}, text.number(after)), h("span.bar", {}, h("span", { style: `width:${share(after)}%` }))));
    }))];
}
