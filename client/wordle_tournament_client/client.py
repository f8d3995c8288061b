"""A player's connection: it signs in, asks, listens, and reconnects by itself when the connection is lost."""

import asyncio
import contextlib
import ipaddress
import json
import logging
import random
import uuid
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Annotated, Any, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus

from wordle_tournament.protocol import messages, requests
from wordle_tournament.protocol.errors import ErrorCode
from wordle_tournament.protocol.messages import Message

from .errors import ClientError, Ended, Refused, Replaced, Unanswered
from .view import View

Answer = TypeVar("Answer", bound=Message)
Found = TypeVar("Found")

# Sent again after a reconnect although they may have been received: repeating them changes nothing.
REPEATABLE = (
    requests.Guess,
    requests.Leave,
    requests.Rename,
    requests.Watch,
    requests.WatchAll,
    requests.Unwatch,
    requests.CreateGroup,
    requests.LeaveGroup,
    requests.RemoveMember,
    requests.HandOver,
    requests.DeleteMe,
    requests.Sync,
    requests.Languages,
    requests.Ping,
    requests.Here,
    requests.Results,
    requests.Board,
    requests.Review,
    requests.Profile,
    requests.Export,
)
BUSY_ATTEMPTS = 4
PASSING = (ErrorCode.BUSY, ErrorCode.INTERNAL)
"""Refusals of the server's own making: the same request may work later."""
TOO_MANY_REQUESTS = 429
FIRST_SERVER_ERROR = 500
HELLO = "hello"
VERSION = "1.0.0"
"""The version of this package: the project's."""
LONGEST_QUIET_SECONDS = 9 * 60
"""Send something at least so often. API Gateway closes a connection after ten idle minutes, and no page says that its
own frames count."""
MEMBERS_ANSWER_SECONDS = 5.5
"""The time after which a `startGroup` that nobody answered is sent again: the server then names who did not answer."""

logger = logging.getLogger(__name__)


def _known(code: Any) -> Any:
    return code if code in tuple(ErrorCode) else ErrorCode.INTERNAL


class _Error(messages.Error):
    """A refusal; a code that this client does not know counts as `internal`."""

    code: Annotated[ErrorCode, BeforeValidator(_known)]


_MESSAGES = (_Error, *(model for model in messages.MESSAGES if model is not messages.Error))
_ANY_MESSAGE: Any = Annotated[reduce(or_, _MESSAGES), Field(discriminator="type")]
_FRAME: TypeAdapter[Any] = TypeAdapter(_ANY_MESSAGE)


def parse(text: str | bytes) -> Message:
    """Return the message in a frame. Ignore unknown fields, and take an unknown error code as `internal`.

    Raise pydantic.ValidationError for a text that is no frame, or a frame of an unknown type.
    """
    message: Message = _FRAME.validate_json(text, extra="ignore")
    return message


@dataclass(slots=True)
class _Pending:
    request: requests.Request
    answer: asyncio.Future[Message]
    sent: bool = False


@dataclass(slots=True, eq=False)
class _Listener:
    frames: asyncio.Queue[Message | None] = field(default_factory=asyncio.Queue)


