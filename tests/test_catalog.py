"""What the database itself says of tables, keys, guards, functions and roles: the promises that code cannot break."""

import itertools
import re
import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.db import Error, connections, transaction
from django.utils import timezone

from capsules.models import EffectiveCapsule
from governance import gate
from governance.erasure import erasures
from governance.identity import identities
from governance.ledger import sealing
from governance.models import (
    AccessRecord,
    AppendOnlyModel,
    Chain,
    Content,
    EditState,
    ErasureState,
    PolicyChange,
    TreeNode,
)
from memory.models import (
    CheckpointMemory,
    CheckpointState,
    CheckpointUsage,
    ChunkAccess,
    ChunkSession,
    ConfidenceChange,
    Delivery,
    EffectiveChunk,
    EffectiveDecision,
    EffectiveTask,
    Embedding,
    EmbeddingItem,
    EmbeddingModel,
    Outcome,
    PendingContext,
    Promotion,
    RemovedValue,
    RunningSession,
    SessionShare,
    SessionTurn,
)
from tests.factories import CapsuleFactory
from tests.ledger.tampering import captured, checkpointed
from tests.owning import as_owner
from tests.test_isolation import BEFORE_ANY_TENANT

pytestmark = pytest.mark.django_db

TENANT_TABLES = """(
    SELECT c.oid, c.relname FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
)"""
#: Functions of our own: not those of an extension.
OUR_FUNCTIONS = """(
    SELECT p.* FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
)"""


def descendants(model):
    return [child for direct in model.__subclasses__() for child in (direct, *descendants(direct))]


APPEND_ONLY = sorted(model._meta.db_table for model in descendants(AppendOnlyModel) if not model._meta.abstract)
PROJECTIONS = sorted(
    model._meta.db_table
    for model in (
        Chain,
        CheckpointMemory,
        CheckpointState,
        CheckpointUsage,
        ChunkAccess,
        ChunkSession,
        EditState,
        EffectiveCapsule,
        EffectiveChunk,
        EffectiveDecision,
        EffectiveTask,
        Embedding,
        EmbeddingItem,
        EmbeddingModel,
        ErasureState,
        PendingContext,
        RemovedValue,
        RunningSession,
        SessionShare,
        SessionTurn,
    )
)


def names(sql, params=()):
    return [next(iter(row.values())) for row in gate.rows(sql, params)]


def writable_by(role, *privileges):
    """The tables on which a role holds any of the privileges, on the whole or on a column."""
    found = {}
    for privilege in privileges:
        granted = f"has_table_privilege(%s, c.oid, '{privilege}')"
        if privilege not in ("DELETE", "TRUNCATE", "TRIGGER"):
            granted += f" OR has_any_column_privilege(%s, c.oid, '{privilege}')"
        sql = (
            "SELECT c.relname FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'm')"
            f" AND c.relnamespace = 'public'::regnamespace AND ({granted}) ORDER BY 1"
        )
        found[privilege] = names(sql, [role] * granted.count("%s"))
    return found


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
    world.event(kind="task_update", content={"title": "Ship it", "status": "open"})
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
                r"\b(require_tenant|require_job|acting\w*|sensitivities_heard|labels_heard)\(p_tenant\b", row["prosrc"]
            ), row["proname"]


def test_the_planner_knows_no_tenant_better_than_another():
    known = gate.rows(
        f"SELECT t.relname FROM {TENANT_TABLES} t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'tenant_id'"
        " WHERE a.attstattarget IS DISTINCT FROM 0",
        [],
    )
    assert known == []


LOGIN_ROLES = ["suture_app", "suture_review", "suture_session", "suture_operator"]


@pytest.mark.parametrize("role", LOGIN_ROLES)
def test_the_roles_of_the_web_are_ordinary(role):
    (found,) = gate.rows(
        "SELECT rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolreplication,"
        " has_schema_privilege(rolname, 'public', 'CREATE') AS creates,"
        " has_database_privilege(rolname, current_database(), 'CREATE') AS schemas,"
        " has_database_privilege(rolname, current_database(), 'TEMP') AS temp,"
        " pg_has_role(rolname, 'suture_gate', 'MEMBER') AS gate,"
        " pg_has_role(rolname, 'suture_owner', 'MEMBER') AS owner,"
        " EXISTS (SELECT 1 FROM pg_class c WHERE c.relowner = r.oid) AS owns"
        " FROM pg_roles r WHERE rolname = %s",
        [role],
    )
    assert not any(found.values()), found


def test_the_tests_run_as_the_app():
    assert names("SELECT current_user") == ["suture_app"]


def test_the_app_cannot_read_words():
    assert names("SELECT has_any_column_privilege('suture_app', 'governance_content', 'SELECT')") == [False]
    for column in ("text", "tsv", "lex"):  # words, and digests of words
        held = "SELECT has_column_privilege(%s, 'memory_effectivechunk', %s, 'SELECT')"
        assert [names(held, [role, column]) for role in ("suture_app", "suture_review")] == [[False], [False]]
    for statement in (
        "SELECT body FROM governance_content",
        "SELECT text FROM memory_effectivechunk",
        "SELECT tsv FROM memory_effectivechunk",
        "SELECT lex FROM memory_effectivechunk",
        "SELECT id FROM memory_pendingcontext",
    ):
        with pytest.raises(Error, match="permission denied"), transaction.atomic():
            gate.rows(statement, ())


