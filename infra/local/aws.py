"""AWS in this process: moto, made whole under threads, with Lambda and the push API answered by us.

moto (5.2) runs Step Functions. DynamoDB is answered by the in-memory table (infra/local/memory_dynamodb), or by moto
if that is asked for. Two things moto cannot do are done here: a Lambda function is invoked by calling its handler, and
the management API of a WebSocket (PostToConnection and so on) reaches real connections. boto3 and PynamoDB work as
they do on AWS.

moto is not atomic when threads call it at once: sixteen threads that increment a number while it is
below 50 got it past 50. Every request to moto therefore passes one lock, here and nowhere else, as every request to
the in-memory table passes one of its own; requests of different threads still interleave freely, but each is whole
(tests/local/test_aws.py proves it for both).
"""

from __future__ import annotations

import contextlib
import contextvars
import copy
import functools
import json
import logging
import os
import re
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias
from unittest import mock
from urllib.parse import unquote, urlsplit

import boto3
import moto.dynamodb.models
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ClientError
from botocore.handlers import BUILTIN_HANDLERS, REGISTER_FIRST
from moto import mock_aws
from moto.core.botocore_stubber import MockRawResponse
from moto.core.models import botocore_stubber

from infra.local.memory_dynamodb import MemoryDynamoDB
from infra.local.moto_patches import moto_patches

REGION = "us-east-1"
ACCOUNT_ID = "123456789012"
MAX_MESSAGE_BYTES = 128 * 1024
"""Message payload size of a WebSocket API, in and out (API Gateway developer guide, "Quotas for
configuring and running a WebSocket in API Gateway")."""

logger = logging.getLogger(__name__)

