/** Draw the page for a state. Only draws: main.js decides the meaning of a click. */

import { h, show } from "./dom.js";
import { START_LIVES, TURNS, duelOf, isAway, isMe, isOut, keyMarks, lives, opponent, outcome, outlook, ownDuel, player, standings, watchedDuel } from "../client/javascript/game.js";
import { PAGE_LANGUAGES, rich, spokenLanguage, text } from "./messages.js";
import { labelsOf, spoken } from "./news.js";
import { rowsOf } from "./settings.js";
import { scene, turning } from "./stage.js";
import { face } from "../client/javascript/typing.js";

const SCREENS = { connecting, replaced, unknown, outdated, deleted, home, lobby, introduction, duel: ownDuelScreen, ended, aside, over };

/** Draw the page and return the screen's name. `ui` holds the page's own state: draft, choices, messages, the stage. */
export function draw(state, ui, now) {
  const name = scene(state, ui.stage, now, ui.local);
  pressed = ui.pressed;
  document.body.dataset.screen = name;
  show(document.querySelector("#top"), top(state, name));
  const main = document.querySelector("#screen");
  if (main.dataset.screen !== name) {
    main.dataset.screen = name;
    main.replaceChildren();
  }
  show(main, offline(state), message(ui), SCREENS[name](state, ui, now));
  show(document.querySelector("#foot"), foot());
  drawSheet(state, ui);
  return name;
}

let pressed = null; // the button whose request waits for its answer: {what, arg}

/** @param {string} what @param {any} label @param {Record<string, any>} [attributes] */
export const button = (what, label, { kind = "", ...attributes } = {}) =>
  h(`button${kind && `.${kind}`}`, {
    type: "button", "data-do": what, "aria-busy": pressed?.what === what && pressed.arg === attributes["data-arg"] && "true", ...attributes,
  }, label);

const title = (...words) => h("h1", { tabindex: "-1" }, ...words);

function top(state, name) {
  if (!state.you || name === "replaced") return h("p.brand", {}, text.title);
  return [
    h("p.brand", {}, text.title),
    h("p.chip", {}, h("span.own", {}, h("b.name", {}, state.you.nickname), " ", h("span.quiet", {}, text.rating(state.you.rating))), " ",
      button("rename", text.rename, { kind: "small" }),
      ["home", "aside", "over"].includes(name) && button("record", text.record, { kind: "small" })),
  ];
}

const offline = (state) => state.you && state.status === "offline"
  && h("p.banner", {}, state.tournament && !isOut(state) ? text.offlineInGame : text.offline);

const message = (ui) => (ui.message || (ui.pressed && ui.slow)) && h("p.banner", {}, ui.message || text.slow);

// Without a game

const foot = () => [
  button("how-to", text.howTo, { kind: "small" }), button("settings", text.settings, { kind: "small" }),
  h("span.pick", {}, h("label.unseen", { for: "page-language" }, text.pageLanguage),
    h("select", { id: "page-language" }, PAGE_LANGUAGES.map((code) =>
      h("option", { value: code, lang: code, "data-key": code, selected: code === spokenLanguage() }, ownName(code))))),
];

const ownName = (code) => {
  const name = new Intl.DisplayNames(code, { type: "language" }).of(code);
  return name[0].toLocaleUpperCase(code) + name.slice(1);
};

function connecting(state, ui) {
  return h("div.home", {}, h("section.hero", {}, sign(), title(text.title), h("p.lead", {}, text.lead),
    ui.slow ? [h("p", {}, text.noServer), button("reload", text.reload, { kind: "main" })]
      : h("p", {}, state.status === "offline" ? text.offline : text.connecting)));
}

function replaced() {
  return h("div.middle", {}, title(text.replacedTitle), h("p", {}, text.replacedText),
    button("take-over", text.takeOver, { kind: "main" }));
}

function unknown() {
  return h("div.middle", {}, title(text.unknownTitle), h("p", {}, text.unknownText),
    button("start-anew", text.startAnew, { kind: "main" }));
}

function outdated() {
  return h("div.middle", {}, title(text.outdatedTitle), h("p", {}, text.outdatedText),
    button("reload", text.reload, { kind: "main" }));
}