def test_the_app_writes_no_record_and_no_projection():
    written = writable_by("suture_app", "INSERT", "UPDATE", "DELETE", "TRUNCATE")
    # no words of memory are in the access log: a service inserts rows, and nobody changes them
    wordless = {AccessRecord._meta.db_table}
    assert set(written.pop("INSERT")) & {*APPEND_ONLY, *PROJECTIONS} == wordless
    for privilege, tables in written.items():
        assert not set(tables) & {*APPEND_ONLY, *PROJECTIONS}, privilege


def test_what_the_app_may_update_and_delete_is_listed():
    # that somebody logged in, and that a second factor was used or tried: in columns (the next test)
    used = ["governance_user", "otp_static_staticdevice", "otp_totp_totpdevice"]
    spent = ["otp_static_statictoken"]
    counted = ["governance_dayfigure"]
    inserted = ["django_admin_log", "governance_accessrecord"]
    rewritten = [
        "axes_accessattempt",
        "axes_accessattemptexpiration",
        "django_session",
        "governance_idempotencykey",
    ]
    assert writable_by("suture_app", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER") == {
        "INSERT": sorted([*rewritten, *counted, *inserted]),
        "UPDATE": sorted([*used, *rewritten, *counted]),
        "DELETE": sorted([*rewritten, *spent]),
        "TRUNCATE": [],
        "REFERENCES": [],
        "TRIGGER": [],
    }


def test_what_the_app_may_update_of_people_is_when_they_log_in():
    granted = names(
        "SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        " WHERE c.relnamespace = 'public'::regnamespace AND c.relname ~ '^(otp_|governance_user$)' AND a.attnum > 0"
        " AND has_column_privilege('suture_app', c.oid, a.attnum, 'UPDATE') ORDER BY 1"
    )
    tried = ["last_used_at", "throttling_failure_count", "throttling_failure_timestamp"]
    assert granted == sorted(
        [
            "governance_user.last_login",
            *(f"otp_static_staticdevice.{column}" for column in tried),
            *(f"otp_totp_totpdevice.{column}" for column in [*tried, "drift", "last_t"]),
        ]
    )


def test_the_review_role_writes_nothing():
    written = writable_by("suture_review", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER")
    assert list(itertools.chain.from_iterable(written.values())) == []
    # what a reviewer saw, in one hash, and what an edit would make of it
    assert names(
        f"SELECT proname FROM {OUR_FUNCTIONS} p WHERE p.prosecdef"
        " AND has_function_privilege('suture_review', p.oid, 'EXECUTE') ORDER BY 1"
    ) == [
        "context_tenant",
        "enter_operator",
        "enter_person",
        "preview_edit",
        "state_of_capsule",
        "state_of_chunk",
        "state_of_decision",
    ]


def test_the_verifier_only_reads_the_record_of_tenants():
    held = writable_by("suture_verifier", "SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER")
    read = set(held.pop("SELECT")) - {"pg_stat_statements", "pg_stat_statements_info"}
    assert list(itertools.chain.from_iterable(held.values())) == []
    of_tenants = set(names(f"SELECT relname FROM {TENANT_TABLES} t"))
    of_none = {"governance_schemafingerprint", "governance_tenant", "governance_user"}
    assert read == of_tenants - {"governance_idempotencykey"} | of_none
    secret = "SELECT has_column_privilege('suture_verifier', 'governance_user', 'password', 'SELECT')"
    assert names(secret) == [False]


def test_the_verifier_calls_no_function_of_ours():
    assert (
        names(
            f"SELECT proname FROM {OUR_FUNCTIONS} p WHERE has_function_privilege('suture_verifier', p.oid, 'EXECUTE')"
            " AND p.proowner = 'suture_gate'::regrole"
        )
        == []
    )


@pytest.mark.parametrize("role", [*LOGIN_ROLES, "suture_owner", "suture_verifier"])
def test_no_role_makes_or_reads_large_objects(role):
    # they belong to no table, and so to no tenant
    large = "p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~ '^lo_|^loread$|^lowrite$'"
    assert len(names(f"SELECT p.proname FROM pg_proc p WHERE {large}")) > 15
    callable_by = f"SELECT p.proname FROM pg_proc p WHERE {large} AND has_function_privilege(%s, p.oid, 'EXECUTE')"
    assert names(callable_by, [role]) == []


@pytest.mark.parametrize("role", ["suture_session", "suture_operator"])
def test_the_roles_that_open_contexts_have_no_right_on_any_table(role):
    held = writable_by(role, "SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER")
    # the statistics of statements, which the extension shows everybody without the texts of others
    assert {table for tables in held.values() for table in tables} <= {"pg_stat_statements", "pg_stat_statements_info"}


def test_the_gate_owns_functions_and_no_table():
    assert names("SELECT relname FROM pg_class WHERE relowner = 'suture_gate'::regrole") == []
    # content's guard lets a DELETE pass for what an approved erasure names (tests/erasure/test_content_guard.py)
    lawful = {"DELETE": {Content._meta.db_table}}
    for privilege in ("UPDATE", "DELETE", "TRUNCATE"):
        granted = set(writable_by("suture_gate", privilege)[privilege])
        assert granted & set(APPEND_ONLY) == lawful.get(privilege, set())


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
