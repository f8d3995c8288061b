"""infra/deploy-role.yaml against template.yaml: whoever deploys may make all that is in it, and nothing else.

CloudFormation's needs for a resource are listed by its type's handlers (`handlers` in AWS's resource schemas, which
cfn-lint brings along). No emulator enforces it. So a type or a permission that is new fails here, not in an account.
"""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import cfnlint  # type: ignore[import-untyped]
import pytest
import yaml
from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER  # type: ignore[import-untyped]
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from infra.local import template
from infra.local.aws import ACCOUNT_ID, REGION
from tests.template.stages import DEV, OWN, PROD, deploy_settings, of_type

PATH = template.ROOT / "infra" / "deploy-role.yaml"
SOURCE: dict[str, Any] = yaml_parse(PATH.read_text())
OURS: dict[str, Any] = SOURCE["Resources"]
LONGEST_NAME = "x" * SOURCE["Parameters"]["StackName"]["MaxLength"]
BOUNDARY = f"arn:aws:iam::{ACCOUNT_ID}:policy/deploy/Boundary"
STAGES = [
    template.deployed(parameters) | template.nested("Monitoring", parameters)
    for parameters in (
        {**PROD, **OWN, "Tracing": "Active", "PermissionsBoundary": BOUNDARY},
        {**PROD, **OWN, "ColdStarts": "Provisioned", "Rollout": "AllAtOnce", "SyntheticUrl": "wss://play.example.com"},
        DEV,
    )
]
KINDS = sorted({resource["Type"] for stage in STAGES for resource in stage.values()})

NOT_FOR_US = {
    "dynamodb:*KinesisStreamingDestination": ["KinesisStreamSpecification"],
    "kinesis:*": ["KinesisStreamSpecification"],
    "dynamodb:*Import*": ["ImportSourceSpecification"],
    "s3:GetObjectMetadata": ["ImportSourceSpecification"],
    "s3:ListBucket": ["ImportSourceSpecification"],
    "logs:CreateLogStream": ["ImportSourceSpecification"],
    "logs:DescribeLogStreams": ["ImportSourceSpecification"],
    "logs:PutLogEvents": ["ImportSourceSpecification"],
    "dynamodb:*Replica": ["ReplicaSpecification", "Replicas"],
    "dynamodb:*Item": ["ReplicaSpecification", "Replicas"],
    "dynamodb:Scan": ["ReplicaSpecification", "Replicas"],
    "dynamodb:Query": ["ReplicaSpecification", "Replicas"],
    "dynamodb:*teResourcePolicy": ["ResourcePolicy"],
    "dynamodb:PutResourcePolicy": ["ResourcePolicy"],
    "kms:*": ["KmsKeyArn", "KmsKeyId", "KmsMasterKeyId", "SSESpecification", "EncryptionConfiguration"],
    "logs:*ociateKmsKey": ["KmsKeyId"],
    "ec2:*": ["VpcConfig"],
    "elasticfilesystem:*": ["FileSystemConfigs"],
    "s3files:*": ["FileSystemConfigs"],
    "lambda:GetCodeSigningConfig": ["CodeSigningConfigArn"],
    "lambda:*FunctionCodeSigningConfig": ["CodeSigningConfigArn"],
    "lambda:PassCapacityProvider": ["CapacityProviderConfig"],
    "logs:CreateLogDelivery": ["DataProtectionPolicy"],
    "s3:REST.PUT.OBJECT": ["DataProtectionPolicy"],
    "firehose:*": ["DataProtectionPolicy"],
    "logs:*ResourcePolicy": ["ResourcePolicyDocument"],
    "codedeploy:RegisterOnPremisesInstance": ["OnPremisesInstanceTagFilters", "OnPremisesTagSet"],
    "cloudformation:SetStackPolicy": ["StackPolicyBody", "StackPolicyURL"],
    "cloudformation:UpdateTerminationProtection": ["EnableTerminationProtection"],
    "iam:*GroupPolicy": ["Groups"],
    "iam:*UserPolicy": ["Users"],
    # The boundary stays.
    "iam:DeleteRolePermissionsBoundary": [],
    # IAM knows no such actions (Service Authorization Reference): tags are set by POST and PUT.
    "apigateway:TagResource": [],
    "apigateway:UntagResource": [],
    "lambda:AssociateRuntimeAlias": [],
}
"""Actions of handlers that we do not need, with the properties that would need them. No resource here has those."""

