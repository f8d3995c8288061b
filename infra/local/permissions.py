"""The policies of template.yaml, applied to the calls that functions and machines really make.

A permission that the template does not give is refused here as AWS would refuse it, so it is missed on this machine
and not after the deployment. A call is described by what IAM looks at: its action and the ARN it is for, as the
Service Authorization Reference lists them. A transaction needs the action of each of its parts.

The needs can be recorded as well (`CallLog`), to find what is granted and never needed (tools/policies.py).
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.local.aws import ACCOUNT_ID, REGION

ANY = None
"""Instead of an ARN: the call does not tell what it is for. Task tokens hide their state machine."""

RECORD_CALLS = "RECORD_CALLS"
"""The environment variable that names the folder in which calls are written down; without it none are."""

METHODS = {"PostToConnection": "POST", "DeleteConnection": "DELETE"}


Need = tuple[str, str | None]
"""An action, and the ARN it is for (or ANY)."""


@dataclass(frozen=True)
class Statement:
    """One Allow of a policy; `*` and `?` are wildcards in both."""

    actions: tuple[str, ...]
    resources: tuple[str, ...]

    def allows(self, action: str, resource: str | None) -> bool:
        return any(fnmatch.fnmatchcase(action, pattern) for pattern in self.actions) and (
            resource is ANY or any(fnmatch.fnmatchcase(resource, pattern) for pattern in self.resources)
        )

    def grants(self) -> Iterator[Statement]:
        """The same, one by one: a single action on a single resource each."""
        for action in self.actions:
            for resource in self.resources:
                # The ARN is what tells the methods apart, so that each goes with its own.
                if not action.startswith("execute-api:") or f"/{action.partition(':')[2]}/" in resource:
                    yield Statement((action,), (resource,))


class CallLog:
    """Records the permissions that each function and machine needed, by route: once each, a file for each process.

    Several processes may write into one folder; `read` puts it all together.
    """

    def __init__(self, folder: str | None = None) -> None:
        """`folder` may be given by the environment; with neither nothing is written."""
        self._folder = folder or os.environ.get(RECORD_CALLS)
        self._written: set[tuple[str, str, Need]] = set()

    def note(self, caller: str, route: str, needs: Iterable[Need]) -> None:
        """`caller` is the logical id of a function or machine; `route` is what it worked at, if that has a name."""
        if not self._folder:
            return
        new = {(caller, route, need) for need in needs} - self._written
        if new:
            self._written |= new
            lines = "".join(json.dumps([caller, route, *need]) + "\n" for _, _, need in sorted(new, key=str))
            with (Path(self._folder) / f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
                file.write(lines)

    @staticmethod
    def read(folder: Path) -> dict[tuple[str, str], set[Need]]:
        """Return what was needed, by caller and route."""
        found: dict[tuple[str, str], set[Need]] = {}
        for file in folder.glob("*.jsonl"):
            for line in file.read_text(encoding="utf-8").splitlines():
                caller, route, action, resource = json.loads(line)
                found.setdefault((caller, route), set()).add((action, resource))
        return found

    @staticmethod
    def by_caller(calls: Mapping[tuple[str, str], Iterable[Need]]) -> dict[str, set[Need]]:
        """Return the same by caller alone, which is what a role belongs to."""
        found: dict[str, set[Need]] = {}
        for (caller, _), needs in calls.items():
            found.setdefault(caller, set()).update(needs)
        return found


def denied(statements: Iterable[Statement], service: str, operation: str, params: Mapping[str, Any]) -> str | None:
    """Return as a sentence what the statements do not allow of this call, or None if they allow all of it."""
    allowed = list(statements)
    for action, resource in needed(service, operation, params):
        if not any(statement.allows(action, resource) for statement in allowed):
            return f"no policy allows {action} on {resource or 'anything'}"
    return None


def needed(service: str, operation: str, params: Mapping[str, Any]) -> Iterator[Need]:
    """The (action, ARN) pairs a call needs a permission for. `service` and `operation` as botocore names them."""
    if service == "dynamodb":
        yield from _dynamodb(operation, params)
    elif service == "stepfunctions":
        yield f"states:{operation}", params.get("stateMachineArn") or params.get("executionArn") or ANY
    elif service == "apigatewaymanagementapi":
        # The endpoint, and with it API and stage, is not among the parameters.
        yield f"execute-api:{METHODS[operation]}", ANY
    elif service == "lambda":
        yield "lambda:InvokeFunction", _function_arn(params["FunctionName"])
    else:
        yield f"{service}:{operation}", ANY


def statements_of(policies: Sequence[Mapping[str, Any]]) -> tuple[Statement, ...]:
    """The statements of a role's inline policies, all intrinsics resolved.

    execute-api:ManageConnections becomes one action for each method, since its ARN is what tells the methods apart.
    """
    return tuple(
        Statement(tuple(_split_methods(_many(one["Action"]), _many(one["Resource"]))), tuple(_many(one["Resource"])))
        for policy in policies
        for one in policy["PolicyDocument"]["Statement"]
    )


def _dynamodb(operation: str, params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if operation in ("TransactWriteItems", "TransactGetItems"):
        for part in params["TransactItems"]:
            ((kind, item),) = part.items()
            action = "ConditionCheckItem" if kind == "ConditionCheck" else f"{kind}Item"
            yield f"dynamodb:{action}", _table_arn(item["TableName"])
    elif operation in ("BatchGetItem", "BatchWriteItem"):
        for table in params["RequestItems"]:
            yield f"dynamodb:{operation}", _table_arn(table)
    elif "IndexName" in params:
        yield f"dynamodb:{operation}", f"{_table_arn(params['TableName'])}/index/{params['IndexName']}"
    else:
        yield f"dynamodb:{operation}", _table_arn(params["TableName"])


def _table_arn(name: str) -> str:
    return f"arn:aws:dynamodb:{REGION}:{ACCOUNT_ID}:table/{name}"


def _function_arn(name: str) -> str:
    return name if name.startswith("arn:") else f"arn:aws:lambda:{REGION}:{ACCOUNT_ID}:function:{name}"


def _split_methods(actions: Sequence[str], resources: Sequence[str]) -> Iterator[str]:
    for action in actions:
        if action == "execute-api:ManageConnections":
            for resource in resources:
                if match := re.search(r"/(POST|GET|DELETE|\*)/@connections/\*$", resource):
                    yield f"execute-api:{match[1]}"
        else:
            yield action


def _many(value: str | Sequence[str]) -> Sequence[str]:
    return [value] if isinstance(value, str) else value
