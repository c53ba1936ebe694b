"""A relation is valid from its beginning until its end, judged at the statement's time."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connections, transaction
from django.utils import timezone

from tests.relations.conftest import ADA, CHARLIE

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def in_force(related: Any, begins: timedelta, ends: timedelta | None) -> bool:
    """Whether a relation that begins and ends so long after now is in force now."""
    now = timezone.now()
    related.add(
        valid_from=(now + begins).isoformat(), valid_until=(now + ends).isoformat() if ends is not None else None
    )
    return f"{ADA}#clinician_of" in related.usersets()


HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("begins", "ends", "is_in_force"),
    [
        (-HOUR, None, True),
        (-HOUR, HOUR, True),
        (-2 * HOUR, -HOUR, False),
        (HOUR, 2 * HOUR, False),
        (HOUR, None, False),
    ],
)
def test_before_and_after_it_is_not_in_force(related, begins, ends, is_in_force):
    assert in_force(related, begins, ends) is is_in_force
    (row,) = related.world.bob.ok("get", "relations")["results"]
    assert row["is_current"] is is_in_force
    current, others = (related.world.bob.ok("get", f"relations?current={one}")["results"] for one in ("true", "false"))
    assert (len(current), len(others)) == (int(is_in_force), int(not is_in_force))


#: All of one block has one statement_timestamp(): relations that begin and end at the time of the reader.
ONE_MOMENT = """
    DO $$
    DECLARE t timestamptz := statement_timestamp(); h interval := '1 hour'; tenant uuid := '{tenant}';
    BEGIN
        INSERT INTO governance_relationtuple (tenant_id, id, principal, relation, object, valid_from, valid_until,
            reason, recorder_kind, recorded_by, recorder, recorded_at)
        SELECT tenant, new_id(), 'user:charlie', x.relation, 'patient:ada', x.begins, x.ends, 'a test', 'human',
            new_id(), 'bob', t
        FROM (VALUES ('begins_now', t, t + h), ('ends_now', t - h, t),
            ('ends_next', t - h, t + interval '1 microsecond'), ('begins_next', t + interval '1 microsecond', NULL)
        ) x (relation, begins, ends);
        PERFORM set_config('testing.found', array_to_string(usersets_of(tenant, 'user:charlie'), ' '), true);
    END $$
"""


def test_its_first_moment_is_the_beginning_and_the_end_is_the_first_moment_after_it(related):
    with related.world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SET LOCAL ROLE suture_gate")
        cursor.execute(ONE_MOMENT.format(tenant=related.world.tenant_id))
        cursor.execute("SELECT current_setting('testing.found')")
        found = cursor.fetchone()[0]
        transaction.set_rollback(True, using="owner")
    assert sorted(found.split()) == [f"{ADA}#begins_now", f"{ADA}#ends_next", CHARLIE]
