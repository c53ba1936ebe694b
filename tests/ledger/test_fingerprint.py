"""Whatever somebody changes in the database's own guards, other than by `migrate`, is found by its name."""

import io
import os
from contextlib import contextmanager

import psycopg
import pytest
from django.core.management import call_command
from django.db import connections, transaction

from governance.acting import gate
from governance.acting.credentials import system
from governance.database import catalog
from governance.identity import identities
from governance.ledger import fingerprints, keyring
from governance.ledger.comparisons import Comparison
from governance.models import Entry, SchemaFingerprint
from suture_verify.findings import Findings, Kind
from tests.ledger.tampering import assert_found, assert_intact, entries

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


@pytest.fixture
def signed(world):
    """The fingerprint of the test's database as it is, which the tenant's ledger names."""
    fingerprint, _ = fingerprints.sign({}, accepts=True)
    assert fingerprint is not None
    name_it(world, fingerprint)
    return fingerprint


def name_it(world, fingerprint):
    with world.inside():
        fingerprints.record(fingerprint, actor=system(world.tenant_id, "migrate"))


@contextmanager
def changed(*statements):
    """Within the block the database is as the owner of the tables changed it."""
    with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        yield cursor
        transaction.set_rollback(True, "owner")


def found(world):
    """What the comparison with the fingerprint finds, over the owner's connection."""
    findings = Findings()
    fingerprints.compare(Comparison(world.tenant_id, "owner", findings))
    assert {finding.kind for finding in findings.sorted()} <= {Kind.SCHEMA}
    return [finding.detail for finding in findings.sorted()]


def test_it_works(world, signed):
    assert_intact(world)
    assert found(world) == []
    last = entries(world)[-2]
    assert (last.type, last.metadata["fingerprint"]) == ("schema.fingerprinted", signed.digest.hex())
    assert last.metadata["objects"] == len(signed.objects) > 300


#: What somebody changes, and what is told of it.
CHANGES = [
    ("ALTER TABLE governance_content DISABLE ROW LEVEL SECURITY", "table governance_content was changed"),
    ("ALTER TABLE governance_content NO FORCE ROW LEVEL SECURITY", "forced row security is false instead of true"),
    ("DROP POLICY tenant ON memory_chunk", "policy tenant on memory_chunk is missing"),
    ("ALTER POLICY tenant ON memory_chunk USING (true)", 'using is "true" instead of "(tenant_id = '),
    ("ALTER POLICY gate ON memory_chunk TO PUBLIC", "roles also has PUBLIC; roles lacks suture_gate"),
    ("CREATE POLICY more ON memory_chunk USING (true)", "policy more on memory_chunk was added"),
    ("ALTER TABLE governance_entry DISABLE TRIGGER {guard}", 'enabled is "off" instead of "always"'),
    ("ALTER TABLE governance_entry ENABLE TRIGGER {guard}", 'enabled is "on" instead of "always"'),
    ("DROP TRIGGER {guard} ON governance_entry", "trigger {guard} on governance_entry is missing"),
    ("ALTER TABLE governance_entry ALTER COLUMN metadata SET DEFAULT '{}'", "columns also has metadata jsonb"),
    ("ALTER TABLE governance_entry DROP CONSTRAINT entry_seq", "constraint entry_seq on governance_entry is"),
    ("CREATE RULE quiet AS ON DELETE TO governance_entry DO INSTEAD NOTHING", "rule quiet on governance_entry was"),
    ("CREATE TABLE more () INHERITS (governance_content)", "child public.more of governance_content was added"),
    ("GRANT SELECT ON governance_content TO suture_app", "grants also has SELECT to suture_app"),
    ("GRANT SELECT (body) ON governance_content TO PUBLIC", "grants also has SELECT (body) to PUBLIC"),
    ("REVOKE SELECT ON governance_content FROM suture_gate", "grants lacks SELECT to suture_gate"),
    ("ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO suture_app", "default rights on tables of suture_owner"),
    ("SET ROLE suture_gate; GRANT EXECUTE ON FUNCTION authenticate TO PUBLIC", "grants also has EXECUTE to PUBLIC"),
    ("SET ROLE suture_gate; ALTER FUNCTION authenticate SECURITY INVOKER", "security definer is false"),
    ("SET ROLE suture_gate; ALTER FUNCTION authenticate SET search_path = public", "settings also has search_path="),
    ("CREATE FUNCTION more() RETURNS int LANGUAGE sql AS 'SELECT 1'", "function more() was added"),
    (
        "CREATE SCHEMA others; CREATE FUNCTION others.more() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
        "function others.more() was added",
    ),
]


