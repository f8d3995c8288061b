"""Alarms, the dashboard and the runbook: they name what there is, and all of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from infra.local import template
from tests.template.stages import DEV, OWN, PROD, of_type
from wordle_tournament.metrics import Metric
from wordle_tournament.protocol.errors import ErrorCode

IN_PROD = template.deployed({**PROD, **OWN})
MONITORING = template.nested("Monitoring", {**PROD, **OWN})
ALARMS = of_type(MONITORING, "AWS::CloudWatch::Alarm")
OPTIONAL = of_type(
    template.nested("Monitoring", {**PROD, **OWN, "SyntheticUrl": "wss://play.example.com"}), "AWS::CloudWatch::Alarm"
)
"""With those of options that are off by default: the same, and one more."""
COMPOSITES = of_type(MONITORING, "AWS::CloudWatch::CompositeAlarm")
FUNCTIONS = of_type(IN_PROD, "AWS::Lambda::Function")
TABLES = of_type(IN_PROD, "AWS::DynamoDB::Table")
RUNBOOK = (template.ROOT / "docs" / "runbook.md").read_text()
DEPLOYING = (template.ROOT / "docs" / "deploy.md").read_text()
FOR_OPERATORS = RUNBOOK + DEPLOYING + (template.ROOT / "docs" / "admin.md").read_text()
DEPLOY_ROLE = yaml_parse((template.ROOT / "infra" / "deploy-role.yaml").read_text())
GAME = "WordleTournament"
DOLLARS_PER_METRIC = 0.10
"""A month, for an alarm of standard resolution (CloudWatch pricing)."""


def heading_of(alarm: str) -> str:
    """SweepFails, and PlayFails for PlayFails-Duel: the alarm's heading in the runbook."""
    name: str = (ALARMS | COMPOSITES)[alarm]["AlarmName"]["Fn::Sub"]
    return name.removeprefix("${Name}-alarm-").partition("-")[0]


def text_of(value: Any) -> str:
    return str(value["Fn::Sub"] if isinstance(value, dict) else value)


def metrics_of(alarm: str) -> list[dict[str, Any]]:
    """Return the metrics that an alarm watches: Namespace, MetricName and Dimensions."""
    properties = ALARMS[alarm]
    if "Metrics" in properties:
        return [one["MetricStat"]["Metric"] for one in properties["Metrics"] if "MetricStat" in one]
    return [properties]


def dimensions_of(metric: dict[str, Any]) -> dict[str, Any]:
    return {one["Name"]: one["Value"] for one in metric.get("Dimensions", [])}


# -- alarms --------------------------------------------------------------------------------------


@pytest.mark.parametrize("alarm", ALARMS | COMPOSITES)
def test_an_alarm_tells_somebody_what_to_do_first(alarm: str) -> None:
    properties = (ALARMS | COMPOSITES)[alarm]
    topic = "AlarmTopic" if alarm in ALARMS else "PagerTopic"
    assert properties["AlarmActions"] == properties["OKActions"] == [{"Ref": topic}]
    first, _, then = text_of(properties["AlarmDescription"]).rpartition(" See ")
    assert len(first) > 40
    assert then == f'"{heading_of(alarm)}" in docs/runbook.md.'
    if alarm in ALARMS:
        assert properties["TreatMissingData"] in ("notBreaching", "breaching")


@pytest.mark.parametrize("alarm", ALARMS | COMPOSITES)
def test_an_alarm_has_its_paragraph_in_the_runbook(alarm: str) -> None:
    _, heading, rest = RUNBOOK.partition(f"\n### {heading_of(alarm)}\n")
    assert heading, f'docs/runbook.md has no paragraph "### {heading_of(alarm)}" for {alarm} of infra/monitoring.yaml'
    paragraph = re.split(r"\n#{2,3} ", rest)[0]
    assert len(paragraph) > 200, f'the paragraph "### {heading_of(alarm)}" in docs/runbook.md says too little'


