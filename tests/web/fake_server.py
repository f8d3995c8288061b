"""A server that only pretends, to develop and test the page without the real stack.

It serves web/ with client/javascript/ and speaks the protocol through its models: what the page sends is parsed strictly, what it gets is
validated. One person plays, seven others are made up. `python -m tests.web.fake_server` plays a tournament; a test
may instead pin the page to one scene (a snapshot) and push frames at it.
"""

import argparse
import asyncio
import contextlib
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Union

import uvicorn
from pydantic import Field, TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.routing import Mount, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from wordle_tournament.errors import GameError
from wordle_tournament.protocol import requests
from wordle_tournament.protocol.messages import MESSAGES
from wordle_tournament.rules.marks import mark
from wordle_tournament.words import answers, check_guess, display, languages

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
KIT = ROOT / "client" / "javascript"
NAMES = ("Brave Otter", "Зоряна", "O'Neill-2", "Quiet Fox", "Łukasz", "Very_Long_Nickname_20", "Ada")
ME = "p0"
Frame = dict[str, Any]

ANY_REQUEST: Any = Annotated[Union[requests.REQUESTS], Field(discriminator="action")]  # noqa: UP007
REQUEST: TypeAdapter[Any] = TypeAdapter(ANY_REQUEST)
MODELS = {model.model_fields["type"].default: model for model in MESSAGES}


def now_ms() -> int:
    """The server's clock."""
    return time.time_ns() // 1_000_000


def frame(kind: str, **fields: Any) -> Frame:
    """A valid frame from the server."""
    model = MODELS[kind].model_validate_json(_json({"now_ms": now_ms()} | fields))
    return {"type": kind} | model.model_dump(mode="json", exclude_none=True, exclude={"type"})


def _json(fields: Frame) -> bytes:
    return TypeAdapter(Frame).dump_json(fields)


