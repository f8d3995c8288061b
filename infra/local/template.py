"""template.yaml as the one-process stack sees it: translated as SAM would, intrinsics resolved.

Only what the stack can run is taken over: functions, tables, state machines, the routes of the one
WebSocket API and schedules. A resource that the template lacks is missing here too.
"""

from __future__ import annotations

import copy
import functools
import json
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import yaml
from samtranslator.parser.parser import Parser  # type: ignore[import-untyped]
from samtranslator.translator.translator import Translator  # type: ignore[import-untyped]
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from infra.local.aws import ACCOUNT_ID, REGION
from infra.local.loops import written_out
from infra.local.permissions import Statement, statements_of

# It warns of a feature of SAM's own that only AWS's service has.
logging.getLogger("samtranslator.feature_toggle").setLevel(logging.ERROR)

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "template.yaml"
STACK_NAME = "wordle-tournament"

Json = dict[str, Any]


class TemplateError(Exception):
    """The template holds something this stack cannot run."""


@dataclass(frozen=True)
class Function:
    """A Lambda function; `handler` is `module.attribute`, to be found in `code`."""

    logical_id: str
    name: str
    code: Path
    handler: str
    timeout_seconds: int
    environment: Mapping[str, str]
    set_by_lambda: Mapping[str, str]
    """The variables that Lambda sets beside those of the template (Lambda guide, "Defined runtime environment
    variables"; the two of the log: "Log-level filtering"), as far as the template says them. A time zone is left out:
    here the process is not the function's alone."""
    permissions: tuple[Statement, ...]


@dataclass(frozen=True)
class Machine:
    """A state machine; `definition` is JSON with every substitution made."""

    logical_id: str
    name: str
    definition: str
    permissions: tuple[Statement, ...]


@dataclass(frozen=True)
class Template:
    """All ids are logical ids of the template."""

    functions: Mapping[str, Function]
    tables: Mapping[str, Json]
    """The arguments of DynamoDB's CreateTable, by logical id."""
    machines: Mapping[str, Machine]
    routes: Mapping[str, str]
    """Route key -> logical id of its function."""
    tasks: Mapping[str, str]
    """Task of a machine (`task` in its input) -> logical id of its function."""
    route_selection: str
    """The one key of a JSON message that picks the route: "action"."""
    schedules: Mapping[str, float]
    """Logical id of a function -> seconds between two of its runs."""
    layers: tuple[Path, ...]
    """Folders whose packages every function can import."""
    stage: str
    api_id: str


def load(parameters: Mapping[str, str] | None = None, path: Path = TEMPLATE) -> Template:
    """Read a SAM template. `parameters` replace its defaults.

    Raises TemplateError for an unknown parameter, for one without value and for an intrinsic or a
    resource property this stack cannot resolve.
    """
    return _load(path, path.stat().st_mtime_ns, tuple((parameters or {}).items()))