class TournamentClient:
    """One player on one WebSocket.

    `async with TournamentClient(url) as client:` signs in, as a new player or, with a `token`, as that one. From then
    on the client keeps `view` up to date, pings when it has heard nothing for a while, answers the server's questions
    whether it is there, and reconnects and signs in again after a lost connection, until it is closed or its player has
    connected elsewhere. Use it in one event loop.

    `on_token` is called with the token when a new player is made: keep it, it is the only key. `on_change` is called
    with every message that brought news, after `view` has applied it; `on_frame` with every frame's text as it
    arrived; `on_unknown` with the text of a frame that this client does not understand, and the reason (by default the
    reason is logged, without the text). They must return quickly and not raise.

    `answer_seconds` is how long a request waits for its answer, reconnects included. A connection on which a request
    has no answer after `patience_seconds` counts as dead. `backoff_seconds` are the upper limits of the first pause
    before a reconnect and of all later ones; the pauses are random below them. After the error `flooding` the client
    pauses for the second limit and up to half as long again. `client` and `version` name an application on this client
    to the server, which may turn old versions away.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        on_token: Callable[[str], None] | None = None,
        on_change: Callable[[Message], None] | None = None,
        on_frame: Callable[[str], None] | None = None,
        on_unknown: Callable[[str, str], None] | None = None,
        answer_seconds: float = 30.0,
        patience_seconds: float = 8.0,
        backoff_seconds: tuple[float, float] = (0.5, 10.0),
        rng: random.Random | None = None,
        client: str = "python",
        version: str = VERSION,
    ) -> None:
        self.url = url
        self.token = token
        self.view = View()
        self.timing: messages.Timing | None = None
        self.languages_offered: tuple[str, ...] = ()
        self._on_token = on_token
        self._on_change = on_change
        self._on_frame = on_frame
        self._on_unknown = on_unknown or _log_unknown
        self._answer_seconds = answer_seconds
        self._patience_seconds = patience_seconds
        self._backoff_seconds = backoff_seconds
        self._hello = requests.Hello(ref=HELLO, client=client, client_version=version)
        self._rng = rng or random.Random()
        self._pending: dict[str, _Pending] = {}
        self._listeners: set[_Listener] = set()
        self._socket: ClientConnection | None = None  # while signed in
        self._signed_in_or_ended = asyncio.Event()
        self._runner: asyncio.Task[None] | None = None
        self._end: ClientError | None = None
        self._last_sent = self._last_heard = 0.0
        self._answering: set[asyncio.Task[None]] = set()
        self._clock_offset_ms: float | None = None
        self._flooded = False

    async def __aenter__(self) -> Self:
        """Connect and sign in. This takes as long as it needs: put `asyncio.timeout` around it if you cannot wait.

        Raise Refused (`bad_token`, `client_outdated`), or
        Ended with the cause from websockets for an address that can never work.
        """
        self._runner = asyncio.create_task(self._run(), name="tournament-client")
        try:
            await self._signed_in_or_ended.wait()
            if self._end is not None:
                raise self._end
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection for good. Waiting requests raise Ended, iterators end. Closing twice is allowed."""
        self._finish(Ended("the client is closed"))
        if self._runner is not None:
            self._runner.cancel()
            await asyncio.wait({self._runner})

    # -- state -----------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        """True if the client is signed in right now."""
        return self._socket is not None

    @property
    def ended(self) -> ClientError | None:
        """Why the client will not connect again (closed, replaced, token refused); None while it still will."""
        return self._end

    def server_now_ms(self) -> float:
        """Return an estimate of the server's clock, in milliseconds of the Unix epoch.

        The estimate is behind the server by the travel time of the fastest frame, and never ahead of it by more than
        that clock's own jitter. Raise Unanswered before the first frame.
        """
        if self._clock_offset_ms is None:
            raise Unanswered("the server has not been heard of yet")
        return self._monotonic_ms() + self._clock_offset_ms

    async def events(self) -> AsyncGenerator[Message, None]:
        """Yield every message from now on that brings news. End when the client has ended."""
        async with contextlib.aclosing(self._listen()) as frames:
            async for message in frames:
                yield message

    async def until(self, look: Callable[[View], Found | None]) -> Found:
        """Return the result of `look` on the view as soon as it is not None. Raise Ended if the client ends before."""
        async with contextlib.aclosing(self._listen()) as frames:
            while True:
                found = look(self.view)
                if found is not None:
                    return found
                if await anext(frames, None) is None:
                    raise self._end or Ended("the client is closed")

    # -- requests ----------------------------------------------------------------------------
    # All raise Refused when the server says no, Unanswered when no answer came, and Ended once the client has ended.

    async def join(self, language: str) -> messages.Lobby:
        """Look for a game: take a seat in a lobby of that language."""
        return (await self._ask(requests.Join(language=language), messages.LobbyChanged)).lobby

    async def leave_lobby(self) -> None:
        """Give up the seat; free of charge. Nothing happens without one."""
        lobby = self.view.lobby
        await self._ask(requests.Leave(what="lobby", id=None if lobby is None else lobby.lobby_id), messages.Left)
        if self.view.lobby is not None:
            await self.sync()  # it was merged into another meanwhile

    async def leave_tournament(self) -> None:
        """Leave the tournament: an automatic loss for a player who is still in. Nothing happens without one."""
        tournament = self.view.tournament
        tournament_id = None if tournament is None else tournament.tournament_id
        await self._ask(requests.Leave(what="tournament", id=tournament_id), messages.Left)

    async def guess(self, duel_id: str, turn: int, word: str) -> messages.Duel:
        """Guess `word` in that turn of that duel. The guess may be sent several times; it is played once."""
        return (await self._ask(requests.Guess(duel=duel_id, turn=turn, word=word), messages.DuelChanged)).duel

    async def rename(self, nickname: str) -> messages.You:
        """Choose a nickname."""
        return (await self._ask(requests.Rename(nickname=nickname), messages.YouChanged)).you

    async def watch(self, duel_id: str) -> messages.Duel:
        """Watch a duel of the own tournament, instead of the one watched before."""
        duel = (await self._ask(requests.Watch(duel=duel_id), messages.DuelChanged)).duel
        self.view.watch(duel)
        return duel

    async def watch_all(self) -> list[messages.Duel]:
        """Watch all running duels of the round. Return these and those that are over, without the own one."""
        return (await self._ask(requests.WatchAll(), messages.DuelsWatched)).duels

    async def unwatch(self) -> None:
        """Stop watching. Nothing happens if no duel is watched."""
        await self._ask(requests.Unwatch(), messages.Unwatched)

    async def sync(self) -> messages.State:
        """Ask for the whole screen; `view` takes it in."""
        return await self._ask(requests.Sync(), messages.State)

    async def languages(self) -> list[messages.Language]:
        """The languages of the game with their letters and keyboards."""
        return (await self._ask(requests.Languages(), messages.LanguageList)).languages

    async def ping(self) -> None:
        """Show that the connection works. The client does so by itself when it has heard nothing for a while."""
        await self._ask(requests.Ping(), messages.Pong)

    async def create_group(self) -> messages.Group:
        """Make a group of friends and lead it; `invite` is what they join by."""
        return (await self._ask(requests.CreateGroup(), messages.GroupChanged)).group

    async def join_group(self, invite: str) -> messages.Group:
        """Join a friend's group."""
        return (await self._ask(requests.JoinGroup(invite=invite), messages.GroupChanged)).group

    async def leave_group(self) -> None:
        """Leave the group, and with it the lobby that it waits in. Nothing happens without one."""
        group = self.view.group
        await self._ask(requests.LeaveGroup(group=None if group is None else group.group_id), messages.Left)

    async def remove_member(self, player_id: str) -> messages.Group:
        """Take somebody out of the group that one leads."""
        return (await self._ask(requests.RemoveMember(player=player_id), messages.GroupChanged)).group

    async def hand_over(self, player_id: str) -> messages.Group:
        """Have another member lead the group."""
        return (await self._ask(requests.HandOver(player=player_id), messages.GroupChanged)).group

    async def renew_invite(self) -> messages.Group:
        """Make a new invite; the old one is good for nothing from then on."""
        return (await self._ask(requests.RenewInvite(), messages.GroupChanged)).group

    async def start_group(self, language: str) -> messages.Lobby:
        """Look for a game with the whole group, as its leader."""
        request = requests.StartGroup(language=language)
        return (await self._ask(request, messages.LobbyChanged, MEMBERS_ANSWER_SECONDS)).lobby

    async def results(self, tournament_id: str) -> messages.TournamentResults:
        """Return the results of a tournament that the player was in, as far as it is settled."""
        return await self._ask(requests.Results(tournament=tournament_id), messages.TournamentResults)

    async def board(self, duel_id: str) -> messages.Duel:
        """Return the board of a duel that is over."""
        return (await self._ask(requests.Board(duel=duel_id), messages.DuelChanged)).duel

    async def review(self, duel_id: str) -> messages.DuelReview:
        """Return how many answers were still possible before and after each row of a duel that is over."""
        return await self._ask(requests.Review(duel=duel_id), messages.DuelReview)

    async def profile(self) -> messages.OwnProfile:
        """Return the player's own record."""
        return await self._ask(requests.Profile(), messages.OwnProfile)

    async def export(self) -> dict[str, Any]:
        """Return everything that is stored about the player; `older_tournaments` are those of the record's pages."""
        data = (await self._ask(requests.Export(), messages.OwnData)).data
        pages = (data.get("history") or {}).get("pages") or []
        older: list[str] = []
        for page in range(len(pages), 0, -1):
            older += (await self._ask(requests.Export(page=page), messages.OwnData)).data["tournaments"]
        return {**data, "older_tournaments": older} if older else data

    async def delete_me(self) -> None:
        """Delete the player for good; the token is worthless then."""
        player_id = None if self.view.you is None else self.view.you.player_id
        try:
            await self._ask(requests.DeleteMe(confirm=True, player=player_id), messages.Deleted)
        except Refused as refused:
            # An attempt whose answer was lost has deleted the player, so the token of a new connection names nobody.
            if refused.code is not ErrorCode.BAD_TOKEN:
                raise

    # -- asking -------------------------------------------------------------------------------

    async def _ask(
        self, request: requests.Request, answer_type: type[Answer], again_seconds: float | None = None
    ) -> Answer:
        # One ref for all attempts: by it the server recognises a request that it has carried out.
        request = request.model_copy(update={"ref": uuid.uuid4().hex})
        for attempt in range(BUSY_ATTEMPTS):
            try:
                answer = await self._ask_once(request, again_seconds)
            except Refused as refused:
                if refused.code is not ErrorCode.BUSY or attempt == BUSY_ATTEMPTS - 1:
                    raise
                await asyncio.sleep(self._pause(attempt))  # nothing has happened: send it again
            else:
                if not isinstance(answer, answer_type):
                    raise Unanswered(f"the answer is not a {answer_type.__name__}")
                return answer
        raise AssertionError("the last attempt returns or raises")

    async def _ask_once(self, request: requests.Request, again_seconds: float | None = None) -> Message:
        """Send the request, and once more if it has no answer after `again_seconds`. Return its answer."""
        if self._end is not None:
            raise self._end
        ref = request.ref or uuid.uuid4().hex
        pending = _Pending(request.model_copy(update={"ref": ref}), asyncio.get_running_loop().create_future())
        self._pending[ref] = pending
        try:
            if self._socket is not None:
                await self._send(self._socket, pending)
            async with asyncio.timeout(self._answer_seconds):
                if again_seconds is not None:
                    await asyncio.wait({pending.answer}, timeout=again_seconds)
                    if not pending.answer.done() and self._socket is not None:
                        await self._send(self._socket, pending)
                return await pending.answer
        except TimeoutError:
            raise Unanswered(f"no answer within {self._answer_seconds:g} s") from None
        finally:
            del self._pending[ref]

    async def _send(self, socket: ClientConnection, pending: _Pending) -> None:
        """Send the request if the connection is still open; otherwise it waits for the next one."""
        loop = asyncio.get_running_loop()
        self._last_sent = loop.time()
        pending.sent = True
        watchdog = loop.call_later(self._patience_seconds, socket.transport.abort)
        pending.answer.add_done_callback(lambda _: watchdog.cancel())
        with contextlib.suppress(ConnectionClosed):
            await socket.send(pending.request.model_dump_json(exclude_none=True))

    # -- being connected ----------------------------------------------------------------------

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        failures = 0
        while self._end is None:
            since = loop.time()
            try:
                socket = await connect(
                    self.url,
                    compression=None,  # API Gateway has none
                    ping_interval=None,  # WebSocket pings do not count there; our own do
                    close_timeout=1,
                    proxy=None if _is_here(self.url) else True,
                )
                try:
                    await self._talk(socket)
                finally:
                    try:
                        await socket.close()
                    finally:
                        socket.transport.abort()  # even if nobody waits for the close frame
            except Exception as error:
                if not _worth_retrying(error):
                    self._finish(_reason(error))
                logger.info("no connection: %s", error)
            finally:
                self._socket = None
            if self._end is None:
                failures = 0 if loop.time() - since > self._backoff_seconds[1] else failures + 1
                await asyncio.sleep(self._long_pause() if self._flooded else self._pause(failures))
                self._flooded = False

    async def _talk(self, socket: ClientConnection) -> None:
        """Sign in and listen until the connection is lost. Raise Refused if the server refuses the sign-in."""
        watchdog = asyncio.get_running_loop().call_later(self._patience_seconds, socket.transport.abort)
        keep_alive: asyncio.Task[None] | None = None
        try:
            self._last_sent = asyncio.get_running_loop().time()
            hello = self._hello.model_copy(update={"token": self.token})
            await socket.send(hello.model_dump_json(exclude_none=True))
            async for text in socket:
                match self._read(text):
                    case messages.Welcome() as welcome:
                        watchdog.cancel()
                        self._welcome(welcome)
                        await self._resume(socket)
                        keep_alive = asyncio.create_task(self._keep_alive(welcome.timing.ping_seconds))
                    case messages.Replaced() | messages.Error(code=ErrorCode.REPLACED):
                        self._finish(Replaced("the player has connected elsewhere"))
                        return
                    case messages.Error(code=ErrorCode.FLOODING):
                        logger.warning("the server closes the connection, since too many messages came on it")
                        self._flooded = True
                        return
                    case messages.Error(ref=ref) as error if ref == HELLO:
                        raise _refused(error)
                    case messages.Error(code=ErrorCode.NOT_SIGNED_IN) as error:
                        self._put_off(error)
                        return
                    case messages.Question() as question:
                        self._answer(question)
                    case Message() as message:
                        self._take_in(message)
        finally:
            watchdog.cancel()
            if keep_alive is not None:
                keep_alive.cancel()
                await asyncio.wait({keep_alive})

    def _read(self, text: str | bytes) -> Message | None:
        frame = text if isinstance(text, str) else text.decode(errors="replace")
        self._last_heard = asyncio.get_running_loop().time()
        if self._on_frame is not None:
            self._on_frame(frame)
        try:
            message = parse(frame)
        except ValidationError as error:
            if _is_the_gateways(frame):
                self._turned_away()
            else:
                self._on_unknown(frame, _why(error))
            return None
        offset_ms = message.now_ms - self._monotonic_ms()
        if self._clock_offset_ms is None or isinstance(message, messages.Welcome):
            self._clock_offset_ms = offset_ms
        # The fastest frame gives the best estimate: its travel time makes the server seem behind, never ahead.
        self._clock_offset_ms = max(self._clock_offset_ms, offset_ms)
        return message

    def _welcome(self, welcome: messages.Welcome) -> None:
        self.timing = welcome.timing
        self.languages_offered = tuple(welcome.languages)
        if welcome.token is not None:
            self.token = welcome.token
            if self._on_token is not None:
                self._on_token(welcome.token)
        self._take_in(welcome)

    async def _resume(self, socket: ClientConnection) -> None:
        """Go on where the last connection ended: send the waiting requests, fail those that are unsafe to repeat."""
        self._socket = socket
        for pending in list(self._pending.values()):
            if pending.sent and not isinstance(pending.request, REPEATABLE):
                _fail(pending, Unanswered("the connection was lost before the answer came"))
            else:
                await self._send(socket, pending)
        self._signed_in_or_ended.set()

    def _take_in(self, message: Message) -> None:
        pending = self._pending.get(message.ref or "")
        if isinstance(message, messages.Error):
            if pending is None:
                logger.warning("the server says %s: %s", message.code, message.message)
            else:
                _fail(pending, _refused(message))
        new = self.view.apply(message)
        if pending is not None and not pending.answer.done():
            pending.answer.set_result(message)
        if new:
            if self._on_change is not None:
                self._on_change(message)
            for listener in self._listeners:
                listener.frames.put_nowait(message)

    def _turned_away(self) -> None:
        """Fail the request that the gateway rejected or got no answer for. It does not say which: assume the last one.

        Keep the connection: it works, and a reconnect would only be one more request to reject.
        """
        under_way = [one for one in self._pending.values() if one.sent and not one.answer.done()]
        if not under_way:
            return
        if isinstance(under_way[-1].request, REPEATABLE):
            _fail(under_way[-1], Refused(ErrorCode.BUSY, "The gateway had too much to do."))
        else:
            _fail(under_way[-1], Unanswered("the gateway turned it away, or lost the answer"))

    def _answer(self, question: messages.Question) -> None:
        """Tell the server that this client is there."""

        async def answer() -> None:
            here = requests.Here(what=question.what, id=question.id, number=question.number)
            with contextlib.suppress(ClientError):
                await self._insist(here)

        task = asyncio.create_task(answer())
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _insist(self, request: requests.Request) -> None:
        """Send a request for which nobody has asked; if the server could not answer it, again after growing pauses."""
        for attempt in range(BUSY_ATTEMPTS):
            try:
                await self._ask_once(request)
            except Refused as refused:
                if refused.code not in PASSING or attempt == BUSY_ATTEMPTS - 1:
                    raise
                await asyncio.sleep(self._pause(attempt))
            else:
                return

    def _put_off(self, refusal: messages.Error) -> None:
        """Let a request wait for the next connection, since the server does not know this one."""
        pending = self._pending.get(refusal.ref or "")
        if pending is not None:
            pending.sent = False

    async def _keep_alive(self, ping_seconds: float) -> None:
        """Ping when nothing has been heard for so many seconds, or nothing sent for LONGEST_QUIET_SECONDS."""
        loop = asyncio.get_running_loop()
        while self._end is None:
            due = min(self._last_heard + ping_seconds, self._last_sent + LONGEST_QUIET_SECONDS)
            if loop.time() < due:
                await asyncio.sleep(due - loop.time())
            else:
                with contextlib.suppress(ClientError):
                    await self._insist(requests.Ping())

    def _finish(self, reason: ClientError) -> None:
        if self._end is not None:
            return
        self._end = reason
        for pending in list(self._pending.values()):
            _fail(pending, reason)
        for listener in self._listeners:
            listener.frames.put_nowait(None)
        self._signed_in_or_ended.set()

    async def _listen(self) -> AsyncGenerator[Message, None]:
        listener = _Listener()
        self._listeners.add(listener)
        try:
            while self._end is None or not listener.frames.empty():
                message = await listener.frames.get()
                if message is None:
                    return
                yield message
        finally:
            self._listeners.discard(listener)

    def _pause(self, attempt: int) -> float:
        first, longest = self._backoff_seconds
        return self._rng.uniform(0, min(longest, first * 2**attempt))

    def _long_pause(self) -> float:
        """Return a pause longer than all others, after which a client that has flooded may come back."""
        return self._backoff_seconds[1] * self._rng.uniform(1, 1.5)

    @staticmethod
    def _monotonic_ms() -> float:
        return asyncio.get_running_loop().time() * 1000