Emulator: TypeAlias = Literal["memory", "moto"]
"""The part that answers DynamoDB: the in-memory table, or moto, which is independent of it and slower."""

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
    and without it every connection is gone. `forbids` says why a call is not allowed, None if it is. `dynamodb` says
    what answers DynamoDB.
    """

    def __init__(self, dynamodb: Emulator = "memory") -> None:
        self._memory = MemoryDynamoDB(REGION, ACCOUNT_ID) if dynamodb == "memory" else None
        self.functions: dict[str, Handler] = {}
        self.connections: Connections | None = None
        self.forbids: Callable[[Call], str | None] = lambda call: None
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
            exit_.enter_context(_one_request_at_a_time())
            exit_.enter_context(_one_new_client_at_a_time())
            exit_.enter_context(moto_patches())
            exit_.enter_context(
                mock_aws(
                    config={
                        "core": {
                            "mock_credentials": True,
                            "reset_boto3_session": True,
                            "service_whitelist": None,
                            "passthrough": {
                                "urls": [],
                                "services": ["awslambda", "lambda", "apigatewaymanagementapi"],
                            },
                        },
                        "stepfunctions": {"execute_state_machine": True},
                    }
                )
            )
            exit_.callback(_end_executions)
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
    def has_memory_table(self) -> bool:
        """Return True if the in-memory table answers DynamoDB."""
        return self._memory is not None

    @property
    def memory(self) -> MemoryDynamoDB | None:
        """The in-memory table, unless moto answers DynamoDB."""
        return self._memory

    # -- what is stored --------------------------------------------------------------------------

    def items(self, table_name: str) -> list[dict[str, Any]]:
        """Return every item of the table as the wire has it, without a call. They must not be changed."""
        if self._memory is not None:
            return self._memory.items(table_name)
        return [item.to_json()["Attributes"] for item in _moto_tables()[table_name].all_items()]

    def save(self) -> Callable[[], None]:
        """Remember every item of every table. Return what makes the tables hold these items again."""
        if self._memory is not None:
            return functools.partial(self._memory.restore, self._memory.snapshot())
        saved = {name: copy.deepcopy(table.items) for name, table in _moto_tables().items()}

        def restore() -> None:
            for name, table in _moto_tables().items():
                table.items = copy.deepcopy(saved[name])

        return restore

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

    def _answer_dynamodb(self, request: AWSPreparedRequest, operation: str) -> AWSResponse | None:
        if self._memory is None:
            return None
        answer = self._memory.request(operation, _bytes(request.body))
        return AWSResponse(request.url, answer.status, answer.headers, MockRawResponse(answer.body))  # type: ignore[arg-type]

    def _answer_connections(self, request: AWSPreparedRequest) -> AWSResponse:
        connection_id = unquote(urlsplit(request.url).path.partition("/@connections/")[2])
        try:
            if self.connections is None:
                raise GoneError(connection_id)
            match request.method:
                case "POST":
                    data = _bytes(request.body)
                    if len(data) > MAX_MESSAGE_BYTES:
                        return _error(request, 413, "PayloadTooLargeException", "Payload too large")
                    self.connections.post(connection_id, data)
                    return _json(request, 200)
                case "DELETE":
                    self.connections.delete(connection_id)
                    return _json(request, 204)
                case other:
                    raise ValueError(f"@connections has no method {other}")
        except GoneError:
            return _error(request, 410, "GoneException", "Gone")


@contextlib.contextmanager
def local_aws(dynamodb: Emulator = "memory") -> Iterator[LocalAws]:
    """The emulated account for the length of a test."""
    with LocalAws(dynamodb) as aws:
        yield aws


# -- the one place that reaches into botocore and moto -------------------------------------------

_running: LocalAws | None = None
_caller: contextvars.ContextVar[tuple[str, str]] = contextvars.ContextVar("_caller", default=("", ""))
"""The function that is running, and what it works at."""


def _before_call(params: Any, model: Any, context: dict[str, Any], **_: Any) -> None:
    if _running is not None:
        call = Call(model.service_model.service_name, model.name, params, *_who_calls())
        context["local_call"] = call
        _running._announce(call)


def _after_call(context: dict[str, Any], **_: Any) -> None:
    call = context.get("local_call")
    if _running is not None and call is not None:
        _running._announce_done(call)


def _answer(request: AWSPreparedRequest, event_name: str, **_: Any) -> AWSResponse | None:
    if _running is None:
        return None
    if event_name.startswith("before-send.dynamodb."):
        return _running._answer_dynamodb(request, event_name.rpartition(".")[2])
    if event_name == "before-send.lambda.Invoke":
        return _running._answer_invoke(request)
    if event_name.startswith("before-send.apigatewaymanagementapi."):
        return _running._answer_connections(request)
    return None


# Every botocore session made from here on has these: boto3's, PynamoDB's, and those of moto's machines.
# moto hooks itself in the same way. botocore asks every handler of before-send and takes the first answer, so moto
# is kept from what is answered here (_one_request_at_a_time), or it would do that work a second time, unseen.
BUILTIN_HANDLERS.extend(
    [
        ("before-parameter-build", _before_call),
        ("after-call", _after_call),
        ("before-send", _answer, REGISTER_FIRST),
    ]
)


def _is_answered_here(request: AWSPreparedRequest) -> bool:
    if _header(request, "X-Amz-Target").startswith("DynamoDB_"):
        return _running is not None and _running.has_memory_table
    path = urlsplit(request.url).path
    return "/@connections/" in path or path.endswith("/invocations")


def _who_calls() -> tuple[str, str]:
    caller, route = _caller.get()
    if not caller and "_exec_and_notify" in threading.current_thread().name:
        # moto evaluates each task of a machine in a thread that runs this function.
        return "machine", ""
    return caller, route


def route_of(event: Any) -> str:
    """Return the route key of API Gateway's event, or the task of a machine's."""
    match event:
        case {"requestContext": {"routeKey": str(route)}} | {"task": str(route)}:
            return route
    return ""


@contextlib.contextmanager
def _one_request_at_a_time() -> Iterator[None]:
    lock = threading.RLock()
    process_request = botocore_stubber.process_request

    @functools.wraps(process_request)
    def whole(request: AWSPreparedRequest) -> Any:
        if _is_answered_here(request):
            return None
        with lock:
            response = process_request(request)
            if _header(request, "X-Amz-Target") == "AWSStepFunctions.StartExecution":
                _await_executions()
            return response

    with mock.patch.object(botocore_stubber, "process_request", whole):
        yield


@contextlib.contextmanager
def _one_new_client_at_a_time() -> Iterator[None]:
    """Handlers and moto's machines make clients on boto3's default session, which supports one thread only.

    (boto3's guide, "Multithreading or multiprocessing with clients": sessions are not thread-safe.)
    """
    lock = threading.RLock()
    make_client = boto3.session.Session.client

    @functools.wraps(make_client)
    def client(*args: Any, **kwargs: Any) -> Any:
        with lock:
            return make_client(*args, **kwargs)

    with mock.patch.object(boto3.session.Session, "client", client):
        yield


def _moto_tables() -> dict[str, Any]:
    tables: dict[str, Any] = moto.dynamodb.models.dynamodb_backends[ACCOUNT_ID][REGION].tables
    return tables


def _executions() -> list[Any]:
    from moto.stepfunctions.parser.models import stepfunctions_parser_backends

    return list(stepfunctions_parser_backends[ACCOUNT_ID][REGION]._get_executions())


def _await_executions() -> None:
    """Until a new execution's thread has set itself up, moto fails on every task token there is."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and any(execution.exec_worker.env is None for execution in _executions()):
        time.sleep(0.001)


def _end_executions() -> None:
    """Or their threads would go on, and call the functions of the next account."""
    states = boto3.client("stepfunctions")
    for execution in _executions():
        if execution.status == "RUNNING":
            states.stop_execution(executionArn=execution.execution_arn)


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


def _bytes(body: Any) -> bytes:
    if hasattr(body, "read"):
        body = body.read()
    return body.encode() if isinstance(body, str) else bytes(body or b"")


def _header(request: AWSPreparedRequest, name: str) -> str:
    value = request.headers.get(name, "")
    return value.decode() if isinstance(value, bytes) else str(value)


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
    return AWSResponse(request.url, status, all_headers, MockRawResponse(raw))  # type: ignore[arg-type]


def _error(request: AWSPreparedRequest, status: int, code: str, message: str) -> AWSResponse:
    return _json(request, status, {"message": message}, {"X-Amzn-ErrorType": code})