class FakeServer:
    """One person's server. `scene` is the snapshot that a `hello` is answered with."""

    def __init__(
        self, *, intro: float = 6, turn: float = 30, pace: float = 1.5, seed: int = 1, web: Path = WEB
    ) -> None:
        self.intro, self.turn, self.pace = intro, turn, pace
        self.random = random.Random(seed)
        self.you: Frame = {"player_id": ME, "nickname": "Merry Badger", "rating": 1000, "games": 0}
        self.scene: Frame = {}
        self.records: dict[str, Frame] = {}  # answers to profile, results, board and export, by their type
        self.refuse_next: dict[str, Frame] = {}  # by action: the error that answers the next request
        self.received: list[Any] = []
        self.sockets: list[WebSocket] = []
        self.game: asyncio.Task[None] | None = None
        self.guessed: asyncio.Queue[tuple[requests.Guess, WebSocket]] = asyncio.Queue()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.outdated = False  # the page, which is turned away
        self.slams = False  # the door on whoever has just been welcomed
        self.throttled: set[str] = set()  # actions that the gateway answers itself
        self.lost_answers = 0  # so many answers to guesses are not sent
        files = StaticFiles(directory=web, html=True)
        kit = Mount("/client/javascript", StaticFiles(directory=KIT if web is WEB else web / "client" / "javascript"))
        self.app = Starlette(routes=[WebSocketRoute("/ws", self.talk), kit, Mount("/", files)])

    # Frames in and out

    async def talk(self, socket: WebSocket) -> None:
        await socket.accept()
        self.loop = asyncio.get_running_loop()
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                text = await socket.receive_text()
                try:
                    request = REQUEST.validate_json(text)
                except ValidationError as error:
                    await self.refuse(socket, "bad_request", None, str(error))
                    continue
                self.received.append(request)
                await self.answer(socket, request)
        if socket in self.sockets:
            self.sockets.remove(socket)

    async def answer(self, socket: WebSocket, request: Any) -> None:
        if request.action in self.throttled:
            await socket.send_json({"message": "Too many requests", "connectionId": "c=", "requestId": "r="})
            return
        if error := self.refuse_next.pop(request.action, None):
            await socket.send_json(frame("error", message="", ref=request.ref, **error))
            return
        if (known := self.known_answer(request)) is not None:
            kind, fields = known
            await self.send(socket, request, kind, **fields)
            return
        match request:
            case requests.Hello():
                await self.hello(socket, request)
            case requests.Rename(nickname=name) if not 3 <= len(name) <= 20:
                await self.refuse(socket, "nickname_length", request.ref)
            case requests.Rename(nickname=name):
                self.you["nickname"] = name
                await self.send(socket, request, "you", you=self.you)
            case requests.Join():
                self.game = asyncio.create_task(self.play(request.language, socket, request))
            case requests.Leave():
                if self.game:
                    self.game.cancel()
                self.scene = {}
                await self.send(socket, request, "left", what=request.what)
            case requests.Guess():
                await self.guessed.put((request, socket))
            case requests.Watch():
                duel = next(duel for duel in self.scene["duels"] if duel["duel_id"] == request.duel)
                self.scene["watching"] = request.duel
                await self.send(socket, request, "duel", duel=duel)
            case requests.WatchAll():
                running = [one["duel_id"] for one in self.scene["duels"] if not one["over"]]
                self.scene["watched"] = running
                duels = [one for one in self.scene["duels"] if ME not in [p["player_id"] for p in one["players"]]]
                await self.send(socket, request, "duels", duels=duels)
            case requests.Unwatch():
                self.scene.pop("watching", None)
                self.scene.pop("watched", None)
                await self.send(socket, request, "unwatched")
            case _:
                await self.refuse(socket, "unknown_action", request.ref)

    def known_answer(self, request: Any) -> tuple[str, dict[str, Any]] | None:
        """Return the type and fields of the answer to a request that changes nothing here; None for the others."""
        match request:
            case requests.Languages():
                return "languages", {"languages": _languages()}
            case requests.Ping():
                return "pong", {}
            case requests.Sync():
                return "state", {"you": self.you, **self.scene}
            case requests.JoinGroup() | requests.CreateGroup() | requests.RemoveMember() | requests.HandOver():
                return "group", {"group": self.scene["group"]}
            case requests.Profile():
                return "profile", {"you": self.you, **self.records["profile"]}
            case requests.Results():
                return "results", dict(self.records["results"])
            case requests.Board():
                return "duel", {"duel": self.records["duel"]}
            case requests.Review(duel=duel):
                return "review", {"duel_id": duel, **self.records["review"]}
            case requests.Export():
                return "export", {"data": {"player": self.you}}
            case requests.DeleteMe():
                return "deleted", {}
            case _:
                return None

    async def hello(self, socket: WebSocket, request: requests.Hello) -> None:
        if self.outdated:
            await self.refuse(socket, "client_outdated", request.ref)
            return
        if request.token not in (None, "secret"):
            await self.refuse(socket, "bad_token", request.ref)
            return
        for old in self.sockets:
            with contextlib.suppress(Exception):
                await self.send(old, None, "replaced")
                await old.close()
        self.sockets = [socket]
        timing = {"intro_seconds": self.intro, "turn_seconds": self.turn, "reconnect_seconds": 60}
        timing = {key: max(1, int(value)) for key, value in timing.items()}
        token = {} if request.token else {"token": "secret"}
        await self.send(
            socket, request, "welcome", you=self.you, timing=timing, languages=list(languages()), **token, **self.scene
        )
        if self.slams:
            await socket.close(1000)

    async def send(self, socket: WebSocket, request: Any, kind: str, **fields: Any) -> None:
        if request is not None and request.ref:
            fields["ref"] = request.ref
        await socket.send_json(frame(kind, **fields))

    async def refuse(self, socket: WebSocket, code: str, ref: str | None, why: str = "") -> None:
        await socket.send_json(frame("error", code=code, message=why or code, **({"ref": ref} if ref else {})))

    async def push(self, kind: str, **fields: Any) -> None:
        for socket in list(self.sockets):
            with contextlib.suppress(Exception):
                await self.send(socket, None, kind, **fields)

    def push_soon(self, kind: str, **fields: Any) -> None:
        """Push from another thread."""
        assert self.loop
        asyncio.run_coroutine_threadsafe(self.push(kind, **fields), self.loop).result(5)

    def drop(self) -> None:
        """Cut the connection, from another thread."""
        assert self.loop
        for socket in list(self.sockets):
            asyncio.run_coroutine_threadsafe(socket.close(1001), self.loop).result(5)

    # A tournament

    async def play(self, language: str, socket: WebSocket, request: requests.Join) -> None:
        people = [dict(self.you)] + [
            {"player_id": f"p{i + 1}", "nickname": name, "rating": 990 + 5 * i} for i, name in enumerate(NAMES)
        ]
        people[0].pop("games")
        self.version = 0
        identity = f"t{now_ms()}"
        for seated in range(1, 9):
            lobby = {
                "lobby_id": identity, "version": seated, "language": language, "rating": 1000,
                "players": people[:seated], "started": seated == 8,
            }  # fmt: skip
            self.scene = {"lobby": lobby}
            if seated == 1:
                await self.send(socket, request, "lobby", lobby=lobby)
            else:
                await self.push("lobby", lobby=lobby)
            await asyncio.sleep(self.pace / 3)
        players = [person | {"lives": 3, "fate": "in"} for person in people]
        number = 0
        while sum(player["fate"] == "in" for player in players) > 1:
            number += 1
            await self.round(identity, language, players, number)
        winner = [player for player in players if player["fate"] == "in"]
        for player in winner:
            player |= {"fate": "won", "place": 1, "rating_change": 25}
        await self.tournament(identity, language, players, number, [], None, now_ms(), over=True)

    async def tournament(self, identity: str, language: str, players: list[Frame], number: int,
                         matches: list[Frame], bye: str | None, starts: int, over: bool = False) -> None:  # fmt: skip
        self.version += 1
        whole = {
            "tournament_id": identity, "version": self.version, "language": language, "players": players,
            "round": number, "matches": matches, "bye": bye, "leavers": [], "starts_at_ms": starts, "over": over,
        }  # fmt: skip
        self.scene = {"tournament": whole, "duels": self.scene.get("duels", []) if over else []}
        await self.push("tournament", tournament=whole)

    async def round(self, identity: str, language: str, players: list[Frame], number: int) -> None:
        left = [player["player_id"] for player in players if player["fate"] == "in"]
        self.random.shuffle(left)
        bye = left.pop() if len(left) % 2 else None
        pairs = list(zip(left[::2], left[1::2], strict=True))
        starts = now_ms() + int(self.intro * 1000)
        matches, duels = [], []
        for i, pair in enumerate(pairs):
            length = self.random.choice((4, 5, 6))
            word = self.random.choice(answers(language, length))
            matches.append({"duel_id": f"{identity}-{number}-{i}", "players": pair, "length": length})
            duels.append(Duel(self, matches[-1], identity, number, language, word, players, starts))
        await self.tournament(identity, language, players, number, matches, bye, starts)
        self.scene["duels"] = [duel.body for duel in duels]
        await asyncio.sleep(self.intro)
        await asyncio.gather(*(duel.run() for duel in duels))
        for duel in duels:
            for seat in duel.body["players"]:
                next(p for p in players if p["player_id"] == seat["player_id"])["lives"] = seat["lives"]
        above = sum(player["lives"] > 0 for player in players)
        for player in players:
            if player["fate"] == "in" and not player["lives"] and above:
                player |= {"fate": "out", "place": above + 1, "rating_change": 4 * (4 - above)}
                if player["player_id"] == ME:
                    self.you["rating"] += player["rating_change"]
                    await self.push(
                        "result", tournament_id=identity, place=player["place"],
                        rating_change=player["rating_change"], rating=self.you["rating"],
                    )  # fmt: skip


