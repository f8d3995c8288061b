"""The page's hosting: a stack of its own, with the headers that the page has locally."""

from typing import Any

import pytest
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from infra.local import template
from infra.local.stack import PAGE_HEADERS
from tools.page import WEB

PAGE = yaml_parse((template.ROOT / "infra" / "page.yaml").read_text())
RESOURCES = PAGE["Resources"]
HEADERS = RESOURCES["Headers"]["Properties"]["ResponseHeadersPolicyConfig"]["SecurityHeadersConfig"]


def test_the_page_has_the_security_headers_that_it_has_locally() -> None:
    policy: Any = HEADERS["ContentSecurityPolicy"]["ContentSecurityPolicy"]
    text = policy["Fn::Sub"] if isinstance(policy, dict) else policy
    assert PAGE_HEADERS["Content-Security-Policy"] in text
    assert HEADERS["ContentTypeOptions"] == {"Override": True}
    assert PAGE_HEADERS["X-Content-Type-Options"] == "nosniff"


def test_nobody_but_the_distribution_reads_the_bucket() -> None:
    blocked = RESOURCES["Files"]["Properties"]["PublicAccessBlockConfiguration"]
    assert all(blocked.values())
    allow, deny = RESOURCES["FilesPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    assert allow["Principal"] == {"Service": "cloudfront.amazonaws.com"}
    assert allow["Action"] == "s3:GetObject"
    assert "AWS:SourceArn" in allow["Condition"]["StringEquals"]
    assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


@pytest.mark.parametrize("part", ["Files", "Distribution"])
def test_the_games_own_template_knows_nothing_of_the_page(part: str) -> None:
    kind = RESOURCES[part]["Type"]
    game = yaml_parse((template.ROOT / "template.yaml").read_text())
    assert kind not in {each["Type"] for each in game["Resources"].values()}


def test_the_document_lets_itself_be_told_where_the_game_is() -> None:
    assert '<meta name="server" content="">' in (WEB / "index.html").read_text(encoding="utf-8")
