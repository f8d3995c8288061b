// Generated from docs/asyncapi.yaml by `make docs`. Edit the server's message models, not this file.

/**
 * Ask for the board of a duel that is over, of a tournament that the player has played in. Answered by `duel`.
 *
 * Boards are kept for 30 days.
 */
export interface Board {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "board";
  /** The duel's id. */
  duel: string;
}

/**
 * Make a group of friends and lead it. Answered by `group`, which has the invite.
 *
 * It is allowed in a tournament, but not in a lobby. Sent again with the same `ref`, it gets the group that it made, as long as the player leads it.
 */
export interface CreateGroup {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "createGroup";
}

/**
 * Delete the player for good: leave every game and group, and make the token worthless. Answered by `deleted`.
 *
 * Opponents keep their results and see a neutral name. A running tournament counts as left. With the `player`, a request sent again after the deletion gets the same answer, on any connection, and never deletes another player.
 */
export interface DeleteMe {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "deleteMe";
  /** The own `player_id`. */
  player?: string;
  /** Ask the person before you send it. */
  confirm: true;
}

/** The player is deleted: the answer to `deleteMe`. Nobody is signed in on the connection any more. */
export interface Deleted {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "deleted";
}

/** A duel, whole: the shared board and whose turn it is. It holds the secret word only when it is over. */
export type Duel = RunningDuel | FinishedDuel;

/**
 * The current state of a duel.
 *
 * The answer to `guess`, `watch` and `board`. Pushed to its players when the round opens, to its players and watchers after each turn, and to everybody in the tournament when it is over.
 */
export interface DuelChanged {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "duel";
  duel: Duel;
}

/** A player of a duel. */
export interface DuelPlayer {
  /** The player's id. */
  player_id: string;
  /** The lives left now. */
  lives: number;
}

/** The outcome of a duel that is over. `board` returns its rows. */
export interface DuelResult {
  /** The duel's id. */
  duel_id: string;
  /** Two player ids. The first of the two guessed first. */
  players: [string, string];
  ending: Ending;
  /** The winner's id; absent after a draw. */
  winner?: string;
  /** The secret word in canonical letters. */
  word: string;
  /** The word in its normal spelling, for display. */
  display: string;
  /** The number of turns played or skipped. */
  turns: number;
}

/** How a duel narrowed its word down: the answer to `review`. */
export interface DuelReview {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "review";
  /** The duel. */
  duel_id: string;
  /** How many secret words of its language and length there are. */
  answers: number;
  /** Its rows, from the first. */
  rows: ReviewedRow[];
}

/** The duels that you watch: the answer to `watchAll`. Each of them then changes by `duel`. */
export interface DuelsWatched {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "duels";
  /** All duels of the round except your own. Those that are not over are being watched. */
  duels: Duel[];
}

/** The word was guessed, all turns were used, or a player left. */
export type Ending = "solved" | "drawn" | "forfeited";

/** A request was refused or failed. It has changed nothing, unless the code is `internal`. */
export interface Error {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "error";
  code: ErrorCode;
  /** Plain English, for developers. The text may change. */
  message: string;
  /** The name of the wrong field, if one is to blame. */
  field?: string;
  /** The ids of the players who are the reason, for `member_playing` and `member_away`. */
  players?: string[];
  /** When the request will be accepted again, for `too_many_renames`. */
  until_ms?: number;
}