@functools.lru_cache(maxsize=32)
def _load(path: Path, modified_ns: int, parameters: tuple[tuple[str, str], ...]) -> Template:
    source = _parse(path, modified_ns)
    values = _parameter_values(source, dict(parameters))
    resources = _decide(translate(path, values)["Resources"], _Resolver({}, values, source.get("Conditions", {})))
    resolver = _Resolver(resources, values, source.get("Conditions", {}))
    source_resources: Json = source["Resources"]

    def permissions(role: Json) -> tuple[Statement, ...]:
        (logical_id, _) = role["Fn::GetAtt"]
        properties = resources[logical_id]["Properties"]
        shared = [
            resources[arn["Ref"]]["Properties"] for arn in properties.get("ManagedPolicyArns", []) if "Ref" in arn
        ]
        return statements_of(resolver.resolve([*properties.get("Policies", []), *shared]))

    functions = {
        logical_id: Function(
            logical_id=logical_id,
            name=resolver.physical_id(logical_id),
            code=path.parent / _code_uri(source, logical_id),
            handler=resource["Properties"]["Handler"],
            timeout_seconds=int(resource["Properties"].get("Timeout", 3)),
            environment={
                key: str(value)
                for key, value in resolver.resolve(
                    resource["Properties"].get("Environment", {}).get("Variables", {})
                ).items()
            },
            set_by_lambda=_set_by_lambda(resolver.physical_id(logical_id), resolver.resolve(_lambda(resource))),
            permissions=permissions(resource["Properties"]["Role"]),
        )
        for logical_id, resource in _of_type(resources, "AWS::Lambda::Function")
    }
    machines = {
        logical_id: Machine(
            logical_id=logical_id,
            name=resolver.resolve(resource["Properties"]["StateMachineName"]),
            definition=_definition(
                path.parent / source_resources[logical_id]["Properties"]["DefinitionUri"],
                resolver.resolve(resource["Properties"].get("DefinitionSubstitutions", {})),
            ),
            permissions=permissions(resource["Properties"]["RoleArn"]),
        )
        for logical_id, resource in _of_type(resources, "AWS::StepFunctions::StateMachine")
    }
    tables = {
        logical_id: _create_table(resolver.physical_id(logical_id), resolver.resolve(resource["Properties"]))
        for logical_id, resource in _of_type(resources, "AWS::DynamoDB::Table")
    }
    # Everybody calls the functions by their aliases; here there is one version of each.
    by_arn = {
        resolver.arn(alias): resource["Properties"]["FunctionName"]["Ref"]
        for alias, resource in _of_type(resources, "AWS::Lambda::Alias")
    }
    routes = {}
    for _, route in _of_type(resources, "AWS::ApiGatewayV2::Route"):
        integration_id = route["Properties"]["Target"]["Fn::Join"][1][1]["Ref"]
        uri = resolver.resolve(resources[integration_id]["Properties"]["IntegrationUri"])
        function_arn = uri.split("/functions/")[1].removesuffix("/invocations")
        routes[route["Properties"]["RouteKey"]] = by_arn[function_arn]
    tasks = {name: by_arn[arn] for machine in machines.values() for name, arn in _tasks(json.loads(machine.definition))}
    schedules = {
        by_arn[resolver.resolve(schedule["Properties"]["Target"]["Arn"])]: _seconds(
            schedule["Properties"]["ScheduleExpression"]
        )
        for _, schedule in _of_type(resources, "AWS::Scheduler::Schedule")
    }
    apis = _of_type(resources, "AWS::ApiGatewayV2::Api")
    stages = _of_type(resources, "AWS::ApiGatewayV2::Stage")
    if len(apis) != 1 or len(stages) != 1:
        raise TemplateError(f"one WebSocket API with one stage is expected, not {len(apis)}")
    return Template(
        functions=functions,
        tables=tables,
        machines=machines,
        routes=routes,
        tasks=tasks,
        route_selection=_selection_key(apis[0][1]["Properties"]["RouteSelectionExpression"]),
        schedules=schedules,
        layers=tuple(
            path.parent / resource["Properties"]["ContentUri"]
            for _, resource in _of_type(source_resources, "AWS::Serverless::LayerVersion")
        ),
        stage=resolver.resolve(stages[0][1]["Properties"]["StageName"]),
        api_id=resolver.physical_id(apis[0][0]),
    )


def _lambda(resource: Json) -> Json:
    """Return those properties of a function that its environment tells."""
    return {name: resource["Properties"].get(name, {}) for name in ("Runtime", "MemorySize", "LoggingConfig")}


def _set_by_lambda(name: str, properties: Json) -> dict[str, str]:
    log = properties["LoggingConfig"]
    variables = {
        "AWS_EXECUTION_ENV": f"AWS_Lambda_{properties['Runtime']}",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(properties["MemorySize"] or 128),
        "AWS_LAMBDA_FUNCTION_NAME": name,
        "AWS_LAMBDA_FUNCTION_VERSION": "1",
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_REGION": REGION,
    }
    if log.get("LogFormat") == "JSON":
        # Only then is there a filter, and these two with it.
        variables |= {"AWS_LAMBDA_LOG_FORMAT": "JSON", "AWS_LAMBDA_LOG_LEVEL": log.get("ApplicationLogLevel", "INFO")}
    return variables


def machine_arn(name: str) -> str:
    """The ARN of the state machine of that name."""
    return f"arn:aws:states:{REGION}:{ACCOUNT_ID}:stateMachine:{name}"


