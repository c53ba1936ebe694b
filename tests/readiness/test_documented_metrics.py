"""Every metric that docs/operations.md names exists from the start, so that alerts on it need no first event."""

import re
from pathlib import Path

import pytest
from prometheus_client import REGISTRY, generate_latest

import governance.tasks  # noqa: F401 (defines metrics)
import memory.tasks  # noqa: F401 (defines metrics)
import memory_project.web.refusals  # noqa: F401 (defines metrics)

pytestmark = pytest.mark.pure

ROOT = Path(__file__).resolve().parents[2]
#: `suture_owner` and the like are roles of the database.
METRIC = re.compile(r"`(suture_(?:\w+_total|ledger_\w+|sealed_\w+|embedding_\w+|checkpoints?_\w+))`")
#: The supervisor's own process has it (memory_project/stack/restarts.py), the second one depends on the witnesses.
ELSEWHERE = {"suture_restarts_total", "suture_witness_failures_total"}


def test_documented_metrics_are_zero_from_the_start():
    named = set(METRIC.findall((ROOT / "docs/operations.md").read_text())) - ELSEWHERE
    shown = {re.split(r"[{ ]", line)[0] for line in generate_latest(REGISTRY).decode().splitlines()}

    assert len(named) > 8
    assert named - shown == set()


@pytest.mark.parametrize("limit", ["key", "address", "wrong-keys", "logins", "turns"])
def test_refusals_of_each_limit_are_counted_from_the_start(limit):
    assert REGISTRY.get_sample_value("suture_requests_refused_total", {"limit": limit}) is not None
