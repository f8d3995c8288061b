"""Step Functions: runs the template's own definitions, as much of the Amazon States Language as they use.

A definition with anything else is refused when it is read, never run wrongly. An execution is a fiber, and so is each
item of a Map.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from infra.local.simulation.chance import Chance
from infra.local.simulation.fibers import Fiber, VirtualTime

Json = dict[str, Any]

_COMMON = {"Type", "Comment", "Next", "End"}
_FIELDS: Mapping[str, set[str]] = {
    "Task": {"Resource", "Parameters", "TimeoutSeconds", "HeartbeatSecondsPath", "ResultPath", "Retry", "Catch"},
    "Wait": {"Seconds", "SecondsPath"},
    "Choice": {"Choices", "Default"},
    "Map": {"ItemsPath", "MaxConcurrency", "ResultPath", "ItemProcessor"},
    "Succeed": set(),
}
_RETRY = {
    "ErrorEquals",
    "IntervalSeconds",
    "BackoffRate",
    "MaxDelaySeconds",
    "MaxAttempts",
    "JitterStrategy",
}
_MACHINE = {"Comment", "StartAt", "States", "TimeoutSeconds", "ProcessorConfig"}
TOKEN_TASK = "arn:aws:states:::aws-sdk:dynamodb:updateItem.waitForTaskToken"
TOKEN_INVOKE = "arn:aws:states:::lambda:invoke.waitForTaskToken"
LAMBDA = "arn:aws:lambda:"
EXPECTED = ("States.HeartbeatTimeout", "DynamoDb.ConditionalCheckFailedException", "AlarmNotSet")
"""Errors that are no faults: what the machines' states are for."""


class StatesError(Exception):
    """An error of a state, by the name that Retry and Catch know."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Aborted(BaseException):
    """The execution was ended from outside. Nothing catches it."""


class Tasks(Protocol):
    """The work of tasks. Each waits until it is done, and raises StatesError."""

    def invoke(self, function_arn: str, payload: Json, name: str) -> Any:
        """Call a function. Return its result."""

    def update_item(self, params: Json, name: str) -> None:
        """Carry out DynamoDB's UpdateItem."""


@dataclass(eq=False)
class Waiting:
    """A task that waits with a token."""

    execution: Execution
    fiber: Fiber
    beat_ms: int
    heartbeat_ms: int
    item: Json
    done: bool = False
    error: str = ""
    """The error with which the task has failed, if it has."""


@dataclass(eq=False)
class Execution:
    """A run of a machine."""

    machine: str
    name: str
    input: Json
    started_ms: int
    alias: str = ""
    """A short name that is the same in each history of a seed."""
    status: str = "RUNNING"
    visits: dict[str, int] = field(default_factory=dict)


