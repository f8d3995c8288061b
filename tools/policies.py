"""Compare the calls of every function and machine in the tests with their policies: `make policies`.

`make test` writes the calls down (infra/local/permissions.py) and then has this compare them: a call that no policy
allows, and a permission that nothing used, are both failures. So each role has exactly what its function was seen to
need, and whatever is rare (a push that meets a dead connection, a rescue) has a test that makes it happen.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from infra.local import template
from infra.local.permissions import CallLog, Need, Statement

USED, UNUSED, MISSING = "used", "unused", "MISSING"

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
    on: str
    """The resource: a table, an index, a machine, a function, or @connections."""
    action: str
    verdict: str

    @property
    def wrong(self) -> bool:
        return self.verdict in (UNUSED, MISSING)


@dataclass(frozen=True)
class Rights:
    """The rights of a route or task, as `table action`, and those of them that the tests saw used."""

    route: str
    function: str
    may: frozenset[str]
    used: frozenset[str]


def compare(policies: Mapping[str, Iterable[Statement]], calls: Mapping[str, Iterable[Need]]) -> list[Line]:
    """Every permission that a role has or that was needed, by role."""
    lines = set()
    for role in policies.keys() | calls.keys():
        needs = set(calls.get(role, ()))
        grants = {grant for statement in policies.get(role, ()) for grant in statement.grants()}
        for grant in grants:
            (action,), (resource,) = grant.actions, grant.resources
            verdict = USED if any(grant.allows(*need) for need in needs) else UNUSED
            for prefix, whose in OF_THE_SERVICE.items():
                verdict = whose if action.startswith(prefix) else verdict
            lines.add(Line(role, *_names(action, resource), verdict))
        for need in needs:
            if not any(grant.allows(*need) for grant in grants):
                lines.add(Line(role, *_names(*need), MISSING))
    return sorted(lines, key=lambda line: (line.role, line.on, line.action))


def policies_of(deployed: template.Template) -> dict[str, tuple[Statement, ...]]:
    """The statements of every role in the template, by function or machine."""
    functions = {key: function.permissions for key, function in deployed.functions.items()}
    return functions | {key: machine.permissions for key, machine in deployed.machines.items()}


def rights_by_route(deployed: template.Template, calls: Mapping[tuple[str, str], Iterable[Need]]) -> list[Rights]:
    """Return what each route and task may do by its function's role, and what of it the tests saw it do."""
    found = []
    for route, function in [*deployed.routes.items(), *deployed.tasks.items()]:
        needs = list(calls.get((function, route), ()))
        grants = {grant for statement in deployed.functions[function].permissions for grant in statement.grants()}
        may = {" ".join(_names(grant.actions[0], grant.resources[0])) for grant in grants}
        used = {
            " ".join(_names(grant.actions[0], grant.resources[0]))
            for grant in grants
            if any(grant.allows(*need) for need in needs)
        }
        found.append(Rights(route, function, frozenset(may), frozenset(used)))
    return found


def main(arguments: list[str] | None = None) -> int:
    """Print the table; 1 when there is a difference, 2 when no calls were recorded."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the calls were recorded")
    parser.add_argument("--brief", action="store_true", help="print the differences only")
    parser.add_argument("--routes", action="store_true", help="print what each route may do, and what of it it did")
    options = parser.parse_args(arguments)
    calls = CallLog.read(options.folder)
    if not calls:
        print(f"No calls are recorded in {options.folder}; `make test` records them.", file=sys.stderr)
        return 2
    if options.routes:
        Console(width=160 if not sys.stdout.isatty() else None).print(_routes(rights_by_route(template.load(), calls)))
        return 0
    lines = compare(policies_of(template.load()), CallLog.by_caller(calls))
    wrong = [line for line in lines if line.wrong]
    console = Console(width=160 if not sys.stdout.isatty() else None)
    if not options.brief:
        console.print(_table(lines))
    for line in wrong:
        console.print(f"{line.verdict}: {line.role} {line.action} on {line.on}", highlight=False)
    console.print(
        f"Policies: {len({line.role for line in lines})} roles, {len(lines)} permissions, "
        f"{sum(line.verdict == UNUSED for line in wrong)} unused, "
        f"{sum(line.verdict == MISSING for line in wrong)} missing.",
        highlight=False,
    )
    return 1 if wrong else 0


def _routes(rights: Iterable[Rights]) -> Table:
    """A row for each route."""
    table = Table("route", "function", "did", "and may", box=None, pad_edge=False, show_lines=True)
    for one in rights:
        rest = f"{len(one.may - one.used)} more, for its function's other routes" if one.may - one.used else ""
        table.add_row(one.route, one.function, ", ".join(sorted(one.used)), rest)
    return table


def _table(lines: Iterable[Line]) -> Table:
    """A row for each role and what it acts on."""
    table = Table(box=None, pad_edge=False)
    for heading in ("function or machine", "on", "calls in the tests, all allowed", "unused", "missing"):
        table.add_column(heading, no_wrap=True)
    for role, of_role in itertools.groupby(lines, lambda line: line.role):
        first = role
        for on, found in itertools.groupby(of_role, lambda line: line.on):
            by_verdict: dict[str, list[str]] = {}
            for line in found:
                by_verdict.setdefault(line.verdict, []).append(line.action)
            cells = [", ".join(by_verdict.get(verdict, ())) for verdict in (USED, UNUSED, MISSING)]
            own = "; ".join(f"({whose})" for whose in OF_THE_SERVICE.values() if whose in by_verdict)
            table.add_row(first, on, *(cells if not own else [" ".join(filter(None, [cells[0], own])), *cells[1:]]))
            first = ""
        table.add_section()
    return table


def _names(action: str, resource: str | None) -> tuple[str, str]:
    """Return the resource and the action, without the parts that are the same in every ARN."""
    service, _, operation = action.partition(":")
    if service == "execute-api":
        return "@connections", operation
    short = re.sub(r"^(table/|function:|stateMachine:)", "", (resource or "").split(":", 5)[-1])
    return short.removeprefix(template.STACK_NAME + "-") or "(a task token)", operation


if __name__ == "__main__":
    sys.exit(main())
