"""A player made of code: joins, plays sensible Wordle over a real WebSocket, and is clumsy if asked to be."""

import asyncio
import contextlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, assert_never

from bots import solver
from wordle_tournament.protocol.errors import ErrorCode
from wordle_tournament.protocol.messages import Duel, Timing
from wordle_tournament_client.client import TournamentClient
from wordle_tournament_client.errors import Refused, Unanswered
from wordle_tournament_client.view import View

PAUSE_SECONDS = 0.2
RESULT_SECONDS = 2.0
WORD_REFUSED = frozenset(
    {ErrorCode.NOT_IN_WORD_LIST, ErrorCode.WORD_NOT_ALLOWED, ErrorCode.WRONG_LENGTH, ErrorCode.UNKNOWN_LETTER}
)
TURN_ENDED = frozenset({ErrorCode.TURN_OVER, ErrorCode.DUEL_OVER, ErrorCode.NOT_YOUR_TURN})


@dataclass(frozen=True, slots=True)
class BotProfile:
    """How a bot plays. Probabilities are 0 to 1, each for one of its own turns.

    `skill` is how often it guesses a word that could be the secret instead of any word. It thinks for a share of the
    turn's time, drawn from the range `pace`. `invalid` is how often it first sends a text that is not a word; `skip`
    how often it lets the turn pass; `leave` how often it leaves the tournament. `drop` is how often it loses the
    connection; it comes back after a share of the reconnect window, drawn from `back_after`. A bot that `watches`
    looks on at a running duel whenever its own is over. A bot that `stays` does so until the tournament is over.
    """

    skill: float = 0.8
    pace: tuple[float, float] = (0.1, 0.5)
    invalid: float = 0.0
    skip: float = 0.0
    drop: float = 0.0
    back_after: tuple[float, float] = (0.1, 0.6)
    leave: float = 0.0
    watches: bool = False
    stays: bool = False


class _Do(Enum):
    JOIN = "join"
    MOVE = "move"
    WATCH = "watch"
    STOP = "stop"


class _Next(NamedTuple):
    do: _Do
    duel_id: str = ""
    turn: int = 0


