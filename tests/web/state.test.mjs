import assert from "node:assert/strict";
import { test } from "node:test";

import { apply, initial, look, serverNow } from "../../client/javascript/state.js";
import { after, duel, lobby, person, row, tournament, welcome } from "./make.mjs";

const inLobby = (more) => ({ type: "lobby", lobby: lobby(more) });
const inTournament = (more) => ({ type: "tournament", tournament: tournament(more) });

test("apply leaves the old state as it was", () => {
  const before = after(welcome(), inTournament());
  const copy = structuredClone(before);
  apply(before, { type: "duel", now_ms: 9000, duel: duel({ version: 7 }) }, 0);
  assert.deepEqual(before, copy);
});

test("a frame of an unknown type changes nothing", () => {
  const before = after(welcome());
  assert.equal(apply(before, { type: "surprise", now_ms: 1 }, 0), before);
});

test("the server's time is known through the least delayed frame", () => {
  const state = after(welcome({ now_ms: 5000, heard: 900 }), { type: "pong", now_ms: 6000, heard: 1100 });
  const late = apply(state, { type: "pong", now_ms: 6100 }, 2900);
  assert.equal(serverNow(late, 1100), 6000);
});

test("an overtaken frame does not put an older board back", () => {
  const newer = duel({ version: 3, rows: [row("ann", "crane", "-----")], turn: 2, to_move: "me" });
  const state = after(welcome(), inTournament(), { type: "duel", duel: newer }, { type: "duel", duel: duel({ version: 2 }) });
  assert.deepEqual(state.duels.d1, newer);
});

test("an overtaken frame does not put an older tournament back", () => {
  const state = after(welcome(), inTournament({ version: 5, round: 2 }), inTournament({ version: 4 }));
  assert.equal(state.tournament.round, 2);
});

test("of the same version the later word wins: who is away has no version", () => {
  const away = (players) => players.map((each, i) => ({ ...each, away: i === 1 }));
  const all = [person("me"), person("ann")];
  for (const [kind, some] of [["lobby", (players = all) => lobby({ players })], ["tournament", (players = tournament().players) => tournament({ players })]]) {
    const told = (thing, now_ms) => ({ type: kind, now_ms, [kind]: thing });
    const state = after(welcome(), told(some(), 5000), told(some(away(some().players)), 7000), told(some(), 6000));
    assert.equal(state[kind].players[1].away, true, kind);
    const back = apply(state, { type: "state", now_ms: 8000, you: person("me"), [kind]: some() }, 8000);
    assert.equal(Boolean(back[kind].players[1].away), false, kind);
  }
});

test("an old snapshot does not put older things back", () => {
  const state = after(welcome(), inTournament({ version: 5 }), { type: "duel", duel: duel({ version: 9 }) },
    { type: "state", you: person("me"), tournament: tournament({ version: 4 }), duels: [duel({ version: 8 })] });
  assert.equal(state.tournament.version, 5);
  assert.equal(state.duels.d1.version, 9);
});

test("a duel's frame may come before its round's", () => {
  const state = after(welcome(), { type: "duel", duel: duel({ version: 2 }) }, inTournament());
  assert.equal(state.duels.d1.version, 2);
});

test("the tournament takes the lobby's place, and a late frame of the lobby does not bring it back", () => {
  const started = { tournament_id: "l1" };
  const state = after(welcome(), inLobby(), inTournament(started), inLobby({ version: 9, started: true }));
  assert.equal(state.lobby, null);
  assert.equal(state.tournament.tournament_id, "l1");
});

test("after leaving a lobby, a late frame of it means nothing", () => {
  const state = after(welcome(), { ...inLobby(), ref: "join-1" }, { type: "left", what: "lobby", now_ms: 3000, ref: "leave-2" },
    { ...inLobby({ version: 2 }), now_ms: 2999 });
  assert.equal(state.lobby, null);
  const again = apply(state, { ...inLobby({ version: 4 }), now_ms: 3100, ref: "join-3" }, 3100);
  assert.equal(again.lobby.version, 4);
});

test("a lobby one is not in any more is not one's lobby", () => {
  const state = after(welcome(), inLobby(), inLobby({ version: 2, players: [person("ann")] }));
  assert.equal(state.lobby, null);
});

test("merged lobbies: one is in the other then, whichever frame comes last", () => {
  const merged = { ...inLobby({ lobby_id: "l2" }), now_ms: 5000 };
  const late = { ...inLobby({ version: 2 }), now_ms: 4999 };
  assert.equal(after(welcome(), inLobby(), merged, late).lobby.lobby_id, "l2");
});

