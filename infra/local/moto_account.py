"""The account on moto instead of our emulators, made whole under threads. Loading it loads moto, some 80 MB."""

from __future__ import annotations

import contextlib
import copy
import functools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock
from urllib.parse import urlsplit

import boto3
import moto.dynamodb.models
from botocore.awsrequest import AWSPreparedRequest
from moto import mock_aws
from moto.core.models import botocore_stubber

from infra.local.moto_patches import moto_patches


@contextlib.contextmanager
def on_moto(region: str, account_id: str) -> Iterator[MotoAccount]:
    """Have moto answer DynamoDB and Step Functions while the context is open, in an empty account."""
    account = MotoAccount(region, account_id)
    with (
        account.one_request_at_a_time(),
        _one_new_client_at_a_time(),
        moto_patches(),
        mock_aws(
            config={
                "core": {
                    "mock_credentials": True,
                    "reset_boto3_session": True,
                    "service_whitelist": None,
                    "passthrough": {
                        "urls": [],
                        "services": ["awslambda", "lambda", "apigatewaymanagementapi"],
                    },
                },
                "stepfunctions": {"execute_state_machine": True},
            }
        ),
    ):
        try:
            yield account
        finally:
            account.end_executions()


def is_machine() -> bool:
    """Return True if this thread is one of moto's machines: it evaluates each task in one that runs this function."""
    return "_exec_and_notify" in threading.current_thread().name


class MotoAccount:
    """The tables and executions that moto holds."""

    def __init__(self, region: str, account_id: str) -> None:
        self._region = region
        self._account_id = account_id

    def items(self, table_name: str) -> list[dict[str, Any]]:
        """Return every item of the table as the wire has it."""
        return [item.to_json()["Attributes"] for item in self._tables()[table_name].all_items()]

    def save(self) -> Callable[[], None]:
        """Remember every item of every table. Return what makes the tables hold these items again."""
        saved = {name: copy.deepcopy(table.items) for name, table in self._tables().items()}

        def restore() -> None:
            for name, table in self._tables().items():
                table.items = copy.deepcopy(saved[name])

        return restore

    @contextlib.contextmanager
    def one_request_at_a_time(self) -> Iterator[None]:
        lock = threading.RLock()
        process_request = botocore_stubber.process_request

        @functools.wraps(process_request)
        def whole(request: AWSPreparedRequest) -> Any:
            # botocore asks every handler of before-send and takes the first answer: moto is kept from what is answered
            # by us, or it would do that work a second time, unseen.
            if _is_answered_by_us(request):
                return None
            with lock:
                response = process_request(request)
                if _target(request) == "AWSStepFunctions.StartExecution":
                    self._await_executions()
                return response

        with mock.patch.object(botocore_stubber, "process_request", whole):
            yield

    def end_executions(self) -> None:
        """Or their threads would go on, and call the functions of the next account."""
        states = boto3.client("stepfunctions")
        for execution in self._executions():
            if execution.status == "RUNNING":
                states.stop_execution(executionArn=execution.execution_arn)

    def _tables(self) -> dict[str, Any]:
        tables: dict[str, Any] = moto.dynamodb.models.dynamodb_backends[self._account_id][self._region].tables
        return tables

    def _executions(self) -> list[Any]:
        from moto.stepfunctions.parser.models import stepfunctions_parser_backends

        return list(stepfunctions_parser_backends[self._account_id][self._region]._get_executions())

    def _await_executions(self) -> None:
        """Until a new execution's thread has set itself up, moto fails on every task token there is."""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and any(one.exec_worker.env is None for one in self._executions()):
            time.sleep(0.001)


@contextlib.contextmanager
def _one_new_client_at_a_time() -> Iterator[None]:
    """Handlers and moto's machines make clients on boto3's default session, which supports one thread only.

    (boto3's guide, "Multithreading or multiprocessing with clients": sessions are not thread-safe.)
    """
    lock = threading.RLock()
    make_client = boto3.session.Session.client

    @functools.wraps(make_client)
    def client(*args: Any, **kwargs: Any) -> Any:
        with lock:
            return make_client(*args, **kwargs)

    with mock.patch.object(boto3.session.Session, "client", client):
        yield


def _is_answered_by_us(request: AWSPreparedRequest) -> bool:
    path = urlsplit(request.url).path
    return "/@connections/" in path or path.endswith("/invocations")


def _target(request: AWSPreparedRequest) -> str:
    value = request.headers.get("X-Amz-Target", "")
    return value.decode() if isinstance(value, bytes) else str(value)