def test_a_changed_guard_is_found_by_its_name(world, signed):
    guard = guard_of("governance_entry")
    for statement, told in CHANGES:
        with changed(statement.replace("{guard}", guard), "RESET ROLE"):
            details = found(world)
        assert any(told in detail.replace(guard, "{guard}") for detail in details), (statement, details)
    assert found(world) == []


def guard_of(table):
    """The name of the trigger that keeps a table append-only."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND tgname ~ '^pgtrigger_append_only'", [table]
        )
        ((name,),) = cursor.fetchall()
    return name


def definition_of(function):
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT pg_get_functiondef(%s::regproc)", [function])
        ((definition,),) = cursor.fetchall()
    return definition


def test_a_function_with_another_body_is_found(world, signed):
    changed_body = definition_of("content_hashes").replace("$function$", "$function$ -- another\n", 1)
    grant = "GRANT CREATE ON SCHEMA public TO suture_gate"
    with changed(grant, "SET ROLE suture_gate", changed_body, "RESET ROLE"):
        detail, schema = found(world)
    assert "the function content_hashes(" in detail
    assert detail.endswith("was changed after the last migration: its body differs")
    assert "the schema public was changed" in schema


def test_a_function_with_another_owner_is_found(world, signed):
    definition = definition_of("content_hashes")
    with changed(
        "SET ROLE suture_gate", "DROP FUNCTION content_hashes", "RESET ROLE", definition,
        "REVOKE ALL ON FUNCTION content_hashes FROM PUBLIC",
    ):  # fmt: skip
        (detail,) = found(world)
    assert 'owner is "suture_owner" instead of "suture_gate"' in detail


def test_a_function_that_is_given_to_an_extension_is_missing(world, signed):
    """What belongs to an extension is not compared: nothing of ours disappears there."""
    objects = fingerprints.read("owner")
    assert not any("similarity" in name or "halfvec_in" in name for name in objects)
    assert "function authenticate(bytea)" in objects


def test_verify_chain_and_check_ledger_name_what_was_changed(alone, signed):
    output = io.StringIO()
    assert_intact(alone)
    call_command("check_ledger", stdout=output)
    assert output.getvalue() == ""
    with row_security_not_forced():
        assert_found(alone, "schema changed: rows: the table memory_chunk was changed after the last migration")
        with pytest.raises(SystemExit) as end:
            call_command("check_ledger", stdout=output)
        assert end.value.code == 1
        assert "schema: the table memory_chunk was changed" in output.getvalue()
    assert_intact(alone)


def test_the_role_that_verifies_reads_all_that_is_compared(signed):
    """In these tests the owner verifies. Here it is the role itself."""
    name = connections["owner"].settings_dict["NAME"]
    with psycopg.connect(os.environ["DATABASE_VERIFIER_URL"], dbname=name) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT digest, document, signature, made_at FROM governance_schemafingerprint")
        assert signed.digest in [digest for digest, *_ in cursor.fetchall()]
        assert catalog.read(cursor) == fingerprints.read("owner")


@contextmanager
def row_security_not_forced():
    """Within the block, committed."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE memory_chunk NO FORCE ROW LEVEL SECURITY")
        try:
            yield
        finally:
            cursor.execute("ALTER TABLE memory_chunk FORCE ROW LEVEL SECURITY")


# -- The signed description.


def test_a_ledger_without_a_fingerprint_is_compared_with_nothing(world):
    with changed("DROP POLICY tenant ON memory_chunk"):
        assert found(world) == []


