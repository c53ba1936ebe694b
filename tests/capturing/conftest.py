"""What must hold after every scenario of captured memory."""

from collections.abc import Iterator
from typing import Any

import pytest

from governance.ledger.verification import verify
from memory.calls import effective_drift


@pytest.fixture(autouse=True)
def nothing_drifts(request: pytest.FixtureRequest) -> Iterator[None]:
    """After each committing test, the projections are what the record makes, and the ledger verifies."""
    marker = request.node.get_closest_marker("django_db")
    if marker is None or not marker.kwargs.get("transaction") or "world" not in request.fixturenames:
        yield
        return
    world: Any = request.getfixturevalue("world")
    yield
    with world.inside("owner"):
        assert effective_drift.on("owner")(tenant=world.tenant_id) == []
    report = verify(world.tenant_id)
    assert report.ok, report.findings