class Duel:
    """One made-up duel; the person's is played for real."""

    def __init__(self, server: FakeServer, match: Frame, tournament: str, number: int, language: str, word: str,
                 players: list[Frame], starts: int) -> None:  # fmt: skip
        lives = {player["player_id"]: player["lives"] for player in players}
        self.server, self.word = server, word
        self.body: Frame = {
            "duel_id": match["duel_id"], "version": 1, "tournament_id": tournament, "round": number,
            "language": language, "length": match["length"], "rows": [], "turn": 1, "to_move": match["players"][0],
            "players": [{"player_id": each, "lives": lives[each]} for each in match["players"]],
            "starts_at_ms": starts, "deadline_ms": starts + int(server.turn * 1000), "over": False,
        }  # fmt: skip

    async def run(self) -> None:
        own = ME in [seat["player_id"] for seat in self.body["players"]]
        while not self.body["over"]:
            if self.body["to_move"] == ME:
                await self.person()
            else:
                await asyncio.sleep(self.server.pace * self.server.random.uniform(0.5, 1.5))
                self.row(self.guess())
            if own or self.body["over"] or self.body["duel_id"] in self.server.scene.get("watched", ()):
                if self.server.lost_answers:
                    self.server.lost_answers -= 1
                else:
                    await self.server.push("duel", duel=self.body)

    def guess(self) -> str | None:
        if self.server.random.random() < 0.1:
            return None
        if self.server.random.random() < len(self.body["rows"]) * 0.05:
            return self.word
        return self.server.random.choice(answers(self.body["language"], self.body["length"]))

    async def person(self) -> None:
        while True:
            left = self.body["deadline_ms"] - now_ms()
            try:
                guess, socket = await asyncio.wait_for(self.server.guessed.get(), left / 1000)
            except TimeoutError:
                self.row(None)
                return
            if guess.duel != self.body["duel_id"] or guess.turn != self.body["turn"]:
                await self.server.send(socket, guess, "duel", duel=self.body)  # a resend
                continue
            try:
                word = check_guess(self.body["language"], self.body["length"], guess.word)
            except GameError as refused:
                await self.server.refuse(socket, refused.code.value, guess.ref)
                continue
            self.row(word)
            if not self.server.lost_answers:
                await self.server.send(socket, guess, "duel", duel=self.body)
            return

    def row(self, word: str | None) -> None:
        body = self.body
        mover = body["to_move"]
        marks = list(mark(word, self.word)) if word else []
        body["rows"] = [*body["rows"], {"player_id": mover, "word": word, "marks": marks}]
        body["version"] += 1
        body["turn"] += 1
        if word != self.word and len(body["rows"]) < 12:
            other = next(seat["player_id"] for seat in body["players"] if seat["player_id"] != mover)
            body |= {"to_move": other, "deadline_ms": now_ms() + int(self.server.turn * 1000)}
            return
        winner = mover if word == self.word else None
        body |= {
            "over": True, "to_move": None, "deadline_ms": None, "ending": "solved" if winner else "drawn",
            "winner": winner, "word": self.word, "display": display(body["language"], self.word), "out": [],
        }  # fmt: skip
        for seat in body["players"]:
            seat["lives"] -= seat["player_id"] != winner
            if not seat["lives"]:
                body["out"].append({"player_id": seat["player_id"], "best_place": 5, "worst_place": 8})


def _languages() -> list[Frame]:
    return [
        {
            "code": each.code, "name": each.name, "native_name": each.native_name, "keyboard": each.keyboard,
            "spellings": dict(each.spellings),
            "tiles": [{"letter": tile.letter, "label": tile.label} for tile in each.tiles],
        }
        for each in languages().values()
    ]  # fmt: skip


@contextlib.contextmanager
def serving(server: FakeServer, port: int = 0) -> Iterator[str]:
    """Runs the server in a thread and gives its address."""
    runner = uvicorn.Server(uvicorn.Config(server.app, port=port, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=runner.run, daemon=True)
    thread.start()
    while not runner.started:
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{runner.servers[0].sockets[0].getsockname()[1]}"
    finally:
        runner.should_exit = True
        runner.force_exit = True
        thread.join(5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8001)
    parser.add_argument("--pace", type=float, default=3, help="seconds that a made-up player thinks")
    options = parser.parse_args()
    uvicorn.run(FakeServer(pace=options.pace).app, port=options.port)


if __name__ == "__main__":
    main()