def test_the_runbook_has_no_alarm_that_there_is_not() -> None:
    section = RUNBOOK.partition("\n## Alarms\n")[2].partition("\n## ")[0]
    headings = {heading_of(one) for one in ALARMS | COMPOSITES} | {"SyntheticFails"}
    assert OPTIONAL.keys() - ALARMS.keys() == {"SyntheticFailsAlarm"}
    differ = set(re.findall(r"^### (\S+)$", section, re.MULTILINE)) ^ headings
    assert not differ, f"docs/runbook.md and the alarms of infra/monitoring.yaml differ in {sorted(differ)}"


def test_alarms_mean_what_they_meant_before_they_were_split() -> None:
    """The twenty of 1.0.0, with their kinds of metrics; some are one for each function or table by now."""
    kinds: dict[str, set[str]] = {}
    for alarm in ALARMS:
        kinds.setdefault(heading_of(alarm), set()).update(text_of(one["MetricName"]) for one in metrics_of(alarm))
    meant = {
        "ClockFails": {"Errors"},
        "PlayFails": {"Errors"},
        "GroupsFail": {"Errors"},
        "RecordsFail": {"Errors"},
        "NearTimeout": {"Duration"},
        "Throttled": {"Throttles"},
        "GuessSlow": {"RouteDuration"},
        "InternalErrors": {"Refused"},
        "QueueBusy": {"Refused"},
        "PushesFail": {"PushFailed"},
        "ApiFails": {"IntegrationError", "ExecutionError"},
        "Flood": {"MessageCount", "GuessAccepted"},
        "MachinesFail": {"ExecutionsFailed", "ExecutionsTimedOut", "ExecutionsAborted"},
        "WritesThrottled": {"WriteThrottleEvents"},
        "ReadsThrottled": {"ReadThrottleEvents"},
        "TablesFail": {"SystemErrors"},
        "TournamentStuck": {"Rescued"},
        "SweepFails": {"SweepFailed"},
        "SweeperStands": {"Invocations"},
        "CallsLost": {"ApproximateNumberOfMessagesVisible"},
    }
    assert {heading: kinds.get(heading) for heading in meant} == meant


def test_the_runbooks_commands_name_what_there_is() -> None:
    """Nobody shall find out at night that an output, a resource or a log line is called something else."""
    outputs = yaml_parse(template.TEMPLATE.read_text())["Outputs"]
    asked_of_the_stack = re.findall(r"(?:\$\(|^)output (\w+)", FOR_OPERATORS, re.MULTILINE)
    assert len(asked_of_the_stack) > 4
    assert set(asked_of_the_stack) <= {*outputs, *DEPLOY_ROLE["Outputs"]}
    asked_for = re.findall(r"\bid_of (\w+)|--logical-resource-id (\w+)", FOR_OPERATORS)
    assert {one for pair in asked_for for one in pair if one} <= IN_PROD.keys()
    code = "".join(path.read_text() for path in (template.ROOT / "shared").rglob("*.py"))
    for line in re.findall(r'message = "([^"]+)"', FOR_OPERATORS):
        assert f'"{line}"' in code, line


def test_one_call_wakes_somebody_for_what_the_runbook_says() -> None:
    """A pager that listens to PagerTopic hears of these, and of nothing that can wait for the morning."""
    (hurt,) = COMPOSITES.values()
    rule = hurt["AlarmRule"]["Fn::Sub"]
    assert re.sub(r'ALARM\("\$\{\w+\}"\)', "on", rule) == " OR ".join(["on"] * rule.count("ALARM("))
    waking = set(re.findall(r"\$\{(\w+)\}", rule))
    assert waking <= ALARMS.keys()
    paragraph = RUNBOOK.partition("\n### PlayersHurt\n")[2].partition("\n### ")[0]
    assert set(re.findall(r"\[(\w+)\]\(#\w+\)", paragraph)) == {heading_of(alarm) for alarm in waking}
    assert waking == {alarm for alarm in ALARMS if heading_of(alarm) in {heading_of(one) for one in waking}}