function deleted() {
  return h("div.middle", {}, title(text.deletedTitle), h("p", {}, text.deletedText),
    button("start-anew", text.startAnew, { kind: "main" }));
}

function home(state, ui) {
  const name = (code) => (state.languages[code] ? text.languageName(state.languages[code]) : code);
  return h("div.home", {}, h("section.hero", {}, sign(), title(text.title), h("p.lead", {}, text.lead),
    (!state.group || leads(state)) && h("div.start", { "data-key": "start" },
      h("label", { for: "language" }, text.language),
      h("select", { id: "language" }, state.codes.map((code) =>
        h("option", { value: code, "data-key": code, selected: code === ui.language }, name(code)))),
      state.group ? button("start-group", text.startGroup, { kind: "main", disabled: state.status !== "online" })
        : button("play", text.play, { kind: "main", disabled: state.status !== "online" })),
    state.result && h("p", {}, text.lastResult(state.result.place, state.result.rating_change), " ",
      button("results", text.resultsButton, { kind: "small", "data-arg": state.result.tournament_id }))),
    friends(state, ui),
    h("section.card.how", {}, h("h2", {}, text.howTo), h("ul", {}, text.rules(state.timing.turn_seconds).slice(0, 4).map((rule) => h("li", {}, rule))),
      h("h2", {}, text.marksTitle), legend()));
}

/** The game's sign: no text, so nobody reads it out. */
const sign = () => h("p.sign", { "aria-hidden": "true" }, [["W", "correct"], ["O", "absent"], ["R", "present"], ["D", "correct"], ["L", "absent"], ["E", "present"]]
  .map(([letter, mark], i) => h(`span.tile.${mark}`, { style: `--i:${i}` }, letter)));

const leads = (state) => isMe(state, state.group.leader);

/** The group of friends: its members, its leader, and the possible actions. */
function friends(state, ui) {
  const { group } = state;
  if (!group) {
    return h("section.card", {}, h("h2", {}, text.friendsTitle), h("p", {}, ui.invite ? text.invited : text.friendsLead),
      h("div.start", {}, ui.invite && button("join-group", text.joinGroup, { kind: "main" }), button("create-group", text.createGroup)));
  }
  const names = (test) => group.members.filter(test).map((each) => each.nickname);
  const busy = names((each) => each.where !== "free");
  const away = names((each) => each.away);
  const link = `${location.origin}${location.pathname}#group=${group.invite}`;
  return h("section.card", {}, h("h2", {}, text.groupTitle(group.members.length)),
    h("ul.pairs", {}, group.members.map((each) => h("li", { "data-key": each.player_id, class: isMe(state, each.player_id) && "me" },
      h("span.name", {}, h("bdi", {}, each.nickname), isMe(state, each.player_id) && h("span.tag", {}, text.you),
        each.player_id === group.leader && h("span.tag", {}, text.leader), each.away && h("span.tag.warn", {}, text.away),
        h("span.quiet", {}, ` ${each.rating} ${text.where[each.where]}`)),
      h("span.end", {}, leads(state) && !isMe(state, each.player_id) && [
        !each.away && button("hand-over", text.makeLeader, { kind: "small", "data-arg": each.player_id, "aria-label": text.makeLeaderLabel(each.nickname) }), " ",
        button("remove-member", text.removeMember, { kind: "small", "data-arg": each.player_id, "aria-label": text.removeLabel(each.nickname) })])))),
    !leads(state) && h("p", {}, text.waitForLeader(group.members.find((each) => each.player_id === group.leader)?.nickname ?? "?")),
    busy.length > 0 && h("p.quiet", {}, text.stillPlaying(busy)), away.length > 0 && h("p.quiet", {}, text.stillAway(away)),
    h("p", {}, h("label", { for: "invite" }, text.inviteLink), h("input.invite", { id: "invite", readonly: true, value: link })),
    h("div.start", {}, button("copy-invite", text.copyInvite, { "data-arg": link }),
      leads(state) && button("renew-invite", text.renewInvite), button("leave-group", text.leaveGroup)));
}

