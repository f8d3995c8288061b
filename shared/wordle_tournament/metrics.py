"""What an operator watches this game by: counted in CloudWatch's embedded format, one log line a handler.

Names are stable: the dashboard, the alarms and the runbook use them. The line bears the ids that all lines of its
invocation bear (`log`), so that it is also the line that says what the message or alarm has done.
"""

from enum import StrEnum

from aws_lambda_powertools import Metrics, single_metric
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.metrics.functions import is_metrics_disabled

from . import log


class Metric(StrEnum):
    """A metric, with what it counts."""

    TOURNAMENTS_RUNNING = "TournamentsRunning"
    """No count: how many there are, as the sweeper finds them each minute."""
    TOURNAMENT_STARTED = "TournamentStarted"
    TOURNAMENT_FINISHED = "TournamentFinished"
    LOBBY_FILL_SECONDS = "LobbyFillSeconds"
    LOBBY_MERGED = "LobbyMerged"
    GUESS_ACCEPTED = "GuessAccepted"
    TURN_SKIPPED = "TurnSkipped"
    DISCONNECTED = "Disconnected"
    RETURNED = "Returned"
    FORFEITED = "Forfeited"
    PUSH_GONE = "PushGone"
    PUSH_FAILED = "PushFailed"
    WRITE_CONFLICT = "WriteConflict"
    WRITE_GIVEN_UP = "WriteGivenUp"
    RESCUED = "Rescued"
    SWEPT = "Swept"
    """By `kind`, what the sweeper had to mend: `rescued`, `forfeited`, `silent` or `merged`."""
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
    _count_by(Metric.REFUSED, 1, "code", code)


def count_swept(kind: str, number: int) -> None:
    """The sweeper has mended so many things of that kind; none is not counted."""
    if number:
        _count_by(Metric.SWEPT, number, "kind", kind)


def flush() -> None:
    """Write what this invocation has counted."""
    if _metrics.metric_set:
        for name, value in log.ids().items():
            _metrics.add_metadata(name, value)
        _metrics.flush_metrics()


def _count_by(metric: Metric, value: float, dimension: str, kind: str) -> None:
    if is_metrics_disabled():
        return
    with single_metric(metric, MetricUnit.Count, value) as single:
        single.add_dimension(dimension, kind)
        for name, known in log.ids().items():
            single.add_metadata(name, known)
