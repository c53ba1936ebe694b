"""`migrate` signs what it makes of the schema, and nothing that somebody else has made of it."""

import io

import pytest
from django.core.management import call_command
from django.db import connections

from governance.ledger import fingerprints, verification
from governance.models import Entry
from tests.world import make_world

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]


@pytest.fixture
def world(db, monkeypatch):
    """A fresh tenant, the only one whose ledger names fingerprints: those of other tests stay as they are."""
    made = make_world()
    only = f"WHERE t.id = '{made.tenant_id}' ORDER BY t.slug"
    monkeypatch.setattr(fingerprints, "_NAMED_LAST", fingerprints._NAMED_LAST.replace("ORDER BY t.slug", only))
    return made


def migrated(*arguments):
    """What `migrate` prints, and what it tells of problems."""
    output, errors = io.StringIO(), io.StringIO()
    call_command("migrate", *arguments, interactive=False, stdout=output, stderr=errors)
    return output.getvalue(), errors.getvalue()


def named(world):
    """The metadata of the entries that name a fingerprint."""
    with world.inside():
        found = Entry.objects.filter(tenant_id=world.tenant_id, type=fingerprints.ENTRY).order_by("seq")
        return list(found.values_list("metadata", flat=True))


def owner(statement):
    with connections["owner"].cursor() as cursor:
        cursor.execute(statement)


def findings(world):
    return [finding.detail for finding in verification.verify(world.tenant_id).findings]


def test_a_new_tenant_names_what_the_first_migration_signed(world):
    (entry,) = named(world)
    assert entry["fingerprint"] == fingerprints.newest().digest.hex()
    assert findings(world) == []
    output, errors = migrated()
    assert ("Schema fingerprinted" in output, errors) == (False, "")
    assert len(named(world)) == 1


def test_a_migration_does_not_sign_what_others_changed_until_that_is_accepted(world):
    owner("ALTER TABLE memory_chunk NO FORCE ROW LEVEL SECURITY")
    try:
        _, errors = migrated()
        assert "The schema differs from the signed one: 1 differences" in errors
        assert "the table memory_chunk was changed after the last migration: forced row security is false" in errors
        assert len(named(world)) == 1
        assert len(findings(world)) == 1

        output, errors = migrated("--accept-schema")
        assert ("in 1 ledgers" in output, errors) == (True, "")
        assert named(world)[-1]["accepted"] == ["table memory_chunk"]
        assert findings(world) == []
    finally:
        owner("ALTER TABLE memory_chunk FORCE ROW LEVEL SECURITY")
    assert len(findings(world)) == 1
    migrated("--accept-schema")
    assert findings(world) == []


def test_a_migration_that_goes_back_and_forth_signs_what_it_changed(world):
    """Its own changes are signed, beside a change by somebody else, which stays a difference."""
    owner("CREATE POLICY more ON memory_chunk USING (true)")
    try:
        migrated("memory", "0006")
        migrated()
        (detail,) = findings(world)
        assert detail == "the policy more on memory_chunk was added after the last migration"
    finally:
        owner("DROP POLICY more ON memory_chunk")
    assert findings(world) == []
