"""Bot backfill: bots take the free seats of lobbies in which a person waits, so that one person can play at once.

Bots come one by one, so that a second person still finds a seat. A lobby without a person gets no bot, and bots that
are left alone in a lobby leave it. Bots play over WebSockets as every player does. Only two things need the tables of
the stack in this process: to see the open lobbies, and to give a bot a rating that a lobby accepts.
"""

import asyncio
import contextlib
import logging
import random
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from bots.bot import Bot, BotProfile
from wordle_tournament import store, words
from wordle_tournament.rules.rating import WINDOW
from wordle_tournament.rules.tournament import PLAYERS
from wordle_tournament_client.client import TournamentClient
from wordle_tournament_client.errors import ClientError, Refused, Unanswered

LOOK_SECONDS = 0.7
"""Between two looks at the lobbies; a lobby gets one bot at each."""
UNDER_WAY_SECONDS = 10.0
"""How long a bot may take to its seat before another is sent."""
ANY_RATING = 1_000_000

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OpenLobby:
    """A lobby that waits for players. Seats are given by `rating`."""

    lobby_id: str
    language: str
    rating: float
    player_ids: tuple[str, ...]


@dataclass(slots=True, eq=False)
class _Working:
    """A bot at work, and the lobby it was sent to."""

    token: str
    lobby_id: str
    sent_at: float
    task: asyncio.Task[None]


@dataclass(slots=True)
class Backfill:
    """Fill seats on the server at `url` until `run` is cancelled. All randomness comes from `rng`."""

    url: str
    rng: random.Random = field(default_factory=random.Random)
    _working: dict[str, _Working] = field(default_factory=dict)
    _resting: dict[str, str] = field(default_factory=dict)  # tokens by player id

    async def run(self) -> None:
        """Look and send bots again and again. Log a failure; the next look comes all the same."""
        try:
            while True:
                try:
                    await self._look()
                except Exception:
                    logger.exception("no bots this time")
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            tasks = [bot.task for bot in self._working.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _look(self) -> None:
        lobbies = await asyncio.to_thread(open_lobbies)
        bots = self._working.keys() | self._resting.keys()
        for lobby in lobbies:
            for player_id in left_alone(lobby, bots) & self._working.keys():
                await self._call_back(player_id, lobby)
        now = asyncio.get_running_loop().time()
        seated = {player_id for lobby in lobbies for player_id in lobby.player_ids}
        under_way = [
            bot.lobby_id
            for player_id, bot in self._working.items()
            if player_id not in seated and now - bot.sent_at < UNDER_WAY_SECONDS
        ]
        for lobby in to_fill(lobbies, bots, under_way):
            await self._send_bot(lobby)

    async def _send_bot(self, lobby: OpenLobby) -> None:
        if self._resting:
            player_id, token = self._resting.popitem()
        else:
            player_id, token = await self._new_player()
        # Near enough for the lobby to accept it, and different enough to be a rating.
        rating = round(lobby.rating) + self.rng.randint(-WINDOW // 2, WINDOW // 2)
        await asyncio.to_thread(set_rating, player_id, rating)
        self._start(player_id, token, lobby)

    def _start(self, player_id: str, token: str, lobby: OpenLobby) -> None:
        profile = BotProfile(skill=self.rng.uniform(0.4, 0.95), pace=(0.1, 0.5), invalid=0.05)
        bot = Bot(self.url, lobby.language, self.rng.randrange(2**32), profile, token=token)
        now = asyncio.get_running_loop().time()
        task = asyncio.create_task(self._play(bot, player_id, token), name=f"bot {player_id}")
        self._working[player_id] = _Working(token, lobby.lobby_id, now, task)

    async def _play(self, bot: Bot, player_id: str, token: str) -> None:
        """Play one tournament; then the bot rests. A bot that failed is not sent again."""
        try:
            await bot.play()
        except ClientError as error:
            logger.warning("a bot gave up: %s", error)
        else:
            self._resting[player_id] = token
        finally:
            del self._working[player_id]

    async def _call_back(self, player_id: str, lobby: OpenLobby) -> None:
        """Have a bot that waits in that lobby leave it; if the tournament has just started, it plays on."""
        bot = self._working[player_id]
        bot.task.cancel()
        await asyncio.wait({bot.task})
        async with TournamentClient(self.url, bot.token) as client:
            with contextlib.suppress(Refused, Unanswered):
                await client.leave_lobby()
        if client.view.lobby is None and client.view.tournament is None:
            self._resting[player_id] = bot.token
        else:
            self._start(player_id, bot.token, lobby)

    async def _new_player(self) -> tuple[str, str]:
        async with TournamentClient(self.url) as client:
            if client.view.you is None or client.token is None:
                raise Unanswered("the server made no player")
            return client.view.you.player_id, client.token


def to_fill(lobbies: Iterable[OpenLobby], bots: Iterable[str], under_way: Sequence[str]) -> list[OpenLobby]:
    """Return the lobbies that get a bot now: a person waits there, and more seats are free than bots are under way."""
    known = set(bots)
    return [
        lobby
        for lobby in lobbies
        if not known.issuperset(lobby.player_ids) and len(lobby.player_ids) + under_way.count(lobby.lobby_id) < PLAYERS
    ]


def left_alone(lobby: OpenLobby, bots: Iterable[str]) -> set[str]:
    """Return the bots in a lobby in which nobody else waits."""
    alone = set(lobby.player_ids)
    return alone if alone <= set(bots) else set()


def open_lobbies() -> Sequence[OpenLobby]:
    """Return all lobbies that wait for players, from the tables in this process. Raise StoreError."""
    shown = {lobby_id for language in words.languages() for lobby_id in store.all_waiting_lobbies(language)}
    return [
        OpenLobby(
            lobby.value.lobby_id,
            lobby.value.language,
            lobby.value.rating,
            tuple(seat.player_id for seat in lobby.value.seats),
        )
        for lobby in store.load_many(store.LOBBIES, shown).values()
        if lobby.value.open
    ]


def set_rating(player_id: str, rating: int) -> None:
    """Give that player this rating, in the tables in this process. Raise StoreError."""

    def write() -> None:
        player = store.load(store.PLAYERS, player_id)
        if player is not None:
            store.commit(store.Change(store.PLAYERS, player, replace(player.value, rating=rating)))

    store.retry_conflicts(write)


def start_backfill(ws_url: str) -> Callable[[], None]:
    """Start filling the lobbies of the local stack that runs in this process and listens there. Return at once.

    The function it returns stops the backfill and every bot.
    """
    loop = asyncio.new_event_loop()
    running = loop.create_task(Backfill(ws_url).run())

    def work() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            loop.run_until_complete(running)
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()

    thread = threading.Thread(target=work, name="backfill", daemon=True)
    thread.start()

    def stop() -> None:
        loop.call_soon_threadsafe(running.cancel)
        thread.join()

    return stop
