"""The environment of functions here, held to what Lambda documents."""

from __future__ import annotations

import logging
import os

from infra.local import template
from infra.local.backend import LocalBackend
from infra.local.stack import LocalStack
from wordle_tournament import log


def test_functions_find_what_lambda_sets_equally_for_all() -> None:
    with LocalBackend({"LogLevel": "WARN"}):
        found = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    assert found["AWS_LAMBDA_LOG_FORMAT"] == "JSON"
    assert found["AWS_LAMBDA_LOG_LEVEL"] == "INFO"
    assert found["AWS_EXECUTION_ENV"].startswith("AWS_Lambda_python3.13")  # Powertools adds itself
    assert found["AWS_REGION"] == "us-east-1"
    assert found["AWS_LAMBDA_FUNCTION_VERSION"] == "1"
    assert found["AWS_LAMBDA_INITIALIZATION_TYPE"] == "on-demand"
    assert found["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] == "512"
    assert "AWS_LAMBDA_FUNCTION_NAME" not in found


def test_each_function_knows_its_own_name() -> None:
    functions = template.load().functions.values()
    names = {function.set_by_lambda["AWS_LAMBDA_FUNCTION_NAME"] for function in functions}
    assert names == {function.name for function in functions}


def test_a_running_stack_keeps_to_its_log_level() -> None:
    before = log.logger.registered_handler.level
    with LocalStack({"LogLevel": "ERROR"}, handlers={}):
        assert log.logger.registered_handler.level == logging.ERROR
    assert log.logger.registered_handler.level == before
