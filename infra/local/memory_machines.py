"""Step Functions in memory: the part of the Amazon States Language that this project's machines use.

`MemoryMachines.request` takes the JSON that botocore sends and returns what Step Functions would answer. A field, state
or operation that is not known here is refused when a machine is made, never ignored. Its sources are the specification
of the language (states-language.net) and the Step Functions developer guide: "Handling errors in Step Functions
workflows", "Wait for a callback with task token", "Map state". tests/local/test_machines.py runs the same machines here
and on moto.

All executions run on one thread with an event loop; what blocks, a function or a call of DynamoDB, runs in a small
pool. A heartbeat wakes nobody: the task that waits looks at the time of the last one when its alarm comes.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
Invoke: TypeAlias = Callable[[str, Any], Any]
"""(ARN of a function, its payload) -> its result. Raises StateError for an error of the function."""
CallSdk: TypeAlias = Callable[[str, str, Json], Any]
"""(service, operation, parameters) -> the answer. Raises StateError."""

logger = logging.getLogger(__name__)

WAITS_FOR_TOKEN = ".waitForTaskToken"
SDK = "arn:aws:states:::aws-sdk:"
INVOKE_WITH_TOKEN = "arn:aws:states:::lambda:invoke.waitForTaskToken"
WORKERS = 8
"""The tasks that run at once, of all machines; the others wait for their turn."""
KEPT_EXECUTIONS = 50
"""The ended executions whose input and history are kept. Step Functions keeps them for 90 days."""
KEPT_NAMES = 10_000
"""The ended executions whose names are not given again."""
TIME_OUTS = ("States.Timeout", "States.HeartbeatTimeout")
LONGEST_SECONDS = 365 * 24 * 3600.0

_COMMON = {"Type", "Comment"}
_RETRIED = {"Retry", "Catch"}
_FIELDS: Mapping[str, set[str]] = {
    "Task": {
        "Resource",
        "Parameters",
        "ResultPath",
        "TimeoutSeconds",
        "HeartbeatSeconds",
        "HeartbeatSecondsPath",
        "Next",
        "End",
        *_RETRIED,
    },
    "Choice": {"Choices", "Default"},
    "Wait": {"Seconds", "SecondsPath", "Next", "End"},
    "Map": {"ItemsPath", "MaxConcurrency", "ResultPath", "ItemProcessor", "Next", "End"},
    "Succeed": set(),
    "Pass": {"Next", "End"},
}
_RETRIER = {"ErrorEquals", "IntervalSeconds", "BackoffRate", "MaxDelaySeconds", "MaxAttempts", "JitterStrategy"}
_CATCHER = {"ErrorEquals", "ResultPath", "Next"}


class StateError(Exception):
    """An error by its name in the States Language, for Retry and Catch."""

    def __init__(self, name: str, cause: str = "") -> None:
        super().__init__(f"{name}: {cause}")
        self.name = name
        self.cause = cause


class RequestError(Exception):
    """A request that is answered with this error code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(eq=False)
class Execution:
    """A run of a machine. `history` has the events of Step Functions that name states, inputs and outputs."""

    arn: str
    machine_arn: str
    name: str
    input: str
    status: str = "RUNNING"
    output: str | None = None
    error: str | None = None
    started: float = field(default_factory=time.time)
    ended: float | None = None
    history: list[Json] = field(default_factory=list)
    task: asyncio.Task[None] | None = None

    def note(self, kind: str, **details: Json) -> None:
        number = len(self.history) + 1
        self.history.append(
            {"timestamp": time.time(), "type": kind, "id": number, "previousEventId": number - 1, **details}
        )


@dataclass(eq=False)
class _Token:
    """A task that waits for its token. It is in the table of tokens until its wait ends."""

    beat: float
    """When the last heartbeat came, by the monotonic clock."""
    answer: asyncio.Future[Any]