def deployed(parameters: Mapping[str, str] | None = None, path: Path = TEMPLATE) -> Json:
    """The resources that a deployment with these parameters has: translated by SAM, and every condition decided.

    All other intrinsics stand as they are. Raises TemplateError for an unknown parameter.
    """
    source = _parse(path, path.stat().st_mtime_ns)
    values = _parameter_values(source, parameters or {})
    resources: Json = translate(path, values)["Resources"]
    return _decide(resources, _Resolver({}, values, source.get("Conditions", {})))


def nested(logical_id: str, parameters: Mapping[str, str] | None = None, path: Path = TEMPLATE) -> Json:
    """Return the resources that a nested stack has then: its loops written out, and every condition decided.

    Its parameters have the names of the resources that they are given, so all other intrinsics stand as they are and
    mean the same in the template around it.
    """
    stack = deployed(parameters, path)[logical_id]["Properties"]
    inner = path.parent / stack["TemplateURL"]
    source = _parse(inner, inner.stat().st_mtime_ns)
    given = {name: value for name, value in stack["Parameters"].items() if isinstance(value, str)}
    resolver = _Resolver({}, given, source.get("Conditions", {}))
    return _decide(written_out(copy.deepcopy(source["Resources"]), source.get("Mappings", {})), resolver)


SAM_READS = ("Rollout", "Tracing")
"""The parameters that SAM itself decides by; the others only CloudFormation does."""


def translate(path: Path = TEMPLATE, parameters: Mapping[str, str] | None = None) -> Json:
    """The CloudFormation template that SAM makes of `path`; no credentials, no network."""
    given = tuple((name, value) for name, value in (parameters or {}).items() if name in SAM_READS)
    return _translate(path, path.stat().st_mtime_ns, given)


@functools.lru_cache(maxsize=8)
def _translate(path: Path, modified_ns: int, given: tuple[tuple[str, str], ...]) -> Json:
    source = copy.deepcopy(_parse(path, modified_ns))
    # The translator wants code to lie in a bucket already, where `sam package` would have put it.
    _package(source)
    with mock.patch.dict("os.environ", AWS_DEFAULT_REGION=REGION):
        translated: Json = Translator(None, Parser()).translate(
            source, parameter_values=dict(given), get_managed_policy_map=_managed_policies
        )
    return translated


@functools.lru_cache(maxsize=4)
def _parse(path: Path, _modified_ns: int) -> Json:
    source: Json = yaml_parse(path.read_text(encoding="utf-8"))
    return source


def _managed_policies() -> dict[str, str]:
    return {}


def _package(source: Json) -> None:
    uris = {
        "AWS::Serverless::Function": "CodeUri",
        "AWS::Serverless::LayerVersion": "ContentUri",
        "AWS::Serverless::StateMachine": "DefinitionUri",
    }
    for resource in source["Resources"].values():
        properties = resource.get("Properties", {})
        if uris.get(resource["Type"]) in properties:
            properties[uris[resource["Type"]]] = "s3://local/package"
    if "CodeUri" in source.get("Globals", {}).get("Function", {}):
        source["Globals"]["Function"]["CodeUri"] = "s3://local/package"


NO_VALUE = {"Ref": "AWS::NoValue"}


def _decide(resources: Json, resolver: _Resolver) -> Json:
    """`resources` without those whose condition is false, and with one branch of each Fn::If."""

    def decided(value: Any) -> Any:
        if isinstance(value, list):
            return [one for one in map(decided, value) if one != NO_VALUE]
        if not isinstance(value, dict):
            return value
        if "Fn::If" in value:
            name, then, otherwise = value["Fn::If"]
            return decided(then if resolver.holds({"Condition": name}) else otherwise)
        return {key: one for key, one in ((key, decided(one)) for key, one in value.items()) if one != NO_VALUE}

    return {
        key: decided({part: one for part, one in resource.items() if part != "Condition"})
        for key, resource in resources.items()
        if "Condition" not in resource or resolver.holds({"Condition": resource["Condition"]})
    }