/**
 * The reason why a request was refused or failed.
 *
 * - `bad_json`: The frame is not one JSON object, repeats a key, or nests too deep.
 * - `bad_request`: A field is missing, unknown, `null`, of the wrong type or out of bounds; `field` names it.
 * - `unknown_action`: No request has this `action`.
 * - `flooding`: The connection has sent far too many messages, also refused ones, and is closed. Pause for ten seconds or more before the next one.
 * - `not_signed_in`: Nobody is signed in on this connection: it has not sent `hello`, it counted as lost, or its player is deleted.
 * - `already_signed_in`: Another player is signed in on this connection. Open a new one.
 * - `bad_token`: No player has this token (any more). Without a token, `hello` makes a new player.
 * - `client_outdated`: This version of the client is not served any more. A newer one has to be loaded.
 * - `replaced`: The player has signed in on a newer connection. This one cannot be used any more.
 * - `unknown_language`: The game is not played in that language. `welcome` lists its languages.
 * - `in_lobby`: You are in a lobby: with `join`, of another language. Leave it first.
 * - `not_in_lobby`: You are not in a lobby. Only servers of release 1.0.0 say so.
 * - `in_tournament`: You are still in a tournament. Until its first turns begin, only the same `join` again is answered.
 * - `not_in_tournament`: You are in a lobby, or the duel belongs to a tournament that you are not in.
 * - `too_late`: The tournament has started, so the lobby cannot be left any more.
 * - `in_group`: You are in a group. Its leader starts for all; leave it to play alone or to join another.
 * - `not_in_group`: You are not in a group (any more), or the named player is not a member of it.
 * - `not_leader`: Only the group's leader can do that.
 * - `no_such_group`: The invite is not valid: it is wrong, it was renewed, or the group has ended.
 * - `group_full`: The group has eight members.
 * - `group_searching`: The group waits in a lobby. Join when it has left the lobby or the game has started.
 * - `member_playing`: A member, perhaps you, is still in a lobby or tournament; `players` lists them.
 * - `member_away`: A member's connection is lost; `players` lists them.
 * - `cannot_remove_yourself`: You cannot remove yourself. Send `leaveGroup`.
 * - `queue_closed`: No new games are started at the moment. Running games go on. Try again later.
 * - `no_such_tournament`: You have not played in that tournament, or it ended more than 30 days ago.
 * - `duel_running`: The duel is not over. Its board can be seen by watching it.
 * - `no_such_duel`: There is no duel with that id, or it ended more than 30 days ago.
 * - `not_in_duel`: You do not play in that duel.
 * - `in_duel`: Your own duel is running, so you cannot watch another.
 * - `duel_over`: The duel is over.
 * - `not_started`: The round's introduction is running.
 * - `not_your_turn`: It is your opponent's turn, or the turn number is too high.
 * - `turn_over`: The turn was played or skipped, or its time is over.
 * - `not_watching`: You are not watching a duel. Only servers of release 1.0.0 say so.
 * - `wrong_length`: The guess does not have as many letters as the word. The turn and its clock go on.
 * - `unknown_letter`: The language does not have one of the letters. The turn and its clock go on.
 * - `not_in_word_list`: The guess is not in the word list. The turn and its clock go on.
 * - `word_not_allowed`: The guess is a slur, which no board shows. The turn and its clock go on.
 * - `nickname_length`: A nickname has 3 to 20 characters.
 * - `nickname_characters`: A nickname has letters and digits with single spaces, - _ or ' between them, and no stacks of accents.
 * - `nickname_mixed_scripts`: A word of the nickname mixes alphabets or kinds of digits, or has characters that imitate others.
 * - `nickname_offensive`: A word of the nickname is a slur in one of the game's languages.
 * - `too_many_renames`: A nickname can be changed three times an hour; `until_ms` says when it can be again.
 * - `busy`: Too many changes at the same time; nothing has happened. Send the request again.
 * - `internal`: The server failed; the request may or may not have had its effect. `sync` shows the result.
 */
export type ErrorCode = "bad_json" | "bad_request" | "unknown_action" | "flooding" | "not_signed_in" | "already_signed_in" | "bad_token" | "client_outdated" | "replaced" | "unknown_language" | "in_lobby" | "not_in_lobby" | "in_tournament" | "not_in_tournament" | "too_late" | "in_group" | "not_in_group" | "not_leader" | "no_such_group" | "group_full" | "group_searching" | "member_playing" | "member_away" | "cannot_remove_yourself" | "no_such_tournament" | "duel_running" | "queue_closed" | "no_such_duel" | "not_in_duel" | "in_duel" | "duel_over" | "not_started" | "not_your_turn" | "turn_over" | "not_watching" | "wrong_length" | "unknown_letter" | "not_in_word_list" | "word_not_allowed" | "nickname_length" | "nickname_characters" | "nickname_mixed_scripts" | "nickname_offensive" | "too_many_renames" | "busy" | "internal";

