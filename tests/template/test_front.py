"""The front: an option that limits handshakes by address, and cannot be gone around."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from infra.local import template
from infra.local.stack import LocalStack
from tests.template.stages import DEV, PROD
from wordle_tournament.entry import FRONT_HEADER

FRONT = yaml_parse((template.ROOT / "infra" / "front.yaml").read_text())
SECRET = "s3cret-of-the-front-0123456789abcdef"


def hash_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def refusal(stack: LocalStack, headers: dict[str, str] | None = None) -> int | None:
    """Return the status with which a handshake is refused; None if it is not."""
    try:
        with connect(stack.ws_url, additional_headers=headers):
            return None
    except InvalidStatus as error:
        return error.response.status_code


def test_a_stage_with_a_front_refuses_every_connection_without_its_secret() -> None:
    with LocalStack({"FrontSecretHashes": hash_of(SECRET)}) as stack:
        assert refusal(stack) == 403
        assert refusal(stack, {FRONT_HEADER: "another"}) == 403
        assert refusal(stack, {FRONT_HEADER: hash_of(SECRET)}) == 403, "the hash is no secret"
        assert refusal(stack, {FRONT_HEADER: SECRET}) is None
        assert refusal(stack, {"X-FRONT-SECRET": SECRET}) is None


def test_while_the_secret_changes_both_are_taken() -> None:
    with LocalStack({"FrontSecretHashes": f"{hash_of('old')},{hash_of(SECRET)}"}) as stack:
        assert [refusal(stack, {FRONT_HEADER: one}) for one in ("old", SECRET, "")] == [None, None, 403]


@pytest.mark.parametrize("stage", [DEV, PROD])
def test_without_a_front_everybody_may_connect(stage: dict[str, str]) -> None:
    assert "FrontSecretHashes" not in stage
    with LocalStack() as stack:
        assert refusal(stack) is None


def test_a_secret_is_refused_where_its_hash_belongs() -> None:
    with pytest.raises(template.TemplateError, match="FrontSecretHashes"):
        template.load({"FrontSecretHashes": SECRET})


def test_cloudfront_sends_what_connect_demands_and_shows_it_to_nobody() -> None:
    (origin,) = FRONT["Resources"]["Distribution"]["Properties"]["DistributionConfig"]["Origins"]
    (header,) = origin["OriginCustomHeaders"]
    assert header["HeaderName"].lower() == FRONT_HEADER
    assert header["HeaderValue"] == {"Ref": "Secret"}
    assert FRONT["Parameters"]["Secret"]["NoEcho"] is True
    assert "Secret}" not in str(FRONT["Outputs"])


def test_an_address_that_connects_too_often_is_blocked_and_nobody_else() -> None:
    acl: dict[str, Any] = FRONT["Resources"]["WebAcl"]["Properties"]
    assert (acl["Scope"], acl["DefaultAction"]) == ("CLOUDFRONT", {"Allow": {}})
    (rule,) = acl["Rules"]
    assert rule["Action"] == {"Block": {}}
    assert rule["Statement"]["RateBasedStatement"]["AggregateKeyType"] == "IP"
    config = FRONT["Resources"]["Distribution"]["Properties"]["DistributionConfig"]
    assert config["WebACLId"] == {"Fn::GetAtt": ["WebAcl", "Arn"]}
    assert "Logging" not in config, "addresses of players are not kept (docs/security.md, privacy)"