export const legend = () => h("ul.legend", {}, Object.entries(text.marks).map(([mark, meaning]) =>
  h("li", {}, h(`span.tile.${mark}`, { "aria-hidden": "true" }, "A"), " ", meaning)));

function lobby(state) {
  const { players, seats, started, language } = state.lobby;
  const free = seats - players.length;
  return h("div.middle", {}, title(text.lobbyTitle),
    h("p.lead", {}, `${text.lobbySeats(players.length, seats)} · ${state.languages[language]?.native_name ?? language}`),
    h("p", {}, started || !free ? text.lobbyStarting : text.lobbyStarts(free)),
    h("ol.seats", {},
      players.map((each) => h("li", { "data-key": each.player_id, class: isMe(state, each.player_id) && "me" },
        h("span", {}, named(state, each.player_id), friend(state, each.player_id) && h("span.tag", {}, text.friend)), " ",
        h("span.quiet", {}, each.rating))),
      Array.from({ length: free }, (_, i) => h("li.free", { "data-key": `free-${i}` }, text.freeSeat))),
    state.group && h("p.quiet", {}, text.groupInLobby),
    !started && button("leave-lobby", text.leaveLobby));
}

const friend = (state, id) => !isMe(state, id) && state.group?.members.some((each) => each.player_id === id);

/** A player's name, marked if it is the user's own or if the player is away. */
function named(state, id) {
  return h("span.name", {}, h("bdi", {}, player(state, id)?.nickname ?? "?"),
    isMe(state, id) && h("span.tag", {}, text.you), isAway(state, id) && h("span.tag.warn", {}, text.away));
}

export const nick = (state, id) => player(state, id)?.nickname ?? "?";

// The tournament

const page = (main, ...side) => h("div.page", {}, h("div.play", {}, main), h("aside.side", {}, side));

function introduction(state, ui, now) {
  const { tournament } = state;
  const own = ownDuel(state);
  const seconds = secondsTo(tournament.starts_at_ms, now);
  const you = own
    ? [text.introYou(nick(state, opponent(state, own)), own.length), " ",
      isMe(state, own.to_move) ? text.introFirst : text.introSecond(nick(state, own.to_move))]
    : text.byeYou;
  const head = isOut(state) ? [asideHead(state), lastDuel(state), h("h2", {}, text.round(tournament.round))]
    : [title(text.round(tournament.round)), lastDuel(state), h("p.lead", {}, you)];
  return page([
    head,
    h("p.count", { role: "timer" }, text.startsIn(seconds).split(/(\d+)/).map((part, i) => (i % 2 ? h("b", {}, part) : part))),
    h("h2", {}, text.pairings),
    h("ul.pairs", {}, tournament.matches.map((match) =>
      h("li", { "data-key": match.duel_id, class: match.players.some((id) => isMe(state, id)) && "me" },
        h("span", {}, rich("duelOf", named(state, match.players[0]), named(state, match.players[1]))),
        h("span.quiet.end", {}, text.letters(match.length)))),
      tournament.bye && h("li", { "data-key": "bye" }, text.byeOf(nick(state, tournament.bye)))),
    lastRound(state),
  ], table(state), leaveButton(state));
}

/** The result of the user's duel. It stays visible if that was the round's last duel and the next round starts at once. */
function lastDuel(state) {
  const { last_round, language } = state.tournament;
  const own = last_round?.duels.find((duel) => duel.players.includes(state.you.player_id));
  return own && h("p", {}, `${text.lastDuel(last_round.number, text[outcome(own, state.you.player_id)])} `,
    own.display && rich("wordWas", h("b", { lang: language }, own.display)));
}

/** The result of the last settled round, with its words, for a user who missed the end or comes back only now. */
function lastRound(state) {
  const { last_round, language } = state.tournament;
  if (!last_round) return null;
  const name = (id) => nick(state, id);
  return h("section.card", {}, h("h2", {}, text.lastRound(last_round.number)), pastDuels(last_round, language, name, state.you));
}

/**
 * The duels of a settled round, each with its word and what `more` adds.
 * @param {(duel: any, a: string, b: string) => any} more
 */
