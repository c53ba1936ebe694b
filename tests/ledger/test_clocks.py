"""Clocks that are wrong: of a web server, of a worker, of the database. Nothing alarms, and nothing stays unsealed."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
import time_machine
import uuid_utils.compat
from django.apps import apps
from django.utils import timezone

from governance import tasks
from governance.ledger import sealed_kinds, sealing, tenants_to_seal
from governance.models import UnsealedReceipt, first_id_of
from tests.ledger.tampering import append, assert_intact, leaves, lived_in
from tests.world import World

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]

HOUR = timedelta(hours=1)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], Any]:
    """`with clock(shift)`: this node's clock is wrong by that much, and so are the ids that it makes."""

    @contextmanager
    def wrong_by(shift: timedelta) -> Iterator[None]:
        with time_machine.travel(timezone.now() + shift), monkeypatch.context() as patch:
            # uuid-utils asks the system, which time-machine does not reach
            patch.setattr(
                uuid_utils.compat,
                "uuid7",
                lambda: uuid.UUID(int=first_id_of(timezone.now()).int | 7 << 76 | uuid.uuid4().int & ((1 << 76) - 1)),
            )
            yield

    return wrong_by


def rows(world: World) -> set[tuple[str, uuid.UUID]]:
    """Every row of a sealed kind."""
    tables: dict[str, Any] = {model._meta.db_table: model for model in apps.get_models()}
    with world.inside():
        return {
            (kind.name, row)
            for kind in sealed_kinds.kinds()
            for row in tables[kind.table].objects.filter(tenant_id=world.tenant_id).values_list("id", flat=True)
        }


def assert_all_sealed(world: World) -> None:
    assert {(leaf.kind, leaf.row_id) for leaf in leaves(world)} == rows(world)
    with world.inside("owner"):
        assert not UnsealedReceipt.objects.using("owner").filter(tenant_id=world.tenant_id).exists()
    assert_intact(world)


def run_twice() -> None:
    for _ in range(2):
        tasks.seal()


@pytest.mark.parametrize("shift", [-HOUR, HOUR, -timedelta(days=3)])
def test_a_web_server_whose_clock_is_wrong_raises_no_alarm(world: World, clock: Any, shift: timedelta) -> None:
    world.chunk("Before")
    run_twice()
    with clock(shift):
        lived_in(world)  # of every kind
        world.event(kind="decision", content={"decision": "Ship it later"})
    run_twice()
    assert_all_sealed(world)


def test_a_web_server_whose_clock_steps_to_and_fro_raises_no_alarm(world: World, clock: Any) -> None:
    for shift in (HOUR, -HOUR, timedelta(0), -2 * HOUR, HOUR, timedelta(0)):
        with clock(shift):
            world.edit(world.chunk(f"Made {shift} away"), "amend", text="Corrected")
            append(world, chain="agent:alice")
        tasks.seal()
    run_twice()
    assert_all_sealed(world)


@pytest.mark.parametrize("shift", [-HOUR, HOUR, 3 * HOUR])
def test_a_worker_whose_clock_is_wrong_seals_as_the_others(world: World, clock: Any, shift: timedelta) -> None:
    world.chunk("Before")
    with clock(shift):
        run_twice()
    assert_all_sealed(world)
    world.edit(world.chunk("Between"), "amend", text="Corrected")
    run_twice()
    assert_all_sealed(world)
    world.chunk("Behind")
    with clock(shift):
        run_twice()
    assert_all_sealed(world)


def test_a_database_whose_clock_was_set_back_raises_no_alarm(world: World, owner: Any) -> None:
    world.chunk("Before")
    run_twice()
    with world.inside("owner"):
        owner(
            "UPDATE governance_merkletree SET caught_up_at = caught_up_at + interval '1 hour',"
            " swept_at = swept_at + interval '1 hour' WHERE tenant_id = %s RETURNING 1",
            [world.tenant_id],
        )
        owner(
            "UPDATE governance_chain SET ts = ts + interval '1 hour' WHERE tenant_id = %s RETURNING 1",
            [world.tenant_id],
        )
    world.edit(world.chunk("After"), "amend", text="Corrected")
    append(world, chain="agent:alice")
    run_twice()
    assert_all_sealed(world)


def test_a_tenant_with_a_row_of_a_slow_clock_is_due(world: World, clock: Any) -> None:
    world.chunk("Before")
    run_twice()
    assert world.tenant_id not in tenants_to_seal.tenants(timezone.now())
    with clock(-HOUR):
        world.event("A message of an hour ago, by a slow clock")
    assert world.tenant_id in tenants_to_seal.tenants(timezone.now())
    tasks.seal()
    assert world.tenant_id not in tenants_to_seal.tenants(timezone.now())


def test_more_rows_of_a_slow_clock_than_a_batch_are_sealed_with_what_is_new(
    world: World, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.chunk("Before")
    run_twice()
    with clock(-HOUR):
        for number in range(5):
            world.event(f"Slow {number}")
    for number in range(5):
        world.event(f"Right {number}")
    monkeypatch.setattr(sealing, "BATCH", 3)
    assert sealing.seal_all(world.tenant_id) == len(rows(world)) - 2
    assert_all_sealed(world)
