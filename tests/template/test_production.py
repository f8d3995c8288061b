"""Differences between the stages (protection, gradual deployment, tracing, a domain), and their limits."""

from __future__ import annotations

import ast
import contextlib
import json
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from typing import Any

import cfnlint  # type: ignore[import-untyped]
import pytest
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from infra.local import template
from tests.template.stages import DEV, OWN, PROD, deploy_settings, of_type, pairs

SOURCE: dict[str, Any] = yaml_parse(template.TEMPLATE.read_text())
IN_DEV = template.deployed(DEV)
IN_PROD = template.deployed(PROD)
WITH_ALL = template.deployed({**PROD, **OWN})
STAGES = {"dev": IN_DEV, "prod": IN_PROD, "all": WITH_ALL}
FUNCTIONS = of_type(IN_PROD, "AWS::Lambda::Function")
GRADUAL = FUNCTIONS.keys() - {"SweeperFunction"}
TABLES = of_type(IN_PROD, "AWS::DynamoDB::Table")


def test_the_translated_production_template_is_clean() -> None:
    """With CodeDeploy in it there are other references, and might be circles, that dev does not have."""
    translated = template.translate(parameters={**PROD, **OWN})
    kept = {key: translated[key] for key in ("Parameters", "Mappings", "Conditions", "Rules", "Resources", "Outputs")}
    found = cfnlint.lint(json.dumps({**kept, "Metadata": SOURCE["Metadata"]}))
    # After SAM has read them, a mapping is unused (Rollouts) and a condition has one value only (Tracing). The nested
    # template is a file until `sam deploy` uploads it.
    assert [str(match) for match in found if match.rule.id not in ("W7001", "W1030", "W3002")] == []


@pytest.mark.parametrize("stage", STAGES)
def test_resources_can_be_made_one_after_another(stage: str) -> None:
    """No circles, which CodeDeploy invites: alarms before aliases, aliases before machines. UpdatePolicy counts too."""
    resources = STAGES[stage]

    def named(value: Any) -> Iterator[str]:
        if isinstance(value, list):
            for one in value:
                yield from named(one)
        elif isinstance(value, dict):
            for key, one in value.items():
                if key == "Ref":
                    yield one
                elif key == "Fn::GetAtt":
                    yield one[0] if isinstance(one, list) else one.split(".")[0]
                elif key == "Fn::Sub":
                    yield from re.findall(r"\$\{(\w+)", one if isinstance(one, str) else one[0])
                    yield from named(one)
                elif key == "DependsOn":
                    yield from [one] if isinstance(one, str) else one
                else:
                    yield from named(one)

    graph = {key: {one for one in named(resource) if one in resources} for key, resource in resources.items()}
    assert len(list(TopologicalSorter(graph).static_order())) == len(resources)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stack_is_far_from_cloudformations_limits(stage: str) -> None:
    """500 resources and a megabyte (CloudFormation quotas); a feature or two must still fit in."""
    assert len(STAGES[stage]) < 200
    assert len(json.dumps(template.translate(parameters=PROD))) < 500_000


def test_the_operators_guide_knows_the_size_of_the_stack() -> None:
    guide = " ".join((template.ROOT / "docs" / "deploy.md").read_text().split())
    told = re.search(r"some (\d+) resources in production with a domain \((\d+) in dev\)", guide)
    assert told
    assert abs(int(told[1]) - len(WITH_ALL)) <= 10
    assert abs(int(told[2]) - len(IN_DEV)) <= 10


# -- samconfig.toml ------------------------------------------------------------------------------


@pytest.mark.parametrize("environment", ["default", "prod"])
def test_a_stage_is_tagged_and_named(environment: str) -> None:
    settings = deploy_settings(environment)
    stage = pairs(settings["parameter_overrides"])["Stage"]
    assert pairs(settings["tags"]) == {"Project": "wordle-tournament", "Stage": stage}
    assert settings["stack_name"] == f"wordle-tournament-{stage}"
    assert settings["capabilities"] == "CAPABILITY_IAM CAPABILITY_AUTO_EXPAND"