/**
 * Ask for everything that is stored about the player. Answered by `export`.
 *
 * `results` and `board` return the tournaments that it names. If `history` has `pages`, the older tournaments of each are asked for by its number.
 */
export interface Export {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "export";
  /** The number of a page, from 1. */
  page?: number;
}

/** Still in the tournament, out of lives, left, or the winner. */
export type Fate = "in" | "out" | "left" | "won";

/** A tournament that the player has finished. */
export interface Finished {
  /** Its id, for `results`. */
  tournament_id: string;
  /** When the place was fixed. */
  at_ms: number;
  /** The place. */
  place: number;
  /** The rating change; 0 if it was voided. */
  rating_change: number;
  /** The rating from then on. */
  rating: number;
  /** An operator voided it: it does not count. */
  voided: boolean;
  /** The language code of the game; absent in older records. */
  language?: string;
  /** The player's own turn (1 to 6) of each word that they guessed. */
  solved: number[];
}

/** A duel that is over, with its word. */
export interface FinishedDuel {
  /** The id. */
  duel_id: string;
  /** Grows with every change. Keep the greatest. */
  version: number;
  /** The tournament that it belongs to. */
  tournament_id: string;
  /** The number of its round. */
  round: number;
  /** The language code of its word. */
  language: string;
  /** The number of letters of its word. */
  length: number;
  /** The two players. The first of the two guesses first. */
  players: DuelPlayer[];
  /** The turns played or skipped, oldest first; at most 12. */
  rows: Row[];
  /** The number of the current turn, from 1. No meaning once it is over. */
  turn: number;
  /** When the introduction ends and the first turn begins. */
  starts_at_ms: number;
  /** How long each of its turns lasts. */
  turn_ms?: number;
  /** The duel is over. */
  over: true;
  /** How it ended; absent if an operator stopped it, which costs nobody a life. */
  ending?: Ending;
  /** The winner's id, if somebody won. */
  winner?: string;
  /** The secret word in canonical letters; only when it is over. */
  word: string;
  /** The word in its normal spelling, for display; only when it is over. */
  display: string;
  /** The players who lost their last life in this duel. */
  out: Outlook[];
  to_move?: never;
  deadline_ms?: never;
}

/**
 * A group of friends, whole.
 *
 * Its version grows when its members, leader or invite change. `where`, nicknames and ratings change without a new version: of two frames with the same version, the one with the later `now_ms` is the newer.
 */
export interface Group {
  /** The id. */
  group_id: string;
  /** Grows when the members, the leader or the invite change. */
  version: number;
  /** The key for `joinGroup`: put it into a link. */
  invite: string;
  /** The `player_id` of the member who may start. */
  leader: string;
  /** The members in the order in which they joined. */
  members: GroupMember[];
}

/** The current state of a group: the answer to requests that change it, and pushed when something changes. */
export interface GroupChanged {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "group";
  group: Group;
}

/** A member of a group. */
export interface GroupMember {
  /** The player's id. */
  player_id: string;
  /** The current nickname. */
  nickname: string;
  /** The current rating. */
  rating: number;
  /** The connection is lost. */
  away: boolean;
  /** The member's current activity; `free` also after being eliminated from a tournament. */
  where: Where;
}

/**
 * Guess the word of a duel. Answered by `duel`.
 *
 * The same guess sent again gets the same answer and is played once.
 */
export interface Guess {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "guess";
  /** The duel's id. */
  duel: string;
  /** The `turn` of the duel that the player saw. */
  turn: number;
  /** The word as the player typed it, in any case. */
  word: string;
}

/**
 * Make another member the leader, one who is connected; only the leader may. Answered by `group`.
 *
 * If that member leads already, any member gets this answer.
 */
export interface HandOver {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "handOver";
  /** The member's `player_id`. */
  player: string;
}

/** The answer to `here`. */
export interface Heard {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "heard";
}

/**
 * Sign in. It is the first request on every connection. Answered by `welcome`.
 *
 * Without a token it makes a new player. With a token it resumes that player and replaces any older connection.
 */
