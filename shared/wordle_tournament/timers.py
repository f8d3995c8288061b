"""The timers: executions of Step Functions, and the task tokens of duels that wait.

A timer is only an alarm; the stored deadlines are the truth. So a late or unknown token is no error, and a second
start of an execution is none either.
"""

from collections.abc import Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools import Logger

from . import aws, clock, parallel
from .config import settings
from .metrics import Metric, count

if TYPE_CHECKING:
    from botocore.exceptions import ClientError
    from mypy_boto3_stepfunctions import SFNClient

logger = Logger(child=True)


def make_clients() -> None:
    """Make the clients now and not with the first call."""
    _client()
    _heartbeat_client()


def start_tournament(tournament_id: str, rescue: str = "") -> None:
    """Start the tournament's timer: once for each tournament, and once more for each `rescue`.

    Raises botocore's ClientError if it could not be started.
    """
    _start(settings().tournament_machine_arn, tournament_id + rescue, {"tournament_id": tournament_id})


def start_reconnect(player_id: str, epoch: int) -> None:
    """Start the 60 s in which the player of this connection epoch may come back (R28). Raises ClientError."""
    # A second more, so that the window has surely passed by everybody's clock when it wakes.
    seconds = settings().reconnect_seconds + 1
    _start(
        settings().reconnect_machine_arn,
        f"{player_id}-{epoch}",
        {"player_id": player_id, "epoch": epoch, "seconds": seconds},
    )


LATEST_HEARTBEAT_MS = 500
"""A heartbeat is sent so long after the turn began at most."""


def turn_passed(task_token: str | None, began_ms: int) -> None:
    """Restart the turn timer of the duel that waits with this token, in the background: a turn began at that time.

    If the call is lost, one alarm comes early. It takes at most a second, and is not made if the turn began long ago
    because the write that began it was slow: a later heartbeat would move the alarm too far past the deadline.
    """
    if task_token is not None and clock.now_ms() - began_ms <= LATEST_HEARTBEAT_MS:
        _tell(_heartbeat_client(), "send_task_heartbeat", taskToken=task_token)


def duel_ended(task_token: str | None) -> None:
    """End the wait of the duel with this token, in the background. If the call is lost, the next alarm notices."""
    if task_token is not None:
        _tell(_client(), "send_task_success", taskToken=task_token, output="{}")


def alarm_not_set(task_token: str) -> None:
    """Fail the wait of the task with this token, so that its machine sets the duel's alarm anew. Raises ClientError.

    It is not in the background: if it were lost, the next alarm could come a whole turn too late.
    """
    from botocore.exceptions import ClientError

    try:
        _client().send_task_failure(taskToken=task_token, error="AlarmNotSet")
    except ClientError as error:
        if not _waits_no_more(error):
            raise


def _start(machine_arn: str, name: str, execution_input: dict[str, Any]) -> None:
    import json

    client = _client()
    try:
        client.start_execution(stateMachineArn=machine_arn, name=name, input=json.dumps(execution_input))
    except client.exceptions.ExecutionAlreadyExists:
        logger.debug("already started", execution=name)


def _tell(client: "SFNClient", operation: str, **arguments: str) -> None:
    parallel.in_background(partial(_call, client, operation, arguments))


def _call(client: "SFNClient", operation: str, arguments: Mapping[str, str]) -> None:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        getattr(client, operation)(**arguments)
    except ClientError as error:
        if not _waits_no_more(error):
            _lost(operation, error.response["Error"]["Code"])
    except BotoCoreError as error:
        _lost(operation, type(error).__name__)


def _waits_no_more(error: "ClientError") -> bool:
    """Return True if the task of the call has ended before it, which is no error."""
    code = error.response["Error"]["Code"]
    if code not in ("TaskTimedOut", "TaskDoesNotExist", "InvalidToken"):
        return False
    logger.debug("the task does not wait any more", code=code)
    return True


def _lost(operation: str, code: str) -> None:
    logger.warning("the clock was not told", operation=operation, code=code)
    count(Metric.CLOCK_NOT_TOLD)


@cache
def _client() -> "SFNClient":
    client: SFNClient = aws.make_client(
        "stepfunctions",
        connect_timeout=1,
        read_timeout=3,
        retries={"mode": "standard", "total_max_attempts": 3},
    )
    return client


@cache
def _heartbeat_client() -> "SFNClient":
    """Return a client whose calls end within a second: half of it to connect, half to answer, and no retry."""
    client: SFNClient = aws.make_client(
        "stepfunctions",
        connect_timeout=0.5,
        read_timeout=0.5,
        retries={"mode": "standard", "total_max_attempts": 1},
    )
    return client


def reset() -> None:
    """Forget the clients. Tests use it when they change the account."""
    _client.cache_clear()
    _heartbeat_client.cache_clear()
