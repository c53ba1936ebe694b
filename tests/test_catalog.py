"""What the database itself says of tables, keys, guards and functions: the promises that code cannot break."""

import re
import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.db import Error, connections, transaction
from django.utils import timezone

from governance.acting import gate
from governance.erasure import erasures
from governance.identity import identities
from governance.ledger import sealing
from governance.models import (
    Content,
    PolicyChange,
    TreeNode,
)
from memory.models import (
    ConfidenceChange,
    Delivery,
    Outcome,
    Promotion,
)
from tests.catalog import APPEND_ONLY, OUR_FUNCTIONS, PROJECTIONS, TENANT_TABLES, names
from tests.factories import CapsuleFactory
from tests.ledger.tampering import captured, checkpointed, forgotten, related
from tests.owning import as_owner
from tests.test_isolation import BEFORE_ANY_TENANT

pytestmark = pytest.mark.django_db


def test_the_lint_sees_the_tables():
    tables = set(names(f"SELECT relname FROM {TENANT_TABLES} t"))
    assert set(APPEND_ONLY) | set(PROJECTIONS) <= tables
    assert len(APPEND_ONLY) >= 9


#: The tables without a tenant: accounts, what Django keeps, and what the gate keeps of all tenants.
OF_NO_TENANT = {
    "auth_group",
    "auth_group_permissions",
    "auth_permission",
    "axes_accessattempt",
    "axes_accessattemptexpiration",
    "axes_accessfailurelog",
    "axes_accesslog",
    "django_admin_log",
    "django_content_type",
    "django_migrations",
    "django_session",
    "governance_contextsecret",
    "governance_schemafingerprint",
    "governance_sharedsecret",
    "governance_tenant",
    "governance_user",
    "governance_user_groups",
    "governance_user_user_permissions",
    "otp_static_staticdevice",
    "otp_static_statictoken",
    "otp_totp_totpdevice",
}


def test_every_table_belongs_to_a_tenant_or_is_listed():
    tables = set(
        names("SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace")
    )
    assert tables - set(names(f"SELECT relname FROM {TENANT_TABLES} t")) == OF_NO_TENANT


def test_row_security_is_forced_on_every_tenant_table():
    assert (
        names(
            f"SELECT c.relname FROM pg_class c JOIN {TENANT_TABLES} t USING (oid)"
            " WHERE NOT (c.relrowsecurity AND c.relforcerowsecurity)"
        )
        == []
    )
    (tenants,) = gate.rows(
        "SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE relname = 'governance_tenant'", ()
    )
    assert tenants == {"relrowsecurity": True, "relforcerowsecurity": True}


def test_every_tenant_table_has_exactly_the_two_policies():
    policies = gate.rows(
        "SELECT tablename, policyname, roles::text[], permissive, cmd, qual, with_check FROM pg_policies", ()
    )
    by_table: dict[str, dict[str, dict[str, Any]]] = {}
    for policy in policies:
        by_table.setdefault(policy["tablename"], {})[policy["policyname"]] = policy
    assert set(by_table) == {*names(f"SELECT relname FROM {TENANT_TABLES} t"), "governance_tenant"}
    for table, named in by_table.items():
        assert set(named) == {"tenant", "gate"}, table
        column = "id" if table == "governance_tenant" else "tenant_id"
        for clause in ("qual", "with_check"):
            expression = named["tenant"][clause]
            assert expression == f"({column} = context_tenant())", table
        assert (named["tenant"]["roles"], named["tenant"]["cmd"]) == (["public"], "ALL"), table
        assert named["gate"]["roles"] == ["suture_gate"], table


def test_no_policy_lets_a_login_role_see_everything():
    open_to = names("SELECT DISTINCT unnest(roles)::text FROM pg_policies WHERE qual = 'true' OR with_check = 'true'")
    assert open_to == ["suture_gate"]
    assert names("SELECT rolcanlogin OR rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = 'suture_gate'") == [
        False
    ]