class MemoryMachines:
    """The state machines of an account. `request` may be called from any thread. `stop` ends all executions."""

    def __init__(self, region: str, account_id: str, invoke: Invoke, call_sdk: CallSdk) -> None:
        self._arn = f"arn:aws:states:{region}:{account_id}"
        self._invoke = invoke
        self._call_sdk = call_sdk
        self._lock = threading.Lock()
        self._machines: dict[str, Json] = {}
        self._executions: dict[str, Execution] = {}
        """By ARN, oldest first: those that run, and the last that have ended."""
        self._ended: dict[str, None] = {}
        """The ARNs of ended executions, oldest first."""
        self._tokens: dict[str, _Token] = {}
        self._loop = asyncio.new_event_loop()
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="machines")
        self._thread = threading.Thread(target=self._loop.run_forever, name="machines", daemon=True)
        self._operations: Mapping[str, Callable[[Json], Json]] = {
            "CreateStateMachine": self._create,
            "StartExecution": self._start,
            "StopExecution": self._stop_execution,
            "DescribeExecution": self._describe,
            "ListExecutions": self._list,
            "GetExecutionHistory": self._get_history,
            "SendTaskHeartbeat": self._heartbeat,
            "SendTaskSuccess": self._success,
            "SendTaskFailure": self._failure,
        }

    # -- life ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Be ready to run executions."""
        self._thread.start()

    def stop(self) -> None:
        """Abort all executions, and wait for the tasks at work."""
        with self._lock:
            running = [one for one in self._executions.values() if one.status == "RUNNING"]
        for execution in running:
            self._abort(execution)
        asyncio.run_coroutine_threadsafe(self._settle(), self._loop).result()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _settle(self) -> None:
        others = asyncio.all_tasks(self._loop) - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    # -- for clients -----------------------------------------------------------------------------

    def request(self, operation: str, params: Json) -> Json:
        """Return the answer. Raise RequestError, also for an operation that is not supported."""
        if operation not in self._operations:
            raise RequestError("UnknownOperationException", f"{operation} is not supported by the machines in memory")
        return self._operations[operation](params)

    def _create(self, params: Json) -> Json:
        _only(params, {"name", "definition", "roleArn"}, "CreateStateMachine")
        definition = json.loads(params["definition"])
        _check_machine(definition)
        arn = f"{self._arn}:stateMachine:{params['name']}"
        self._machines[arn] = definition
        return {"stateMachineArn": arn, "creationDate": time.time()}

    def _start(self, params: Json) -> Json:
        _only(params, {"stateMachineArn", "name", "input"}, "StartExecution")
        machine_arn, text = params["stateMachineArn"], params.get("input", "{}")
        definition = self._machines.get(machine_arn)
        if definition is None:
            raise RequestError("StateMachineDoesNotExist", f"State Machine Does Not Exist: '{machine_arn}'")
        name = params.get("name") or str(uuid.uuid4())
        arn = f"{self._arn}:execution:{machine_arn.rpartition(':')[2]}:{name}"
        with self._lock:
            known = self._executions.get(arn)
            if known is not None and known.status == "RUNNING" and known.input == text:
                return {"executionArn": arn, "startDate": known.started}
            if known is not None or arn in self._ended:
                raise RequestError("ExecutionAlreadyExists", f"Execution Already Exists: '{arn}'")
            execution = self._executions[arn] = Execution(arn, machine_arn, name, text)
        execution.note("ExecutionStarted", executionStartedEventDetails={"input": text})
        self._loop.call_soon_threadsafe(self._begin, execution, definition)
        return {"executionArn": arn, "startDate": execution.started}

    def _stop_execution(self, params: Json) -> Json:
        _only(params, {"executionArn", "error", "cause"}, "StopExecution")
        execution = self._known(params["executionArn"])
        self._abort(execution)
        return {"stopDate": execution.ended}

    def _describe(self, params: Json) -> Json:
        _only(params, {"executionArn"}, "DescribeExecution")
        execution = self._known(params["executionArn"])
        described = {**_listed(execution), "input": execution.input}
        return described if execution.output is None else {**described, "output": execution.output}

    def _list(self, params: Json) -> Json:
        _only(params, {"stateMachineArn", "statusFilter"}, "ListExecutions")
        with self._lock:
            found = [one for one in self._executions.values() if one.machine_arn == params["stateMachineArn"]]
        wanted = params.get("statusFilter")
        return {"executions": [_listed(one) for one in reversed(found) if wanted in (None, one.status)]}

    def _get_history(self, params: Json) -> Json:
        _only(params, {"executionArn"}, "GetExecutionHistory")
        return {"events": list(self._known(params["executionArn"]).history)}

    def _heartbeat(self, params: Json) -> Json:
        with self._lock:
            self._waiting(params["taskToken"]).beat = time.monotonic()
        return {}

    def _success(self, params: Json) -> Json:
        output = json.loads(params["output"])
        with self._lock:
            token = self._waiting(params["taskToken"])
            del self._tokens[params["taskToken"]]
        self._loop.call_soon_threadsafe(_answer, token.answer, output)
        return {}

    def _failure(self, params: Json) -> Json:
        with self._lock:
            token = self._waiting(params["taskToken"])
            del self._tokens[params["taskToken"]]
        error = StateError(params.get("error", ""), params.get("cause", ""))
        self._loop.call_soon_threadsafe(_fail, token.answer, error)
        return {}

    def _waiting(self, token: str) -> _Token:
        if token in self._tokens:
            return self._tokens[token]
        if token.startswith(f"{self._arn}:"):
            raise RequestError("TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'")
        raise RequestError("InvalidToken", "Invalid Token: 'Invalid token'")

    def _known(self, arn: str) -> Execution:
        with self._lock:
            if arn in self._executions:
                return self._executions[arn]
        raise RequestError("ExecutionDoesNotExist", f"Execution Does Not Exist: '{arn}'")

    # -- executions, on the loop -----------------------------------------------------------------

    def _begin(self, execution: Execution, definition: Json) -> None:
        if execution.status == "RUNNING":
            execution.task = self._loop.create_task(self._execute(execution, definition))

    async def _execute(self, execution: Execution, definition: Json) -> None:
        try:
            async with asyncio.timeout(definition.get("TimeoutSeconds", LONGEST_SECONDS)):
                output = await self._run(execution, definition, json.loads(execution.input))
        except TimeoutError:
            self._end(execution, "TIMED_OUT", "ExecutionTimedOut")
        except StateError as error:
            execution.error = error.name
            self._end(execution, "FAILED", "ExecutionFailed", {"error": error.name, "cause": error.cause})
        except asyncio.CancelledError:
            self._end(execution, "ABORTED", "ExecutionAborted")
        except Exception as error:
            logger.exception("a machine failed at something that its definition or a test got wrong")
            self._end(execution, "FAILED", "ExecutionFailed", {"error": "States.Runtime", "cause": str(error)})
        else:
            execution.output = json.dumps(output)
            self._end(execution, "SUCCEEDED", "ExecutionSucceeded", {"output": execution.output})

    def _abort(self, execution: Execution) -> None:
        self._end(execution, "ABORTED", "ExecutionAborted")
        task = execution.task
        if task is not None:
            self._loop.call_soon_threadsafe(task.cancel)

    def _end(self, execution: Execution, status: str, event: str, details: Json | None = None) -> None:
        """Note the end, once. Forget the oldest of the executions that have ended."""
        with self._lock:
            if execution.status != "RUNNING":
                return
            execution.note(
                event, **({} if details is None else {f"{event[0].lower()}{event[1:]}EventDetails": details})
            )
            execution.status, execution.ended = status, time.time()
            self._ended[execution.arn] = None
            kept = [one for one in self._executions.values() if one.status != "RUNNING"]
            for old in kept[: max(0, len(kept) - KEPT_EXECUTIONS)]:
                del self._executions[old.arn]
            while len(self._ended) > KEPT_NAMES:
                del self._ended[next(iter(self._ended))]

    async def _run(self, execution: Execution, machine: Json, data: Any) -> Any:
        """Go through the states of a machine, or of a Map's items. Return the output. Raises StateError."""
        name = machine["StartAt"]
        while True:
            state = machine["States"][name]
            kind = state["Type"]
            entered = {"name": name, "input": json.dumps(data)}
            execution.note(f"{kind}StateEntered", stateEnteredEventDetails=entered)
            following: str | None = state.get("Next")
            match kind:
                case "Task":
                    data, caught = await self._task(execution, state, data)
                    following = caught or following
                case "Choice":
                    following = _choose(state, data)
                case "Wait":
                    seconds = state["Seconds"] if "Seconds" in state else _at(state["SecondsPath"], data)
                    await asyncio.sleep(seconds)
                case "Map":
                    data = await self._map(execution, state, data)
            left = {"name": name, "output": json.dumps(data)}
            execution.note(f"{kind}StateExited", stateExitedEventDetails=left)
            if following is None:
                return data
            name = following

    async def _map(self, execution: Execution, state: Json, data: Any) -> Any:
        items = _at(state.get("ItemsPath", "$"), data)
        branches = [self._loop.create_task(self._run(execution, state["ItemProcessor"], one)) for one in items]
        try:
            results = await asyncio.gather(*branches)
        finally:
            for branch in branches:
                branch.cancel()
        return _placed(state, data, list(results))

    async def _task(self, execution: Execution, state: Json, data: Any) -> tuple[Any, str | None]:
        """Do the task, again as Retry says. Return the output, and the state that Catch goes to."""
        attempts = [0] * len(state.get("Retry", ()))
        while True:
            try:
                return _placed(state, data, await self._attempt(execution, state, data)), None
            except StateError as error:
                kind = _failed(state, error)
                details = {"resource": state["Resource"], "error": error.name, "cause": error.cause}
                execution.note(kind, **{f"{kind[0].lower()}{kind[1:]}EventDetails": details})
                seconds = _pause_seconds(state, error, attempts)
                if seconds is not None:
                    await asyncio.sleep(seconds)
                    continue
                for catcher in state.get("Catch", ()):
                    if _matches(catcher, error):
                        output = _placed(catcher, data, {"Error": error.name, "Cause": error.cause})
                        return output, catcher["Next"]
                raise

    async def _attempt(self, execution: Execution, state: Json, data: Any) -> Any:
        resource: str = state["Resource"]
        token = f"{self._arn}:token:{uuid.uuid4()}"
        parameters = _filled(state["Parameters"], data, {"Task": {"Token": token}}) if "Parameters" in state else data
        execution.note(
            "TaskScheduled", taskScheduledEventDetails={"resource": resource, "parameters": json.dumps(parameters)}
        )
        timeout = state.get("TimeoutSeconds", LONGEST_SECONDS)
        call: Callable[[], Any]
        if resource == INVOKE_WITH_TOKEN:
            call = partial(self._invoke, parameters["FunctionName"], parameters["Payload"])
        elif resource.startswith(SDK):
            service, operation = resource.removeprefix(SDK).removesuffix(WAITS_FOR_TOKEN).split(":")
            call = partial(self._call_sdk, service, operation, parameters)
        else:
            call = partial(self._invoke, resource, parameters)
        if not resource.endswith(WAITS_FOR_TOKEN):
            return await self._block(timeout, call)
        waiting = _Token(time.monotonic(), self._loop.create_future())
        heartbeat = state.get("HeartbeatSeconds", LONGEST_SECONDS)
        if "HeartbeatSecondsPath" in state:
            heartbeat = _at(state["HeartbeatSecondsPath"], data)
        with self._lock:
            self._tokens[token] = waiting
        try:
            await self._block(timeout, call)
            return await self._await_token(token, waiting, heartbeat, time.monotonic() + timeout)
        finally:
            with self._lock:
                self._tokens.pop(token, None)

    async def _block(self, seconds: float, call: Callable[[], Any]) -> Any:
        """Make the call in the pool. Raise States.Timeout if it takes longer; its thread goes on then, as on AWS."""
        made = self._loop.run_in_executor(self._pool, call)
        try:
            async with asyncio.timeout(seconds):
                return await made
        except TimeoutError:
            raise StateError("States.Timeout") from None

    async def _await_token(self, token: str, waiting: _Token, heartbeat: float, ends: float) -> Any:
        """Wait for the answer to the token. Raise its failure, States.HeartbeatTimeout or States.Timeout."""
        while True:
            now = time.monotonic()
            with self._lock:
                left = min(waiting.beat + heartbeat, ends) - now
                # A success that was taken before the alarm counts.
                if left <= 0 and token in self._tokens:
                    del self._tokens[token]
                    raise StateError("States.Timeout" if now >= ends else "States.HeartbeatTimeout")
            await asyncio.wait({waiting.answer}, timeout=max(left, 0) or None)
            if waiting.answer.done():
                return waiting.answer.result()