class Bot:
    """One bot; all its randomness comes from `seed`.

    With a `token` it plays as that player. `on_frame` gets the text of every frame that it receives, on any of its
    connections, which `client` makes. A bot's play also depends on when others move, so the same seed can make another
    game.
    """

    def __init__(
        self,
        url: str,
        language: str,
        seed: int,
        profile: BotProfile | None = None,
        *,
        token: str | None = None,
        on_frame: Callable[[str], None] | None = None,
        client: Callable[..., TournamentClient] = TournamentClient,
    ) -> None:
        self.language = language
        self.profile = profile or BotProfile()
        self.token = token
        self._url = url
        self._rng = random.Random(seed)
        self._on_frame = on_frame
        self._client = client
        self._tournament_id: str | None = None
        self._done: set[_Next] = set()

    async def play(self, tournaments: int = 1) -> None:
        """Join and play so many tournaments, each until it is over or, unless the profile says to stay, the bot is out.

        Raise Ended when the player has connected elsewhere, and Refused when the server refuses the bot.
        """
        for _ in range(tournaments):
            self._tournament_id = None
            self._done.clear()
            while (away_seconds := await self._session()) is not None:
                await asyncio.sleep(away_seconds)

    async def _session(self) -> float | None:
        """Play on one connection. Return how long to stay away (seconds), or None when the tournament is finished."""
        async with self._client(
            self._url, self.token, on_frame=self._on_frame, rng=random.Random(self._rng.random())
        ) as client:
            self.token = client.token
            while True:
                ahead = await self._look(client)
                if ahead.do is _Do.STOP:
                    break
                self._done.add(ahead)
                try:
                    match ahead.do:
                        case _Do.JOIN:
                            await client.join(self.language)
                        case _Do.WATCH:
                            await client.watch(ahead.duel_id)
                        case _Do.MOVE:
                            if await self._move(client, ahead.duel_id, ahead.turn):
                                self._done.discard(ahead)
                                return self._rng.uniform(*self.profile.back_after) * _timing(client).reconnect_seconds
                        case _:
                            assert_never(ahead.do)
                except (Unanswered, Refused) as error:
                    if isinstance(error, Refused) and error.code is ErrorCode.UNKNOWN_LANGUAGE:
                        raise
                    await asyncio.sleep(PAUSE_SECONDS)
                    await _look_again(client)
            if client.view.me is not None:
                # A bot that was away when the result was sent does not get it again.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(RESULT_SECONDS):
                        await client.until(lambda view: view.results.get(str(self._tournament_id)))
        return None

    async def _look(self, client: TournamentClient) -> _Next:
        """Return the next thing to do, as soon as there is one. After a long silence, ask the server for its state."""
        timing = _timing(client)
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timing.intro_seconds + 2 * timing.turn_seconds + timing.ping_seconds):
                    return await client.until(self._next)
            await _look_again(client)

    def _next(self, view: View) -> _Next | None:
        tournament, me = view.tournament, view.me
        if self._tournament_id is None and tournament and not tournament.over and me and me.fate == "in":
            self._tournament_id = tournament.tournament_id
        if self._tournament_id is None:
            return None if view.lobby else _Next(_Do.JOIN)
        if tournament is None or me is None or tournament.tournament_id != self._tournament_id:
            return _Next(_Do.STOP)
        if tournament.over or (me.fate != "in" and not self.profile.stays):
            return _Next(_Do.STOP)
        duel = view.duel
        if view.match and (duel is None or not duel.over):
            mine = duel is not None and duel.to_move == me.player_id
            ahead = [_Next(_Do.MOVE, duel.duel_id, duel.turn)] if duel and mine else []
        elif self.profile.watches:
            others = (match.duel_id for match in tournament.matches if match != view.match)
            ahead = [_Next(_Do.WATCH, other) for other in others if not _over(view.duels.get(other))]
        else:
            ahead = []
        ahead = [one for one in ahead if one not in self._done]
        return self._rng.choice(ahead) if ahead else None

    async def _move(self, client: TournamentClient, duel_id: str, turn: int) -> bool:
        """Play the turn or let it pass. Return True if the connection is to be dropped now."""
        profile, rng = self.profile, self._rng
        leaves, drops, skips, slips = (
            rng.random() < probability for probability in (profile.leave, profile.drop, profile.skip, profile.invalid)
        )
        thinks = rng.uniform(*profile.pace)
        if leaves:
            await client.leave_tournament()
        if leaves or drops or skips or not await self._think(client, duel_id, turn, thinks):
            return drops and not leaves
        duel = client.view.duels[duel_id]
        refused: set[str] = set()
        word = solver.invalid(duel.language, duel.length, rng) if slips else None
        while True:
            word = word or solver.choose(duel.language, duel.length, duel.rows, profile.skill, rng, refused)
            if word is None:
                return False
            try:
                await client.guess(duel_id, turn, word)
            except Refused as no:
                if no.code in WORD_REFUSED:
                    refused.add(word)
                    word = None
                elif no.code in (ErrorCode.NOT_STARTED, ErrorCode.INTERNAL):
                    await asyncio.sleep(PAUSE_SECONDS)
                elif no.code in TURN_ENDED:
                    return False
                else:
                    raise
            else:
                return False

    async def _think(self, client: TournamentClient, duel_id: str, turn: int, share: float) -> bool:
        """Let that share of the turn's time pass. Return True if the turn can still be played."""
        turn_ms = _timing(client).turn_seconds * 1000
        duel = client.view.duels[duel_id]
        until_ms = (duel.deadline_ms or 0) - turn_ms * (1 - share)

        def ended(view: View) -> bool | None:
            duel = view.duels.get(duel_id)
            return True if duel is None or duel.over or duel.turn != turn else None

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout((until_ms - client.server_now_ms()) / 1000):
                await client.until(ended)
                return False
        return True


async def _look_again(client: TournamentClient) -> None:
    """Renew the view, since a push may have been lost. Ignore a failure: the next look tries again."""
    with contextlib.suppress(Refused, Unanswered):
        await client.sync()


def _timing(client: TournamentClient) -> Timing:
    if client.timing is None:
        raise Unanswered("not signed in yet")
    return client.timing


def _over(duel: Duel | None) -> bool:
    return duel is not None and duel.over