export const pastDuels = (round, language, name, you, more = () => null) =>
  h("ul.pairs", {}, round.duels.map((duel) => {
    const [a, b] = duel.players.map(name);
    return h("li", { "data-key": duel.duel_id, class: duel.players.includes(you.player_id) && "me" },
      h("span", {}, text.duelLine(a, b, duel.winner && name(duel.winner), duel.ending), " ", h("span.quiet", {}, text.turns(duel.turns))),
      h("span.end", {}, h("b", { lang: language }, duel.display), " ", more(duel, a, b)));
  }),
  round.bye && h("li", { "data-key": "bye" }, text.byeOf(name(round.bye))),
  round.leavers.map((id) => h("li", { "data-key": `left-${id}` }, text.forfeited(name(id)))));

function ownDuelScreen(state, ui, now) {
  const duel = ownDuel(state);
  return page([
    h("h1.unseen", { tabindex: "-1" }, text.duelTitle(nick(state, opponent(state, duel)))),
    versus(state, duel, now),
    board(state, duel, ui),
    h("div.say", {}, field(state, duel, ui.settings.keys === "device"), h(`p.hint${ui.refusal ? ".refused" : ""}`, {}, hint(state, duel, ui))),
    keyboard(state, duel, ui),
  ], table(state), duels(state), leaveButton(state));
}

/** The user's duel has just ended: the board stays where it was, with the verdict in place of the keys. */
function ended(state, ui, now) {
  const duel = state.duels[ui.stage.held.duel_id];
  const { tournament } = state;
  const next = !tournament.over && now < tournament.starts_at_ms
    && h("p.quiet", {}, `${text.round(tournament.round)}. ${text.startsIn(secondsTo(tournament.starts_at_ms, now))}.`);
  const wait = Math.max(0, ui.stage.held.read - ui.stage.held.since);
  return page([
    versus(state, duel, now, wait),
    board(state, duel, ui),
    h(`div.verdict.${outcome(duel, state.you.player_id)}`, { style: `--wait:${wait}ms` },
      title(verdict(state, duel)), word(state, duel), h("p", {}, isOut(state) ? outText(state) : text.livesLeft(lives(state, state.you.player_id))),
      next, button("go-on", text.goOn, { kind: "main" })),
  ], table(state));
}

/** A real text field for what is typed, pasted, dictated or composed; the tiles of the row show what is in it. */
const field = (state, duel, device) => h("input", {
  id: "guess", class: device ? "field" : "unseen", type: "text", inputmode: device ? "text" : "none", enterkeyhint: "send", autocomplete: "off", autocapitalize: "off",
  autocorrect: "off", spellcheck: "false", lang: duel.language, "aria-describedby": "clock",
  "aria-label": text.field(duel.turn, TURNS, text.letters(duel.length), isMe(state, duel.to_move) ? text.yourTurn : text.turnOf(nick(state, duel.to_move))),
});

function hint(state, duel, ui) {
  if (ui.refusal) return ui.refusal;
  if (ui.sent) return ui.slow ? text.slow : text.sending;
  return isMe(state, duel.to_move) ? text.turnNumber(duel.turn, TURNS) : text.typeAhead(duel.turn, TURNS);
}

function aside(state, ui, now) {
  const own = ownDuel(state);
  const watched = watchedDuel(state);
  const shown = watched ?? own;
  return page([
    ...asideHead(state, own),
    shown && h("section", { "data-key": shown.duel_id },
      h("h2", {}, watched ? text.duelOf(...shown.players.map((each) => nick(state, each.player_id))) : text.ownBoard,
        " ", watched && !watched.over && button("unwatch", text.unwatch, { kind: "small" })),
      versus(state, shown, now),
      watched?.over && [h("p.lead", {}, verdict(state, watched)), word(state, watched), reviewButton(watched)],
      board(state, shown, { stage: ui.stage, local: ui.local })),
    h("p.quiet", {}, text.roundEnds),
  ], state.tournament.matches.some(({ duel_id }) => duel_id !== shown?.duel_id) && boards(state, shown),
  followed(state, ui) && h("p.quiet", {}, text.following(nick(state, ui.followed))), table(state, ui), leaveButton(state));
}

/** The player whom the user follows, while that player is in. */
const followed = (state, ui) => ui.followed && player(state, ui.followed)?.fate === "in" && lives(state, ui.followed) > 0;