@pytest.mark.parametrize("alarm", ALARMS)
def test_an_alarm_adds_up_what_it_has(alarm: str) -> None:
    """An alarm takes ten metrics at most, and no SEARCH (CloudWatch guide, metric math). Three stay free."""
    metrics = ALARMS[alarm].get("Metrics", [])
    if not metrics:
        return
    (total, *parts) = metrics
    assert 0 < len(parts) <= 7
    assert sorted(re.findall(r"\bm\d+\b", total["Expression"])) == sorted(one["Id"] for one in parts)
    assert not any(one["ReturnData"] for one in parts)
    assert "SEARCH" not in total["Expression"]
    assert len({json.dumps(metric) for metric in metrics_of(alarm)}) == len(parts)


def test_an_alarm_on_dynamodb_ends_when_its_cause_does() -> None:
    """A gap in AWS/DynamoDB may leave an alarm as it is for good, silently (PutMetricAlarm, TreatMissingData)."""
    on_dynamodb = [
        alarm for alarm in ALARMS if any(metric["Namespace"] == "AWS/DynamoDB" for metric in metrics_of(alarm))
    ]
    assert {heading_of(alarm) for alarm in on_dynamodb} == {"WritesThrottled", "ReadsThrottled", "TablesFail"}
    for alarm in on_dynamodb:
        (total, *parts) = ALARMS[alarm]["Metrics"]
        filled = ", ".join(f"FILL({one['Id']}, 0)" for one in parts)
        assert total["Expression"] == f"SUM([{filled}])"


def test_a_stage_without_anybody_to_hear_them_has_no_alarms() -> None:
    assert {one["Type"] for one in template.nested("Monitoring", DEV).values()} == {"AWS::CloudWatch::Dashboard"}
    with_somebody = template.nested("Monitoring", {**DEV, "AlarmEmail": "a@example.com"})
    assert of_type(with_somebody, "AWS::CloudWatch::Alarm").keys() == ALARMS.keys()


def test_whoever_is_named_gets_mail() -> None:
    (subscription,) = of_type(IN_PROD, "AWS::SNS::Subscription").values()
    assert subscription == {"TopicArn": {"Ref": "AlarmTopic"}, "Protocol": "email", "Endpoint": {"Ref": "AlarmEmail"}}
    assert of_type(template.deployed(PROD), "AWS::SNS::Subscription") == {}


def test_the_errors_of_every_function_are_watched_once() -> None:
    watched = [
        dimensions_of(metric)["FunctionName"]["Ref"]
        for alarm in ALARMS
        for metric in metrics_of(alarm)
        if (metric["Namespace"], metric["MetricName"]) == ("AWS/Lambda", "Errors")
    ]
    assert sorted(watched) == sorted(FUNCTIONS)


def test_a_function_is_near_its_timeout_at_four_fifths_of_it() -> None:
    near = {
        dimensions_of(ALARMS[alarm])["FunctionName"]["Ref"]: int(ALARMS[alarm]["Threshold"])
        for alarm in ALARMS
        if heading_of(alarm) == "NearTimeout"
    }
    assert near == {name: properties["Timeout"] * 800 for name, properties in FUNCTIONS.items()}


def test_guess_has_a_duration_alarm_of_its_own() -> None:
    """By its route, since other routes share its function."""
    alarm = ALARMS["GuessSlowAlarm"]
    assert (alarm["Namespace"], alarm["MetricName"], alarm["ExtendedStatistic"]) == (GAME, "RouteDuration", "p99")
    assert dimensions_of(alarm) == {"route": "guess", "service": {"Ref": "Name"}}


@pytest.mark.parametrize("heading", ["WritesThrottled", "ReadsThrottled"])
def test_every_table_and_index_is_watched_for_throttles(heading: str) -> None:
    watched = {
        (dimensions_of(metric)["TableName"]["Ref"], dimensions_of(metric).get("GlobalSecondaryIndexName"))
        for alarm in ALARMS
        if heading_of(alarm) == heading
        for metric in metrics_of(alarm)
    }
    indexes = {
        (table, index["IndexName"])
        for table, properties in TABLES.items()
        for index in properties.get("GlobalSecondaryIndexes", [])
    }
    assert watched == {(table, None) for table in TABLES} | indexes


