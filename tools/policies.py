"""What every function and machine called in the tests, against what its policies allow: `make policies`.

`make test` writes the calls down (infra/local/permissions.py) and then has this compare them: a call that no policy
allows, and a permission that nothing used, are both failures. So each role has exactly what its function was seen to
need, and whatever is rare (a push that meets a dead connection, a rescue) has a test that makes it happen.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from infra.local import template
from infra.local.permissions import CallLog, Need, Statement

OF_THE_SERVICE = {
    "logs:": "Step Functions' own: delivers its log",
    "sqs:": "Lambda's own: keeps what failed",
    "xray:": "the service's own: traces",
}
"""Prefixes of actions that no code of ours calls, and who uses them."""


@dataclass(frozen=True)
class Line:
    """One permission of a role: used, unused, missing (used and not allowed), or the service's own."""

    role: str
    permission: str
    verdict: str

    @property
    def wrong(self) -> bool:
        return self.verdict in ("unused", "MISSING")


def compare(policies: Mapping[str, Iterable[Statement]], calls: Mapping[str, Iterable[Need]]) -> list[Line]:
    """Every permission that a role has or that was needed, by role."""
    lines = []
    for role in sorted(policies.keys() | calls.keys()):
        needs = set(calls.get(role, ()))
        grants = {grant for statement in policies.get(role, ()) for grant in statement.grants()}
        for grant in grants:
            (action,), (resource,) = grant.actions, grant.resources
            verdict = "used" if any(grant.allows(*need) for need in needs) else "unused"
            for prefix, whose in OF_THE_SERVICE.items():
                verdict = whose if action.startswith(prefix) else verdict
            lines.append(Line(role, _name(action, resource), verdict))
        lines += [
            Line(role, _name(*need), "MISSING") for need in needs if not any(grant.allows(*need) for grant in grants)
        ]
    return sorted(set(lines), key=lambda line: (line.role, line.permission))


def policies_of(deployed: template.Template) -> dict[str, tuple[Statement, ...]]:
    """The statements of every role in the template, by function or machine."""
    functions = {key: function.permissions for key, function in deployed.functions.items()}
    return functions | {key: machine.permissions for key, machine in deployed.machines.items()}


def main(arguments: list[str] | None = None) -> int:
    """Print the table; 1 when there is a difference, 2 when no calls were recorded."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the calls were recorded")
    parser.add_argument("--brief", action="store_true", help="print the differences only")
    options = parser.parse_args(arguments)
    calls = CallLog.read(options.folder)
    if not calls:
        print(f"No calls are recorded in {options.folder}; `make test` records them.", file=sys.stderr)
        return 2
    lines = compare(policies_of(template.load()), calls)
    wrong = [line for line in lines if line.wrong]
    console = Console(soft_wrap=True)
    if not options.brief:
        console.print(_table(lines))
    for line in wrong:
        console.print(f"{line.verdict}: {line.role} {line.permission}", highlight=False)
    roles = len({line.role for line in lines})
    console.print(
        f"Policies: {roles} roles, {len(lines)} permissions, "
        f"{sum(line.verdict == 'unused' for line in wrong)} unused, "
        f"{sum(line.verdict == 'MISSING' for line in wrong)} missing.",
        highlight=False,
    )
    return 1 if wrong else 0


def _table(lines: Iterable[Line]) -> Table:
    table = Table("function or machine", "permission", "in the tests", box=None, pad_edge=False)
    last = ""
    for line in lines:
        if last and line.role != last:
            table.add_row()
        table.add_row("" if line.role == last else line.role, line.permission, line.verdict)
        last = line.role
    return table


def _name(action: str, resource: str | None) -> str:
    """`dynamodb:UpdateItem on DuelsTable`: without what is the same in every ARN."""
    if action.startswith("execute-api:"):
        return f"{action.partition(':')[2]} @connections"
    if resource is None:
        return action
    short = re.sub(r"^(table/|function:|stateMachine:)", "", resource.split(":", 5)[-1])
    return f"{action} on {short.removeprefix(template.STACK_NAME + '-')}"


if __name__ == "__main__":
    sys.exit(main())