export interface Hello {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "hello";
  /** The token from `welcome`, whole. */
  token?: string;
  /** The name of the client's software. */
  client?: string;
  /** The version of that software. */
  client_version?: string;
}

/**
 * Answer a `question`: yes, the player's client is still there. Answered by `heard`.
 *
 * Send it at once and without asking the person. Copy the three fields from the `question`.
 */
export interface Here {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "here";
  what: QuestionWhat;
  /** The `id` of the question. */
  id: string;
  /** The `number` of the question. */
  number: number;
}

/**
 * Look for a game in a language: take a seat in a lobby. Answered by `lobby`.
 *
 * The same request sent again while the player waits in a lobby of that language gets the same answer.
 */
export interface Join {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "join";
  /** One of the language codes in `welcome`. */
  language: string;
}

/**
 * Join a friend's group by its invite. Answered by `group`. Sent again, it gets the same answer.
 *
 * It is allowed in a tournament, but not in a lobby, and not while the group itself waits in a lobby.
 */
export interface JoinGroup {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "joinGroup";
  /** The `invite` of the group, whole. */
  invite: string;
}

/** A language that the game is played in, with all that a client needs to draw its board and keyboard. */
export interface Language {
  /** The code that `join` takes. */
  code: string;
  /** The English name. */
  name: string;
  /** The name in the language itself. */
  native_name: string;
  /** All letters of the language. */
  tiles: Tile[];
  /** Rows of keys; each key is the letter of a tile. */
  keyboard: string[][];
  /** The letters for each other spelling that `guess` accepts, such as `e` for `é`. */
  spellings: Record<string, string>;
}

/** The languages that the game is played in: the answer to `languages`. They do not change while connected. */
export interface LanguageList {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "languages";
  /** The languages. */
  languages: Language[];
}

/** Ask for the letters and keyboards of all languages. Answered by `languages`. */
export interface Languages {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "languages";
}

/**
 * Leave the lobby (free) or the tournament (an automatic loss). Answered by `left`.
 *
 * It names which, so that a `leave` meant for the lobby never forfeits a tournament that has just started, and with the `id` a late one never hits the next game. A player who is not in it (any more) gets the same answer. A member of a group takes the whole group out of the lobby; everybody stays in the group.
 */
export interface Leave {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "leave";
  what: LeaveWhat;
  /** The id of the lobby or tournament. */
  id?: string;
}

/**
 * Leave the group. Answered by `left`, also if the player is not in it (any more).
 *
 * If the group waits in a lobby, the whole group is taken out of it. A running tournament goes on. If the leader leaves, another member leads at once.
 */
export interface LeaveGroup {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "leaveGroup";
  /** The group's id: a late request never hits the next group. */
  group?: string;
}

/** The thing that the player wants to leave. */
export type LeaveWhat = "lobby" | "tournament";

/**
 * You have left that lobby, tournament or group.
 *
 * The answer to `leave` and `leaveGroup`, also if you were not in it. Pushed when somebody takes your group out of its lobby or removes you from the group.
 */
export interface Left {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "left";
  what: LeftWhat;
  /** Its id. In an answer it is that of the request, if that had one. */
  id?: string;
  /** The `player_id` of the member who left, was lost or removed, or of the leader who removed you. */
  by?: string;
}

/** The thing that the player has left. */
export type LeftWhat = "lobby" | "tournament" | "group";

/**
 * A lobby, whole. When `started` is true, the tournament follows at once under the same id.
 *
 * Of two frames with the same version, the one with the later `now_ms` is the newer.
 */
export interface Lobby {
  /** The id; it changes when lobbies are merged. */
  lobby_id: string;
  /** Grows with every change. Keep the greatest. */
  version: number;
  /** The language code of the game. */
  language: string;
  /** Matchmaking seats players, and groups by their mean, at most 200 points from it. */
  rating: number;
  /** The number of seats. */
  seats: number;
  /** The waiting players. A group comes and goes as a whole. */
  players: LobbyPlayer[];
  /** The lobby is full and the tournament starts: the last `lobby`. */
  started: boolean;
}