def test_a_description_that_is_gone_or_changed_is_found(world, signed):
    kept = SchemaFingerprint.objects.using("owner").get(digest=signed.digest)
    try:
        kept.delete()
        told = f"the signed description of the schema that the ledger names, {signed.digest.hex()}"
        assert_found(world, f"schema changed: rows: {told}")
        SchemaFingerprint.objects.using("owner").create(
            digest=signed.digest, document=bytes(kept.document)[:-1] + b" ", signature=kept.signature,
            made_at=kept.made_at,
        )  # fmt: skip
        assert_found(world, "schema changed: rows: the signed description of the schema")
    finally:
        SchemaFingerprint.objects.using("owner").filter(digest=signed.digest).delete()
        kept.digest = signed.digest
        kept.save(force_insert=True)
    assert_intact(world)


def test_a_new_ledger_names_the_newest_one_and_none_that_the_server_did_not_sign(world, signed):
    forged = SchemaFingerprint.objects.using("owner").get(digest=signed.digest)
    forged.digest, forged.signature = b"another", bytes(64)
    forged.save(force_insert=True, using="owner")
    try:
        assert newest_named(world) == signed.digest.hex()
    finally:
        SchemaFingerprint.objects.using("owner").filter(digest=b"another").delete()


def newest_named(world):
    """What the ledger of a tenant names that is made now."""
    slug = f"{world.slug}-new"
    identities.provision(slug)
    tenant_id = identities.tenant_id_of(slug)
    with gate.tenant(tenant_id):
        return Entry.objects.get(tenant_id=tenant_id, type=fingerprints.ENTRY).metadata["fingerprint"]


def test_a_new_ledger_names_what_was_signed_and_not_what_is_there(world, signed):
    with row_security_not_forced():
        assert newest_named(world) == signed.digest.hex()


def test_the_key_that_replaces_the_servers_signs_it_again(signed):
    new, _ = keyring.replace()
    fingerprints.sign_again(new)
    (home_key,) = keyring.keys()[:1]
    assert home_key.public == new.public
    row = SchemaFingerprint.objects.using("owner").get(digest=signed.digest)
    assert bytes(row.signature) == new.sign(bytes(row.document))
    assert fingerprints.newest("owner").digest == signed.digest


# -- What a migration signs.


def test_a_migration_signs_its_own_changes_and_no_others(world, signed):
    with changed("ALTER TABLE governance_content NO FORCE ROW LEVEL SECURITY") as cursor:
        before = fingerprints.read("owner")
        # what a migration does
        cursor.execute("CREATE INDEX more ON governance_content (id)")
        cursor.execute("ALTER TABLE governance_content ADD COLUMN more int")
        cursor.execute("GRANT UPDATE (more) ON governance_content TO suture_gate")
        after, differing = fingerprints.sign(before)
        assert after is not None
        assert after.digest != signed.digest
        (one,) = differing
    assert one.detail == (
        "the table governance_content was changed after the last migration:"
        " forced row security is false instead of true"
    )


def test_nothing_is_signed_again_where_a_migration_changed_nothing(signed):
    before = fingerprints.read("owner")
    known, differing = fingerprints.sign(before)
    assert known is not None
    assert (known.digest, differing) == (signed.digest, [])


def test_what_was_lost_is_not_signed_again_by_itself(world, signed):
    with transaction.atomic("owner"):
        SchemaFingerprint.objects.using("owner").all().delete()
        assert fingerprints.sign(fingerprints.read("owner")) == (None, [])
        accepted, _ = fingerprints.sign({}, accepts=True)
        assert accepted is not None
        transaction.set_rollback(True, "owner")


def test_many_ledgers_name_it_and_an_interrupted_run_goes_on(world, elsewhere, signed, monkeypatch):
    among = f"WHERE t.id IN ('{world.tenant_id}', '{elsewhere.tenant_id}') ORDER BY t.slug"
    monkeypatch.setattr(fingerprints, "_NAMED_LAST", fingerprints._NAMED_LAST.replace("ORDER BY t.slug", among))
    assert fingerprints.record_in_all(signed) == (1, {})
    assert entries(elsewhere)[-1].metadata["fingerprint"] == signed.digest.hex()
    assert fingerprints.record_in_all(signed) == (0, {})