def test_two_stages_fit_into_one_account() -> None:
    """A name of ours is unique in the account only with the stack's in it; SAM's own name of a schedule is not."""
    names = ("Name", "AlarmName", "DashboardName", "StateMachineName", "LogGroupName", "QueueName", "TopicName")
    local = ("AWS::Lambda::Alias", "AWS::Route53::RecordSet")  # names within something else
    for key, resource in WITH_ALL.items():
        for name in names if resource["Type"] not in local else ():
            if name in resource.get("Properties", {}):
                assert "AWS::StackName" in str(resource["Properties"][name]), key
    for key, resource in template.nested("Monitoring", {**PROD, **OWN}).items():
        for name in set(names) & resource["Properties"].keys():
            assert "${Name}-" in str(resource["Properties"][name]), key


def test_two_regions_fit_into_one_account() -> None:
    """Dashboards and names of IAM are shared by all regions: ours has the region, CloudFormation makes up the rest."""
    everything = WITH_ALL | template.nested("Monitoring", {**PROD, **OWN})
    for key, resource in everything.items():
        if resource["Type"].startswith("AWS::IAM::"):
            assert not {"RoleName", "ManagedPolicyName"} & resource["Properties"].keys(), key
        if resource["Type"] == "AWS::CloudWatch::Dashboard":
            assert "${AWS::Region}" in resource["Properties"]["DashboardName"]["Fn::Sub"], key


def test_nothing_outlives_its_stack() -> None:
    """Teardown (docs/deploy.md): no resource is retained; what is protected is released by Production=false.

    A function's versions are, by SAM, so that an update leaves them; they go with their function.
    """
    for key, resource in (WITH_ALL | template.nested("Monitoring", {**PROD, **OWN})).items():
        if resource["Type"] == "AWS::Lambda::Version":
            continue
        assert resource.get("DeletionPolicy", "Delete") == "Delete", key


def test_a_rollback_leaves_the_operators_own_settings_alone() -> None:
    runbook = (template.ROOT / "docs" / "runbook.md").read_text()
    recipe = runbook.partition("\n## Rolling back\n")[2].partition("\n## ")[0]
    assert "sam deploy --config-file" in recipe
    assert not re.search(r"git (checkout|restore|reset|stash)|sed -i", recipe)


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ({"DomainName": "play.example.com"}, "CertificateArn"),
        ({"Rollout": "Canary10Percent10Minutes"}, "alarms"),
        ({"Rollout": "Linear10PercentEvery1Minute", "AlarmEmail": "a@example.com"}, None),
        ({"Rollout": "Canary10Percent10Minutes", "Production": "true"}, None),
        ({"DomainName": "play.example.com", "CertificateArn": OWN["CertificateArn"]}, None),
    ],
)
def test_parameters_that_do_not_go_together_are_refused_at_once(given: dict[str, str], refused: str | None) -> None:
    with pytest.raises(template.TemplateError, match=refused) if refused else contextlib.nullcontext():
        template.deployed({**DEV, **given})