def _parameter_values(source: Json, given: Mapping[str, str]) -> dict[str, str]:
    declared: Json = source.get("Parameters", {})
    if unknown := sorted(set(given) - set(declared)):
        raise TemplateError(f"the template has no parameter {', '.join(unknown)}")
    values = {name: given.get(name, spec.get("Default")) for name, spec in declared.items()}
    if missing := sorted(name for name, value in values.items() if value is None):
        raise TemplateError(f"no value for the parameter {', '.join(missing)}")
    for name, value in values.items():
        if wrong := _out_of_bounds(declared[name], str(value)):
            raise TemplateError(f"{name} cannot be {value!r}: {wrong}")
    return _obeying(source, {name: str(value) for name, value in values.items()})


def _out_of_bounds(declared: Json, value: str) -> str | None:
    """Return why the parameter's declaration refuses the value, as CloudFormation would; None if it does not."""
    if declared["Type"] == "Number":
        try:
            number = float(value)
        except ValueError:
            return "it is no number"
        if number < declared.get("MinValue", number):
            return f"the least is {declared['MinValue']}"
        if number > declared.get("MaxValue", number):
            return f"the most is {declared['MaxValue']}"
    allowed = [str(one) for one in declared.get("AllowedValues", [value])]
    if value not in allowed:
        return f"it is none of {', '.join(allowed)}"
    if not re.fullmatch(declared.get("AllowedPattern", ".*"), value, re.DOTALL):
        return f"it does not match {declared['AllowedPattern']}"
    return None


def _obeying(source: Json, values: dict[str, str]) -> dict[str, str]:
    """`values`, if the template's Rules allow them; TemplateError says which one does not."""
    resolver = _Resolver({}, values, source.get("Conditions", {}))
    for rule in source.get("Rules", {}).values():
        if "RuleCondition" not in rule or resolver.holds(rule["RuleCondition"]):
            for assertion in rule["Assertions"]:
                if not resolver.holds(assertion["Assert"]):
                    raise TemplateError(assertion["AssertDescription"])
    return values


def _of_type(resources: Json, kind: str) -> list[tuple[str, Json]]:
    return [(key, resource) for key, resource in resources.items() if resource["Type"] == kind]


def _code_uri(source: Json, logical_id: str) -> str:
    properties = source["Resources"][logical_id]["Properties"]
    uri = properties.get("CodeUri", source.get("Globals", {}).get("Function", {}).get("CodeUri"))
    if not isinstance(uri, str):
        raise TemplateError(f"{logical_id} has no CodeUri that is a folder")
    return uri


def _definition(path: Path, substitutions: Mapping[str, str]) -> str:
    text = path.read_text(encoding="utf-8")
    for name, value in substitutions.items():
        text = text.replace(f"${{{name}}}", value)
    if left := re.search(r"\$\{\w+\}", text):
        raise TemplateError(f"{path.name}: nothing is substituted for {left[0]}")
    return json.dumps(yaml.safe_load(text))


def _tasks(definition: Json) -> Iterator[tuple[str, str]]:
    """Every task of a machine that calls a function: its name in the input, and the function's ARN."""
    for state in definition["States"].values():
        if state["Type"] == "Map":
            yield from _tasks(state["ItemProcessor"])
        elif ":function:" in state.get("Resource", ""):
            yield state["Parameters"]["task"], state["Resource"]
        elif ":lambda:invoke" in state.get("Resource", ""):
            yield state["Parameters"]["Payload"]["task"], state["Parameters"]["FunctionName"]


def _create_table(name: str, properties: Json) -> Json:
    kept = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")
    return {"TableName": name, **{key: properties[key] for key in kept if key in properties}}


def _seconds(expression: str) -> float:
    match = re.fullmatch(r"rate\((\d+) (minute|hour|day)s?\)", expression)
    if match is None:
        raise TemplateError(f"only rate(...) schedules are run here, not {expression}")
    return float(match[1]) * {"minute": 60, "hour": 3600, "day": 86400}[match[2]]


def _selection_key(expression: str) -> str:
    match = re.fullmatch(r"\$request\.body\.(\w+)", expression)
    if match is None:
        raise TemplateError(f"routes are selected by one key of the body, not by {expression}")
    return match[1]