function asideHead(state, own) {
  const me = state.you.player_id;
  if (isOut(state)) {
    return [
      title(own ? verdict(state, own) : text.outTitle), own && [word(state, own), reviewButton(own)],
      own && h("p.lead", {}, text.outTitle), h("p", {}, outText(state)), h("p", {}, text.mayStay),
      again(state),
    ];
  }
  if (!own) return [title(text.byeTitle), h("p.lead", {}, text.byeYou)];
  return [title(verdict(state, own)), word(state, own), h("p", {}, text.livesLeft(lives(state, me))), reviewButton(own)];
}

export const reviewButton = (duel) => duel.word && h("p", {}, button("review", text.review, { kind: "small", "data-arg": duel.duel_id }));

/** A group member goes back to the group, whose leader starts; a single player plays again. */
const again = (state) => button("again", state.group ? text.backToGroup : text.again, { kind: "main" });

function outText(state) {
  const me = player(state, state.you.player_id);
  const possible = outlook(state, me.player_id);
  if (me.place) return text.finalPlace(me.place, me.rating_change);
  return possible ? text.outlook(possible.best_place, possible.worst_place) : text.outTitle;
}

function verdict(state, duel) {
  const mine = duel.players.find((each) => isMe(state, each.player_id));
  const left = duel.ending === "forfeited" && duel.winner
    ? [text.forfeited(nick(state, duel.players.find((each) => each.player_id !== duel.winner).player_id)), " "] : [];
  if (!mine) return [...left, duel.winner ? text.wonBy(nick(state, duel.winner)) : text.withoutWinner(duel.ending)];
  return [...left, text[outcome(duel, mine.player_id)]];
}

const word = (state, duel) => duel.word
  && h("p.word", {}, rich("wordWas", h("b", { lang: duel.language }, duel.display ?? duel.word)));

function over(state) {
  const { players } = state.tournament;
  const winners = players.filter((each) => each.place === 1);
  const mine = player(state, state.you.player_id);
  const shared = players.filter((each) => each.place === mine.place).length > 1;
  const { ending } = state.tournament;
  const won = !ending?.match(/stopped|voided/) && mine.place === 1;
  return h("div.middle", {}, won && h("p.confetti", { "aria-hidden": "true" }, Array.from({ length: 18 }, (_, i) => h("span", { style: `--i:${i}` }))),
    title(text.endings[ending] ?? (winners.length !== 1 ? text.overShared
      : isMe(state, winners[0].player_id) ? text.overWon : text.overWinner(winners[0].nickname))),
    mine.place && h("p.lead", {}, text.overYou(mine.place, shared, mine.rating_change)),
    lastDuel(state), ownDuel(state)?.over && reviewButton(ownDuel(state)),
    h("div.start", {}, again(state), !state.group && button("home", text.home),
      button("results", text.resultsButton, { "data-arg": state.tournament.tournament_id })),
    !mine.place && h("p", {}, text.noPlace),
    table(state), lastRound(state));
}

const leaveButton = (state) => h("p", {}, isOut(state)
  ? button("home", text.home) : button("leave", text.leaveGame, { kind: "danger" }));

const rivals = (state, match, duel) => match.players.map((id) =>
  h("span.name", {}, h("bdi", {}, nick(state, id)), duel.winner === id && h("span.tag", {}, text.wonTag)));

/** How a duel stands: running, or its word. */
const standing = (duel) => (duel.over
  ? h("span.quiet", {}, !duel.winner && `${text.withoutWinner(duel.ending)} · `, h("b", { lang: duel.language }, duel.display ?? duel.word))
  : h("span.quiet", {}, text.running));

/** The round's duels, for a user whose own one is running: their players and their state. */
function duels(state) {
  const { matches, bye } = state.tournament;
  return h("section.card", {}, h("h2", {}, text.others), h("ul.pairs", {}, matches.map((match) => {
    const duel = duelOf(state, match);
    return h("li", { "data-key": match.duel_id, class: match.players.some((id) => isMe(state, id)) && "me" },
      h("span", {}, rich("duelOf", ...rivals(state, match, duel))), h("span.end", {}, standing(duel)));
  }), bye && h("li", { "data-key": "bye" }, text.byeOf(nick(state, bye)))));
}

