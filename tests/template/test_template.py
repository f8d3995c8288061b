"""template.yaml itself: what every function, table and machine in it must have."""

from __future__ import annotations

import ast
import fnmatch
import importlib.util
import sys
from pathlib import Path
from typing import Any

import cfnlint  # type: ignore[import-untyped]
import pytest
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from infra.local import template

SOURCE: dict[str, Any] = yaml_parse(template.TEMPLATE.read_text())
TRANSLATED: dict[str, Any] = template.translate()["Resources"]


def of_type(kind: str, resources: dict[str, Any] = TRANSLATED) -> dict[str, Any]:
    return {key: value["Properties"] for key, value in resources.items() if value["Type"] == kind}


FUNCTIONS = of_type("AWS::Lambda::Function")
WITH_EVERY_FUNCTION = {"SyntheticUrl": "wss://play.example.com"}
SCHEDULED = ("sweeper", "synthetic")
TABLES = of_type("AWS::DynamoDB::Table")
MACHINES = of_type("AWS::StepFunctions::StateMachine")
ROLES = of_type("AWS::IAM::Role")
SHARED = of_type("AWS::IAM::ManagedPolicy")
STATEMENTS = [
    pytest.param(statement, id=f"{holder}-{number}")
    for holder, policies in [
        *((role, properties.get("Policies", [])) for role, properties in ROLES.items()),
        *((name, [policy]) for name, policy in SHARED.items()),
    ]
    for policy in policies
    for number, statement in enumerate(policy["PolicyDocument"]["Statement"])
]


BASIC = "AWSLambdaBasicExecutionRole"


def policies_of(role: dict[str, Any]) -> list[dict[str, Any]]:
    """A role's own policies, and those it shares with others."""
    arns = role.get("ManagedPolicyArns", [])
    return [
        *role.get("Policies", []),
        *(SHARED[arn["Ref"]] for arn in arns if isinstance(arn, dict) and arn.get("Ref") in SHARED),
    ]


def role_of(function: str) -> dict[str, Any]:
    role: dict[str, Any] = ROLES[FUNCTIONS[function]["Role"]["Fn::GetAtt"][0]]
    return role