def test_both_machines_are_watched_for_every_bad_end() -> None:
    names = {
        one["StateMachineName"]["Fn::Sub"].replace("AWS::StackName", "Name")
        for one in of_type(IN_PROD, "AWS::StepFunctions::StateMachine").values()
    }
    watched = {
        (dimensions_of(metric)["StateMachineArn"]["Fn::Sub"].partition(":stateMachine:")[2], metric["MetricName"])
        for metric in metrics_of("MachinesFailAlarm")
    }
    ends = ("ExecutionsFailed", "ExecutionsTimedOut", "ExecutionsAborted")
    assert watched == {(name, end) for name in names for end in ends}


def test_throttled_executions_of_both_machines_and_starts_are_watched() -> None:
    watched = {
        (metric["MetricName"], json.dumps(dimensions_of(metric)).partition(":stateMachine:${Name}-")[2][:10])
        for metric in metrics_of("ExecutionsThrottledAlarm")
        if "StateMachineArn" in dimensions_of(metric)
    }
    assert watched == {("ExecutionThrottled", "tournament"), ("ExecutionThrottled", 'reconnect"')}
    starts = [dimensions_of(metric) for metric in metrics_of("ExecutionsThrottledAlarm")][-1]
    assert starts == {"APIName": "StartExecution"}


def test_an_hour_without_data_is_an_hour_without_a_connection() -> None:
    """API Gateway reports no zeros. CloudWatch takes seven days of hours at most (PutMetricAlarm, Period)."""
    alarm = ALARMS["NobodyConnectsAlarm"]
    assert (alarm["Namespace"], alarm["MetricName"]) == ("AWS/ApiGateway", "ConnectCount")
    assert (alarm["TreatMissingData"], alarm["ComparisonOperator"]) == ("breaching", "LessThanThreshold")
    assert alarm["EvaluationPeriods"] == {"Ref": "NoConnectionHours"}
    hours = yaml_parse(template.TEMPLATE.read_text())["Parameters"]["NoConnectionHours"]
    assert alarm["Period"] * hours["MaxValue"] <= 7 * 24 * 3600
    given = IN_PROD["Monitoring"]["Properties"]["Parameters"]
    assert given["NoConnectionHours"] == {"Ref": "NoConnectionHours"}


def test_the_runbook_tells_how_many_alarms_there_are_and_what_they_cost() -> None:
    watched = sum(len(metrics_of(alarm)) for alarm in ALARMS)
    figures = f"{len(ALARMS)} alarms on {watched} metrics, ${watched * DOLLARS_PER_METRIC:.2f} a month, a composite one"
    assert figures in " ".join(DEPLOYING.split()), f"write in docs/deploy.md, Costs: {figures}"


def test_the_runbook_tells_how_many_metrics_of_our_own_there_are() -> None:
    plain = len(set(Metric) - {Metric.REFUSED, Metric.SWEPT, Metric.ROUTE_ERRORS, Metric.ROUTE_DURATION})
    figures = f"({plain} names, `Swept` for each kind, `Refused` for each code, two for each route and task)"
    assert figures in " ".join(DEPLOYING.split()), f"write in docs/deploy.md, Costs: {figures}"


def test_whoever_looks_at_api_gateway_looks_at_the_whole_stage() -> None:
    """By route there are metrics only where they are paid for (DetailedMetricsEnabled), and here they are not."""
    (stage,) = of_type(IN_PROD, "AWS::ApiGatewayV2::Stage").values()
    assert not any(one.get("DetailedMetricsEnabled") for one in stage["RouteSettings"].values())
    assert stage["DefaultRouteSettings"]["DetailedMetricsEnabled"] is False
    looked_at = [metric for alarm in ALARMS for metric in metrics_of(alarm) if metric["Namespace"] == "AWS/ApiGateway"]
    assert looked_at
    assert all(dimensions_of(metric).keys() == {"ApiId", "Stage"} for metric in looked_at)


