"""The stages as samconfig.toml deploys them, and what a template says when all its conditions are decided."""

from __future__ import annotations

import tomllib
from typing import Any

from infra.local import template

Json = dict[str, Any]


def _config() -> Json:
    return tomllib.loads((template.ROOT / "samconfig.toml").read_text())


def deploy_settings(environment: str) -> Json:
    """Return the settings that `sam deploy --config-env ENVIRONMENT` reads."""
    settings: Json = _config()[environment]["deploy"]["parameters"]
    return settings


def pairs(text: str) -> dict[str, str]:
    """`A=1 B=2` as SAM reads it."""
    return dict(one.split("=", 1) for one in text.split())


DEV = pairs(deploy_settings("default")["parameter_overrides"])
PROD = pairs(deploy_settings("prod")["parameter_overrides"])
OWN = {
    "AlarmEmail": "night@example.com",
    "DomainName": "play.example.com",
    "CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/11111111-2222-3333-4444-555555555555",
    "HostedZoneId": "Z0123456789ABCDEFGHIJ",
    "ColdStarts": "SnapStart",
}
"""The most that an operator can add."""


def of_type(resources: Json, kind: str) -> Json:
    """The properties of all resources of a type, by logical id."""
    return {key: one.get("Properties", {}) for key, one in resources.items() if one["Type"] == kind}