FOR_A_NESTED_STACK = ["cloudformation:CreateChangeSet", "cloudformation:TagResource", "cloudformation:UntagResource"]
"""No type's handlers name these: the right to a template's transform, and to the stack's tags on a nested stack."""

NAMELESS = {
    "apigateway:GET",
    "apigateway:POST",
    "apigateway:PUT",
    "apigateway:PATCH",
    "apigateway:DELETE",
    "cloudwatch:DescribeAlarms",
    "codedeploy:GetDeploymentConfig",
    "codedeploy:StopDeployment",
    "logs:DescribeIndexPolicies",
    "logs:DescribeLogGroups",
    "logs:DescribeResourcePolicies",
    "route53:GetChange",
    "route53:ListHostedZones",
    "sns:GetSubscriptionAttributes",
    "sns:SetSubscriptionAttributes",
    "sns:Unsubscribe",
}
"""Actions on things whose ARN does not tell the stack (Service Authorization Reference)."""

BROUGHT_ALONG = {
    # It may make log groups as well; ours are there.
    "service-role/AWSLambdaBasicExecutionRole": {"logs:CreateLogStream", "logs:PutLogEvents"},
    # It may publish to topics and call hooks as well; we have none for it.
    "service-role/AWSCodeDeployRoleForLambda": {
        "cloudwatch:DescribeAlarms",
        "lambda:GetAlias",
        "lambda:GetProvisionedConcurrencyConfig",
        "lambda:UpdateAlias",
        "s3:GetObject",
        "s3:GetObjectVersion",
    },
    "AWSXrayWriteOnlyAccess": {
        "xray:PutTraceSegments",
        "xray:PutTelemetryRecords",
        "xray:GetSamplingRules",
        "xray:GetSamplingTargets",
        "xray:GetSamplingStatisticSummaries",
    },
}
"""The used actions of AWS's own policies (AWS managed policy reference)."""


def resolved(value: Any, stack: str = template.STACK_NAME) -> Any:
    """`value` with every name in an Fn::Sub replaced."""
    known = {
        "AWS::Partition": "aws",
        "AWS::Region": REGION,
        "AWS::AccountId": ACCOUNT_ID,
        "StackName": stack,
        "DomainName": OWN["DomainName"],
        "HostedZoneId": OWN["HostedZoneId"],
    }
    if isinstance(value, list):
        return [resolved(one, stack) for one in value]
    if isinstance(value, dict):
        if value.keys() == {"Fn::Sub"}:
            return re.sub(r"\$\{([\w:]+)\}", lambda name: known[name[1]], value["Fn::Sub"])
        return {key: resolved(one, stack) for key, one in value.items()}
    return value


def many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def actions_of(policies: Iterable[dict[str, Any]]) -> set[str]:
    return {action for policy in policies for statement in policy["Statement"] for action in many(statement["Action"])}


def policies_of(role: str) -> dict[str, Any]:
    """All policies of one of our roles, also those that go by a condition, by name."""
    own = {one["PolicyName"]: one["PolicyDocument"] for one in OURS[role]["Properties"]["Policies"]}
    added = {
        one["PolicyName"]: one["PolicyDocument"]
        for one in of_type(OURS, "AWS::IAM::RolePolicy").values()
        if one["RoleName"] == {"Ref": role}
    }
    return own | added


STATEMENTS = [one for policy in policies_of("StackRole").values() for one in policy["Statement"]]
GRANTED = {action for statement in STATEMENTS for action in statement["Action"]}
WITHIN = OURS["Boundary"]["Properties"]["PolicyDocument"]["Statement"]


def needed(kind: str) -> set[str]:
    """Every action that CloudFormation may need to make, read, change, delete and tag a resource of a type."""
    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema(region=REGION, resource_type=kind).schema
    handlers = {action for name, one in schema["handlers"].items() if name != "list" for action in one["permissions"]}
    tagging: set[str] = set(schema.get("tagging", {}).get("permissions", []))
    return handlers | tagging


def is_not_for_us(action: str) -> bool:
    return any(fnmatch.fnmatchcase(action, pattern) for pattern in NOT_FOR_US)


def test_cfn_lint_has_nothing_to_say() -> None:
    """It knows IAM's actions, and refuses one that there is not."""
    assert [str(match) for match in cfnlint.lint_file(PATH)] == []


# -- enough --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_cloudformation_may_do_what_a_resource_of_ours_needs(kind: str) -> None:
    granted = {action.lower() for action in GRANTED}
    missing = {action for action in needed(kind) if action.lower() not in granted and not is_not_for_us(action)}
    assert missing == set(), f"infra/deploy-role.yaml: StackRole lacks {sorted(missing)} for {kind}"


