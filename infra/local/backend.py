"""The deployed template without a network: tables, machines and functions, all in this process.

Enough for tests of handlers and machines; `infra.local.stack` puts a WebSocket gateway in front of it.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

from infra.local import template
from infra.local.aws import ACCOUNT_ID, Call, Emulator, Handler, LocalAws, route_of
from infra.local.permissions import CallLog, denied, needed
from wordle_tournament import aws

# The only difference from a deployment: metrics would go to the terminal.
LOCAL_ENVIRONMENT = {"POWERTOOLS_METRICS_DISABLED": "true", "POWERTOOLS_TRACE_DISABLED": "true"}


@dataclass(frozen=True)
class Execution:
    """A run of a state machine. `history` is Step Functions' own list of events."""

    machine: str
    """Logical id: "TournamentMachine"."""
    name: str
    status: str
    """RUNNING, SUCCEEDED, FAILED, TIMED_OUT or ABORTED."""
    input: Any
    history: list[dict[str, Any]]

    @property
    def entered(self) -> list[str]:
        """The states entered, in order; their number is what AWS bills (retries apart)."""
        return [
            event["stateEnteredEventDetails"]["name"]
            for event in self.history
            if event["type"].endswith("StateEntered")
        ]


class LocalBackend:
    """The template, deployed into an empty account.

    `parameters` replace the template's defaults. Without `handlers` every function's code is loaded, and each may do
    what its policies allow and no more; what was refused is listed in `denials`. With `handlers` just those exist, and
    everything is allowed: a handler for each route key, each task of a machine, or for a whole function by its logical
    id. `aws.functions` may be changed later. `emulator` says what answers DynamoDB and Step Functions.
    """

    def __init__(
        self,
        parameters: Mapping[str, str] | None = None,
        handlers: Mapping[str, Handler] | None = None,
        path: Path = template.TEMPLATE,
        emulator: Emulator = "memory",
    ) -> None:
        self.template = template.load(parameters, path)
        self.aws = LocalAws(emulator)
        self.denials: list[str] = []
        self._log = CallLog()
        self._handlers = handlers
        self._exit = contextlib.ExitStack()

    def start(self) -> None:
        """Deploy. TemplateError when functions want different values of one variable."""
        with contextlib.ExitStack() as exit_:
            exit_.enter_context(self.aws)
            exit_.callback(_forget_clients)
            exit_.enter_context(mock.patch.dict(os.environ, self.environment()))
            _forget_clients()
            self._create_tables_and_machines()
            for logical_id, handler in self.load_handlers().items():
                self.aws.functions[self.template.functions[logical_id].name] = handler
            if self._handlers is None:
                self.aws.forbids = self._forbids
            self._exit = exit_.pop_all()

    def stop(self) -> None:
        self._exit.close()

    def __enter__(self) -> LocalBackend:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # -- what tests look at ----------------------------------------------------------------------

    def invoke(self, logical_id: str, event: Any) -> Any:
        """Call a function as Lambda would. FunctionError when it raises."""
        function = self.template.functions[logical_id]
        return self.aws.invoke(function.name, event, function.timeout_seconds)

    def invoke_route(self, event: Any) -> Any:
        """Call the function of the event's route, as API Gateway would. FunctionError when it raises."""
        return self.invoke(self.template.routes[event["requestContext"]["routeKey"]], event)

    def invoke_task(self, task: str, **arguments: Any) -> Any:
        """Call the function of a machine's task, as the machine would. FunctionError when it raises."""
        return self.invoke(self.template.tasks[task], {"task": task, **arguments})

    def invoke_schedules(self) -> Any:
        """Call the one function that has a schedule, as the scheduler would. FunctionError when it raises."""
        (function,) = self.template.schedules
        return self.invoke(function, {})

    def items(self, table: str) -> list[dict[str, Any]]:
        """Every item of a table, named by its logical id; plain Python values."""
        from boto3.dynamodb.types import TypeDeserializer  # loads all of boto3, which only tests need

        deserialize = TypeDeserializer().deserialize
        pages = aws.make_client("dynamodb").get_paginator("scan")
        return [
            {name: deserialize(value) for name, value in item.items()}
            for page in pages.paginate(TableName=self.template.tables[table]["TableName"], ConsistentRead=True)
            for item in page["Items"]
        ]

    def start_execution(self, machine: str, name: str, input_: Any) -> None:
        """Start a machine, named by its logical id."""
        aws.make_client("stepfunctions").start_execution(
            stateMachineArn=self._machine_arn(machine), name=name, input=json.dumps(input_)
        )

    def executions(self, machine: str | None = None) -> list[Execution]:
        """Every execution there was, oldest first; of one machine, or of all."""
        states = aws.make_client("stepfunctions")
        found = []
        for logical_id in self.template.machines if machine is None else [machine]:
            listed = states.get_paginator("list_executions").paginate(stateMachineArn=self._machine_arn(logical_id))
            for one in (one for page in listed for one in page["executions"]):
                arn = one["executionArn"]
                described = states.describe_execution(executionArn=arn)
                history = states.get_paginator("get_execution_history").paginate(executionArn=arn)
                found.append(
                    (
                        described["startDate"],
                        Execution(
                            machine=logical_id,
                            name=described["name"],
                            status=described["status"],
                            input=json.loads(described["input"]),
                            history=[dict(event) for page in history for event in page["events"]],
                        ),
                    )
                )
        return [execution for _, execution in sorted(found, key=lambda pair: pair[0])]

    # -- deploying -------------------------------------------------------------------------------

    def _machine_arn(self, logical_id: str) -> str:
        return template.machine_arn(self.template.machines[logical_id].name)

    def environment(self) -> dict[str, str]:
        """Return the variables of all functions. Raise TemplateError if two need different values of one."""
        merged: dict[str, str] = {}
        for function in self.template.functions.values():
            for name, value in function.environment.items():
                if merged.setdefault(name, value) != value:
                    raise template.TemplateError(f"{function.logical_id}: one process cannot hold two values of {name}")
        return {**self._set_by_lambda(), **merged, **LOCAL_ENVIRONMENT}

    def _set_by_lambda(self) -> dict[str, str]:
        """Return what Lambda sets beside that, as far as it is equal for all functions: their names are not."""
        each = [set(function.set_by_lambda.items()) for function in self.template.functions.values()]
        return dict(set.intersection(*each)) if each else {}

    def _create_tables_and_machines(self) -> None:
        dynamodb = aws.make_client("dynamodb")
        for table in self.template.tables.values():
            dynamodb.create_table(**table)
        states = aws.make_client("stepfunctions")
        for machine in self.template.machines.values():
            states.create_state_machine(
                name=machine.name,
                definition=machine.definition,
                roleArn=f"arn:aws:iam::{ACCOUNT_ID}:role/{machine.logical_id}",
            )

    def _forbids(self, call: Call) -> str | None:
        caller = self._caller(call)
        if caller is None:
            return None
        self._log.note(caller.logical_id, call.route, needed(call.service, call.operation, call.params))
        reason = denied(caller.permissions, call.service, call.operation, call.params)
        if reason is not None:
            self.denials.append(f"{caller.name}: {reason}")
        return reason

    def _caller(self, call: Call) -> template.Function | template.Machine | None:
        """Return the function or machine with whose role the call is made; None for a test's own call."""
        if call.caller == "machine":
            sent = call.params.get("TableName") or f'"task": "{json.loads(call.params["Payload"])["task"]}"'
            return next(machine for machine in self.template.machines.values() if sent in machine.definition)
        if not call.caller:
            return None
        return next(one for one in self.template.functions.values() if one.name == call.caller)

    def load_handlers(self) -> Mapping[str, Handler]:
        """Return the handler of each function, by logical id, loaded if none were given."""
        if self._handlers is not None:
            return self._given(self._handlers)
        for layer in self.template.layers:
            if str(layer) not in sys.path:
                sys.path.append(str(layer))
        return {logical_id: _load(function) for logical_id, function in self.template.functions.items()}

    def _given(self, handlers: Mapping[str, Handler]) -> Mapping[str, Handler]:
        """Return the functions that a test gave, by logical id."""
        functions: dict[str, Handler] = {}
        parts: dict[str, dict[str, Handler]] = {}
        for name, handler in handlers.items():
            logical_id = self.template.routes.get(name) or self.template.tasks.get(name)
            if logical_id is None:
                functions[name] = handler
            else:
                parts.setdefault(logical_id, {})[name] = handler
        return functions | {logical_id: _choose(of_function) for logical_id, of_function in parts.items()}


def _choose(handlers: Mapping[str, Handler]) -> Handler:
    """Return a function that has each event answered by the handler of its route or task."""
    return lambda event, context: handlers[route_of(event)](event, context)


def _load(function: template.Function) -> Handler:
    module_name, _, attribute = function.handler.rpartition(".")
    module = _module(function.code, module_name)
    handler: Handler = getattr(module, attribute)
    return handler


def _module(folder: Path, name: str) -> ModuleType:
    """`folder/name.py`, imported once, as `folder.name`: names as short as `join` stay out of the way."""
    full_name = f"{folder.name}.{name}"
    if full_name in sys.modules:
        return sys.modules[full_name]
    path = folder / f"{name}.py"
    spec = importlib.util.spec_from_file_location(full_name, path)
    if spec is None or spec.loader is None or not path.exists():
        raise template.TemplateError(f"{path} is a handler's module, but does not exist")
    module = importlib.util.module_from_spec(spec)
    sys.modules[full_name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[full_name]
        raise
    return module


def _forget_clients() -> None:
    """The handlers keep their clients; those of another account must not be met again."""
    for name, module in list(sys.modules.items()):
        if name.startswith("wordle_tournament") and hasattr(module, "reset"):
            module.reset()
