"""A stack with its players, and a game as a test plays it: who wins which duel, who leaves when."""

import asyncio
import json
import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from bots.referee import Record, Recorded, read_record, violations_so_far
from infra.local.stack import LocalStack
from tests.e2e.driver import PATIENCE_SECONDS, Connection, Frame, Player
from tests.e2e.frames import Secret, check_frames, check_secrets
from wordle_tournament import words
from wordle_tournament.rules.duel import Row
from wordle_tournament.store import DUELS, Change, commit, load

Decide = Callable[[Frame], str | None]
"""Choose the winner of a match: a player's id, or None for a draw."""


class Arena:
    """A running stack and everybody who has come to it.

    Its end looks at every frame that anybody got, and at what the stack says of itself.
    """

    def __init__(self, stack: LocalStack) -> None:
        self.stack = stack
        self.players: list[Player] = []
        self.connections: list[Connection] = []
        self.rng = random.Random(7)
        self._words: dict[str, str] = {}

    # -- players -----------------------------------------------------------------------------------

    async def player(self) -> Player:
        """Somebody new, signed in."""
        player = Player(self.stack.ws_url)
        await player.sign_in()
        self.players.append(player)
        return player

    async def crowd(self, number: int) -> list[Player]:
        return list(await asyncio.gather(*(self.player() for _ in range(number))))

    async def game(self, language: str = "en", players: list[Player] | None = None) -> "Game":
        """Eight players in the first round of a tournament."""
        players = players if players is not None else await self.crowd(8)
        lobbies = [await player.join(language) for player in players]
        assert lobbies[-1]["started"]
        game = Game(self, str(lobbies[-1]["lobby_id"]), players)
        await game.everybody(round=1)
        return game

    async def connection(self) -> Connection:
        """A connection of nobody's yet."""
        connection = await Connection.open(self.stack.ws_url)
        self.connections.append(connection)
        return connection

    def connection_id(self, player: Player) -> str:
        """The id of the player's newest connection."""
        return self.stack.gateway.connection_of(player.connection.local_address)

    # -- what only the server knows ----------------------------------------------------------------

    def secrets(self) -> list[Secret]:
        """Every word of every duel there was."""
        return [
            Secret(state["duel_id"], state["word"], int(state["ended_at_ms"]) if state.get("ended_at_ms") else None)
            for state in (item["state"] for item in self.stack.items("DuelsTable"))
        ]

    def words(self, duel_id: str) -> dict[str, str]:
        """The words of all duels so far, that one's among them."""
        if duel_id not in self._words:
            self._words = {secret.duel_id: secret.word for secret in self.secrets()}
        return self._words

    def word(self, duel_id: str) -> str:
        return self.words(duel_id)[duel_id]

    def stored_player(self, player: Player) -> dict[str, Any]:
        (state,) = (item["state"] for item in self.stack.items("PlayersTable") if item["player_id"] == player.player_id)
        return dict(state)

    async def eventually(self, look: Callable[[], bool]) -> None:
        """Until the tables are as `look` wants them."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not look():
                await asyncio.sleep(0.05)

    # -- the end -----------------------------------------------------------------------------------

    def frames(self) -> list[Frame]:
        return [frame for player in self.players for frame in player.frames]

    async def close(self) -> None:
        """Look at everything once more, and go."""
        try:
            frames, secrets = self.frames(), self.secrets()
            check_frames([*frames, *(frame for connection in self.connections for frame in connection.frames)])
            check_secrets(frames, secrets)
            assert self.stack.denials == []
            for execution in self.stack.executions():
                assert execution.status in ("RUNNING", "SUCCEEDED"), execution
        finally:
            connections = [
                *self.connections,
                *(connection for player in self.players for connection in player.connections),
            ]
            for connection in connections:
                connection.cut()
            await asyncio.gather(*(connection.close() for connection in connections))

    def history(self) -> str:
        """Everything that passed through the state machines."""
        return json.dumps(
            [[one.input, one.history] for one in self.stack.executions()], default=str, ensure_ascii=False
        )


class Game:
    """A tournament, by what its players are told."""

    def __init__(self, arena: Arena, tournament_id: str, players: Iterable[Player]) -> None:
        self.arena = arena
        self.id = tournament_id
        self.players = {player.player_id: player for player in players}

    # -- what is known -----------------------------------------------------------------------------

    def record(self) -> Record:
        """The tournament as all its players saw it."""
        frames = (
            Recorded(listener, json.dumps(frame))
            for listener, player in enumerate(self.players.values())
            for frame in player.frames
        )
        return read_record(frames, self.id)

    @property
    def now(self) -> Frame:
        """The newest state that anybody has heard of."""
        known = [player.tournaments[self.id] for player in self.players.values() if self.id in player.tournaments]
        return max(known, key=lambda state: int(state["version"]))

    def those(self, fate: str = "in") -> list[Player]:
        those = [one["player_id"] for one in self.now["players"] if one["fate"] == fate]
        return [player for player_id, player in self.players.items() if player_id in those]

    def standing(self, player: Player) -> Frame:
        """A player's line of the table."""
        (line,) = (one for one in self.now["players"] if one["player_id"] == player.player_id)
        return dict(line)

    def match(self, player: Player) -> Frame:
        """The player's match of this round."""
        (match,) = (one for one in self.now["matches"] if player.player_id in one["players"])
        return dict(match)

    def sides(self, match: Frame) -> tuple[Player, Player]:
        first, second = match["players"]
        return self.players[first], self.players[second]

    async def everybody(self, round: int) -> Frame:
        """Once everybody who is here and still in has been shown the round, or the end."""

        def started(state: Frame) -> bool:
            return bool(state["over"] or state["round"] >= round)

        for player in self.players.values():
            due = self.id not in player.tournaments or player in self.those()
            if player.here and due and self.id not in player.left:
                await player.tournament(self.id, started)
        return self.now

    async def over(self) -> Frame:
        """Once somebody has been told that it is over."""
        watching = [player for player in self.players.values() if player.here]
        done, pending = await asyncio.wait(
            [asyncio.ensure_future(player.tournament(self.id, lambda it: bool(it["over"]))) for player in watching],
            return_when=asyncio.FIRST_COMPLETED,
        )
        for waiting in pending:
            waiting.cancel()
        return done.pop().result()

    # -- playing -----------------------------------------------------------------------------------

    def wrong_word(self, duel: Frame) -> str:
        """A word that may be guessed and is not the secret of any duel so far."""
        secret = set(self.arena.words(duel["duel_id"]).values())
        listed = words.guesses(duel["language"], duel["length"])
        while (word := self.arena.rng.choice(listed)) in secret:
            pass
        return word

    async def begun(self, match: Frame) -> Frame:
        """The duel as the player who moves first sees it."""
        first, _ = self.sides(match)
        return await first.duel(match["duel_id"])

    async def win(self, match: Frame, winner: Player) -> Frame:
        """Play the duel on until that player has won it."""
        return await self._play(match, winner)

    async def draw(self, match: Frame) -> Frame:
        """Play the duel on until it is drawn, by wrong guesses alone."""
        return await self._play(match, None)

    async def turn(self, match: Frame, word: str | None = None) -> Frame:
        """Let the player to move guess (a wrong word). Return the duel."""
        known = [side.duels[match["duel_id"]] for side in self.sides(match) if match["duel_id"] in side.duels]
        duel = max(known, key=lambda one: int(one["version"]))
        return await self._guess(duel, word or self.wrong_word(duel))

    async def _play(self, match: Frame, winner: Player | None) -> Frame:
        secret = self.arena.word(match["duel_id"])
        sides = [side for side in self.sides(match) if side.here]
        await asyncio.gather(*(side.duel(match["duel_id"]) for side in sides))
        duel = max((side.duels[match["duel_id"]] for side in sides), key=lambda one: int(one["version"]))
        wrong = self.wrong_word(duel)
        while not duel["over"]:
            mover = self.players[duel["to_move"]]
            if mover.here:
                duel = await self._guess(duel, secret if mover is winner else wrong)
            else:
                version = duel["version"]
                other = next(side for side in sides if side is not mover)
                duel = await other.duel(match["duel_id"], lambda one, version=version: one["version"] > version)  # type: ignore[misc]
        return duel

    async def _guess(self, duel: Frame, word: str) -> Frame:
        answer = await self.players[duel["to_move"]].guess(duel, word)
        assert answer["type"] == "duel", answer
        following: Frame = answer["duel"]
        return following

    def by_chance(self, match: Frame) -> str | None:
        """One of the two, or sometimes nobody."""
        winner: str | None = self.arena.rng.choice([*match["players"] * 4, None])
        return winner

    async def play_round(self, decide: Decide | None = None) -> Frame:
        """Play all duels of this round. Return the state that follows: the next round, or the end."""
        state, decide = self.now, decide or self.by_chance
        plays = []
        for match in state["matches"]:
            winner = decide(match)
            plays.append(self._play(match, self.players[winner] if winner else None))
        await asyncio.gather(*plays)
        return await self.everybody(round=state["round"] + 1)

    async def play(self, decide: Decide | None = None, until: Callable[[Frame], bool] = lambda state: False) -> Frame:
        """Play round after round until the tournament is over, or as `until` wants it."""
        while not (self.now["over"] or until(self.now)):
            await self.play_round(decide)
        return self.now

    async def last_lives(self) -> Frame:
        """Two rounds of draws: eight players with one life each."""
        for number in (1, 2):
            await asyncio.gather(*(self._draw_at_once(match) for match in self.now["matches"]))
            await self.everybody(round=number + 1)
        return self.now

    async def _draw_at_once(self, match: Frame) -> None:
        """The duel as it is after eleven skips, which nobody wants to wait for; the last turn is played."""
        duel = await self.begun(match)
        before = load(DUELS, match["duel_id"])
        assert before is not None
        skipped = tuple(Row(match["players"][turn % 2]) for turn in range(11))
        commit(Change(DUELS, before, replace(before.value, rows=skipped)))
        answer = await self.sides(match)[1].guess(duel, self.wrong_word(duel), turn=12)
        assert answer["duel"]["ending"] == "drawn"

    async def final(self) -> Frame:
        """The last two, with one life each."""
        await self.last_lives()
        return await self.play(lambda match: match["players"][0], until=lambda state: len(self.those()) == 2)

    def check(self) -> Record:
        """Hold it against the rules, as far as it has gone."""
        record = self.record()
        assert violations_so_far(record) == []
        return record