/** The current state of a lobby: the answer to `join` and `startGroup`, and pushed when it changes. */
export interface LobbyChanged {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "lobby";
  lobby: Lobby;
}

/** A player in a lobby. */
export interface LobbyPlayer {
  /** The player's id. */
  player_id: string;
  /** The current nickname. */
  nickname: string;
  /** The current rating. */
  rating: number;
  /** The connection is lost; the seat is kept for a while. */
  away: boolean;
  /** When the player counts as having left; only while away and in the game. */
  away_until_ms?: number;
}

/** A game that the player has lost by being away too long, or because the server was started again. */
export interface LostGame {
  /** A seat in a lobby, at no cost, or a tournament. */
  what: LeaveWhat;
  /** The id of the lobby or tournament; `results` shows how the tournament went. */
  id: string;
  /** When the player counted as having left. */
  at_ms: number;
  /** The server was started again; the game counts for nobody. Never on AWS. */
  restarted?: true;
}

/** The answer to one letter of a guess: in this place, elsewhere in the word, or not (so often) in it. */
export type Mark = "correct" | "present" | "absent";

/** A pair of the current round. */
export interface Match {
  /** The id of their duel. */
  duel_id: string;
  /** Two player ids. The first of the two guesses first. */
  players: [string, string];
  /** The number of letters of the secret word. */
  length: number;
}

/** The part of a rating change that comes from one of the seven opponents. */
export interface OpponentPart {
  /** The opponent's id. */
  player_id: string;
  outcome: Outcome;
  /** Rounded to three decimals; the change is the exact sum of all seven, rounded. */
  points: number;
}

/** Whether the player finished above, below or level with the opponent. */
export type Outcome = "win" | "draw" | "loss";

/**
 * The places that are still possible for a player whose last life is gone.
 *
 * They depend on the round's other duels. The worst place is certain. The best one counts the players who left before the duel was over; if somebody leaves later in the round, the place may be better. It is fixed when the round ends.
 */
export interface Outlook {
  /** The player's id. */
  player_id: string;
  /** The best place possible, unless somebody leaves later in the round. */
  best_place: number;
  /** The worst place possible: that is certain. */
  worst_place: number;
}

/**
 * Everything stored about the player, in the form in which it is stored: the answer to `export`.
 *
 * Only the hash of the token is left out.
 */
export interface OwnData {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "export";
  /** For reading and keeping. Its structure may change at any time. */
  data: Record<string, unknown>;
}

/** The player's own record: the answer to `profile`. */
export interface OwnProfile {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "profile";
  you: You;
  /** The best place so far; absent before the first. */
  best_place?: number;
  /** The last 50 tournaments, newest first. */
  recent: Finished[];
}

/** Show that this connection works, after 20 seconds in which nothing was heard. Answered by `pong`. */
export interface Ping {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "ping";
}

/** How a tournament went for one player, as far as it is settled. */
export interface PlayerResult {
  /** The player's id. */
  player_id: string;
  /** The nickname at the start; `Deleted player` if the player was deleted since. */
  nickname: string;
  /** The rating at the start of the tournament. */
  rating: number;
  /** The lives after the settled rounds. */
  lives: number;
  fate: Fate;
  /** The place, once it is fixed. */
  place?: number;
  /** The change, once the place is fixed; 0 if the tournament was voided. */
  rating_change?: number;
  /** How the change adds up; empty until the place is fixed, or if voided. */
  parts: OpponentPart[];
}

/** The answer to `ping`. */
export interface Pong {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "pong";
}

/** A player in your lobby or tournament has lost the connection or has come back. */
export interface Presence {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "presence";
  /** The player's id. */
  player_id: string;
  /** True if the connection is lost, false if the player is back. */
  away: boolean;
  /** When the player counts as having left; only while away. */
  until_ms?: number;
}

/** Ask for the own record: rating, games, best place, the last 50 tournaments. Answered by `profile`. */
export interface Profile {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "profile";
}

/**
 * Are you still there? Answer it by `here` at once, without asking the person.
 *
 * Pushed when a turn of yours was skipped, once a minute while you wait in a lobby or have a bye, and when your group starts. A connection on which it is not answered within 20 seconds counts as lost.
 */
