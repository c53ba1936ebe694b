"""Two tenants with the same words: nothing of one is ever in the other's hands, whichever way it is asked for."""

import json
from typing import Any

import pytest
from django.db import Error, connection, transaction

from governance.acting import gate
from governance.ledger import db
from governance.models import new_id
from memory.models import Decision
from tests.factories import CapsuleFactory

WORDS = "The zebra crossed the river"
SECURED = """SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND NOT a.attisdropped"""


def populate(world):
    """One of everything, in the words that the other tenant uses too."""
    event = world.event(WORDS, content={"subject_type": "user", "subject_id": "jack", "project_id": "alpha"})
    decision = world.event(WORDS, kind="decision", content={"decision": WORDS})
    task = world.event(WORDS, kind="task_update", content={"title": WORDS, "status": "open"})
    artifact = world.event(WORDS, kind="artifact", content={"name": WORDS, "media_type": "text/plain"})
    (chunk,) = event["chunk_ids"]
    edit = world.edit(chunk, "amend", by=world.alice, text=WORDS + " again")
    waiting = world.edit(chunk, "quarantine", by=world.alice)
    capsule = world.alice.ok(
        "post", "capsules", CapsuleFactory(subject_id="jack", items={"chunks": [chunk]}, note=WORDS)
    )
    found = [event, decision, task, artifact, edit, waiting, capsule]
    return {text for record in found for text in json.dumps(record).split('"') if len(text) == 36}


@pytest.fixture
def theirs(world, elsewhere):
    """The ids of all that another tenant holds."""
    populate(world)
    ids = populate(elsewhere)
    assert len(ids) >= 12
    return ids


def ids_in(response):
    assert response.status_code == 200, response.content
    return {text for text in response.content.decode().split('"') if len(text) == 36}


@pytest.mark.parametrize(
    "query",
    [
        "events",
        "events?kind=decision",
        "events?include_quarantined=true",
        "chunks",
        "chunks?subject_type=user&subject_id=jack",
        "chunks?project_id=alpha&include_quarantined=true",
        "chunks?session_id=session-1",
        "edits",
        "edits?status=pending",
        "capsules",
        "capsules?subject_type=user&subject_id=jack",
    ],
)
def test_no_list_shows_another_tenants_rows(world, theirs, query):
    for caller in (world.alice, world.bob, world.auditor):
        found = ids_in(caller.get(query))
        assert found
        assert not found & theirs


@pytest.mark.parametrize("fields", [{}, {"subject_id": "jack"}, {"project_id": "alpha"}, {"include_quarantined": True}])
def test_no_search_finds_another_tenants_rows(world, theirs, fields):
    for caller in (world.alice, world.bob, world.auditor):
        found = ids_in(caller.post("chunks/search", {"query": "zebra", "limit": 200, **fields}))
        assert found
        assert not found & theirs


def test_no_id_of_another_tenant_is_answered(world, theirs):
    answer = world.bob.ok("post", "chunks/get", {"chunk_ids": sorted(theirs), "include_quarantined": True})
    assert answer["chunks"] == []
    for one in theirs:
        for address in (f"events/{one}", f"chunks/{one}/timeline", f"edits/{one}", f"capsules/{one}"):
            assert world.bob.get(address).status_code == 404
        for verdict in ("approve", "reject"):
            assert world.bob.post(f"edits/{one}/{verdict}", {"reason": "no"}).status_code == 404
        for target_type in ("chunk", "decision"):
            body = {"target_type": target_type, "target_id": one, "op": "retract", "reason": "no"}
            assert world.bob.post("edits", body).status_code == 404


def test_the_timeline_of_a_chunk_shows_no_other_tenants_moments(world, elsewhere, theirs):
    chunk = world.chunk("here")
    elsewhere.chunk("there")
    assert not ids_in(world.alice.get(f"chunks/{chunk}/timeline?window_seconds=86400")) & theirs


def leave():
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL suture.context = ''")
    connection.acting = None  # type: ignore[attr-defined] # of our own backend


def test_without_a_tenant_the_app_sees_no_row_of_any_tenant_table(world, theirs):
    with transaction.atomic():
        leave()
        tables = [row["relname"] for row in gate.rows(SECURED, ())]
        assert len(tables) >= 15
        for table in [*tables, "governance_tenant"]:
            readable = gate.rows("SELECT has_any_column_privilege(%s, 'SELECT') AS may", [table])[0]["may"]
            if readable:
                assert gate.rows(f"SELECT count(*) AS n FROM {table}", ()) == [{"n": 0}], table


def test_within_a_tenant_the_app_sees_that_tenants_rows_only(world, elsewhere, theirs):
    with world.inside():
        for table in (row["relname"] for row in gate.rows(SECURED, ())):
            readable = gate.rows("SELECT has_column_privilege(%s, 'tenant_id', 'SELECT') AS may", [table])[0]["may"]
            if readable:
                tenants = {row["tenant_id"] for row in gate.rows(f"SELECT DISTINCT tenant_id FROM {table}", ())}
                assert tenants <= {world.tenant_id}, table


def test_a_setting_that_no_credential_opened_is_no_way_in(world, theirs):
    """More of them in tests/governance/test_open_context.py."""
    for setting in ("everything", str(world.tenant_id)):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL suture.context = '{setting}'")
            with pytest.raises(Error, match="not opened by a credential"), transaction.atomic():
                gate.rows("SELECT 1 FROM memory_event", ())


