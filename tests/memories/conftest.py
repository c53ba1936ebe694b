"""charlie, another agent of the tenant, and what must hold after every scenario."""

from collections.abc import Iterator

import pytest

from governance.identity import identities
from governance.ledger.verification import verify
from memory.db import effective_drift
from tests.world import Api, World


@pytest.fixture
def charlie(world: World) -> Api:
    """Another agent of the tenant."""
    return Api(identities.provision(world.slug, agents=[("charlie", [])]).agents["charlie"]["key"])


@pytest.fixture(autouse=True)
def nothing_drifts(world: World) -> Iterator[None]:
    """After each test, the projections are what the record makes, and the ledger verifies."""
    yield
    with world.inside("owner"):
        assert effective_drift.on("owner")(tenant=world.tenant_id) == []
    report = verify(world.tenant_id)
    assert report.ok, report.findings