TEMPLATES = [template.TEMPLATE, *sorted((template.ROOT / "infra").glob("*.yaml"))]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_cfn_lint_has_nothing_to_say(path: Path) -> None:
    found = cfnlint.lint_file(path)
    assert [str(match) for match in found] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_can_be_read(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert len(lines) <= 1200
    assert [number for number, line in enumerate(lines, 1) if len(line) > 120] == []


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_logs_to_a_group_that_forgets(function: str) -> None:
    group = FUNCTIONS[function]["LoggingConfig"]["LogGroup"]["Ref"]
    assert "RetentionInDays" in TRANSLATED[group]["Properties"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_ends_before_api_gateway_or_the_machine_gives_up(function: str) -> None:
    """29 seconds is API Gateway's longest integration; a task of a machine may take 40, a sweep a minute."""
    timeout = FUNCTIONS[function]["Timeout"]
    if function in template.load().routes.values():
        assert timeout < 29
    elif function in template.load().schedules:
        assert timeout < template.load().schedules[function]
    else:
        assert timeout < 40


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_runs_lean(function: str) -> None:
    properties = FUNCTIONS[function]
    assert properties["Runtime"] == "python3.13"
    assert properties["Architectures"] == ["arm64"]
    assert properties["MemorySize"] <= 1024
    assert len(properties["Layers"]) == 1


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_has_a_role_of_its_own(function: str) -> None:
    roles = [properties["Role"]["Fn::GetAtt"][0] for properties in FUNCTIONS.values()]
    assert roles.count(FUNCTIONS[function]["Role"]["Fn::GetAtt"][0]) == 1
    for policy in role_of(function).get("ManagedPolicyArns", []):
        assert policy.get("Ref") in SHARED if isinstance(policy, dict) and "Ref" in policy else BASIC in str(policy)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_handler_exists(function: str) -> None:
    spec = template.load(WITH_EVERY_FUNCTION).functions[function]
    module, _, attribute = spec.handler.partition(".")
    assert attribute == "handler"
    assert (spec.code / f"{module}.py").is_file()


def test_every_handler_is_deployed() -> None:
    functions = template.load(WITH_EVERY_FUNCTION).functions.values()
    deployed = {spec.handler.partition(".")[0] for spec in functions}
    written = {path.stem for path in (template.ROOT / "functions").glob("*.py")}
    assert written <= deployed


WITHOUT_RESOURCES = {
    # Log delivery of state machines (Step Functions guide, "Logging using CloudWatch Logs").
    "logs:CreateLogDelivery",
    "logs:GetLogDelivery",
    "logs:UpdateLogDelivery",
    "logs:DeleteLogDelivery",
    "logs:ListLogDeliveries",
    "logs:PutResourcePolicy",
    "logs:DescribeResourcePolicies",
    "logs:DescribeLogGroups",
    # Traces (Service Authorization Reference, AWS X-Ray).
    "xray:PutTraceSegments",
    "xray:PutTelemetryRecords",
    "xray:GetSamplingRules",
    "xray:GetSamplingTargets",
}
"""Actions that AWS gives no resource to name."""


def many(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_policy_is_no_wider_than_it_must_be(statement: dict[str, Any]) -> None:
    actions = set(many(statement["Action"]))
    assert statement["Effect"] == "Allow"
    assert not any("*" in action for action in actions)
    assert "dynamodb:Scan" not in actions
    if statement["Resource"] == "*":
        assert actions <= WITHOUT_RESOURCES
    else:
        assert not actions & WITHOUT_RESOURCES


def allowed(role: dict[str, Any], action: str) -> bool:
    return any(
        fnmatch.fnmatch(action, pattern)
        for policy in policies_of(role)
        for statement in policy["PolicyDocument"]["Statement"]
        for pattern in many(statement["Action"])
    )


def test_nobody_who_answers_a_message_can_read_a_whole_table() -> None:
    for function in FUNCTIONS:
        assert not allowed(role_of(function), "dynamodb:Scan")
        assert not allowed(role_of(function), "dynamodb:DeleteTable")


def test_the_gateway_may_push_count_and_close_and_nothing_else() -> None:
    """$connect, $default and ping are what a stranger can call most: nothing stored can be read there."""
    permissions = template.load().functions[template.load().routes["$connect"]].permissions
    actions = {action: one.resources for one in permissions for action in one.actions}
    assert set(actions) == {"execute-api:POST", "execute-api:DELETE", "dynamodb:UpdateItem"}
    assert [name.rpartition("/")[2] for name in actions["dynamodb:UpdateItem"]] == [
        template.load().tables["ConnectionsTable"]["TableName"]
    ]


def test_no_game_route_shares_a_function_with_export_or_delete() -> None:
    routes = template.load().routes
    own = {routes["export"], routes["deleteMe"]}
    assert {route for route, function in routes.items() if function in own} == {"export", "deleteMe"}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_forgets_and_costs_by_use(table: str) -> None:
    properties = TABLES[table]
    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    assert properties["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    # Encrypted with DynamoDB's own key, which costs nothing: anything else is paid by call.
    assert "SSESpecification" not in properties


@pytest.mark.parametrize("machine", MACHINES)
def test_a_machine_logs_nothing_that_passed_through_it(machine: str) -> None:
    logging = MACHINES[machine]["LoggingConfiguration"]
    assert logging["IncludeExecutionData"] is False
    group = logging["Destinations"][0]["CloudWatchLogsLogGroup"]["LogGroupArn"]["Fn::GetAtt"][0]
    assert "RetentionInDays" in TRANSLATED[group]["Properties"]


def test_functions_know_the_machines_by_the_names_they_have() -> None:
    loaded = template.load()
    arns = {template.machine_arn(machine.name) for machine in loaded.machines.values()}
    for function in loaded.functions.values():
        assert {
            function.environment["TOURNAMENT_MACHINE_ARN"],
            function.environment["RECONNECT_MACHINE_ARN"],
        } == arns


def test_the_rules_durations_are_the_default() -> None:
    """R3, R11, R17, R28."""
    defaults = {name: parameter.get("Default") for name, parameter in SOURCE["Parameters"].items()}
    assert defaults["RoundIntroSeconds"] == 6
    assert defaults["TurnSeconds"] == 30
    assert defaults["TurnGraceSeconds"] == 1
    assert defaults["ReconnectSeconds"] == 60
    assert defaults["SilenceSeconds"] == 20


# -- what the functions' modules say ---------------------------------------------------------------

MODULES = sorted((template.ROOT / "functions").glob("*.py"))


def handled(path: Path) -> set[str]:
    """The routes or tasks of a function: the keys in the table that its `handler` is made of."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith("dispatch"):
            (table,) = node.args
            assert isinstance(table, ast.Dict)
            return {str(ast.literal_eval(key)) for key in table.keys if key is not None}
    return set()


def test_functions_and_modules_bear_one_name() -> None:
    """`functions/duel.py`, `DuelFunction`."""
    for logical_id, function in template.load().functions.items():
        assert function.handler == f"{logical_id.removesuffix('Function').lower()}.handler"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_function_knows_the_routes_that_come_to_it_and_no_others(path: Path) -> None:
    loaded = template.load()
    callers = [*loaded.routes.items(), *loaded.tasks.items()]
    expected = {key for key, function in callers if loaded.functions[function].handler == f"{path.stem}.handler"}
    assert handled(path) == expected, f"functions/{path.name} and template.yaml (or infra/statemachines) differ"
    assert expected or path.stem in SCHEDULED


def test_no_module_of_functions_hides_one_of_pythons() -> None:
    """They are first on the path: `profile.py` would break `import cProfile`, and `queue.py` whatever has threads."""
    assert {path.stem for path in MODULES} & sys.stdlib_module_names == set()


def test_only_what_is_rare_is_loaded_by_the_message_that_needs_it() -> None:
    """A player waits for an import within a message. All others are done when the function starts."""
    within = {
        (path.stem, str(inner.module).rpartition(".")[2])
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
        for inner in ast.walk(node)
        if isinstance(inner, ast.ImportFrom)
    }
    assert within == {("duel", "watch"), ("duel", "watch_all"), ("duel", "unwatch")}


@pytest.mark.parametrize("uri", list(template.load().layers))
def test_a_layer_exists(uri: Any) -> None:
    assert uri.is_dir()
    assert importlib.util.find_spec("wordle_tournament") is not None


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(template.TemplateError, match="TurnSecond"):
        template.load({"TurnSecond": "3"})


@pytest.mark.parametrize(
    ("name", "value", "wrong"),
    [
        ("TurnSeconds", "0", "the least is 1"),
        ("TurnSeconds", "soon", "no number"),
        ("LogRetentionDays", "2", "none of 1, 3, 7"),
        ("Stage", "Prod", "does not match"),
    ],
)
def test_a_parameter_that_cloudformation_would_refuse_is_refused(name: str, value: str, wrong: str) -> None:
    with pytest.raises(template.TemplateError, match=f"{name} cannot be '{value}': .*{wrong}"):
        template.load({name: value})