def _answer(waiting: asyncio.Future[Any], output: Any) -> None:
    if not waiting.done():
        waiting.set_result(output)


def _fail(waiting: asyncio.Future[Any], error: StateError) -> None:
    if not waiting.done():
        waiting.set_exception(error)


def _listed(execution: Execution) -> Json:
    listed = {
        "executionArn": execution.arn,
        "stateMachineArn": execution.machine_arn,
        "name": execution.name,
        "status": execution.status,
        "startDate": execution.started,
    }
    return listed if execution.ended is None else {**listed, "stopDate": execution.ended}


# -- the language ------------------------------------------------------------------------------------


def _choose(state: Json, data: Any) -> str:
    for rule in state["Choices"]:
        if _at(rule["Variable"], data) is rule["BooleanEquals"]:
            return str(rule["Next"])
    if "Default" in state:
        return str(state["Default"])
    raise StateError("States.NoChoiceMatched")


def _pause_seconds(state: Json, error: StateError, attempts: list[int]) -> float | None:
    """Return the pause before the next attempt by the first retrier that matches, None if there is no attempt left."""
    for number, retrier in enumerate(state.get("Retry", ())):
        if not _matches(retrier, error):
            continue
        if attempts[number] >= retrier.get("MaxAttempts", 3):
            return None
        pause = retrier.get("IntervalSeconds", 1) * retrier.get("BackoffRate", 2.0) ** attempts[number]
        attempts[number] += 1
        longest: float = min(pause, retrier.get("MaxDelaySeconds", LONGEST_SECONDS))
        return random.uniform(0, longest) if retrier.get("JitterStrategy") == "FULL" else longest
    return None