/** The round's other duels as small boards, for a user who may watch: each can become the large one. */
function boards(state, large) {
  const { matches, bye } = state.tournament;
  const card = (match) => {
    const duel = duelOf(state, match);
    const own = match.players.some((id) => isMe(state, id));
    const known = duel.over || state.watched.includes(match.duel_id);
    const turn = !duel.over && known && h("span.quiet.line", {}, text.turnNumber(duel.turn, TURNS), ". ", text.turnOf(nick(state, duel.to_move)));
    return h("li", { "data-key": match.duel_id, class: own && "me" },
      h("p.rivals", {}, rich("duelOf", ...rivals(state, match, duel))),
      known && miniature(state, duel),
      turn || h("p.end", {}, standing(duel)),
      !own && !duel.over && button("watch", text.watch, { kind: "small", "data-arg": match.duel_id, "aria-label": text.watchLabel(...match.players.map((id) => nick(state, id))) }));
  };
  return h("section", { "data-key": "boards" }, h("h2", {}, text.others), h("ul.boards", {}, matches.filter(({ duel_id }) => duel_id !== large?.duel_id).map(card)),
    bye && h("p.quiet", {}, text.byeOf(nick(state, bye))));
}

/** A board as small as it can be read. A screen reader hears its last row; the others can be read at large. */
function miniature(state, duel) {
  const labels = labelsOf(state, duel.language);
  const last = duel.rows.at(-1);
  const rows = duel.over ? duel.rows : [...duel.rows, null];
  return [last && h("p.unseen", {}, spoken(last, nick(state, last.player_id), null, labels)),
    h("ol.mini", { "aria-hidden": "true", lang: duel.language, style: `--length:${duel.length}` }, rows.map((row, i) =>
      h(`li.row.${side(state, duel, duel.players[i % 2].player_id)}${row ? "" : ".now"}`, { "data-key": i }, h("span.tiles", {},
        row ? rowTiles(row, duel.length, labels) : draftTiles(null, duel.length, labels)))))];
}

/** The standings; with `ui` each player who is in can be followed. */
function table(state, ui = null) {
  const { tournament } = state;
  const star = (each) => ui && each.fate === "in" && each.lives > 0 && !each.hasLeft && !isMe(state, each.player_id)
    && button("follow", ui.followed === each.player_id ? "★" : "☆", {
      kind: "star", "data-arg": each.player_id, "aria-pressed": String(ui.followed === each.player_id), "aria-label": text.follow(each.nickname), title: text.follow(each.nickname),
    });
  const place = (each) => (each.place ? text.ordinal(each.place)
    : each.outlook ? text.range(each.outlook.best_place, each.outlook.worst_place) : "");
  const rest = (each) => (each.hasLeft ? h("span.quiet", {}, text.hasLeft)
    : each.lives ? hearts(each.lives) : h("span.quiet", {}, text.out));
  return h("section.card", {}, h("table", {},
    h("caption", {}, tournament.over ? text.finalTable : text.standings(tournament.round)),
    h("thead", {}, h("tr", {}, [text.place, text.name, text.lives, text.change].map((label) => h("th", { scope: "col" }, label)))),
    h("tbody", {}, standings(state).map((each) =>
      h("tr", { "data-key": each.player_id, class: [isMe(state, each.player_id) && "me", (each.place ?? 1) > 1 && "gone"].filter(Boolean).join(" ") },
        h("td", {}, star(each) || place(each)),
        h("th", { scope: "row" }, named(state, each.player_id), friend(state, each.player_id) && h("span.tag", {}, text.friend)),
        h("td", {}, rest(each)),
        h("td.number", {}, each.rating_change == null ? h("span.quiet", {}, each.rating) : text.signed(each.rating_change)))))));
}

/** Lives as hearts. If one has just been lost, it falls after `wait` ms. */
const hearts = (n, wait = null) => h("span.hearts", { role: "img", "aria-label": text.livesOf(n) },
  h("span", {}, "♥".repeat(n)), wait != null && n < START_LIVES && h("span.falls", { style: `--wait:${wait}ms` }, "♡"),
  h("span.spent", {}, "♡".repeat(Math.max(0, START_LIVES - n - (wait == null ? 0 : 1)))));