test("after leaving a tournament its frames mean nothing", () => {
  const state = after(welcome(), inTournament(), { type: "left", what: "tournament", ref: "leave-1" },
    inTournament({ version: 9, over: true }), { type: "duel", duel: duel({ version: 9 }) });
  assert.equal(state.tournament, null);
  assert.deepEqual(state.duels, {});
});

test("one who is out and waits in a lobby again stays there while the old tournament goes on", () => {
  const out = tournament().players.map((each) => (each.player_id === "me" ? { ...each, fate: "out" } : each));
  const state = after(welcome(), inTournament({ players: out }), { ...inLobby(), ref: "join-1" }, inTournament({ version: 2, players: out }));
  assert.equal(state.lobby.lobby_id, "l1");
});

test("thrown out while away: the snapshot has no tournament, and the player is told", () => {
  const state = after(welcome(), inTournament(), welcome({ now_ms: 90_000 }));
  assert.equal(state.tournament, null);
  assert.equal(state.notice.code, "dropped");
});

test("a new tournament forgets the old one's duels", () => {
  const state = after(welcome(), inTournament({ over: true }), { type: "duel", duel: duel() }, inTournament({ tournament_id: "t2" }));
  assert.deepEqual(state.duels, {});
});

test("the duel that answers a watch is the one watched", () => {
  const watched = duel({ duel_id: "d2" });
  const state = after(welcome(), inTournament(), { type: "duel", duel: watched, ref: "watch-4" });
  assert.equal(state.watching, "d2");
  assert.equal(apply(state, { type: "unwatched", now_ms: 1 }, 1).watching, null);
});

test("all duels that answer a watchAll are watched, the chosen one or the first at large", () => {
  const [d2, d3] = ["d2", "d3"].map((id) => duel({ duel_id: id }));
  const ended = duel({ duel_id: "d4", version: 9, over: true });
  const all = { type: "duels", duels: [d2, d3, ended], ref: "watchAll-4" };
  const state = after(welcome(), inTournament(), all);
  assert.deepEqual([state.watched, state.watching], [["d2", "d3"], "d2"]);
  assert.deepEqual(Object.keys(state.duels), ["d2", "d3", "d4"]);
  const chosen = look(state, "d3");
  assert.equal(chosen.watching, "d3");
  assert.equal(look(chosen, "d4").watching, "d3", "not one that is not watched");
  assert.equal(apply(chosen, { ...all, now_ms: 1 }, 1).watching, "d3");
  assert.deepEqual(apply(chosen, { type: "unwatched", now_ms: 1 }, 1).watched, []);
});

test("an answer to watchAll that comes late brings no duel back that is over", () => {
  const end = { type: "duel", duel: duel({ duel_id: "d2", version: 9, over: true }) };
  const state = after(welcome(), inTournament(), end, { type: "duels", duels: [duel({ duel_id: "d2" })], ref: "watchAll-4" });
  assert.deepEqual([state.watched, state.duels.d2.over], [[], true]);
});

test("after leaving, a late answer to watchAll shows nothing", () => {
  const state = after(welcome(), inTournament(), { type: "left", what: "tournament", ref: "leave-1" }, { type: "duels", duels: [duel({ duel_id: "d2" })] });
  assert.deepEqual([state.watched, state.watching, state.duels], [[], null, {}]);
});

test("a result tells the new rating", () => {
  const state = after(welcome(), inTournament(), { type: "result", tournament_id: "t1", place: 2, rating_change: 18, rating: 1018 });
  assert.equal(state.you.rating, 1018);
  assert.equal(state.result.place, 2);
});

test("replaced, by a frame or by a refusal", () => {
  assert.equal(after(welcome(), { type: "replaced" }).status, "replaced");
  assert.equal(after(welcome(), { type: "error", code: "replaced", message: "" }).status, "replaced");
});

test("taking over again is a welcome like any other", () => {
  assert.equal(after(welcome(), { type: "replaced" }, welcome({ now_ms: 2000 })).status, "online");
});

test("an older word on an absence does not undo a newer one", () => {
  const state = after(welcome(), { type: "presence", player_id: "ann", away: false, now_ms: 5000 },
    { type: "presence", player_id: "ann", away: true, now_ms: 4000 });
  assert.equal(state.presence.ann.away, false);
});

test("another player's welcome starts from nothing", () => {
  const state = after(welcome(), inTournament(), welcome({ now_ms: 1, you: { ...person("new"), games: 0 } }));
  assert.equal(state.tournament, null);
  assert.equal(state.you.player_id, "new");
});

test("it starts knowing nothing", () => assert.equal(initial().you, null));