def _failed(state: Json, error: StateError) -> str:
    """Return the type of the event for a task that failed."""
    is_function = ":function:" in state["Resource"]
    if error.name in TIME_OUTS:
        return "LambdaFunctionTimedOut" if is_function else "TaskTimedOut"
    return "LambdaFunctionFailed" if is_function else "TaskFailed"


def _matches(handler: Json, error: StateError) -> bool:
    names = handler["ErrorEquals"]
    if error.name in names:
        return True
    # "States.ALL" does not catch these two; "States.TaskFailed" does not catch a time-out.
    if error.name in ("States.Runtime", "States.DataLimitExceeded"):
        return False
    return "States.ALL" in names or ("States.TaskFailed" in names and error.name not in TIME_OUTS)


def _at(path: str, data: Any, context: Json | None = None) -> Any:
    """Return the value at a path such as `$.duels`, or `$$.Task.Token` of the context. Raises States.Runtime."""
    value = context if path.startswith("$$") else data
    for name in path.lstrip("$").split(".")[1:]:
        if not isinstance(value, dict) or name not in value:
            raise StateError("States.Runtime", f"the path {path} is not in the input")
        value = value[name]
    return value


def _filled(template: Any, data: Any, context: Json) -> Any:
    """Return Parameters with each field `name.$` replaced by `name` and what is at its path."""
    if isinstance(template, list):
        return [_filled(one, data, context) for one in template]
    if not isinstance(template, dict):
        return template
    return {
        name.removesuffix(".$"): _at(one, data, context) if name.endswith(".$") else _filled(one, data, context)
        for name, one in template.items()
    }