def test_what_is_not_for_us_is_really_not_there() -> None:
    def properties(value: Any) -> Iterator[str]:
        if isinstance(value, list):
            for one in value:
                yield from properties(one)
        elif isinstance(value, dict):
            for key, one in value.items():
                yield key
                yield from properties(one)

    used = {name for stage in STAGES for resource in stage.values() for name in properties(resource["Properties"])}
    assert not used & {name for names in NOT_FOR_US.values() for name in names}
    every = set().union(*map(needed, KINDS))
    assert not [pattern for pattern in NOT_FOR_US if not fnmatch.filter(every, pattern)]


def test_no_right_is_there_that_no_handler_names() -> None:
    every = {action.lower() for kind in KINDS for action in needed(kind)}
    assert [action for action in sorted(GRANTED) if action.lower() not in every] == FOR_A_NESTED_STACK


def test_the_boundary_allows_what_functions_and_machines_need() -> None:
    loaded = template.load(PROD)
    allowed = resolved(WITHIN)

    def within(action: str, resource: str) -> bool:
        # The method is in the ARN.
        action = "execute-api:ManageConnections" if action.startswith("execute-api:") else action
        return any(
            action in statement["Action"]
            and any(fnmatch.fnmatchcase(resource, pattern) for pattern in many(statement["Resource"]))
            for statement in allowed
        )

    functions = [statement for one in loaded.functions.values() for statement in one.permissions]
    machines = [statement for one in loaded.machines.values() for statement in one.permissions]
    for statement in functions + machines:
        for grant in statement.grants():
            ((action,), (resource,)) = (grant.actions, grant.resources)
            assert within(action, resource), f"{action} on {resource}"


def test_the_boundary_is_what_all_roles_of_the_stage_have_together() -> None:
    used: set[str] = set()
    for role in of_type(STAGES[0], "AWS::IAM::Role").values():
        used |= actions_of(one["PolicyDocument"] for one in role.get("Policies", []))
        for arn in resolved(role.get("ManagedPolicyArns", [])):
            used |= set() if "Ref" in arn else BROUGHT_ALONG[arn.partition(":policy/")[2]]
    used |= actions_of(one["PolicyDocument"] for one in of_type(STAGES[0], "AWS::IAM::ManagedPolicy").values())
    assert used == {action for statement in WITHIN for action in statement["Action"]}


def test_the_policies_fit_into_iams_limits() -> None:
    """10,240 characters without white space in all of a role's own policies, 6,144 in a managed one (IAM quotas)."""

    def size(value: Any) -> int:
        return len(json.dumps(resolved(value, LONGEST_NAME), separators=(",", ":")))

    for role in ("DeployRole", "StackRole"):
        assert sum(map(size, policies_of(role).values())) < 10_240, role
    assert size(OURS["Boundary"]["Properties"]["PolicyDocument"]) < 6_144


def test_a_name_that_goes_by_the_stack_is_never_cut() -> None:
    """CloudFormation's names are stack, logical id and twelve characters; IAM and Lambda take 64."""
    for stage in STAGES:
        for kind in ("AWS::IAM::Role", "AWS::Lambda::Function"):
            for name in of_type(stage, kind):
                assert len(f"{LONGEST_NAME}-{name}-{12 * 'x'}") <= 64, name
    for environment in ("default", "prod"):
        assert re.fullmatch(
            SOURCE["Parameters"]["StackName"]["AllowedPattern"], deploy_settings(environment)["stack_name"]
        )
        assert len(deploy_settings(environment)["stack_name"]) <= len(LONGEST_NAME)


# -- and no more ---------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(len(STATEMENTS)))
def test_cloudformation_is_confined_to_the_stack(number: int) -> None:
    statement = STATEMENTS[number]
    assert not any("*" in action for action in statement["Action"])
    if not set(statement["Action"]) <= NAMELESS:
        marks = (
            LONGEST_NAME,
            OWN["DomainName"],
            OWN["HostedZoneId"],
            "/aws-service-role/ops.apigateway.amazonaws.com/",
            ":aws:transform/LanguageExtensions",
        )
        for resource in many(resolved(statement["Resource"], LONGEST_NAME)):
            assert any(mark in resource for mark in marks), resource