# -- the dashboard -------------------------------------------------------------------------------


def dashboard(parameters: dict[str, str]) -> dict[str, Any]:
    """The dashboard's body, with something for everything that it refers to."""
    text, local = template.nested("Monitoring", parameters)["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
    for name, value in local.items():
        text = text.replace(f"${{{name}}}", text_of(value))
    text = re.sub(r"\$\{!(.*?)\}", r"${\1}", re.sub(r"\$\{([\w:.]+)\}", r"\1", text))
    loaded: dict[str, Any] = json.loads(text)
    return loaded


WIDGETS = dashboard({**PROD, **OWN})["widgets"]


def game_metrics() -> Iterator[tuple[str, dict[str, str]]]:
    """The game's own metrics on the dashboard, with their dimensions; "." and "..." repeat the row before."""
    for widget in WIDGETS:
        row: list[str] = []
        for given in widget["properties"].get("metrics", []):
            cells = [cell for cell in given if isinstance(cell, str)]
            if not cells:
                search = re.search(r'\{WordleTournament,([\w,]+)\} MetricName="(\w+)"(.*)\'', given[0]["expression"])
                if search:
                    fixed = dict(re.findall(r'(\w+)="([^"]+)"', search[3]))
                    yield search[2], {name: fixed.get(name, "") for name in search[1].split(",")}
                continue
            if cells[0] == "...":
                cells = [*row[: len(row) - len(cells) + 1], *cells[1:]]
            row = [row[number] if cell == "." else cell for number, cell in enumerate(cells)]
            if row[0] == GAME:
                yield row[1], dict(zip(row[2::2], row[3::2], strict=True))


def test_every_alarm_is_on_the_dashboard() -> None:
    (shown,) = [widget for widget in WIDGETS if widget["type"] == "alarm"]
    differ = set(shown["properties"]["alarms"]) ^ {f"{alarm}.Arn" for alarm in ALARMS | COMPOSITES}
    assert not differ, f"the dashboard's list of alarms in infra/monitoring.yaml is wrong for {sorted(differ)}"
    assert len(shown["properties"]["alarms"]) == len(ALARMS | COMPOSITES)


def test_without_alarms_there_is_a_dashboard_all_the_same() -> None:
    assert [one["type"] for one in dashboard(DEV)["widgets"]] == [
        one["type"] for one in WIDGETS if one["type"] != "alarm"
    ]


def test_widgets_lie_side_by_side() -> None:
    taken: set[tuple[int, int]] = set()
    for widget in WIDGETS:
        cells = {
            (x, y)
            for x in range(widget["x"], widget["x"] + widget["width"])
            for y in range(widget["y"], widget["y"] + widget["height"])
        }
        assert max(x for x, _ in cells) < 24
        assert not cells & taken, widget["properties"]["title"]
        taken |= cells


def test_the_dashboard_shows_every_metric_of_the_game_and_no_other() -> None:
    differ = {name for name, _ in game_metrics()} ^ {metric.value for metric in Metric}
    assert not differ, f"the dashboard in infra/monitoring.yaml and metrics.py differ in {sorted(differ)}"


# -- what is named is what is written ------------------------------------------------------------


def watched() -> Iterator[tuple[str, dict[str, str]]]:
    """The game's own metrics that alarms and dashboard name."""
    yield from game_metrics()
    for alarm in ALARMS:
        for metric in metrics_of(alarm):
            if metric["Namespace"] == GAME:
                yield metric["MetricName"], dimensions_of(metric)


def test_alarms_name_metrics_and_codes_that_there_are() -> None:
    for name, dimensions in watched():
        assert Metric(name)
        if dimensions.get("code"):
            assert ErrorCode(dimensions["code"])


def test_metrics_are_written_with_the_dimensions_that_they_are_looked_for() -> None:
    """As a deployed function writes them: in its environment, in a process of its own."""
    program = """
from wordle_tournament.metrics import Metric, Timer, count, count_refusal, count_swept, flush
for metric in Metric:
    if metric not in (Metric.REFUSED, Metric.SWEPT, Metric.ROUTE_ERRORS, Metric.ROUTE_DURATION):
        count(metric)
Timer("guess").stop()
flush()
count_refusal("internal")
count_swept("rescued", 1)
"""
    environment = {
        **os.environ,
        **template.load(PROD).functions["DuelFunction"].environment,
        "PYTHONPATH": str(template.ROOT / "shared"),
        "POWERTOOLS_METRICS_DISABLED": "false",
    }
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    written: dict[str, dict[str, str]] = {}
    for line in done.stdout.splitlines():
        record = json.loads(line)
        for directive in record["_aws"]["CloudWatchMetrics"]:
            assert directive["Namespace"] == GAME
            (names,) = directive["Dimensions"]
            for metric in directive["Metrics"]:
                assert metric["Name"] in record
                written[metric["Name"]] = {name: record[name] for name in names}
    assert written.keys() == {metric.value for metric in Metric}
    stage = {"Stage": PROD["Stage"], "Name": template.STACK_NAME}
    for name, dimensions in watched():
        found = written[name]
        assert dimensions.keys() == found.keys(), name
        for dimension, value in dimensions.items():
            literal = stage.get(value["Ref"]) if isinstance(value, dict) else stage.get(value, value)
            assert dimension in ("code", "kind", "route") or literal == found[dimension], name


@pytest.mark.parametrize("level", ["DEBUG", "INFO", "WARN", "ERROR"])
def test_every_call_leaves_a_report_of_cold_start_and_memory(level: str) -> None:
    """`platform.report` of a call that succeeded is INFO (Lambda guide, system log level event mapping)."""
    for function in of_type(template.deployed({**PROD, "LogLevel": level}), "AWS::Lambda::Function").values():
        assert (function["LoggingConfig"]["LogFormat"], function["LoggingConfig"]["SystemLogLevel"]) == ("JSON", "INFO")


@pytest.mark.parametrize("level", ["DEBUG", "INFO", "WARN", "ERROR"])
def test_no_log_level_keeps_metrics_back(level: str) -> None:
    """A line without a level, as metrics are, is INFO to Lambda's filter (Lambda guide, log-level filtering)."""
    for function in of_type(template.deployed({**PROD, "LogLevel": level}), "AWS::Lambda::Function").values():
        assert function["LoggingConfig"]["ApplicationLogLevel"] == ("DEBUG" if level == "DEBUG" else "INFO")
        assert function["Environment"]["Variables"]["POWERTOOLS_LOG_LEVEL"] in (level, {"Ref": "LogLevel"})


LEVELS = {"DEBUG": 4, "INFO": 3, "WARN": 2, "ERROR": 1}
"""How many of the lines of `test_the_log_level_is_that_of_the_parameter` each level has."""


@pytest.mark.parametrize(("level", "lines"), LEVELS.items())
def test_the_log_level_is_that_of_the_parameter(level: str, lines: int) -> None:
    """In the environment that Lambda makes, where AWS_LAMBDA_LOG_LEVEL would come before Powertools' own variable.

    A module's logger, which is another object, must keep to it, and the libraries below to INFO or more.
    """
    program = """
import logging
from aws_lambda_powertools import Logger
from wordle_tournament import entry, log
for logger in (log.logger, Logger(child=True)):
    for write in (logger.debug, logger.info, logger.warning, logger.error):
        write("line")
for library in log.LIBRARIES:
    assert logging.getLogger(library).level == max(logging.INFO, log.logger.registered_handler.level)
"""
    function = template.load({**PROD, "LogLevel": level}).functions["DuelFunction"]
    assert function.set_by_lambda["AWS_LAMBDA_LOG_LEVEL"] == ("DEBUG" if level == "DEBUG" else "INFO")
    environment = {
        **os.environ,
        **function.set_by_lambda,
        **function.environment,
        "PYTHONPATH": str(template.ROOT / "shared"),
    }
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    written = [json.loads(line)["level"] for line in done.stdout.splitlines()]
    assert written == ["DEBUG", "INFO", "WARNING", "ERROR"][-lines:] * 2