def _placed(where: Json, data: Any, result: Any) -> Any:
    """Return a state's output: its input if ResultPath is null, else the result. Other paths are refused before."""
    return data if where.get("ResultPath", "$") is None else result


# -- what is understood ------------------------------------------------------------------------------


def _check_machine(machine: Json) -> None:
    """Raise RequestError for a machine with something that is not understood here, or a state that is missing."""
    _only(machine, {"Comment", "StartAt", "States", "TimeoutSeconds"}, "a machine")
    _check_states(machine)


def _check_states(machine: Json) -> None:
    states = machine["States"]
    for name, state in states.items():
        kind = state.get("Type", "")
        if kind not in _FIELDS:
            raise _invalid(f"a state of the type {kind} is not supported by the machines in memory")
        _only(state, _COMMON | _FIELDS[kind], name)
        for retrier in state.get("Retry", ()):
            _only(retrier, _RETRIER, f"Retry of {name}")
        for catcher in state.get("Catch", ()):
            _only(catcher, _CATCHER, f"Catch of {name}")
        for rule in state.get("Choices", ()):
            _only(rule, {"Variable", "BooleanEquals", "Next"}, f"Choices of {name}")
        for where in (state, *state.get("Catch", ())):
            if where.get("ResultPath", "$") not in (None, "$"):
                raise _invalid(f"{name}: a ResultPath other than null or $ is not supported by the machines in memory")
        if state.get("MaxConcurrency", 0) != 0:
            raise _invalid(f"{name}: MaxConcurrency is not supported by the machines in memory")
        if kind == "Map":
            _only(state["ItemProcessor"], {"ProcessorConfig", "StartAt", "States"}, f"ItemProcessor of {name}")
            if state["ItemProcessor"].get("ProcessorConfig", {"Mode": "INLINE"}) != {"Mode": "INLINE"}:
                raise _invalid(f"{name}: only an INLINE Map is supported by the machines in memory")
            _check_states(state["ItemProcessor"])
    for name in _named(machine):
        if name not in states:
            raise _invalid(f"there is no state {name}")


def _named(machine: Json) -> Sequence[str]:
    """Return the states that a machine goes to."""
    names = [machine["StartAt"]]
    for state in machine["States"].values():
        goes = [state, *state.get("Catch", ()), *state.get("Choices", ())]
        names += [one["Next"] for one in goes if "Next" in one]
        names += [state["Default"]] if "Default" in state else []
    return names


def _only(given: Mapping[str, Any], known: set[str], where: str) -> None:
    if unknown := given.keys() - known:
        raise _invalid(f"{where}: {', '.join(sorted(unknown))} is not supported by the machines in memory")


def _invalid(message: str) -> RequestError:
    return RequestError("ValidationException", message)
