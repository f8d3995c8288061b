"""The price of a tournament on AWS, from what was counted, at list prices."""

from __future__ import annotations

from tools.bench.prices import (
    CONNECTION_MINUTE,
    GB_SECOND,
    INVOCATION,
    LOG_BYTE,
    MESSAGE,
    READ_UNIT,
    TRANSITION,
    WRITE_UNIT,
)
from tools.bench.reference import MINUTES, Usage

INVOCATION_GB_SECONDS = 0.5 * 0.06
"""512 MB for 60 ms: an assumption, since nothing is timed here."""
PLATFORM_BYTES = 550
"""Lambda's own two lines for an invocation, `platform.start` and `platform.report`, as the Lambda guide prints them."""


def bill(used: Usage) -> float:
    """Return the price of that tournament in US dollars."""
    return sum(dollars for *_, dollars in items(used))


def items(used: Usage) -> list[tuple[str, str, float]]:
    """Return the lines of the bill: the service, what was used of it, and US dollars."""
    seconds = used.invocations * INVOCATION_GB_SECONDS
    minutes = 8 * MINUTES
    rows = [
        ("Step Functions", f"{used.transitions} state transitions (budget 92)", used.transitions * TRANSITION),
        (
            "DynamoDB",
            f"{used.read_units:.0f} read and {used.write_units:.0f} write units",
            used.read_units * READ_UNIT + used.write_units * WRITE_UNIT,
        ),
        (
            "Lambda",
            f"{used.invocations} invocations of 512 MB, 60 ms",
            used.invocations * INVOCATION + seconds * GB_SECOND,
        ),
        (
            "API Gateway",
            f"{used.messages_in} messages in ({used.pings} of them pings), {used.messages_out} out, "
            f"{minutes} connection minutes",
            (used.messages_in + used.messages_out) * MESSAGE + minutes * CONNECTION_MINUTE,
        ),
    ]
    platform_bytes = used.invocations * PLATFORM_BYTES
    rows.append(
        (
            "CloudWatch Logs",
            f"{platform_bytes / 1000:.0f} kB of platform.start and platform.report",
            platform_bytes * LOG_BYTE,
        )
    )
    return rows
