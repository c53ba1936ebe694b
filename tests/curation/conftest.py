"""An agent that keeps its own memory, and what must hold after every scenario."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from governance.ledger.verification import verify
from memory.db import effective_drift
from tests.curation.agent import Agent
from tests.world import Api, World


@pytest.fixture
def agent(world: World) -> Agent:
    """alice, with the tools of her own memory."""
    return Agent(world.alice)


@pytest.fixture
def agent_of(world: World) -> Callable[[Api], Agent]:
    """`agent_of(api)` is another caller with the same tools."""
    return Agent


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
