"""Lambda adapter: parse the frame, run the use case once, send its answer or error."""

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from pydantic import ValidationError

from . import log, parallel, push
from .clock import now_ms
from .config import settings
from .delivery import announce, flooding
from .delivery.session import Call as Call  # for functions, which know nothing below the use cases
from .errors import AnsweredLater, ErrorCode, GameError
from .metrics import Timer, count_refusal, flush
from .protocol import messages
from .protocol.errors import MEANING
from .protocol.requests import LONGEST_REF, Request
from .store import Conflict, forget_writes, has_written
from .store import make_client as make_store_client
from .timers import make_clients as make_timer_clients

Event = dict[str, Any]
Handler = Callable[[Event, Any], dict[str, Any]]
TaskUseCase = Callable[..., dict[str, Any] | Callable[[], dict[str, Any]]]
R = TypeVar("R", bound=Request)
P = ParamSpec("P")
T = TypeVar("T")

logger = log.logger

FRONT_HEADER = "x-front-secret"
"""The header that CloudFront adds to every handshake (infra/front.yaml)."""
DEEPEST = 100
"""The deepest nesting of objects and lists that is parsed. No request nests: then the error names the wrong field."""
IDS = {
    **{name: name for name in ("tournament_id", "duel_id", "player_id", "epoch", "turn")},
    "duel": "duel_id",
    "tournament": "tournament_id",
}
"""Fields of a task's input or a request that may be logged, and their names there: ids, never words or tokens."""


def make_clients(*, store: bool = True, timers: bool = True) -> None:
    """Make the clients that a function calls by, when it starts: the first message does not wait for them.

    Each function pushes.
    """
    push.make_client()
    if store:
        make_store_client()
    if timers:
        make_timer_clients()


def dispatch(handlers: Mapping[str, Handler], *, records_stale_connections: bool = True) -> Handler:
    """Return the handler of a function: it calls the one that `handlers` has for the event's route key.

    A key that is not among them is answered with `internal` and logged: the template sends a route here that the
    function does not know. Errors and duration are counted by route. The duration ends with the answer; connections
    that pushes found stale are recorded after it, unless the function has no right to (`$disconnect` will). A sample of
    the messages is counted, however they were answered, and a connection that floods is closed. Raises SettingsError,
    so that a function of a wrong deployment fails at its start.
    """
    settings()

    def handler(event: Event, context: Any) -> dict[str, Any]:
        key = event["requestContext"]["routeKey"]
        _begin()
        _log_request(event)
        timer = Timer(key)
        try:
            answer = handlers.get(key, _unrouted)(event, context)
            timer.failed = answer["statusCode"] >= 500
        finally:
            timer.stop()
            if key not in ("$connect", "$disconnect"):
                flooding.count_message(event["requestContext"]["connectionId"])
            if not records_stale_connections:
                announce.stale_connections().clear()
            _end()
        return answer

    return handler


def dispatch_tasks(tasks: Mapping[str, TaskUseCase]) -> Handler:
    """Return the handler of the machines' tasks: the input's field `task` says which one gets the other fields.

    Errors go to the machine, a KeyError for a task that is not among them. They are counted by `task` as a route's are.
    """
    handlers = {name: task(name, use_case) for name, use_case in tasks.items()}

    def handler(event: Event, context: Any) -> dict[str, Any]:
        name, arguments = event["task"], {field: value for field, value in event.items() if field != "task"}
        if name not in handlers:
            logger.error("a task has no handler here", task=name)
        return handlers[name](arguments, context)

    return handler


def route(request_type: type[R], use_case: Callable[[Call, R], messages.Message]) -> Handler:
    """Return the handler of a WebSocket route: the use case's message, or the refusal, goes back to the sender.

    A client always gets an answer, and never a stack trace. Exceptions other than refusals are logged as errors.
    """

    def handler(event: Event, context: Any) -> dict[str, Any]:
        call = _call(event)
        fields: dict[str, Any] = {}
        try:
            fields = parse(event.get("body"))
            request = _request(request_type, fields)
            log.about(**_ids(fields))
            answer = use_case(call, request)
        except AnsweredLater:
            return {"statusCode": 200}
        except Exception as error:
            answer = _refusal(error)
        return _answer(call, answer, fields)

    return handler


def accept(event: Event, context: Any) -> dict[str, Any]:
    """Handle `$connect`: everybody may connect, or everybody who comes through the front if the stage has one.

    `hello` asks who they are, since nothing can be sent here.
    """
    if not _comes_through_the_front(event.get("headers") or {}):
        logger.info("a connection did not come through the front")
        return {"statusCode": 403}
    return {"statusCode": 200}


def _comes_through_the_front(headers: Mapping[str, str]) -> bool:
    """Return True if the headers have the front's secret, or if no front is set. Compare in constant time."""
    known = settings().front_secret_hashes
    if not known:
        return True
    given = next((value for name, value in headers.items() if name.lower() == FRONT_HEADER), "")
    found = hashlib.sha256(given.encode()).hexdigest()
    return any(hmac.compare_digest(found, one) for one in known.split(","))


def refuse_unknown(event: Event, context: Any) -> dict[str, Any]:
    """Handle `$default`: refuse, with a reason, every message that has no route of its own."""

    def unknown(call: Call, request: Request) -> messages.Message:
        raise GameError(ErrorCode.UNKNOWN_ACTION, field="action")

    class AnyAction(Request, extra="ignore"):
        """A frame that names any action."""

        action: str

    return route(AnyAction, unknown)(event, context)


