"""Metrics for operators, in CloudWatch's embedded format: one log line for each call of a handler.

Names are stable: the dashboard, the alarms and the runbook use them. The line has the ids that all lines of its
invocation have (`log`), so it also says what the message or task has done.
"""

import json
import threading
from enum import StrEnum
from time import perf_counter

from aws_lambda_powertools import Metrics, single_metric
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.metrics.functions import is_metrics_disabled

from . import log


class Metric(StrEnum):
    """The name of a metric."""

    TOURNAMENTS_RUNNING = "TournamentsRunning"
    """No count, but the number that the sweeper finds each minute."""
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
    CLOCK_NOT_TOLD = "ClockNotTold"
    """Calls to Step Functions that were lost: heartbeats of guesses, ends of duels."""
    RESCUED = "Rescued"
    SWEPT = "Swept"
    """By `kind`, the sweeper's repairs: `rescued`, `forfeited`, `silent` or `merged`."""
    SWEEP_FAILED = "SweepFailed"
    REFUSED = "Refused"
    """Refusals by `code`: `internal` is our fault, `turn_over` counts the late guesses."""
    ROUTE_ERRORS = "RouteErrors"
    """By `route` (or task), 1 if it raised or answered with `internal`, else 0: the average is the share that fails."""
    ROUTE_DURATION = "RouteDuration"
    """By `route` (or task), milliseconds from the start of the handler to its answer."""


class Timer:
    """Times a route or task from now until `stop`. It counts as failed unless `failed` is set to False."""

    def __init__(self, route: str) -> None:
        self.failed = True
        self._route = route
        self._started = perf_counter()

    def stop(self) -> None:
        """Count the time and the result, by route."""
        if not is_metrics_disabled():
            milliseconds = round((perf_counter() - self._started) * 1000, 1)
            _routes.append((self._route, milliseconds, self.failed))


_metrics = Metrics()
_lock = threading.Lock()
_routes: list[tuple[str, float, bool]] = []
"""Route, milliseconds and failure of what was timed since the last flush."""


def count(metric: Metric, value: float = 1) -> None:
    """Count once for this invocation, or add `value`."""
    if is_metrics_disabled():  # Powertools would only hold them back, up to a hundred
        return
    unit = MetricUnit.Seconds if metric is Metric.LOBBY_FILL_SECONDS else MetricUnit.Count
    with _lock:  # a call in the background may count too
        _metrics.add_metric(metric, unit, value)


def count_refusal(code: str) -> None:
    """Count a message that was refused with this code."""
    _count_by(Metric.REFUSED, 1, "code", code)


def count_swept(kind: str, number: int) -> None:
    """Count repairs of the sweeper by kind. Zero is not counted."""
    if number:
        _count_by(Metric.SWEPT, number, "kind", kind)


def flush() -> None:
    """Write what this invocation has counted, as one line: metrics of the stage, and of the route.

    Nothing is kept for the next invocation, even if this fails.
    """
    try:
        if not is_metrics_disabled():
            _write()
    finally:
        _metrics.clear_metrics()
        _routes.clear()


def _write() -> None:
    ids, service = log.ids(), _metrics.service
    lines = [_metrics.serialize_metric_set(metadata=ids)] if _metrics.metric_set else []
    for route, milliseconds, failed in _routes:
        counted = {
            Metric.ROUTE_ERRORS.value: {"Unit": MetricUnit.Count.value, "Value": [float(failed)]},
            Metric.ROUTE_DURATION.value: {"Unit": MetricUnit.Milliseconds.value, "Value": [milliseconds]},
        }
        dimensions = {"route": route, "service": service}
        lines.append(_metrics.serialize_metric_set(metrics=counted, dimensions=dimensions, metadata=ids))
    if lines:
        # The format has a list of directives in a line, each with dimensions of its own; Powertools writes but one.
        directives = [directive for line in lines for directive in line["_aws"]["CloudWatchMetrics"]]
        fields = {name: value for line in lines for name, value in line.items()}
        fields["_aws"] = {**lines[0]["_aws"], "CloudWatchMetrics": directives}
        print(json.dumps(fields))  # noqa: T201


def _count_by(metric: Metric, value: float, dimension: str, kind: str) -> None:
    if is_metrics_disabled():
        return
    with single_metric(metric, MetricUnit.Count, value) as single:
        single.add_dimension(dimension, kind)
        for name, known in log.ids().items():
            single.add_metadata(name, known)