def test_every_key_of_a_tenant_table_starts_with_the_tenant():
    assert (
        names(
            f"""SELECT t.relname || '.' || k.conname FROM pg_constraint k JOIN {TENANT_TABLES} t ON t.oid = k.conrelid
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.conkey[1]
        LEFT JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attname = 'tenant_id'
        WHERE k.contype IN ('p', 'u', 'f') AND a.attname <> 'tenant_id'
          -- a key to a table without tenant (a person) cannot start with one
          AND NOT (k.contype = 'f' AND b.attname IS NULL)"""
        )
        == []
    )
    assert (
        names(
            f"""SELECT i.indexrelid::regclass::text FROM pg_index i JOIN {TENANT_TABLES} t ON t.oid = i.indrelid
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
        WHERE i.indisunique AND a.attname <> 'tenant_id'"""
        )
        == []
    )


def test_no_key_cascades_or_sets_null_or_waits_for_the_commit():
    assert (
        names(
            "SELECT conname FROM pg_constraint WHERE contype = 'f'"
            " AND (confdeltype NOT IN ('a', 'r') OR confupdtype NOT IN ('a', 'r') OR condeferrable)"
        )
        == []
    )


def test_append_only_tables_refuse_update_delete_and_truncate_whatever_the_session_says():
    update, delete, truncate = 16, 8, 32  # pg_trigger.tgtype
    guarded = gate.rows(
        "SELECT tgrelid::regclass::text AS relation, bit_or(tgtype)::int AS fires, array_agg(tgenabled) AS enabled"
        " FROM pg_trigger WHERE tgfoid IN ('governance_deny_change'::regproc,"
        " 'governance_deny_change_unless_erased'::regproc) GROUP BY 1",
        (),
    )
    assert sorted(row["relation"] for row in guarded) == APPEND_ONLY
    for row in guarded:
        assert row["fires"] & (update | delete | truncate) == update | delete | truncate, row
        assert set(row["enabled"]) == {"A"}, row


def used(world):
    """An outcome, a change of confidence and a promotion of a chunk."""
    of_chunk = {"tenant_id": world.tenant_id, "chunk_id": uuid.uuid4(), "at": timezone.now()}
    by = world.bob_principal.id
    outcome = Outcome.objects.create(
        **of_chunk, version=0, outcome="success", session_id="s", reporter_kind="human", reported_by=by, reporter="bob"
    )
    changed = {"before": Decimal("0.5"), "after": Decimal("0.6"), "number": 1, "kind": "outcome"}
    ConfidenceChange.objects.create(
        **of_chunk, **changed, outcome_id=outcome.id, changer_kind="human", changed_by=by, changer="bob"
    )
    moved = {"from_tier": "task", "to_tier": "session", "number": 1, "kind": "manual", "reason": "a test"}
    Promotion.objects.create(**of_chunk, **moved, evidence={}, promoter_kind="human", promoted_by=by, promoter="bob")


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_append_only_tables_refuse_even_their_owner(world, owner):
    world.event(kind="decision", content={"decision": "Ship it"})
    world.event(kind="task_update", content={"title": "Ship it", "status": "open"}, key="ship")
    world.event(kind="artifact", content={"name": "notes", "media_type": "text/plain"})
    world.edit(world.chunk(), "amend", text="The slow brown fox")
    world.alice.ok("post", "capsules", CapsuleFactory(items={"chunks": [world.chunk()]}))
    with world.inside(), as_owner():
        PolicyChange.objects.create(
            tenant_id=world.tenant_id,
            preset="open",
            reason="a test",
            proposed_by=world.bob_principal.id,
            proposer=world.bob_name,
            needs_second=False,
        )
        Delivery.objects.create(
            tenant_id=world.tenant_id,
            chunk_id=uuid.uuid4(),
            version=0,
            receiver_kind="agent",
            receiver_id=world.alice_principal.id,
            receiver="alice",
            means="recall",
            at=timezone.now(),
        )
        used(world)
    erase_an_event(world)
    forgotten(world)
    related(world)
    world.alice.ok("post", "tools/memory_commit", {"content": "Jack likes tea"})
    world.alice.ok("post", "tools/memory_rethink", {"supersedes": [2], "new_understanding": "Jack likes green tea"})
    world.alice.ok("post", "acb/build", {"session_id": "session-1", "channel": "private"})
    captured(world)
    checkpointed(world)
    sealing.seal(world.tenant_id)
    with world.inside("owner"):  # a tree of 256 leaves would have one
        TreeNode.objects.using("owner").create(tenant_id=world.tenant_id, level=8, index=0, hash=bytes(32))
    for table in APPEND_ONLY:
        for statement in (
            f"UPDATE {table} SET tenant_id = tenant_id",
            f"DELETE FROM {table} WHERE tenant_id = '{world.tenant_id}'",
            f"TRUNCATE {table} CASCADE",
        ):
            with world.inside("owner"):
                assert owner(f"SELECT 1 FROM {table} WHERE tenant_id = %s LIMIT 1", [world.tenant_id]), table
                with (
                    pytest.raises(Error, match="append-only"),
                    transaction.atomic("owner"),
                    connections["owner"].cursor() as cursor,
                ):
                    cursor.execute(statement)