def _refused(error: messages.Error) -> Refused:
    return Refused(error.code, error.message, error.field, tuple(error.players or ()))


def _worth_retrying(error: Exception) -> bool:
    """Return True if the next attempt may succeed: for failures of the network and the server, not of the caller."""
    match error:
        case Refused(code=code):
            # A connection on which another player is signed in is of no use, but the next one is.
            return code in (*PASSING, ErrorCode.ALREADY_SIGNED_IN)
        case InvalidStatus(response=response):
            return response.status_code == TOO_MANY_REQUESTS or response.status_code >= FIRST_SERVER_ERROR
        case InvalidMessage():
            return isinstance(error.__cause__, EOFError)  # cut off while shaking hands
        case _:
            return isinstance(error, (OSError, TimeoutError, ConnectionClosed))


def _reason(error: Exception) -> ClientError:
    if isinstance(error, ClientError):
        return error
    ended = Ended(f"{type(error).__name__}: {error}")
    ended.__cause__ = error
    return ended


def _is_here(url: str) -> bool:
    """Return True if the address is this machine, which no proxy reaches."""
    host = urlsplit(url).hostname or ""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def _fail(pending: _Pending, error: ClientError) -> None:
    if not pending.answer.done():
        pending.answer.set_exception(error)


def _is_the_gateways(frame: str) -> bool:
    """Return True if the frame is API Gateway's own, such as for too many requests: such frames have no type."""
    with contextlib.suppress(ValueError):
        said = json.loads(frame)
        return isinstance(said, dict) and "type" not in said and "message" in said
    return False


def _why(error: ValidationError) -> str:
    """Describe the fault of a frame without its content, which may hold a token."""
    return json.dumps(
        [
            {"at": one["loc"], "is": one["msg"]}
            for one in error.errors(include_input=False, include_url=False, include_context=False)
        ]
    )


def _log_unknown(_: str, why: str) -> None:
    logger.warning("a frame that this client does not understand: %s", why)
