"""Memory that was used, and the job that promotes it."""

import pytest

from memory.db import effective_drift
from tests.tiers.usage import Usage
from tests.world import World


@pytest.fixture
def usage(world: World) -> Usage:
    """The use of the memories of the test's tenant."""
    return Usage(world)


@pytest.fixture
def no_drift(world):
    """`no_drift()` asserts that the projections are what the record makes. For tests on the owner's connection."""

    def check() -> None:
        with world.inside("owner"):
            assert effective_drift.on("owner")(tenant=world.tenant_id) == []

    return check