// A board

export const side = (state, duel, id) => {
  const own = duel.players.some((each) => isMe(state, each.player_id));
  return (own ? isMe(state, id) : duel.players[0].player_id === id) ? "a" : "b";
};

const secondsTo = (ms, now) => Math.max(0, Math.ceil((ms - now) / 1000));

function versus(state, duel, now, wait = null) {
  const cards = duel.players.map(({ player_id }) => {
    const moves = duel.to_move === player_id;
    return h(`div.player.${side(state, duel, player_id)}${moves ? ".moves" : ""}`, { "data-key": player_id },
      named(state, player_id),
      h("span.about", {}, hearts(lives(state, player_id), wait != null && outcome(duel, player_id) !== "won" && duel.ending ? wait : null),
        moves && h("span.turn", {}, isMe(state, player_id) ? text.yourTurn : text.guessing)));
  });
  const seconds = secondsTo(duel.deadline_ms ?? 0, now);
  const share = Math.min(1, Math.max(0, (duel.deadline_ms - now) / (duel.turn_ms ?? state.timing.turn_seconds * 1000)));
  const clock = duel.over
    ? h("div.clock", { "data-key": "over" }, h("span.quiet", {}, duel.winner ? "" : text.withoutWinner(duel.ending)))
    : h(`div.clock${seconds <= 10 ? ".soon" : ""}`, { id: "clock", "data-key": "clock", role: "timer", "aria-label": text.secondsLeft },
      h("b", {}, seconds), h("span.bar", { "aria-hidden": "true" }, h("span", { style: `width:${Math.round(share * 100)}%` })));
  return h("div.versus", {}, cards[0], clock, cards[1]);
}

export function board(state, duel, ui, called = (id) => nick(state, id)) {
  const labels = labelsOf(state, duel.language);
  const turns = ui.stage ? turning(ui.stage, duel.duel_id, ui.local) : -1;
  const rows = Array.from({ length: TURNS }, (_, i) => {
    const id = duel.players[i % 2].player_id;
    const mineRow = isMe(state, id);
    const name = mineRow ? text.you : called(id);
    const row = duel.rows[i];
    // Guesses may be typed while the opponent thinks: the draft stands in the user's own next row.
    const mine = ui.draft && isMe(state, id) && !row && i < duel.rows.length + 2;
    const now = !duel.over && i === duel.rows.length;
    const cells = row ? rowTiles(row, duel.length, labels) : draftTiles(mine ? ui.draft : null, duel.length, labels);
    return h(`li.row.${side(state, duel, id)}${now ? ".now" : ""}${row ? "" : ".open"}${mine && ui.refusal ? ".shake" : ""}${i === turns ? ".turns" : ""}${mine ? ".draft" : ""}${mine && ui.sent ? ".sent" : ""}`, { "data-key": i },
      h("span.who", { "aria-hidden": "true" }, h("bdi", {}, name)),
      h("span.unseen", {}, spoken(row, mineRow ? null : name, mine ? ui.draft : null, labels)),
      h("span.tiles", { "aria-hidden": "true" }, cells));
  });
  return h("ol.board", { "aria-label": text.board, lang: duel.language, style: `--length:${duel.length};--keys:${state.languages[duel.language]?.keyboard.length ?? 3}` },
    duel.over && ui.stage?.held?.duel_id !== duel.duel_id ? rows.slice(0, duel.rows.length) : rows);
}

export const rowTiles = (row, length, labels) => (row.word
  ? [...row.word].map((letter, i) => h(`span.tile.${row.marks[i]}`, { style: `--i:${i}` }, face(labels(letter))))
  : [h("span.skip", {}, text.skipped), ...Array.from({ length }, () => h("span.tile.none"))]);

const draftTiles = (draft, length, labels) => Array.from({ length }, (_, i) => {
  const letter = draft?.letters[i];
  const pending = draft && i === draft.letters.length ? draft.pending : "";
  return h(`span.tile${letter ? ".typed" : ""}`, {}, letter ? face(labels(letter)) : pending);
});

