"""Some faults of `make faults`: a whole stack under load, of which a part is killed or loses what it has."""

import math

import pytest

from bench.faults import rounds

pytestmark = pytest.mark.stack

#: Nothing here is timed: `make faults` is, on a machine that does nothing else.
PACE = rounds.Pace(before=1.0, steady=1.0, longest=300.0, most_wrong=math.inf)


def test_nothing_acknowledged_is_lost_when_web_or_worker_is_killed_or_the_broker_forgets_all() -> None:
    found = rounds.run(["kill-web", "kill-worker", "flush-valkey"], PACE, print, verifies_each=False)
    assert {one.name: one.faults_found for one in found} == {"kill-web": [], "kill-worker": [], "flush-valkey": []}
    assert all(one.acknowledged for one in found)