def test_no_role_is_made_without_the_boundary() -> None:
    """A role that could make a role without it, or take it away, could do everything."""
    making = {"iam:CreateRole", "iam:PutRolePolicy", "iam:AttachRolePolicy", "iam:PutRolePermissionsBoundary"}
    for statement in STATEMENTS:
        if set(statement["Action"]) & making:
            assert statement["Condition"] == {"StringEquals": {"iam:PermissionsBoundary": {"Ref": "Boundary"}}}
    assert all("PermissionsBoundary" in role for role in of_type(STAGES[0], "AWS::IAM::Role").values())
    assert not any("PermissionsBoundary" in role for role in of_type(STAGES[2], "AWS::IAM::Role").values())


def test_roles_are_passed_only_to_the_services_that_the_stage_uses() -> None:
    (passing,) = [one for one in STATEMENTS if "iam:PassRole" in one["Action"]]
    trusted = {
        service
        for stage in STAGES
        for role in of_type(stage, "AWS::IAM::Role").values()
        for statement in role["AssumeRolePolicyDocument"]["Statement"]
        for service in many(statement["Principal"]["Service"])
    }
    assert set(passing["Condition"]["StringEquals"]["iam:PassedToService"]) == trusted
    assert passing["Action"] == ["iam:PassRole"]


def test_what_deploys_is_out_of_its_own_reach() -> None:
    """StackRole may change roles and policies named for the stack, and these must not be among them."""
    for name in ("DeployRole", "StackRole", "Boundary"):
        properties = OURS[name]["Properties"]
        assert properties["Path"] == "/deploy/"
        assert not {"RoleName", "ManagedPolicyName"} & properties.keys()
    for statement in STATEMENTS:
        for resource in many(resolved(statement["Resource"])):
            if resource.startswith("arn:aws:iam:"):
                for kind in ("role", "policy"):
                    mine = f"arn:aws:iam::{ACCOUNT_ID}:{kind}/deploy/{template.STACK_NAME}-roles-StackRole-x"
                    assert not fnmatch.fnmatchcase(mine, resource), resource


def test_only_one_workflow_becomes_the_deploying_role() -> None:
    (trust,) = OURS["DeployRole"]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Condition"] == {
        "StringEquals": {
            "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
            "token.actions.githubusercontent.com:sub": {"Ref": "Subject"},
        }
    }
    pattern = SOURCE["Parameters"]["Subject"]["AllowedPattern"]
    assert re.fullmatch(pattern, "repo:octo@12/game@345:environment:prod")
    assert not re.fullmatch(pattern, "repo:octo/*:environment:prod")
    assert not re.fullmatch(pattern, "repo:octo/game:ref:refs/heads/main")


def test_the_deploying_role_reaches_aws_only_through_cloudformation() -> None:
    for statement in [one for policy in policies_of("DeployRole").values() for one in policy["Statement"]]:
        services = {action.partition(":")[0] for action in statement["Action"]}
        assert services <= {"cloudformation", "s3", "iam"}
        if "iam" in services:
            assert statement["Action"] == ["iam:PassRole"]
            assert statement["Resource"] == {"Fn::GetAtt": ["StackRole", "Arn"]}


# -- and it is used ------------------------------------------------------------------------------


@pytest.mark.parametrize("environment", ["default", "prod"])
def test_a_stage_uploads_into_a_folder_of_its_own(environment: str) -> None:
    """It is named for the stack, as the roles have it; one stage must not be able to slip code to another."""
    settings = deploy_settings(environment)
    assert settings["resolve_s3"] is True
    assert settings["s3_prefix"] == settings["stack_name"]


def test_the_workflow_hands_the_stacks_role_over() -> None:
    workflow = yaml.safe_load((template.ROOT / ".github" / "workflows" / "ci.yml").read_text())
    action = yaml.safe_load((template.ROOT / ".github" / "actions" / "deploy" / "action.yml").read_text())
    assert action["inputs"]["role"]["default"] == ""
    assert "${ROLE:+--role-arn" in action["runs"]["steps"][-1]["run"]
    for job in ("dev", "prod"):
        steps = workflow["jobs"][job]["steps"]
        (deploy,) = [one["with"] for one in steps if one.get("uses") == "./.github/actions/deploy"]
        assert deploy["role"] == "${{ vars.AWS_STACK_ROLE }}"
        (sign_in,) = [one["with"] for one in steps if "configure-aws-credentials" in one.get("uses", "")]
        assert sign_in["role-to-assume"] == "${{ vars.AWS_DEPLOY_ROLE }}"
        assert workflow["jobs"][job]["environment"] == job