@pytest.mark.parametrize("inside", [False, True])
def test_the_app_inserts_no_row_of_another_tenant(world, elsewhere, inside):
    statements = {
        "governance_dayfigure": (
            "INSERT INTO governance_dayfigure (tenant_id, id, day, name, value) VALUES (%s, %s, now(), 'x', 1)"
        ),
        "governance_idempotencykey": (
            "INSERT INTO governance_idempotencykey (tenant_id, id, actor_id, key, fingerprint, created_at)"
            " VALUES (%s, %s, gen_random_uuid(), 'x', 'x', now())"
        ),
    }
    for table, statement in statements.items():
        with transaction.atomic():
            gate.act_as(world.alice_principal) if inside else leave()
            with pytest.raises(Error, match=f'row-level security policy .*"{table}"'), transaction.atomic():
                gate.rows(statement, [elsewhere.tenant_id, new_id()])


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE governance_idempotencykey SET key = 'x' WHERE tenant_id = %s",
        "UPDATE governance_dayfigure SET tenant_id = tenant_id WHERE tenant_id = %s",
        "DELETE FROM governance_idempotencykey WHERE tenant_id = %s",
    ],
)
def test_the_app_changes_no_row_of_another_tenant(world, elsewhere, statement, inside):
    with transaction.atomic(), connection.cursor() as cursor:
        if inside:
            gate.act_as(world.alice_principal)
        else:
            leave()
        cursor.execute(statement, [elsewhere.tenant_id])
        assert cursor.rowcount == 0


#: These come before any tenant is known, and take a credential instead.
BEFORE_ANY_TENANT = {
    "answer_invitation",
    "authenticate",
    "enter",
    "begin_second_factor",
    "confirm_second_factor",
    "context_tenant",
    "count_ledger_alarms",
    "enter_founder",
    "enter_operator",
    "enter_person",
    "known_signing_key",
    "ledger_states",
    "list_invitations",
    "list_memberships",
    "list_tenants",
    "pinned_keys",
    "probe_writing",
    "renew_recovery_codes",
    "set_own_password",
    "tenants_to_embed",
    "tenants_to_complete",
    "tenants_to_expire",
    "tenants_to_promote",
    "tenants_to_seal",
    "turn_off_second_factor",
}


def test_every_gate_function_refuses_another_tenants_id(world, elsewhere):
    functions = gate.rows(
        """SELECT p.proname, array_agg(a.name ORDER BY a.place) AS names, array_agg(a.type ORDER BY a.place) AS types
        FROM pg_proc p, LATERAL (
            SELECT p.proargnames[place] AS name, format_type(type, NULL) AS type, place
            FROM unnest(p.proargtypes) WITH ORDINALITY AS t (type, place)) a
        WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef
          AND has_function_privilege('suture_app', p.oid, 'EXECUTE') GROUP BY p.oid, p.proname""",
        (),
    )
    tried = [function for function in functions if function["proname"] not in BEFORE_ANY_TENANT]
    assert len(tried) >= 11
    known = {"p_tenant": elsewhere.tenant_id}
    for function in tried:
        assert function["names"][0] == "p_tenant", function
        places = ", ".join(f"%s::{type_}" for type_ in function["types"])
        arguments = [known.get(name) for name in function["names"]]
        for enter in (lambda: gate.act_as(world.alice_principal), leave):
            with transaction.atomic():
                enter()
                with pytest.raises(Error, match="not the tenant of this transaction") as refused, transaction.atomic():
                    gate.rows(f"SELECT * FROM {function['proname']}({places})", arguments)
            assert getattr(refused.value.__cause__, "sqlstate", None) == "SU403", function


def test_no_entry_is_appended_to_another_tenants_chain(world, elsewhere):
    with elsewhere.inside():
        head = db.lock_chain(tenant=elsewhere.tenant_id, name="governance")
    entry: dict[str, Any] = {"ids": [new_id()], "canonical": [b"{}"], "signatures": [bytes(64)], "next_key": None}
    with pytest.raises(Error, match="not the tenant of this transaction"), world.inside():
        db.append_entries(tenant=elsewhere.tenant_id, chain=head.id, public_key=head.public_key, **entry)
    # nor with one's own name on it
    with pytest.raises(Error, match="query returned no rows"), world.inside():
        db.append_entries(tenant=world.tenant_id, chain=head.id, public_key=head.public_key, **entry)


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_reference_across_tenants_is_refused_by_the_key(world, elsewhere, owner):
    theirs = elsewhere.event(kind="decision", content={"decision": "x"})
    mine = world.event(kind="decision", content={"decision": "x"})

    with world.inside():
        known = Decision.objects.filter(id=theirs["decision_id"]).exists()
    assert not known
    copies = {
        "memory_chunk_event_id": (
            "INSERT INTO memory_chunk SELECT (x).* FROM (SELECT jsonb_populate_record(k, jsonb_build_object("
            "'id', gen_random_uuid(), 'event_id', %s::text)) AS x FROM memory_chunk k WHERE tenant_id = %s LIMIT 1) c",
            theirs["event_id"],
        ),
        "memory_decision_supersedes_id": (
            "INSERT INTO memory_decision SELECT (x).* FROM (SELECT jsonb_populate_record(k, jsonb_build_object("
            "'id', gen_random_uuid(), 'supersedes_id', %s::text)) AS x FROM memory_decision k"
            " WHERE tenant_id = %s LIMIT 1) c",
            theirs["decision_id"],
        ),
    }
    for name, (statement, reference) in copies.items():
        with pytest.raises(Error, match=name), world.inside("owner"):
            owner(statement, [reference, world.tenant_id])
    # the same with a reference of one's own passes
    with world.inside("owner"):
        owner(copies["memory_chunk_event_id"][0] + " RETURNING id", [mine["event_id"], world.tenant_id])
        transaction.set_rollback(True, using="owner")
