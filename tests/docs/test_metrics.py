"""A metric is counted by the code, shown to count by a test, and explained in the runbook (CONTRIBUTING.md)."""

import re
from pathlib import Path

import pytest

from wordle_tournament.metrics import Metric

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "shared" / "wordle_tournament"
ROWS = re.findall(r"^\| `(\w+)`", (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("metric", Metric)
def test_a_metric_is_counted_somewhere(metric: Metric) -> None:
    by_itself = {
        Metric.SWEPT: "count_swept(",
        Metric.REFUSED: "count_refusal(",
        Metric.ROUTE_ERRORS: "Timer(",
        Metric.ROUTE_DURATION: "Timer(",
    }
    call = by_itself.get(metric, f"Metric.{metric.name}")
    users = [path for path in PACKAGE.rglob("*.py") if path.name != "metrics.py" and call in path.read_text("utf-8")]
    assert users, f"nothing counts {metric}: call metrics.count in the use case under shared/wordle_tournament/play"


@pytest.mark.parametrize("metric", Metric)
def test_a_test_shows_what_a_metric_counts(metric: Metric) -> None:
    text = (ROOT / "tests" / "integration" / "routes" / "test_monitoring.py").read_text(encoding="utf-8")
    assert re.search(rf'"{metric}\b', text), f"tests/integration/routes/test_monitoring.py has no test of {metric}"


@pytest.mark.parametrize("metric", Metric)
def test_the_runbook_explains_a_metric(metric: Metric) -> None:
    assert ROWS.count(metric) == 1, f'the table "Metrics" in docs/runbook.md must have one row for {metric}'


def test_the_runbook_explains_no_metric_that_is_not_there() -> None:
    extra = set(ROWS) - {metric.value for metric in Metric}
    assert not extra, f"docs/runbook.md explains {sorted(extra)}, which shared/wordle_tournament/metrics.py lacks"
