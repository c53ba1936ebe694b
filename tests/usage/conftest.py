"""What was delivered and counted, as the job has recorded it."""

from collections.abc import Callable
from typing import Any

import pytest

from memory.models import ChunkAccess, ChunkSession, Delivery, PromotionDue
from memory.usage import deliveries
from tests.curation.agent import Agent
from tests.curation.conftest import nothing_drifts  # noqa: F401 (what holds after every test here too)
from tests.world import World


@pytest.fixture
def agent(world: World) -> Agent:
    """alice, with the tools of her own memory."""
    return Agent(world.alice)


@pytest.fixture(autouse=True)
def empty_list(db: None) -> None:
    """Nothing of other tests waits."""
    deliveries._redis().delete(deliveries._waiting())


@pytest.fixture
def rows_of(world: World) -> Callable[..., list[Any]]:
    """`rows_of(Delivery)` are the tenant's rows of a table, read as the owner."""

    def read(model: Any, **conditions: Any) -> list[Any]:
        with world.inside("owner"):
            return list(model.objects.using("owner").filter(tenant_id=world.tenant_id, **conditions).order_by("id"))

    return read


@pytest.fixture
def counted(rows_of: Callable[..., list[Any]]) -> Callable[[], dict[str, dict[str, int]]]:
    """Runs the job, then answers by chunk how often it was accessed, in all and in each session."""

    def count() -> dict[str, dict[str, int]]:
        deliveries.record_deliveries()
        found = {str(row.id): {"": row.access_count} for row in rows_of(ChunkAccess) if row.access_count}
        for row in rows_of(ChunkSession):
            found[str(row.chunk_id)][row.session_id] = row.access_count
        return found

    return count


@pytest.fixture
def delivered(rows_of: Callable[..., list[Any]]) -> Callable[[], list[Delivery]]:
    """Runs the job, then answers every delivery."""

    def deliver() -> list[Delivery]:
        deliveries.record_deliveries()
        return rows_of(Delivery)

    return deliver


@pytest.fixture
def due(rows_of: Callable[..., list[Any]]) -> Callable[[], set[str]]:
    """The chunks that are due to be evaluated for promotion."""
    return lambda: {str(row.id) for row in rows_of(PromotionDue)}


@pytest.fixture
def nothing_due(world: World) -> Callable[[], None]:
    """`nothing_due()` empties that queue: a chunk that readers get for the first time is in it too."""

    def empty() -> None:
        with world.inside("owner"):
            PromotionDue.objects.using("owner").filter(tenant_id=world.tenant_id).delete()

    return empty