function keyboard(state, duel, ui) {
  const language = state.languages[duel.language];
  if (!language) return h("p", {}, text.connecting);
  const labels = labelsOf(state, duel.language);
  const turns = turning(ui.stage, duel.duel_id, ui.local);
  const marks = keyMarks(turns < 0 ? duel.rows : duel.rows.slice(0, turns)); // a key shows its mark after the tile
  const key = (letter) => button("key", face(labels(letter)), {
    kind: `key${marks[letter] ? `.${marks[letter]}` : ""}`, "data-arg": letter, "data-key": letter,
    "aria-label": marks[letter] && text.tile(face(labels(letter)), text.marks[marks[letter]]),
  });
  const keyRows = ui.settings.keys === "device" ? [[]] : rowsOf(language, ui.settings);
  const rows = keyRows.map((row) => row.map(key));
  const enter = button("enter", text.enter, { kind: "key.wide", "data-key": "enter", "aria-label": text.enterLabel, "aria-disabled": ui.sent && "true" });
  const erase = button("erase", "⌫", { kind: "key.wide", "data-key": "erase", "aria-label": text.erase });
  rows.at(-1).unshift(ui.settings.leftHand ? erase : enter);
  rows.at(-1).push(ui.settings.leftHand ? enter : erase);
  const columns = Math.max(8, ...keyRows.map((row, i) => row.length + (i === rows.length - 1 ? 3 : 0)));
  return h("div.keyboard", { role: "group", "aria-label": text.keys, lang: duel.language, style: `--columns:${columns}` },
    rows.map((row) => h("div.keys", {}, row)));
}

// Dialogs

export function askToLeave() {
  const dialog = document.querySelector("#confirm");
  show(dialog, h("form", { method: "dialog" }, h("h2", { id: "confirm-title" }, text.leaveTitle), h("p", {}, text.leaveText),
    h("div.start", {}, h("button", { value: "" }, text.leaveNo), button("leave-now", text.leaveYes, { kind: "danger" }))));
  dialog.showModal();
}

export function askForName(state, refusal = "") {
  const dialog = document.querySelector("#rename");
  if (!dialog.open) dialog.replaceChildren();
  show(dialog, h("form", { method: "dialog", id: "rename-form" },
    h("h2", {}, h("label", { for: "nickname", id: "rename-title" }, text.renameTitle)),
    h("input", { id: "nickname", value: state.you.nickname, maxlength: 40, autocomplete: "off", "aria-describedby": "rename-hint" }),
    h("p", { id: "rename-hint", class: refusal && "refused" }, refusal || text.renameHint),
    state.tournament && h("p.quiet", {}, text.renameLater),
    h("div.start", {}, button("close-rename", text.cancel), h("button.main", { type: "submit" }, text.save))));
  if (!dialog.open) dialog.showModal();
}

export function askToDelete() {
  const dialog = document.querySelector("#confirm");
  dialog.replaceChildren();
  show(dialog, h("form", { method: "dialog", id: "delete-form" }, h("h2", { id: "confirm-title" }, text.deleteTitle),
    h("p", {}, text.deleteText),
    h("label.tick", {}, h("input", { type: "checkbox", required: true }), " ", text.deleteSure),
    h("div.start", {}, h("button", { value: "", formnovalidate: true }, text.cancel),
      h("button.danger", { value: "delete" }, text.deleteYes))));
  dialog.showModal();
}

/** This page has made a mistake. */
export function showFailure(dialog) {
  dialog.replaceChildren();
  show(dialog, h("div", {}, h("h2", { id: "confirm-title" }, text.failedTitle), h("p", {}, text.failedText),
    h("div.start", {}, button("reload", text.reload, { kind: "main" }))));
  dialog.showModal();
}

// The pages of a dialog come in a module of their own, after the first screen

let sheets = null;

/** Load the dialog's pages, if they are not here yet. Raises the browser's error if that fails. */
export async function loadSheets() {
  sheets ??= await import("./sheets.js");
}

function drawSheet(state, ui) {
  if (sheets) sheets.drawSheet(state, ui, message(ui));
  else if (ui.sheets.length) loadSheets().then(ui.sheetsCame, ui.sheetsFailed);
}