def erase_an_event(world):
    people = identities.provision(
        world.slug, people=[(f"{name}-{world.slug}", "admin") for name in ("carol", "dave")]
    ).users.values()
    event = world.event("Jon likes tea")["event_id"]
    with world.inside():
        carol, dave = (gate.authenticate(person["key"]) for person in people)
        erasure = erasures.propose_erasure(erasures.Selection("event", event), actor=carol, reason="a test")
        erasures.approve_erasure(erasure.id, actor=dave)


def test_gate_functions_pin_their_path_and_belong_to_the_gate():
    definers = gate.rows(
        f"""SELECT p.proname, pg_get_userbyid(p.proowner) AS owner, p.proconfig,
            EXISTS (SELECT 1 FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
                    WHERE x.grantee = 0) AS public
        FROM {OUR_FUNCTIONS} p WHERE p.prosecdef""",
        (),
    )
    known = {"search_chunks", "record_events", "record_verdict", "append_entries"}
    assert known <= {row["proname"] for row in definers}
    for row in definers:
        (path,) = [setting for setting in row["proconfig"] or [] if setting.startswith("search_path=")]
        assert path.endswith(", pg_temp"), row
        assert row["owner"] == "suture_gate", row
        assert not row["public"], row


def test_no_function_of_ours_is_everybodys():
    assert (
        names(
            f"""SELECT p.proname FROM {OUR_FUNCTIONS} p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
        WHERE x.grantee = 0 AND p.prorettype <> 'trigger'::regtype"""
        )
        == []
    )


def test_every_gate_function_that_the_app_may_call_takes_the_tenant_first_and_compares_it():
    called = gate.rows(
        f"""SELECT p.proname, p.proargnames[1] AS first, p.prosrc FROM {OUR_FUNCTIONS} p
        WHERE p.prosecdef AND has_function_privilege('suture_app', p.oid, 'EXECUTE')""",
        (),
    )
    assert called
    for row in called:
        if row["proname"] not in BEFORE_ANY_TENANT:
            assert row["first"] == "p_tenant", row["proname"]
            assert re.search(
                r"\b(require_tenant|require_job|acting\w*|sensitivities_heard|reader_of|reader_including)\(p_tenant\b",
                row["prosrc"],
            ), row["proname"]


def test_the_planner_knows_no_tenant_better_than_another():
    known = gate.rows(
        f"SELECT t.relname FROM {TENANT_TABLES} t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'tenant_id'"
        " WHERE a.attstattarget IS DISTINCT FROM 0",
        [],
    )
    assert known == []


def test_only_content_has_the_guard_that_an_erasure_passes():
    assert names(
        "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgfoid = 'governance_deny_change_unless_erased'::regproc"
    ) == [Content._meta.db_table]


def test_a_check_does_not_pass_because_a_column_is_null():
    """NULL passes a CHECK: a nullable column in one must be tested for NULL in so many words."""
    assert (
        names(
            """SELECT k.conname || ': ' || a.attname FROM pg_constraint k
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey) AND NOT a.attnotnull
        WHERE k.contype = 'c' AND k.connamespace = 'public'::regnamespace
          AND k.conrelid::regclass::text ~ '^(governance|memory|capsules|capture)_'
          AND pg_get_constraintdef(k.oid) !~ ('\\m' || a.attname || ' IS (NOT )?NULL')"""
        )
        == []
    )


def test_no_view_reads_with_its_owners_rights():
    assert (
        names(
            "SELECT relname FROM pg_class WHERE relkind IN ('v', 'm') AND relnamespace = 'public'::regnamespace"
            " AND NOT coalesce('security_invoker=true' = ANY (reloptions), false)"
            " AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = pg_class.oid AND d.deptype = 'e')"
        )
        == []
    )
