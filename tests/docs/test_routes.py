"""Every place that must name a route names it. A failure says which file to edit (CONTRIBUTING.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tools import asyncapi
from wordle_tournament.protocol import requests

ROOT = Path(__file__).resolve().parents[2]
PLAY = ROOT / "shared" / "wordle_tournament" / "play"
ACTIONS = [asyncapi.wire_name(model) for model in requests.REQUESTS]
REQUEST_OF = {asyncapi.wire_name(model): model.__name__ for model in requests.REQUESTS}

every_route = pytest.mark.parametrize("action", ACTIONS)


class _Template(yaml.SafeLoader):
    """Reads CloudFormation's short forms as their values."""


_Template.add_multi_constructor("!", lambda loader, suffix, node: getattr(node, "value", None))


def routes() -> dict[str, str]:
    """Return the domain of each route of template.yaml: the file of `functions/` that serves it."""
    resources = yaml.load((ROOT / "template.yaml").read_text(encoding="utf-8"), _Template)["Resources"]
    (api,) = (one for one in resources.values() if one["Type"] == "AWS::Serverless::WebSocketApi")
    found = {}
    for name, route in api["Properties"]["Routes"].items():
        function = resources[route["FunctionArn"].removesuffix(".Alias")]
        found[name] = function["Properties"]["Handler"].partition(".")[0]
    return found


def tables() -> dict[str, dict[str, str]]:
    """Return the routes of each file of `functions/`, with the request type of each."""
    return {
        path.stem: dict(re.findall(r'^ +"(\w+)": route\((\w+), \w+\)', path.read_text(encoding="utf-8"), re.MULTILINE))
        for path in (ROOT / "functions").glob("*.py")
    }


ROUTES, TABLES = routes(), tables()


@every_route
def test_the_template_has_the_route(action: str) -> None:
    assert action in ROUTES, f"template.yaml has no route {action}: add it to Routes of WebSocketApi"


@every_route
def test_a_function_serves_the_route(action: str) -> None:
    domain = ROUTES.get(action, "<domain>")
    served = TABLES.get(domain, {}).get(action)
    assert served == REQUEST_OF[action], f"functions/{domain}.py has no line for {action} with {REQUEST_OF[action]}"


@every_route
def test_a_use_case_of_the_domain_is_named_for_the_route(action: str) -> None:
    domain = ROUTES.get(action, "<domain>")
    module = PLAY / domain / (re.sub(r"([A-Z])", r"_\1", action).lower() + ".py")
    assert module.exists(), f"{module.relative_to(ROOT)} is missing: write the use case of {action}"


def test_no_route_or_table_lacks_its_request() -> None:
    served = {action for table in TABLES.values() for action in table}
    for action in sorted(served | {name for name in ROUTES if not name.startswith("$")}):
        assert action in ACTIONS, f"{action} has no request: add it to {asyncapi.REQUESTS_MODULE}, also to REQUESTS"


@every_route
def test_a_test_sends_the_request(action: str) -> None:
    calls = re.compile(rf'\.(?:ask|refused)\)?\(?,? ?"{action}"|partial\(\w+\.ask, "{action}"')
    tests = (ROOT / "tests" / "integration").rglob("*.py")
    assert any(calls.search(path.read_text(encoding="utf-8")) for path in tests), (
        f"no test asks for {action}: add one to tests/integration/{ROUTES.get(action, '<domain>')}"
    )
