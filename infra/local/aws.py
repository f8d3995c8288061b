"""AWS in this process: DynamoDB, Step Functions, Lambda and the push API, without a network.

DynamoDB is answered by infra/local/memory_dynamodb, Step Functions by infra/local/memory_machines. A Lambda function is
invoked by calling its handler, and the management API of a WebSocket (PostToConnection and so on) reaches real
connections. boto3 and PynamoDB work as they do on AWS: they serialise each call, and the answer is given where botocore
would send it. Any other service is refused.

`LocalAws("moto")` has moto (5.2) answer DynamoDB and Step Functions instead: it is independent of ours, and slower
(infra/local/moto_account.py). moto is not atomic when threads call it at once: sixteen threads that increment a number
while it is below 50 got it past 50. Every request to moto therefore passes one lock, as every request to the in-memory
table passes one of its own; requests of different threads still interleave freely, but each is whole
(tests/local/test_aws.py proves it for both).
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import io
import itertools
import json
import logging
import os
import re
import time
import traceback
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias
from unittest import mock
from urllib.parse import unquote, urlsplit

from botocore import parsers, xform_name
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ClientError
from botocore.handlers import BUILTIN_HANDLERS, REGISTER_FIRST

from infra.local.memory_dynamodb import MemoryDynamoDB
from infra.local.memory_machines import MemoryMachines, RequestError, StateError
from wordle_tournament import aws as game_aws

if TYPE_CHECKING:
    from infra.local.moto_account import MotoAccount

REGION = "us-east-1"
ACCOUNT_ID = "123456789012"
MAX_MESSAGE_BYTES = 128 * 1024
"""Message payload size of a WebSocket API, in and out (API Gateway developer guide, "Quotas for
configuring and running a WebSocket in API Gateway")."""

OK = 200

logger = logging.getLogger(__name__)

Emulator: TypeAlias = Literal["memory", "moto"]
"""The part that answers DynamoDB and Step Functions: our emulators, or moto, which is independent of them."""

Handler = Callable[[Any, Any], Any]
"""A Lambda handler: (event, context) -> a value JSON can hold."""


class GoneError(Exception):
    """The connection does not exist, not yet or no longer: what AWS answers with 410 GoneException."""


class FunctionError(Exception):
    """A handler raised. `payload` is the error document that Lambda would return for it."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.payload = {
            "errorMessage": str(error),
            "errorType": type(error).__name__,
            "stackTrace": traceback.format_tb(error.__traceback__),
        }


class Connections(Protocol):
    """The connections that can be pushed to. Both raise GoneError for a connection that is not open."""

    def post(self, connection_id: str, data: bytes) -> None:
        """Send `data` (UTF-8 text) to the connection; returning is no proof of delivery."""

    def delete(self, connection_id: str) -> None:
        """Close the connection from the server's side."""


@dataclass(frozen=True)
class Call:
    """One AWS call, as its caller wrote it."""

    service: str
    """botocore's name: dynamodb, stepfunctions, lambda, apigatewaymanagementapi."""
    operation: str
    """For instance UpdateItem."""
    params: Mapping[str, Any]
    caller: str
    """Name of the Lambda function that made it, "machine" for a state machine, else ""."""
    route: str = ""
    """The route key or the task that the function worked at; "" if it was neither."""


@dataclass
class LambdaContext:
    """The context that Lambda gives to a handler with the event."""

    function_name: str
    timeout_seconds: int = 29
    memory_limit_in_mb: int = 128
    function_version: str = "$LATEST"
    log_group_name: str = "local"
    log_stream_name: str = "local"
    aws_request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    started: float = field(default_factory=time.monotonic)

    @property
    def invoked_function_arn(self) -> str:
        return f"arn:aws:lambda:{REGION}:{ACCOUNT_ID}:function:{self.function_name}"

    def get_remaining_time_in_millis(self) -> int:
        return int((self.timeout_seconds - time.monotonic() + self.started) * 1000)


OnCall = Callable[[str, str, Mapping[str, Any]], None]
"""(service, operation, params); may raise a botocore ClientError, which its caller then receives."""


class LocalAws:
    """The emulated account. `start` it before the first client is made; only one can run at a time.

    `functions` maps a function's name to its handler and may be changed at any time; `connections` is where pushes go,
    and without it every connection is gone. `forbids` says why a call is not allowed, None if it is. `emulator` says
    what answers DynamoDB and Step Functions.
    """

    def __init__(self, emulator: Emulator = "memory") -> None:
        self.emulator = emulator
        self.functions: dict[str, Handler] = {}
        self.connections: Connections | None = None
        self.forbids: Callable[[Call], str | None] = lambda call: None
        self._store: MemoryDynamoDB | MotoAccount
        self._machines: MemoryMachines | None = None
        self._before: list[OnCall] = []
        self._after: list[OnCall] = []
        self._recordings: list[list[Call]] = []
        self._exit = contextlib.ExitStack()

    # -- life ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin with an empty account. RuntimeError if another one is still running."""
        global _running
        if _running is not None:
            raise RuntimeError("another LocalAws is still running in this process")
        with contextlib.ExitStack() as exit_:
            exit_.enter_context(_environment())
            if self.emulator == "moto":
                from infra.local.moto_account import on_moto

                self._store = exit_.enter_context(on_moto(REGION, ACCOUNT_ID))
            else:
                self._store = MemoryDynamoDB(REGION, ACCOUNT_ID)
                self._machines = MemoryMachines(REGION, ACCOUNT_ID, _invoke, _call_sdk)
                self._machines.start()
                exit_.callback(self._machines.stop)
            self._exit = exit_.pop_all()
        _running = self

    def stop(self) -> None:
        """End every execution, forget everything and give the environment back."""
        global _running
        try:
            self._exit.close()
        finally:
            if _running is self:
                _running = None

    def __enter__(self) -> LocalAws:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def memory(self) -> MemoryDynamoDB | None:
        """The in-memory table, unless moto answers DynamoDB. It is there once the account has started."""
        return self._store if isinstance(self._store, MemoryDynamoDB) else None

    # -- what is stored --------------------------------------------------------------------------

    def items(self, table_name: str) -> list[dict[str, Any]]:
        """Return every item of the table as the wire has it, without a call. They must not be changed."""
        return self._store.items(table_name)

    def save(self) -> Callable[[], None]:
        """Remember every item of every table. Return what makes the tables hold these items again."""
        return self._store.save()

    # -- watching and disturbing -----------------------------------------------------------------

    def on_call(self, callback: OnCall, *, after: bool = False) -> contextlib.ExitStack:
        """Have `callback` called for every AWS call, before it is made or (`after`) once it was.

        An exception raised before means the call is never made; raised after, it was carried out and
        its answer lost. Retries of botocore count as one call and are not gone through for a raised
        error. Returns a context manager whose end (or `.close()`) removes the callback.
        """
        callbacks = self._after if after else self._before
        callbacks.append(callback)
        exit_ = contextlib.ExitStack()
        exit_.callback(callbacks.remove, callback)
        return exit_

    @contextlib.contextmanager
    def recorded(self) -> Iterator[list[Call]]:
        """A list that grows by every AWS call made while the context is open, refused ones too."""
        calls: list[Call] = []
        self._recordings.append(calls)
        try:
            yield calls
        finally:
            self._recordings[:] = [one for one in self._recordings if one is not calls]

    # -- Lambda ----------------------------------------------------------------------------------

    def invoke(self, function_name: str, event: Any, timeout_seconds: int = 29) -> Any:
        """Call a function as Lambda would: through JSON, in the thread of the caller.

        Raises KeyError for a function that does not exist and FunctionError when its handler raises
        or returns what JSON cannot hold.
        """
        handler = self.functions[function_name]
        token = _caller.set((function_name, route_of(event)))
        try:
            result = handler(json.loads(json.dumps(event)), LambdaContext(function_name, timeout_seconds))
            return json.loads(json.dumps(result))
        except Exception as error:
            logger.exception("%s raised", function_name)
            raise FunctionError(error) from error
        finally:
            _caller.reset(token)

    # -- what botocore's events end up in --------------------------------------------------------

    def _announce(self, call: Call) -> None:
        for calls in list(self._recordings):
            calls.append(call)
        for callback in list(self._before):
            callback(call.service, call.operation, call.params)
        if reason := self.forbids(call):
            logger.error("%s may not call %s: %s", call.caller, call.operation, reason)
            refusal = {"Error": {"Code": "AccessDeniedException", "Message": reason}}
            raise ClientError(refusal, call.operation)  # type: ignore[arg-type]

    def _announce_done(self, call: Call) -> None:
        for callback in list(self._after):
            callback(call.service, call.operation, call.params)

    def _answer_invoke(self, request: AWSPreparedRequest) -> AWSResponse:
        match = re.search(r"/functions/([^/]+)/invocations", urlsplit(request.url).path)
        assert match, request.url
        name = unquote(match[1]).split(":function:")[-1].split(":")[0]
        if name not in self.functions:
            return _error(request, 404, "ResourceNotFoundException", f"Function not found: {name}")
        try:
            payload = self.invoke(name, json.loads(_bytes(request.body) or b"{}"))
        except FunctionError as error:
            return _json(request, 200, error.payload, {"X-Amz-Function-Error": "Unhandled"})
        return _json(request, 200, payload)

    def _serve(self, model: Any, request: Mapping[str, Any]) -> tuple[_Http, dict[str, Any]] | None:
        """Answer what botocore has serialised, before it makes it an HTTP request. None: it shall go on."""
        service, operation = model.service_model.service_name, model.name
        if service == "apigatewaymanagementapi":
            return self._serve_connections(operation, request)
        if self.emulator == "moto" or service not in ("dynamodb", "stepfunctions"):
            return None
        body = _bytes(request["body"])
        if service == "dynamodb":
            assert isinstance(self._store, MemoryDynamoDB)
            status, text = self._store.respond(operation, body)
            # Only binary values and errors are more to botocore's parser than JSON.
            if status == OK and '"B":' not in text and '"BS":' not in text:
                return _served(json.loads(text))
            return _parsed(model, status, text)
        assert self._machines is not None
        try:
            return _parsed(model, OK, json.dumps(self._machines.request(operation, json.loads(body))))
        except RequestError as error:
            return _parsed(model, 400, json.dumps({"__type": error.code, "message": str(error)}))

    def _serve_connections(self, operation: str, request: Mapping[str, Any]) -> tuple[_Http, dict[str, Any]]:
        connection_id = unquote(str(request["url_path"]).rpartition("/@connections/")[2])
        try:
            if self.connections is None:
                raise GoneError(connection_id)
            match operation:
                case "PostToConnection":
                    data = _bytes(request["body"])
                    if len(data) > MAX_MESSAGE_BYTES:
                        return _refused(413, "PayloadTooLargeException", "Payload too large")
                    self.connections.post(connection_id, data)
                    return _served({})
                case "DeleteConnection":
                    self.connections.delete(connection_id)
                    return _served({}, 204)
                case other:
                    raise ValueError(f"@connections has no operation {other} here")
        except GoneError:
            return _refused(410, "GoneException", "Gone")


@contextlib.contextmanager
def local_aws(emulator: Emulator = "memory") -> Iterator[LocalAws]:
    """The emulated account for the length of a test."""
    with LocalAws(emulator) as aws:
        yield aws


# -- the one place that reaches into botocore ----------------------------------------------------

_running: LocalAws | None = None
_caller: contextvars.ContextVar[tuple[str, str]] = contextvars.ContextVar("_caller", default=("", ""))
"""The function that is running, and what it works at."""


class _Http(NamedTuple):
    """All that botocore asks of an HTTP response once it is parsed."""

    status_code: int


def _before_build(params: Any, model: Any, context: dict[str, Any], **_: Any) -> None:
    if _running is not None:
        call = Call(model.service_model.service_name, model.name, params, *_who_calls())
        context["local_call"] = call
        _running._announce(call)


def _before_call(params: Mapping[str, Any], model: Any, **_: Any) -> tuple[_Http, dict[str, Any]] | None:
    return None if _running is None else _running._serve(model, params)


def _after_call(context: dict[str, Any], **_: Any) -> None:
    call = context.get("local_call")
    if _running is not None and call is not None:
        _running._announce_done(call)


def _before_send(request: AWSPreparedRequest, event_name: str, **_: Any) -> AWSResponse | None:
    if _running is None:
        return None
    if event_name == "before-send.lambda.Invoke":
        return _running._answer_invoke(request)
    if _running.emulator == "memory":
        raise NotImplementedError(f"nothing here answers {event_name}")
    return None


# Every botocore session made from here on has these: ours, boto3's, PynamoDB's, and those of moto's machines. A call is
# answered at before-call: its parameters are serialised by then, and what HTTP would add is left out: the signature,
# the request, and the parsing of what was JSON a moment before. moto hooks itself into before-send.
BUILTIN_HANDLERS.extend(
    [
        ("before-parameter-build", _before_build),
        ("before-call", _before_call),
        ("after-call", _after_call),
        ("before-send", _before_send, REGISTER_FIRST),
    ]
)


def _served(parsed: dict[str, Any], status: int = OK) -> tuple[_Http, dict[str, Any]]:
    parsed["ResponseMetadata"] = _metadata(status)
    return _Http(status), parsed


def _refused(status: int, code: str, message: str) -> tuple[_Http, dict[str, Any]]:
    return _served({"Error": {"Code": code, "Message": message}}, status)


def _parsed(model: Any, status: int, text: str) -> tuple[_Http, dict[str, Any]]:
    """Parse an answer as botocore does (Endpoint._do_get_response), with what the model says of an error."""
    response = {"status_code": status, "headers": {}, "body": text.encode()}
    parser = parsers.create_parser(model.service_model.resolved_protocol)
    parsed = parser.parse(response, model.output_shape)
    if status != OK:
        shape = model.service_model.shape_for_error_code(parsed["Error"]["Code"])
        if shape is not None:
            parsed.update(parser.parse(response, shape))
    return _served(parsed, status)


def _metadata(status: int) -> dict[str, Any]:
    return {
        "RequestId": f"LOCAL{next(_request_numbers):047d}",
        "HTTPStatusCode": status,
        "HTTPHeaders": {},
        "RetryAttempts": 0,
    }


_request_numbers = itertools.count(1)


# -- what machines call --------------------------------------------------------------------------

MACHINE = ("machine", "")
"""The caller of a state machine's calls."""


def _invoke(function_arn: str, payload: Any) -> Any:
    """Invoke a function for a state machine. Return its result. Raises StateError with the error that it had."""
    answer = _as_machine("lambda", "Invoke", {"FunctionName": function_arn, "Payload": json.dumps(payload)}, "Lambda")
    result = json.loads(answer["Payload"].read())
    if "FunctionError" in answer:
        raise StateError(result["errorType"], json.dumps(result))
    return result


def _call_sdk(service: str, operation: str, params: dict[str, Any]) -> Any:
    """Make a call for a state machine, in the manner of its AWS SDK integrations. Raises StateError."""
    return _as_machine(service, operation, params, SDK_NAMES[service])


SDK_NAMES = {"dynamodb": "DynamoDb"}
"""How a service is called in the names of errors."""


def _as_machine(service: str, operation: str, params: dict[str, Any], named: str) -> Any:
    token = _caller.set(MACHINE)
    try:
        return getattr(_machine_client(service), xform_name(operation))(**params)
    except ClientError as error:
        detail = error.response["Error"]
        raise StateError(f"{named}.{detail['Code']}", detail["Message"]) from error
    finally:
        _caller.reset(token)


@functools.cache
def _machine_client(service: str) -> Any:
    return game_aws.make_client(service, retries={"mode": "standard", "total_max_attempts": 1})


def _who_calls() -> tuple[str, str]:
    caller, route = _caller.get()
    if not caller and _running is not None and _running.emulator == "moto":
        from infra.local.moto_account import is_machine

        return MACHINE if is_machine() else ("", "")
    return caller, route


def route_of(event: Any) -> str:
    """Return the route key of API Gateway's event, or the task of a machine's."""
    match event:
        case {"requestContext": {"routeKey": str(route)}} | {"task": str(route)}:
            return route
    return ""


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """Dummy credentials and a region; no profile, file or endpoint of this machine's is looked at."""
    with mock.patch.dict(os.environ):
        for name in list(os.environ):
            if name.startswith("AWS_"):
                del os.environ[name]
        os.environ.update(
            AWS_DEFAULT_REGION=REGION,
            AWS_REGION=REGION,
            AWS_ACCESS_KEY_ID="local",
            AWS_SECRET_ACCESS_KEY="local",
            AWS_CONFIG_FILE=os.devnull,
            AWS_SHARED_CREDENTIALS_FILE=os.devnull,
            AWS_EC2_METADATA_DISABLED="true",
        )
        yield


class _Raw(io.BytesIO):
    """A body as urllib3 has it."""

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.read()


def _bytes(body: Any) -> bytes:
    if hasattr(body, "read"):
        body = body.read()
    return body.encode() if isinstance(body, str) else bytes(body or b"")


def _json(
    request: AWSPreparedRequest,
    status: int,
    body: Any = None,
    headers: Mapping[str, str] | None = None,
) -> AWSResponse:
    raw = b"" if body is None and status != 200 else json.dumps(body).encode()
    all_headers = {
        "Content-Type": "application/json",
        "Content-Length": str(len(raw)),
        **(headers or {}),
    }
    return AWSResponse(request.url, status, all_headers, _Raw(raw))  # type: ignore[arg-type]


def _error(request: AWSPreparedRequest, status: int, code: str, message: str) -> AWSResponse:
    return _json(request, status, {"message": message}, {"X-Amzn-ErrorType": code})
