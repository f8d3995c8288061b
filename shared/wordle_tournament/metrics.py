"""What an operator watches this game by: counted in CloudWatch's embedded format, one log line a handler.

Names are stable: the dashboard, the alarms and the runbook use them.
"""

from enum import StrEnum

from aws_lambda_powertools import Metrics, single_metric
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.metrics.functions import is_metrics_disabled


class Metric(StrEnum):
    """A metric, with what it counts."""

    TOURNAMENT_STARTED = "TournamentStarted"
    TOURNAMENT_FINISHED = "TournamentFinished"
    LOBBY_FILL_SECONDS = "LobbyFillSeconds"
    GUESS_ACCEPTED = "GuessAccepted"
    TURN_SKIPPED = "TurnSkipped"
    DISCONNECTED = "Disconnected"
    RETURNED = "Returned"
    FORFEITED = "Forfeited"
    PUSH_GONE = "PushGone"
    WRITE_CONFLICT = "WriteConflict"
    RESCUED = "Rescued"
    SWEEP_FAILED = "SweepFailed"
    REFUSED = "Refused"
    """By `code`; `internal` is our fault, `turn_over` counts the late guesses."""


_metrics = Metrics()


def count(metric: Metric, value: float = 1) -> None:
    """Count once for this invocation, or add `value`."""
    if is_metrics_disabled():  # Powertools would only hold them back, up to a hundred
        return
    unit = MetricUnit.Seconds if metric is Metric.LOBBY_FILL_SECONDS else MetricUnit.Count
    _metrics.add_metric(metric, unit, value)


def count_refusal(code: str) -> None:
    """A message was refused with that code."""
    if is_metrics_disabled():
        return
    with single_metric(Metric.REFUSED, MetricUnit.Count, 1) as metric:
        metric.add_dimension("code", code)


def flush() -> None:
    """Write what this invocation has counted."""
    if _metrics.metric_set:
        _metrics.flush_metrics()
