"""What holds for all tests."""

from __future__ import annotations

import logging
import sys
from typing import TextIO, cast

import pytest
from hypothesis import HealthCheck, settings

# Properties are held by what they find, never by how fast the machine is.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


class _CurrentStdout:
    """Standard output as it is now: pytest puts another in its place for every test, and closes it afterwards."""

    def write(self, text: str) -> int:
        return sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()


@pytest.fixture(autouse=True, scope="session")
def _functions_log_to_the_current_stdout() -> None:
    # A function has one standard output for life, which the logger takes when it is made.
    from wordle_tournament.entry import logger

    handler = cast("logging.StreamHandler[TextIO]", logger.registered_handler)
    handler.setStream(cast(TextIO, _CurrentStdout()))
