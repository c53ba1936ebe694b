"""What the database itself says of roles: what each may read, write and call."""

import itertools

import pytest
from django.db import Error, transaction

from governance.acting import gate
from governance.models import AccessRecord, Content
from tests.catalog import APPEND_ONLY, OUR_FUNCTIONS, PROJECTIONS, TENANT_TABLES, names, writable_by

pytestmark = pytest.mark.django_db

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
        "compare_audiences",
        "context_tenant",
        "enter_operator",
        "enter_person",
        "preview_edit",
        "state_of_capsule",
        "state_of_chunk",
        "state_of_decision",
        "state_of_value",
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