test("coming back, one watches all that one watched", () => {
  const duels = ["d2", "d3"].map((id) => duel({ duel_id: id }));
  const state = after(welcome({ tournament: tournament(), duels, watching: "d2", watched: ["d2", "d3"] }));
  assert.deepEqual([state.watched, state.watching], [["d2", "d3"], "d2"]);
});

test("coming back, one watches what one watched", () => {
  const state = after(welcome({ tournament: tournament(), duels: [duel({ duel_id: "d2" })], watching: "d2" }));
  assert.equal(state.watching, "d2");
});

test("a token that names no player: the person decides, nothing is made up", () => {
  const state = after(welcome(), inTournament(), { type: "error", code: "bad_token", message: "" });
  assert.equal(state.status, "unknown");
  assert.equal(state.you, null);
});

test("an older word on oneself does not undo a newer one", () => {
  const state = after(welcome(), { type: "result", tournament_id: "t1", place: 2, rating_change: 18, rating: 1018, now_ms: 9000 },
    { type: "state", now_ms: 8000, you: person("me") });
  assert.equal(state.you.rating, 1018);
});

test("playing again ends the tournament before: its late frames mean nothing", () => {
  const state = after(welcome(), inTournament({ over: true }), { ...inLobby({ lobby_id: "l2" }), ref: "join-1" },
    inTournament({ over: true, version: 5 }));
  assert.equal(state.tournament, null);
  assert.equal(state.lobby.lobby_id, "l2");
});

const group = (more) => ({ group_id: "r1", version: 1, invite: "r1.x", leader: "me",
  members: [{ player_id: "me", nickname: "Me", rating: 1000, away: false, where: "free" }], ...more });

test("a group is kept by version, and of two alike the later is the newer", () => {
  const busy = [{ ...group().members[0], where: "tournament" }];
  const state = after(welcome(), { type: "group", group: group({ version: 2 }), now_ms: 5000 },
    { type: "group", group: group({ version: 1, leader: "ann" }), now_ms: 6000 },
    { type: "group", group: group({ version: 2, members: busy }), now_ms: 4000 });
  assert.equal(state.group.leader, "me");
  assert.equal(state.group.members[0].where, "free");
});

test("one who is taken out of the group is told, and one who leaves is not", () => {
  const inGroup = [welcome(), { type: "group", group: group(), now_ms: 5000 }];
  const removed = after(...inGroup, { type: "left", what: "group", now_ms: 6000 });
  assert.equal(removed.group, null);
  assert.equal(removed.notice.code, "removed");
  assert.equal(after(...inGroup, { type: "left", what: "group", now_ms: 6000, ref: "leaveGroup-1" }).notice, null);
});

test("leaving a group leaves the tournament alone", () => {
  const state = after(welcome(), inTournament(), { type: "group", group: group(), now_ms: 5000 },
    { type: "left", what: "group", now_ms: 6000, ref: "leaveGroup-1" });
  assert.notEqual(state.tournament, null);
});

test("a snapshot without a group says that there is none", () => {
  const state = after(welcome(), { type: "group", group: group(), now_ms: 5000 }, { type: "state", you: person("me"), now_ms: 6000 });
  assert.equal(state.group, null);
});

test("the answer to a late leave does not touch the next tournament or lobby", () => {
  const late = { type: "left", what: "tournament", id: "t0", ref: "leave-9" };
  const state = after(welcome(), inTournament(), late);
  assert.equal(state.tournament.tournament_id, "t1");
  assert.equal(after(welcome(), inTournament(), { ...late, id: "t1" }).tournament, null);
  assert.equal(after(welcome(), inLobby(), { ...late, what: "lobby", id: "l0" }).lobby.lobby_id, "l1");
  assert.equal(after(welcome(), inLobby(), { ...late, what: "lobby", id: "l1" }).lobby, null);
});

test("a player who was away too long is told once what they are not in any more", () => {
  const lost_game = { what: "tournament", id: "t1", at_ms: 900 };
  const state = after(welcome({ lost_game }));
  assert.equal(state.notice.code, "dropped");
  const { notice } = state;
  assert.equal(apply(state, welcome({ lost_game, now_ms: 2000 }), 2000).notice, notice, "not with every connection");
  assert.equal(after(welcome({ lost_game: { ...lost_game, what: "lobby" } })).notice.code, "left_lobby");
  assert.equal(after(welcome({ lost_game: { ...lost_game, restarted: true } })).notice.code, "restarted");
  assert.equal(after(welcome({ lost_game, now_ms: 900 + 600_001 })).notice, null, "long ago");
});