class Executions:
    """All machines and their executions."""

    def __init__(
        self,
        time: VirtualTime,
        chance: Chance,
        definitions: Mapping[str, str],
        tasks: Tasks,
        note: Callable[..., None],
    ) -> None:
        self.executions: dict[tuple[str, str], Execution] = {}
        self.waiting: dict[str, Waiting] = {}
        self.on_trouble: Callable[[Json], None] = lambda item: None
        """Called with a state's input when the state has failed, or its machine has ended."""
        self.on_waiting: Callable[[Json, int], None] = lambda item, retried_ms: None
        """Called with a state's input when its token waits, and the time for which storing it was retried."""
        self._time, self._chance, self._tasks, self._note = time, chance, tasks, note
        self._definitions = {machine: read(definition) for machine, definition in definitions.items()}

    def start(self, machine: str, name: str, execution_input: Json, alias: str) -> bool:
        """Start an execution. Return False if there is one of that name already."""
        if (machine, name) in self.executions:
            return False
        execution = Execution(machine, name, execution_input, self._time.now_ms, alias)
        self.executions[machine, name] = execution
        definition = self._definitions[machine]
        self._time.after(30, lambda: self._spawn(execution, definition))
        return True

    def heartbeat(self, token: str) -> bool:
        """Restart the clock of the task. Return False if no task waits with the token."""
        waiting = self.waiting.get(token)
        if waiting is None:
            return False
        waiting.beat_ms = self._time.now_ms
        return True

    def succeed(self, token: str) -> bool:
        """End the task. Return False if no task waits with the token."""
        waiting = self.waiting.pop(token, None)
        if waiting is None:
            return False
        waiting.done = True
        self._time.wake(waiting.fiber)
        return True

    def fail(self, token: str, error: str) -> bool:
        """Fail the task. Return False if no task waits with the token."""
        if token in self.waiting:
            self.waiting[token].error = error
        return self.succeed(token)

    def abort(self, execution: Execution) -> None:
        """End the execution in the middle: each of its fibers at its next step."""
        execution.status = "ABORTED"
        for waiting in list(self.waiting.values()):
            if waiting.execution is execution:
                self._time.wake(waiting.fiber)

    # -- running ---------------------------------------------------------------------------------

    def _spawn(self, execution: Execution, definition: Json) -> None:
        def run() -> None:
            try:
                self._states(execution, definition, execution.input, "")
                execution.status = "SUCCEEDED"
            except StatesError as error:
                execution.status = "FAILED"
                self._note("failed", execution.alias, error.name)
            except Aborted:
                self._note("aborted", execution.alias)

        self._time.spawn(run)

    def _states(self, execution: Execution, definition: Json, data: Any, branch: str) -> Any:
        timeout_ms = definition.get("TimeoutSeconds", 1_000_000) * 1000
        name = definition["StartAt"]
        while True:
            if execution.status != "RUNNING":
                self.on_trouble(data)
                raise Aborted
            if self._time.now_ms - execution.started_ms > timeout_ms:
                raise StatesError("States.Timeout")
            state = definition["States"][name]
            step = f"{execution.alias}{branch}/{name}"
            execution.visits[step] = visit = execution.visits.get(step, 0) + 1
            label = f"{step}.{visit}"
            self._note("state", label)
            data, following = self._state(execution, state, data, label)
            if following is None:
                return data
            name = following

    def _state(self, execution: Execution, state: Json, data: Any, label: str) -> tuple[Any, str | None]:
        following = state.get("Next")
        match state["Type"]:
            case "Succeed":
                return data, None
            case "Wait":
                seconds = state["Seconds"] if "Seconds" in state else at(data, state["SecondsPath"])
                self._time.sleep(seconds * 1000)
                return data, following
            case "Choice":
                for choice in state["Choices"]:
                    if at(data, choice["Variable"]) is choice["BooleanEquals"]:
                        return data, choice["Next"]
                return data, state["Default"]
            case "Map":
                self._map(execution, state, data, label)
                return data, following
            case _:
                return self._task(execution, state, data, label)

    def _map(self, execution: Execution, state: Json, data: Any, label: str) -> None:
        items, parent = at(data, state["ItemsPath"]), self._time.current
        assert parent is not None
        left, errors = len(items), list[BaseException]()

        def run(number: int, item: Any) -> None:
            nonlocal left
            try:
                self._states(execution, state["ItemProcessor"], item, f"{label[len(execution.alias) :]}.{number}")
            except (StatesError, Aborted) as error:
                errors.append(error)
            finally:
                left -= 1
            if not left:
                self._time.wake(parent)

        for number, item in enumerate(items, 1):

            def begin(number: int = number, item: Any = item) -> None:
                self._time.spawn(lambda: run(number, item))

            self._time.after(0, begin)
        if items:
            self._time.pause(None)
        if errors:
            raise errors[0]

    def _task(self, execution: Execution, state: Json, data: Any, label: str) -> tuple[Any, str | None]:
        attempts, entered_ms = [0] * len(state.get("Retry", ())), self._time.now_ms
        while True:
            self._time.sleep(self._chance.whole(5, 60, "transition", label, sum(attempts)))
            try:
                result = self._attempt(execution, state, data, f"{label}-{sum(attempts) + 1}", entered_ms)
            except StatesError as error:
                if error.name not in EXPECTED:
                    self.on_trouble(data)
                    self._note("error", label, error.name)
                number = _matching(state.get("Retry", ()), error.name)
                if number is not None and attempts[number] < state["Retry"][number].get("MaxAttempts", 3):
                    self._time.sleep(self._delay(state["Retry"][number], attempts[number], label))
                    attempts[number] += 1
                    continue
                number = _matching(state.get("Catch", ()), error.name)
                if number is None:
                    raise
                return data, state["Catch"][number]["Next"]
            return (data if "ResultPath" in state else result), state.get("Next")

    def _delay(self, retrier: Json, attempt: int, label: str) -> int:
        seconds = retrier.get("IntervalSeconds", 1) * retrier.get("BackoffRate", 2.0) ** attempt
        seconds = min(seconds, retrier.get("MaxDelaySeconds", seconds))
        if retrier.get("JitterStrategy") == "FULL":
            seconds *= self._chance.number("jitter", label, attempt)
        return int(seconds * 1000)

    def _attempt(self, execution: Execution, state: Json, data: Any, label: str, entered_ms: int) -> Any:
        if state["Resource"].startswith(LAMBDA):
            return self._tasks.invoke(state["Resource"], fill(state["Parameters"], data, ""), label)
        token = f"token of {label}"
        heartbeat_ms = at(data, state["HeartbeatSecondsPath"]) * 1000
        fiber = self._time.current
        assert fiber is not None
        began_ms = self._time.now_ms
        waiting = Waiting(execution, fiber, began_ms, heartbeat_ms, data)
        end_ms = self._time.now_ms + state["TimeoutSeconds"] * 1000
        # The token may come back before the call that stores it has its answer.
        self.waiting[token] = waiting
        try:
            parameters = fill(state["Parameters"], data, token)
            if state["Resource"] == TOKEN_INVOKE:
                self._tasks.invoke(parameters["FunctionName"], parameters["Payload"], label)
            else:
                self._tasks.update_item(parameters, label)
            if not waiting.done:
                self.on_waiting(data, began_ms - entered_ms)
            while not waiting.done:
                if execution.status != "RUNNING":
                    self.on_trouble(data)
                    raise Aborted
                due_ms = min(end_ms, waiting.beat_ms + heartbeat_ms)
                if self._time.now_ms >= due_ms:
                    raise StatesError("States.HeartbeatTimeout" if due_ms < end_ms else "States.Timeout")
                self._time.pause(due_ms - self._time.now_ms)
        finally:
            self.waiting.pop(token, None)
        if waiting.error:
            raise StatesError(waiting.error)
        return {}