export interface Question {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "question";
  /** The kind of thing that it is about. */
  what: QuestionWhat;
  /** The id of the duel, lobby, tournament or group. */
  id: string;
  /** Grows with every question about the same thing. */
  number: number;
}

/** The thing in which the player shall be there. */
export type QuestionWhat = "duel" | "lobby" | "tournament" | "group";

/**
 * Remove a member from the group; only its leader may. Answered by `group`, also if they are no member (any more).
 *
 * The group gets a new invite. If it waits in a lobby, the whole group is taken out of it. A running tournament goes on.
 */
export interface RemoveMember {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "removeMember";
  /** The member's `player_id`. */
  player: string;
}

/**
 * Choose a nickname, at most three times an hour. Answered by `you`.
 *
 * The lobby and the group show it at once; a running tournament keeps the name with which it started.
 */
export interface Rename {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "rename";
  /** The new nickname. */
  nickname: string;
}

/** Replace the invite, so that the old one is not valid any more; only the leader may. Answered by `group`. */
export interface RenewInvite {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "renewInvite";
}

/** The player has signed in on a newer connection. This one is closed, and must not reconnect by itself. */
export interface Replaced {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "replaced";
}

/** Your place in a tournament is fixed and your rating has changed. Also sent if you have left the tournament. */
export interface Result {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "result";
  /** The tournament. */
  tournament_id: string;
  /** Your place. */
  place: number;
  /** The change of your rating. */
  rating_change: number;
  /** Your rating from now on. */
  rating: number;
}

/**
 * Ask how a tournament went that the player plays or has played in. Answered by `results`.
 *
 * Results are kept for 30 days.
 */
export interface Results {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "results";
  /** The tournament's id. */
  tournament: string;
}

/**
 * Ask how many answers were still possible before and after each row of a duel that is over. Answered by `review`.
 *
 * A player of its tournament may ask. Duels are kept for 30 days.
 */
export interface Review {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "review";
  /** The duel's id. */
  duel: string;
}

/** A row of a board and how many secret words of the language fitted the board before and after it. */
export interface ReviewedRow {
  /** The player whose turn it was. */
  player_id: string;
  /** The words that fitted all rows before it. */
  before: number;
  /** The words that fit this row too; a skipped row excludes none. */
  after: number;
}

/** A settled round. */
export interface RoundResult {
  /** The number of the round, from 1. */
  number: number;
  /** The round's duels. */
  duels: DuelResult[];
  /** The id of the player who had no duel. */
  bye?: string;
  /** The ids of the players who left during the round. */
  leavers: string[];
}

/** One turn on the board. */
export interface Row {
  /** The player whose turn it was. */
  player_id: string;
  /** The guess in canonical letters, one per tile; absent if skipped. */
  word?: string;
  /** One mark for each letter; empty if skipped. */
  marks: Mark[];
}

/** A duel that runs: it has no word. */
export interface RunningDuel {
  /** The id. */
  duel_id: string;
  /** Grows with every change. Keep the greatest. */
  version: number;
  /** The tournament that it belongs to. */
  tournament_id: string;
  /** The number of its round. */
  round: number;
  /** The language code of its word. */
  language: string;
  /** The number of letters of its word. */
  length: number;
  /** The two players. The first of the two guesses first. */
  players: DuelPlayer[];
  /** The turns played or skipped, oldest first; at most 12. */
  rows: Row[];
  /** The number of the current turn, from 1. No meaning once it is over. */
  turn: number;
  /** The id of the player whose turn it is, while it runs. */
  to_move: string;
  /** When the introduction ends and the first turn begins. */
  starts_at_ms: number;
  /** How long each of its turns lasts. */
  turn_ms?: number;
  /** When the current turn ends, while it runs. */
  deadline_ms: number;
  /** The duel is over. */
  over: false;
  /** The players who lost their last life in this duel. */
  out: Outlook[];
  ending?: never;
  winner?: never;
  word?: never;
  display?: never;
}