def connection_end(use_case: Callable[[str], None]) -> Handler:
    """Return the handler of `$disconnect`: the use case gets the connection that ended. Its errors go to Lambda."""

    def handler(event: Event, context: Any) -> dict[str, Any]:
        use_case(event["requestContext"]["connectionId"])
        return {"statusCode": 200}

    return handler


def task(name: str, use_case: TaskUseCase) -> Handler:
    """Return the handler of a task: the use case gets the input's fields. Its errors go to the caller.

    An answer that is a function is called when all other work is done: the machine counts the seconds in it from then.
    Raises SettingsError, as `dispatch` does.
    """
    settings()

    def handler(event: Event, context: Any) -> dict[str, Any]:
        _begin()
        log.begin(task=name, **_ids(event))
        timer = Timer(name)
        try:
            answer = use_case(**event)
            announce.stale_connections()  # waits for the frames, which are a task's answer to players
            timer.failed = False
        finally:
            timer.stop()
            _end()
        return answer() if callable(answer) else answer

    return handler


def run_admin_command(verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run an operator's command outside Lambda. Return its result. Raises its errors."""
    _begin()
    try:
        return verb(*args, **kwargs)
    finally:
        announce.do_afterwards()
        _reap_stale_connections()
        parallel.finish()


def parse(body: str | None) -> dict[str, Any]:
    """Return the frame as a JSON object. Raises GameError(BAD_JSON), also for repeated keys, NaN and deep nesting."""
    try:
        fields = json.loads(body or "", object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise GameError(ErrorCode.BAD_JSON) from error
    if not isinstance(fields, dict) or _nests_too_deep(fields):
        raise GameError(ErrorCode.BAD_JSON)
    return fields


def _nests_too_deep(fields: dict[str, Any]) -> bool:
    """Return True if objects or lists nest too deep. The parser's own limit depends on the version of Python."""
    level: list[Any] = [fields]
    for _ in range(DEEPEST):
        inner = (value for outer in level for value in (outer.values() if isinstance(outer, dict) else outer))
        level = [value for value in inner if isinstance(value, dict | list)]
    return bool(level)


def _begin() -> None:
    """Forget what an earlier invocation of this process has left behind."""
    forget_writes()
    announce.forget_afterwards()


def _end() -> None:
    """Do what comes after the answer: no player waits for frames to others, nor for handling stale connections."""
    announce.do_afterwards()
    _reap_stale_connections()
    parallel.finish()
    flush()


def _reap_stale_connections() -> None:
    if announce.stale_connections():
        from .lifecycle import connections  # rarely needed, and with it much that a guess does not load

        connections.reap_stale_connections()


def _request(request_type: type[R], fields: dict[str, Any]) -> R:
    # Pydantic would take null for an absent field, but a `hello` with the token null must not make a new player.
    for name in request_type.model_fields:
        if fields.get(name, "") is None:
            raise GameError(ErrorCode.BAD_REQUEST, f"{name}: null is no value; leave the field out", field=name)
    try:
        return request_type.model_validate(fields)
    except ValidationError as error:
        # Only the place and the kind of the error: the value itself may be a token or a word.
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        # The name of an unknown field comes from the client, so it is shortened and made printable.
        field = ".".join(str(part) for part in first["loc"])[:64].encode("utf-8", "replace").decode()
        raise GameError(ErrorCode.BAD_REQUEST, f"{field}: {first['msg']}", field=field) from None


def _refusal(error: Exception) -> messages.Error:
    match error:
        case GameError():
            refusal = error
        case Conflict() if not has_written():
            refusal = GameError(ErrorCode.BUSY)
        case _:
            logger.exception("a message failed")
            refusal = GameError(ErrorCode.INTERNAL)
    return messages.Error(
        now_ms=now_ms(),
        code=refusal.code,
        message=refusal.message or MEANING[refusal.code],
        field=refusal.field,
        players=list(refusal.players) or None,
        until_ms=refusal.until_ms,
    )


def _unrouted(event: Event, context: Any) -> dict[str, Any]:
    """Answer a route that the template sends here and the function does not know."""
    try:
        raise LookupError(f"no handler for the route {event['requestContext']['routeKey']}")
    except LookupError as error:
        return _answer(_call(event), _refusal(error), {})


def _answer(call: Call, answer: messages.Message, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Send the answer to the sender. Return the result for API Gateway."""
    failed = False
    if isinstance(answer, messages.Error):
        logger.info("refused", code=answer.code)
        count_refusal(answer.code)
        failed = answer.code is ErrorCode.INTERNAL
    announce.answer(answer.model_copy(update={"ref": _ref(fields)}), call.connection_id)
    return {"statusCode": 500 if failed else 200}


def _ref(fields: Mapping[str, Any]) -> str | None:
    ref = fields.get("ref")
    if not isinstance(ref, str) or len(ref) > LONGEST_REF or not ref.isprintable():
        return None
    return ref


def _call(event: Event) -> Call:
    context = event["requestContext"]
    # The clock of API Gateway decides when a guess was received (R17), but never a time ahead of ours.
    return Call(
        context["connectionId"],
        min(int(context["requestTimeEpoch"]), now_ms()),
        opened_at_ms=int(context.get("connectedAt", 0)),
    )


def _log_request(event: Event) -> None:
    request = event["requestContext"]
    log.begin(route=request["routeKey"], connection_id=request["connectionId"], request_id=request.get("requestId"))


def _ids(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: fields[name] for name, key in IDS.items() if name in fields}


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a key is repeated")
    return fields


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