# -- definitions -----------------------------------------------------------------------------------


def read(definition: str) -> Json:
    """Return the definition. Raise NotImplementedError if it has what is not simulated."""
    machine: Json = json.loads(definition)
    _check(machine)
    return machine


def _check(machine: Json) -> None:
    _refuse("a machine", machine.keys() - _MACHINE)
    if machine.get("ProcessorConfig", {"Mode": "INLINE"}) != {"Mode": "INLINE"}:
        raise NotImplementedError("the simulation has only inline maps")
    for name, state in machine["States"].items():
        kind = state["Type"]
        if kind not in _FIELDS:
            raise NotImplementedError(f"the simulation has no state of the type {kind}")
        _refuse(name, state.keys() - _COMMON - _FIELDS[kind])
        if state.get("ResultPath", None) is not None:
            raise NotImplementedError(f"{name}: the simulation has only the ResultPath null")
        for retrier in state.get("Retry", ()):
            _refuse(name, retrier.keys() - _RETRY)
        for catcher in state.get("Catch", ()):
            _refuse(name, catcher.keys() - {"ErrorEquals", "ResultPath", "Next"})
            if catcher.get("ResultPath", ...) is not None:
                raise NotImplementedError(f"{name}: the simulation has only the ResultPath null")
        for choice in state.get("Choices", ()):
            _refuse(name, choice.keys() - {"Variable", "BooleanEquals", "Next"})
        resource = state.get("Resource", "")
        if kind == "Task" and resource not in (TOKEN_TASK, TOKEN_INVOKE) and not resource.startswith(LAMBDA):
            raise NotImplementedError(f"{name}: the simulation has no task {resource}")
        if kind == "Map":
            _check(state["ItemProcessor"])


def _refuse(where: str, unknown: set[str]) -> None:
    if unknown:
        raise NotImplementedError(f"{where}: the simulation has no {', '.join(sorted(unknown))}")


def at(data: Any, path: str) -> Any:
    """Return what is at a path such as `$.seconds`. Raise StatesError."""
    for name in path.removeprefix("$").split(".")[1:]:
        try:
            data = data[name]
        except (KeyError, TypeError):
            raise StatesError("States.Runtime") from None
    return data


def fill(template: Any, data: Any, token: str) -> Any:
    """Return the template with each `name.$` replaced by what its path says."""
    if not isinstance(template, dict):
        return template
    filled = {}
    for name, value in template.items():
        if not name.endswith(".$"):
            filled[name] = fill(value, data, token)
        elif value == "$$.Task.Token":
            filled[name[:-2]] = token
        elif value.startswith("$$"):
            raise NotImplementedError(f"the simulation has no {value}")
        else:
            filled[name[:-2]] = at(data, value)
    return filled


def _matching(rules: Any, error: str) -> int | None:
    for number, rule in enumerate(rules):
        if error in rule["ErrorEquals"] or "States.ALL" in rule["ErrorEquals"]:
            return number
    return None