/**
 * Look for a game with the whole group; only its leader may. Answered by `lobby`.
 *
 * Either all members get seats in one lobby or nobody does. It is refused while a member is in a lobby or tournament or has lost the connection. The other members are asked whether they are there (`question`), and the answer comes when the last one has answered. After five seconds the same request is refused with the names of those who have not. Any member cancels the search for all by `leave` with `what` `lobby`. The same request sent again while the group waits in a lobby of that language gets the same answer.
 */
export interface StartGroup {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "startGroup";
  /** One of the language codes in `welcome`. */
  language: string;
}

/** The answer to `sync`: the current screen. */
export interface State {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  you: You;
  group?: Group;
  lobby?: Lobby;
  /** The current tournament, or a finished one that was not left yet. */
  tournament?: Tournament;
  /** The player's own duel, this round's duels that are over, and those being watched. */
  duels: Duel[];
  /** The id of the duel that the player watches, if any: of several the first. */
  watching?: string;
  /** The ids of all duels that the player watches. */
  watched: string[];
  /** Why there is no lobby or tournament. It stays until the next seat. */
  lost_game?: LostGame;
  type: "state";
}

/** Ask for everything needed to draw the current screen. Answered by `state`. */
export interface Sync {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "sync";
}

/** One square of the board in a language. */
export interface Tile {
  /** The canonical letter in rows and words; always one character. */
  letter: string;
  /** The text that players see; Uzbek's `ş` is shown as `sh`. */
  label: string;
}

/** The durations on this server, in seconds. */
export interface Timing {
  /** Introduction before each round. */
  intro_seconds: number;
  /** Length of a turn. */
  turn_seconds: number;
  /** Time to come back after a lost connection. */
  reconnect_seconds: number;
  /** Send a `ping` when nothing was heard for so long. */
  ping_seconds: number;
}

/**
 * A tournament, whole: its players and the current round's pairings.
 *
 * Of two frames with the same version, the one with the later `now_ms` is the newer.
 */
export interface Tournament {
  /** The id: that of its lobby. */
  tournament_id: string;
  /** Grows with every change. Keep the greatest. */
  version: number;
  /** The language code of the game. */
  language: string;
  /** All eight players. */
  players: TournamentPlayer[];
  /** The number of the current (or last) round, from 1. */
  round: number;
  /** The pairings of that round. */
  matches: Match[];
  /** The id of the player without a duel in this round. */
  bye?: string;
  /** The ids of the players who have left during this round. */
  leavers: string[];
  /** When the introduction ends and the first turns begin. */
  starts_at_ms: number;
  /** The round settled last, with its words; absent during the first round. */
  last_round?: RoundResult;
  /** The tournament is over. */
  over: boolean;
  /** Why it is over, once it is. */
  ending?: TournamentEnding;
}

/** The current state of a tournament: pushed when a round opens, when a player leaves and when it is over. */
export interface TournamentChanged {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "tournament";
  tournament: Tournament;
}

/** Played to its end, stopped by an operator, or voided by an operator. */
export type TournamentEnding = "finished" | "stopped" | "voided";

/** A player of a tournament, as the settled rounds left them. */
export interface TournamentPlayer {
  /** The player's id. */
  player_id: string;
  /** The nickname at the start; `Deleted player` if the player was deleted since. */
  nickname: string;
  /** The rating at the start of the tournament. */
  rating: number;
  /** Lives when the round opened; a duel that is over says who lost one. */
  lives: number;
  fate: Fate;
  /** The place, once it is fixed. Places can be shared. */
  place?: number;
  /** The change, once the place is fixed; 0 if the tournament was voided. */
  rating_change?: number;
  /** The connection is lost; turns pass as skips. */
  away: boolean;
  /** When the player counts as having left; only while away and in the game. */
  away_until_ms?: number;
}

/** How a tournament went, as far as it is settled: the answer to `results`. */
export interface TournamentResults {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "results";
  /** The tournament. */
  tournament_id: string;
  /** The language code of the game. */
  language: string;
  /** When it started. */
  started_at_ms: number;
  /** When it ended, once it is over. */
  ended_at_ms?: number;
  /** Why it is over, once it is. */
  ending?: TournamentEnding;
  /** The players, best first. */
  players: PlayerResult[];
  /** The settled rounds, from the first. */
  rounds: RoundResult[];
}

