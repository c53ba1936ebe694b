"""The job that marks expired capsules: in batches, once each, safe twice at once and when it dies."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError

from capsules import tasks
from capsules.models import EffectiveCapsule
from capsules.services import expiry
from governance.acting import gate
from governance.ledger import appending
from governance.models import Entry

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


@pytest.fixture
def overdue(world, handed, expiring):
    """`overdue(3)` are the ids of three capsules whose time is over."""

    def make(count):
        chunk = world.chunk()
        capsules = [handed([chunk]) for _ in range(count)]
        for capsule in capsules:
            expiring(capsule, timedelta(minutes=-1))
        return capsules

    return make


def expired(world):
    """The capsules of the entries, in order, and those marked."""
    with world.inside():
        entries = Entry.objects.filter(tenant_id=world.tenant_id, type="capsule.expired").order_by("seq")
        rows = EffectiveCapsule.objects.filter(tenant_id=world.tenant_id, status="expired", expired_at__isnull=False)
        return [entry.metadata["capsule"] for entry in entries], [str(row.id) for row in rows]


def test_each_is_marked_once_with_its_entry(world, overdue, handed):
    capsules = overdue(3)
    handed([world.chunk()])

    expiry.expire_capsules()
    expiry.expire_capsules()

    entries, marked = expired(world)
    assert sorted(entries) == sorted(marked) == sorted(capsules)


def test_it_goes_on_until_none_is_left(world, overdue, monkeypatch):
    monkeypatch.setattr(expiry, "BATCH", 2)
    capsules = overdue(5)

    expiry.expire_capsules()

    assert sorted(expired(world)[0]) == sorted(capsules)


def test_two_at_once_share_the_work(world, overdue, monkeypatch, at_once):
    monkeypatch.setattr(expiry, "BATCH", 1)
    capsules = overdue(6)

    outcomes = at_once(expiry.expire_capsules, expiry.expire_capsules)

    assert all(isinstance(outcome, int) for outcome in outcomes), outcomes
    expiry.expire_capsules()
    entries, marked = expired(world)
    assert sorted(entries) == sorted(marked) == sorted(capsules)


def test_killed_between_two_batches_it_goes_on_where_it_was(world, overdue, monkeypatch):
    monkeypatch.setattr(expiry, "BATCH", 2)
    capsules = overdue(4)
    record_all, calls = appending.record_all, []

    def dies_in_the_second(drafts, **options):
        if options["actor"].tenant_id == world.tenant_id and drafts:
            calls.append(drafts)
            if len(calls) == 2:
                raise KeyboardInterrupt
        return record_all(drafts, **options)

    monkeypatch.setattr(appending, "record_all", dies_in_the_second)
    with pytest.raises(KeyboardInterrupt):
        expiry.expire_capsules()
    entries, marked = expired(world)
    assert len(entries) == 2
    assert sorted(entries) == sorted(marked)

    expiry.expire_capsules()

    entries, marked = expired(world)
    assert sorted(entries) == sorted(marked) == sorted(capsules)


def test_one_tenants_failure_is_its_own(world, overdue, new_world, monkeypatch):
    other = new_world()
    capsules = overdue(1)
    enter = gate.job

    def fails_elsewhere(tenant_id, *arguments):
        if tenant_id == other.tenant_id:
            raise OperationalError("gone")
        return enter(tenant_id, *arguments)

    monkeypatch.setattr(gate, "job", fails_elsewhere)
    with pytest.raises(OperationalError):
        expiry.expire_capsules()
    assert expired(world)[0] == capsules


def test_the_tasks_are_tried_again_with_growing_waits():
    task: Any  # Celery's stubs leave the options of a task out
    for task in (tasks.expire, tasks.warn):
        assert OperationalError in [one for error in task.autoretry_for for one in (error, *error.__subclasses__())]
        assert (task.retry_backoff, task.max_retries) == (True, 5)


def test_the_scheduled_task_does_it(world, overdue, settings):
    capsules = overdue(1)
    scheduled = {job["task"]: job["schedule"] for job in settings.CELERY_BEAT_SCHEDULE.values()}
    assert scheduled[tasks.expire.name] == scheduled[tasks.warn.name] == 60.0

    tasks.expire.apply(throw=True)

    assert expired(world)[0] == capsules