# -- what is at stake ----------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_in_production_a_table_cannot_be_deleted_and_can_be_restored(table: str) -> None:
    assert TABLES[table]["DeletionProtectionEnabled"] is True
    assert TABLES[table]["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}


@pytest.mark.parametrize("table", TABLES)
def test_a_dev_stage_can_be_thrown_away(table: str) -> None:
    assert IN_DEV[table]["Properties"]["DeletionProtectionEnabled"] is False
    assert IN_DEV[table]["DeletionPolicy"] == "Delete"


def test_only_one_sweeper_runs_at_a_time_in_production() -> None:
    """A new account may not have ten executions to spare, so dev reserves none."""
    assert FUNCTIONS["SweeperFunction"]["ReservedConcurrentExecutions"] == {"Ref": "Shards"}, "one for each shard"
    assert template.load().functions["SweeperFunction"].environment["SHARDS"] == "1"
    assert not any("ReservedConcurrentExecutions" in one for one in of_type(IN_DEV, "AWS::Lambda::Function").values())


# -- versions and aliases ------------------------------------------------------------------------


@pytest.mark.parametrize("stage", STAGES)
def test_everybody_calls_a_function_by_its_alias(stage: str) -> None:
    """A route, a machine or a schedule that called the function itself would get each update at once."""
    resources = STAGES[stage]
    aliases = {one["FunctionName"]["Ref"]: key for key, one in of_type(resources, "AWS::Lambda::Alias").items()}
    assert aliases.keys() == of_type(resources, "AWS::Lambda::Function").keys()
    callers = ("ApiGatewayV2::Integration", "Lambda::Permission", "StepFunctions::StateMachine", "Scheduler::Schedule")
    named = "".join(
        json.dumps(resource) for resource in resources.values() if resource["Type"].removeprefix("AWS::") in callers
    )
    for function, alias in aliases.items():
        assert f'"{function}"' not in named
        assert f'{{"Ref": "{alias}"}}' in named


@pytest.mark.parametrize("stage", STAGES)
def test_whoever_may_call_a_function_may_call_its_alias(stage: str) -> None:
    """lambda:InvokeFunction is checked against the ARN with the alias's name in it."""
    resources = STAGES[stage]
    allowed = [
        statement["Resource"]
        for role in of_type(resources, "AWS::IAM::Role").values()
        for policy in role.get("Policies", [])
        for statement in policy["PolicyDocument"]["Statement"]
        if "lambda:InvokeFunction" in statement["Action"]
    ]
    assert allowed
    for resource in allowed:
        for one in resource if isinstance(resource, list) else [resource]:
            assert resources[one["Ref"]]["Type"] == "AWS::Lambda::Alias"


def test_a_machine_may_call_what_its_definition_calls_and_nothing_else() -> None:
    for machine in template.load(PROD).machines.values():
        called = set(re.findall(r'"(arn:aws:lambda:[^"]+)"', machine.definition))
        allowed = {
            arn for one in machine.permissions if "lambda:InvokeFunction" in one.actions for arn in one.resources
        }
        assert called == allowed
        assert all(arn.endswith(":live") for arn in called)


def test_another_layer_is_another_version_of_every_function(tmp_path: Any) -> None:
    """All our code is in the layer; SAM's default looks at a function's own code only."""

    def versions(text: str) -> set[str]:
        path = tmp_path / "template.yaml"
        path.write_text(text)
        return set(of_type(template.translate(path)["Resources"], "AWS::Lambda::Version"))

    text = template.TEMPLATE.read_text()
    other = text.replace("ContentUri: shared/\n", "ContentUri: shared/\n      Description: another\n")
    assert other != text
    assert len(versions(text)) == len(FUNCTIONS) + 1, "and the synthetic player's, which is off"
    assert not versions(text) & versions(other)


def test_every_build_makes_another_layer() -> None:
    """SAM does not see that a parameter has changed, so a build must be enough for new versions."""
    assert '"$(ARTIFACTS_DIR)/built"' in (template.ROOT / "shared" / "Makefile").read_text()


# -- gradual deployment --------------------------------------------------------------------------


def alarms_of(group: dict[str, Any]) -> dict[str, Any]:
    """The alarms that turn a deployment back, by name; KeyError for one that there is not."""
    alarms = of_type(template.nested("Monitoring", PROD), "AWS::CloudWatch::Alarm").values()
    by_name = {alarm["AlarmName"]["Fn::Sub"]: alarm for alarm in alarms}
    begin = "${Monitoring.Outputs.Alarm}"
    names = [one["Name"]["Fn::Sub"] for one in group["AlarmConfiguration"]["Alarms"]]
    assert all(name.startswith(begin) for name in names)
    return {name.removeprefix(f"{begin}-"): by_name["${Name}-alarm" + name.removeprefix(begin)] for name in names}


def test_what_names_of_alarms_begin_with_is_told_by_the_stack_that_has_them() -> None:
    """So each deployment waits until its alarms are there."""
    outputs = yaml_parse((template.ROOT / "infra" / "monitoring.yaml").read_text())["Outputs"]
    assert outputs["Alarm"]["Value"] == {"Fn::Sub": "${Name}-alarm"}
    assert IN_PROD["Monitoring"]["Properties"]["Parameters"]["Name"] == {"Ref": "AWS::StackName"}


def test_in_production_every_function_is_updated_gradually_and_turned_back_by_alarms() -> None:
    """But the sweeper, of whose one call a minute a tenth would tell nothing: its errors turn the machines' back."""
    groups = of_type(IN_PROD, "AWS::CodeDeploy::DeploymentGroup")
    aliases = {one["FunctionName"]["Ref"]: key for key, one in of_type(IN_PROD, "AWS::Lambda::Alias").items()}
    assert len(groups) == len(GRADUAL) <= 8
    for function in GRADUAL:
        update = IN_PROD[aliases[function]]["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"]
        group = groups[update["DeploymentGroupName"]["Ref"]]
        alarms = alarms_of(group)
        assert 0 < len(alarms) <= 7  # CodeDeploy takes ten; three stay free to be added
        watched = {one["Dimensions"][0]["Value"]["Ref"] for one in alarms.values() if one.get("MetricName") == "Errors"}
        assert watched == {function} | ({"SweeperFunction"} if function == "MachinesFunction" else set())
        common = {"InternalErrors", "ApiFails", "MachinesFail", "TournamentStuck", "SweepFails"}
        assert common <= alarms.keys()
        assert ("GuessSlow" in alarms) is (function != "MachinesFunction")
        assert "DEPLOYMENT_STOP_ON_ALARM" in group["AutoRollbackConfiguration"]["Events"]


@pytest.mark.parametrize("rollout", SOURCE["Parameters"]["Rollout"]["AllowedValues"])
def test_a_rollout_is_gradual_or_has_nothing_of_codedeploy(rollout: str) -> None:
    deployed = template.deployed({**PROD, "Rollout": rollout})
    groups = of_type(deployed, "AWS::CodeDeploy::DeploymentGroup")
    if rollout == "AllAtOnce":
        assert "AWS::CodeDeploy" not in json.dumps(deployed)
    else:
        assert all(group["DeploymentConfigName"]["Fn::Sub"][1]["ConfigName"] == rollout for group in groups.values())
        assert len(groups) == len(GRADUAL)


def test_a_gradual_deployment_lasts_longer_than_its_alarms_take() -> None:
    """Each period that an alarm looks at is a minute; metrics come another one or two late."""
    minutes = {"Canary10Percent5Minutes": 5, "Canary10Percent10Minutes": 10, "Linear10PercentEvery1Minute": 10}
    groups = of_type(IN_PROD, "AWS::CodeDeploy::DeploymentGroup").values()
    for alarm in [alarm for group in groups for alarm in alarms_of(group).values()]:
        needed = alarm.get("DatapointsToAlarm", alarm["EvaluationPeriods"])
        periods = (
            {alarm["Period"]}
            if "Period" in alarm
            else {metric["MetricStat"]["Period"] for metric in alarm["Metrics"] if "MetricStat" in metric}
        )
        assert periods == {60}
        assert needed + 2 <= minutes[PROD["Rollout"]]


# -- cold starts, tracing, domain ----------------------------------------------------------------


@pytest.mark.parametrize("way", SOURCE["Parameters"]["ColdStarts"]["AllowedValues"])
def test_snapstart_and_provisioned_concurrency_exclude_each_other(way: str) -> None:
    """Lambda refuses both on one function (Lambda guide, SnapStart)."""
    deployed = template.deployed({**PROD, "ColdStarts": way})
    for function in ("PresenceFunction", "LobbyFunction", "DuelFunction"):
        snap = deployed[function]["Properties"]["SnapStart"]["ApplyOn"] == "PublishedVersions"
        kept = "ProvisionedConcurrencyConfig" in deployed[f"{function}Aliaslive"]["Properties"]
        assert (snap, kept) == (way == "SnapStart", way == "Provisioned")


def test_nothing_is_drawn_from_a_generator_that_a_snapshot_copies() -> None:
    """Each environment that SnapStart makes of one snapshot would draw the same (Lambda guide, uniqueness)."""
    for path in (template.ROOT / "shared" / "wordle_tournament").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "random":
                assert node.attr in ("Random", "SystemRandom"), path


def test_tracing_is_for_all_or_for_none_and_may_be_written() -> None:
    for resources, on in ((IN_DEV, False), (IN_PROD, False), (template.deployed({**PROD, "Tracing": "Active"}), True)):
        for function in of_type(resources, "AWS::Lambda::Function").values():
            assert ("TracingConfig" in function) is on
            role = resources[function["Role"]["Fn::GetAtt"][0]]["Properties"]
            assert any("XRay" in str(policy) or "Xray" in str(policy) for policy in role["ManagedPolicyArns"]) is on
        for machine in of_type(resources, "AWS::StepFunctions::StateMachine").values():
            assert machine["TracingConfiguration"] == {"Enabled": on}


def test_a_domain_is_there_only_with_its_name_and_its_record_only_with_a_zone() -> None:
    def kinds(parameters: dict[str, str]) -> set[str]:
        found = {one["Type"] for one in template.deployed({**PROD, **parameters}).values()}
        return found & {"AWS::ApiGatewayV2::DomainName", "AWS::ApiGatewayV2::ApiMapping", "AWS::Route53::RecordSet"}

    assert kinds({}) == set()
    assert kinds({"HostedZoneId": "Z1"}) == set()
    named = {"DomainName": "play.example.com", "CertificateArn": OWN["CertificateArn"]}
    assert kinds(named) == {"AWS::ApiGatewayV2::DomainName", "AWS::ApiGatewayV2::ApiMapping"}
    assert "AWS::Route53::RecordSet" in kinds({**named, "HostedZoneId": "Z1"})


# -- asynchronous calls --------------------------------------------------------------------------


@pytest.mark.parametrize("stage", STAGES)
def test_a_call_that_nobody_waits_for_is_not_lost_unseen(stage: str) -> None:
    """The scheduler hands over to Lambda's queue; each can give up on a call. Nothing else is asynchronous."""
    resources = STAGES[stage]
    asynchronous = {
        resources[schedule["Target"]["Arn"]["Ref"]]["Properties"]["FunctionName"]["Ref"]: schedule["Target"]
        for schedule in of_type(resources, "AWS::Scheduler::Schedule").values()
    }
    configured = {
        config["FunctionName"]["Ref"]: config
        for config in of_type(resources, "AWS::Lambda::EventInvokeConfig").values()
    }
    assert asynchronous.keys() == configured.keys() == {"SweeperFunction"}
    others = ("AWS::Events::Rule", "AWS::S3::Bucket", "AWS::SNS::Subscription")
    assert "lambda" not in str([of_type(resources, kind) for kind in others])
    for function, config in configured.items():
        queue = config["DestinationConfig"]["OnFailure"]["Destination"]["Fn::GetAtt"][0]
        assert config["Qualifier"] == "live"
        assert asynchronous[function]["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0] == queue
        assert resources[queue]["Properties"]["SqsManagedSseEnabled"] is True


# -- routes --------------------------------------------------------------------------------------


def test_every_route_is_throttled_and_none_more_than_players_need() -> None:
    (stage,) = of_type(IN_PROD, "AWS::ApiGatewayV2::Stage").values()
    default, own = stage["DefaultRouteSettings"], stage["RouteSettings"]
    routes = template.load().routes
    assert own.keys() <= routes.keys()
    assert default["ThrottlingRateLimit"] > 0
    for route, settings in own.items():
        assert 0 < settings["ThrottlingRateLimit"] <= default["ThrottlingRateLimit"], route
        assert settings["ThrottlingRateLimit"] <= settings["ThrottlingBurstLimit"], route
    # A running game stands on these, and what is no action of ours is the cheapest to refuse; the others can wait.
    assert routes.keys() - own.keys() == {"$connect", "$disconnect", "$default", "guess", "here", "ping"}
    # One message fills a lobby and starts its tournament.
    assert own["startGroup"]["ThrottlingRateLimit"] <= own["join"]["ThrottlingRateLimit"] / 4