/** Stop watching, also several duels. Answered by `unwatched`, also if nothing was watched (any more). */
export interface Unwatch {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "unwatch";
}

/** You watch no duel any more: the answer to `unwatch`. */
export interface Unwatched {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "unwatched";
}

/**
 * Watch a running duel of the player's own tournament. Answered by `duel`.
 *
 * It replaces the duel watched before. It lasts until the duel is over, across lost connections.
 */
export interface Watch {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "watch";
  /** The duel's id. */
  duel: string;
}

/**
 * Watch all running duels of the player's own tournament and round. Answered by `duels`.
 *
 * Each lasts until it is over, across lost connections. Sent again, it gets the boards as they are then.
 */
export interface WatchAll {
  /** Comes back on the answer. Printable text. */
  ref?: string;
  action: "watchAll";
}

/** The answer to `hello`: the current screen, and how this server plays. */
export interface Welcome {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  you: You;
  group?: Group;
  lobby?: Lobby;
  /** The current tournament, or a finished one that was not left yet. */
  tournament?: Tournament;
  /** The player's own duel, this round's duels that are over, and those being watched. */
  duels: Duel[];
  /** The id of the duel that the player watches, if any: of several the first. */
  watching?: string;
  /** The ids of all duels that the player watches. */
  watched: string[];
  /** Why there is no lobby or tournament. It stays until the next seat. */
  lost_game?: LostGame;
  type: "welcome";
  /** The version of this protocol. */
  protocol: number;
  /** The only key to the player. Sent once, to a new player: store it. */
  token?: string;
  timing: Timing;
  /** The codes of the languages that the game is played in. */
  languages: string[];
}

/** In no game, in a lobby, or still in a tournament. An eliminated player is free. */
export type Where = "free" | "lobby" | "tournament";

/** The player who is signed in on this connection. */
export interface You {
  /** Your id. Opaque; it never changes. */
  player_id: string;
  /** Your current nickname. */
  nickname: string;
  /** Your current rating; 1000 at first. */
  rating: number;
  /** Tournaments finished. */
  games: number;
}

/** Your player: the answer to `rename`. Pushed when an operator renames you or voids one of your tournaments. */
export interface YouChanged {
  /** The `ref` of the request that this answers, if it had one. */
  ref?: string;
  /** The server's clock when it made this frame. */
  now_ms: number;
  type: "you";
  you: You;
}

/** Everything that a client may send, told apart by `action`. */
export type Request = Hello | Join | Leave | Guess | Rename | Watch | WatchAll | Unwatch | Sync | Languages | Ping | Here | CreateGroup | JoinGroup | LeaveGroup | RemoveMember | HandOver | RenewInvite | StartGroup | Results | Board | Review | Profile | Export | DeleteMe;

/** Everything that the server may send, told apart by `type`. */
export type Frame = Welcome | State | LobbyChanged | Left | TournamentChanged | DuelChanged | DuelsWatched | Result | YouChanged | Presence | GroupChanged | TournamentResults | DuelReview | OwnProfile | OwnData | Deleted | Unwatched | Replaced | LanguageList | Pong | Question | Heard | Error;

/** The answer to each request that is not refused, by `action`. */
export interface Answers {
  hello: Welcome;
  join: LobbyChanged;
  leave: Left;
  guess: DuelChanged;
  rename: YouChanged;
  watch: DuelChanged;
  watchAll: DuelsWatched;
  unwatch: Unwatched;
  sync: State;
  languages: LanguageList;
  ping: Pong;
  here: Heard;
  createGroup: GroupChanged;
  joinGroup: GroupChanged;
  leaveGroup: Left;
  removeMember: GroupChanged;
  handOver: GroupChanged;
  renewInvite: GroupChanged;
  startGroup: LobbyChanged;
  results: TournamentResults;
  board: DuelChanged;
  review: DuelReview;
  profile: OwnProfile;
  export: OwnData;
  deleteMe: Deleted;
}