class _Resolver:
    """Ref, Fn::GetAtt, Fn::Sub and Fn::Join, for an account that is not there."""

    def __init__(self, resources: Json, parameters: Mapping[str, str], conditions: Json) -> None:
        self._resources = resources
        self._conditions = conditions
        self._known = {
            **parameters,
            "AWS::Region": REGION,
            "AWS::AccountId": ACCOUNT_ID,
            "AWS::Partition": "aws",
            "AWS::URLSuffix": "amazonaws.com",
            "AWS::StackName": STACK_NAME,
        }

    def physical_id(self, logical_id: str) -> str:
        """The name a resource gets here; the same every time."""
        if self._resources[logical_id]["Type"] == "AWS::ApiGatewayV2::Api":
            return "local"
        return f"{STACK_NAME}-{logical_id}"

    def arn(self, logical_id: str) -> str:
        resource = self._resources[logical_id]
        kind = resource["Type"]
        if kind == "AWS::StepFunctions::StateMachine":
            name = self.resolve(resource["Properties"]["StateMachineName"])
            return machine_arn(name)
        if kind == "AWS::Lambda::Alias":
            return f"{self.arn(resource['Properties']['FunctionName']['Ref'])}:{resource['Properties']['Name']}"
        name = self.physical_id(logical_id)
        if kind == "AWS::Lambda::Function":
            return f"arn:aws:lambda:{REGION}:{ACCOUNT_ID}:function:{name}"
        if kind == "AWS::DynamoDB::Table":
            return f"arn:aws:dynamodb:{REGION}:{ACCOUNT_ID}:table/{name}"
        if kind == "AWS::SQS::Queue":
            return f"arn:aws:sqs:{REGION}:{ACCOUNT_ID}:{name}"
        raise TemplateError(f"the ARN of a {kind} ({logical_id}) is not known here")

    def ref(self, name: str) -> str:
        if name in self._known:
            return self._known[name]
        if name not in self._resources:
            raise TemplateError(f"the template has no {name}")
        if self._resources[name]["Type"] in ("AWS::StepFunctions::StateMachine", "AWS::Lambda::Alias"):
            return self.arn(name)
        return self.physical_id(name)

    def get_att(self, logical_id: str, attribute: str) -> str:
        if attribute == "Arn":
            return self.arn(logical_id)
        if attribute == "ApiId":
            return self.physical_id(logical_id)
        raise TemplateError(f"{logical_id}.{attribute} is not known here")

    def resolve(self, value: Any) -> Any:
        """`value` with every intrinsic function in it replaced by what it stands for."""
        if isinstance(value, list):
            return [self.resolve(one) for one in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            (function, argument), *_ = value.items()
            if function == "Ref":
                return self.ref(argument)
            if function == "Fn::GetAtt":
                parts = argument.split(".", 1) if isinstance(argument, str) else argument
                return self.get_att(*parts)
            if function == "Fn::Sub":
                return self._sub(argument)
            if function == "Fn::Join":
                separator, parts = argument
                return separator.join(self.resolve(part) for part in parts)
            if function.startswith("Fn::") or function == "Condition":
                raise TemplateError(f"{function} is not resolved here")
        return {key: self.resolve(one) for key, one in value.items()}

    def holds(self, condition: Json) -> bool:
        """Whether a condition of the template is true."""
        ((function, argument),) = condition.items()
        if function == "Condition":
            return self.holds(self._conditions[argument])
        if function == "Fn::Equals":
            first, second = self.resolve(argument)
            return str(first) == str(second)
        if function == "Fn::Not":
            return not self.holds(argument[0])
        if function in ("Fn::And", "Fn::Or"):
            return (all if function == "Fn::And" else any)(self.holds(one) for one in argument)
        raise TemplateError(f"{function} is not resolved here")

    def _sub(self, argument: str | list[Any]) -> str:
        text, local = (argument, {}) if isinstance(argument, str) else argument

        def replace(match: re.Match[str]) -> str:
            name = match[1]
            if name in local:
                return str(self.resolve(local[name]))
            if "." in name:
                return self.get_att(*name.split(".", 1))
            return self.ref(name)

        return re.sub(r"\$\{([\w:.]+)\}", replace, text)
