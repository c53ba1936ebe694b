"""What guards the record in the database itself, and what a checker inside of it would ask."""

from collections.abc import Callable

from django.db import connections, transaction

from governance.database.functions import definitions
from tests.tamperings.commands import Command
from tests.tamperings.tampering import Change, Class, Copy, Tampering, both, schema, sql

CHAIN, EFFECTIVE = Command.VERIFY_CHAIN, Command.VERIFY_EFFECTIVE
CHECK, OFFLINE = Command.CHECK_LEDGER, Command.OFFLINE

AS_GATE, AS_OWNER = "SET LOCAL ROLE suture_gate", "RESET ROLE"
_MAY_CREATE = "GRANT CREATE ON SCHEMA public TO suture_gate"
_MAY_NOT = "REVOKE CREATE ON SCHEMA public FROM suture_gate"


def _case(name: str, told: str, *statements: str, does: Change | None = None, hides: bool = False) -> Tampering:
    """A change that both commands name which compare the catalog with what `migrate` signed."""
    found = {CHAIN: [("schema changed: rows: ", told)], CHECK: [("schema: ", told)]}
    return Tampering(Class.CHECKER, name, does or schema(*statements), found, hides_others=hides)


def _guard(statement: str) -> Change:
    """The statement about the trigger that keeps entries append-only."""

    def run(copy: Copy) -> None:
        with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
            cursor.execute(
                "SELECT tgname FROM pg_trigger WHERE tgrelid = 'governance_entry'::regclass"
                " AND tgname ~ '^pgtrigger_append_only'"
            )
            copy.facts["guard"] = cursor.fetchone()[0]
            cursor.execute(statement.format(guard=f'"{copy.facts["guard"]}"'))

    return Change(run, objects=frozenset({"governance_entry"}))


def _replaced(app: str, name: str, change: Callable[[str], str]) -> Change:
    """Replace a function of the database, as its owner can."""

    def run(copy: Copy) -> None:
        before = definitions(app)[name].statement
        after = change(before)
        assert after != before
        schema(_MAY_CREATE, AS_GATE, after, AS_OWNER, _MAY_NOT)(copy)

    return Change(run, objects=frozenset({name}))


def _finds_nothing(text: str) -> str:
    return text.partition("AS $$")[0] + "AS $$ BEGIN RETURN; END $$"


_OF_A_LEAF = (
    "CREATE OR REPLACE FUNCTION leaf_hash(p_row jsonb) RETURNS bytea LANGUAGE sql STABLE AS $$"
    " SELECT l.hash FROM governance_leaf l WHERE l.row_id = (p_row ->> 2)::uuid LIMIT 1 $$"
)
_EDIT_EVENT = sql("UPDATE memory_event SET actor_id = 'mallory' WHERE id = %(event)s")
_EVENT_DIFFERS = "content mismatch: leaves at {event_at}: the event {event} is not what was sealed (event {event})"

ROW_SECURITY = [
    _case(
        "row security that is switched off",
        "the table governance_content was changed",
        "ALTER TABLE governance_content DISABLE ROW LEVEL SECURITY",
    ),
    _case(
        "row security that is not forced",
        "forced row security is false instead of true",
        "ALTER TABLE governance_content NO FORCE ROW LEVEL SECURITY",
    ),
    _case(
        "a dropped policy of row security",
        "the policy tenant on memory_chunk is missing",
        "DROP POLICY tenant ON memory_chunk",
    ),
    _case(
        "a policy of row security that shows all rows",
        'using is "true" instead of "(tenant_id = ',
        "ALTER POLICY tenant ON memory_chunk USING (true)",
    ),
    _case(
        "a policy of row security for others",
        "roles also has PUBLIC; roles lacks suture_gate",
        "ALTER POLICY gate ON memory_chunk TO PUBLIC",
    ),
]

GUARDS = [
    _case(
        "a disabled guard",
        '{guard} on governance_entry was changed after the last migration: enabled is "off"',
        does=_guard("ALTER TABLE governance_entry DISABLE TRIGGER {guard}"),
    ),
    _case(
        "a guard that replication passes",
        'on governance_entry was changed after the last migration: enabled is "on" instead',
        does=_guard("ALTER TABLE governance_entry ENABLE TRIGGER {guard}"),
    ),
    _case(
        "a dropped guard",
        "the trigger {guard} on governance_entry is missing",
        does=_guard("DROP TRIGGER {guard} ON governance_entry"),
    ),
    _case(
        "another trigger",
        "the trigger more on memory_event was added",
        "CREATE FUNCTION testing.more() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "CREATE TRIGGER more BEFORE INSERT ON memory_event FOR EACH ROW EXECUTE FUNCTION testing.more()",
    ),
    _case(
        "a dropped constraint",
        "the constraint entry_seq on governance_entry is missing",
        "ALTER TABLE governance_entry DROP CONSTRAINT entry_seq",
    ),
    _case(
        "a dropped reference between tables",
        "on governance_editstate is missing",
        "DO $$ BEGIN EXECUTE (SELECT format('ALTER TABLE governance_editstate DROP CONSTRAINT %I', conname)"
        " FROM pg_constraint WHERE conrelid = 'governance_editstate'::regclass AND contype = 'f' LIMIT 1); END $$",
    ),
]

TABLES = [
    _case(
        "another default of a column",
        "columns also has metadata jsonb NOT NULL DEFAULT '{{}}'::jsonb",
        "ALTER TABLE governance_entry ALTER COLUMN metadata SET DEFAULT '{}'",
    ),
    _case(
        "another column",
        "the table memory_event was changed after the last migration: columns also has more text",
        "ALTER TABLE memory_event ADD COLUMN more text",
    ),
    _case(
        "a column of another type",
        "columns also has version text NOT NULL",
        "ALTER TABLE memory_delivery ALTER COLUMN version TYPE text",
    ),
    _case(
        "a table that inherits",
        "the child public.more of governance_content was added",
        "CREATE TABLE more () INHERITS (governance_content)",
        hides=True,  # no words are read any more
    ),
    _case(
        "a table of another owner",
        'owner is "suture_gate" instead of "suture_owner"',
        _MAY_CREATE,
        "ALTER TABLE memory_delivery OWNER TO suture_gate",
        _MAY_NOT,
    ),
    Tampering(
        Class.CHECKER,
        "a view in the place of a table",
        schema(
            "ALTER TABLE memory_delivery RENAME TO hidden_delivery",
            "CREATE VIEW memory_delivery AS SELECT * FROM hidden_delivery",
        ),
        {
            CHAIN: ["schema changed: rows: memory_delivery is not an ordinary table"],
            CHECK: ["schema: the table memory_delivery is missing"],
        },
        refused={EFFECTIVE: "Cannot query the database: permission denied for view memory_delivery"},
    ),
    Tampering(
        Class.CHECKER,
        "a rule that hides deletions",
        schema("CREATE RULE quiet AS ON DELETE TO governance_receipt DO INSTEAD NOTHING"),
        {
            CHAIN: ["schema changed: rows: governance_receipt has rules, or shares its rows with another table"],
            CHECK: ["schema: the rule quiet on governance_receipt was added"],
        },
    ),
]

RIGHTS = [
    _case(
        "a right on a table",
        "grants also has SELECT to suture_app",
        "GRANT SELECT ON governance_content TO suture_app",
    ),
    _case(
        "a right on a column",
        "grants also has SELECT (body) to PUBLIC",
        "GRANT SELECT (body) ON governance_content TO PUBLIC",
    ),
    _case(
        "a right that is taken",
        "grants lacks SELECT to suture_gate",
        "REVOKE SELECT ON governance_chain FROM suture_gate",
    ),
    _case(
        "a right on the database",
        "the database was changed after the last migration: grants also has TEMPORARY to PUBLIC",
        "DO $$ BEGIN EXECUTE format('GRANT TEMP ON DATABASE %I TO PUBLIC', current_database()); END $$",
    ),
    _case(
        "a right on the schema",
        "the schema public was changed after the last migration: grants also has CREATE",
        "GRANT CREATE ON SCHEMA public TO suture_app",
    ),
    _case(
        "a right on tables that are made later",
        "default rights on tables of suture_owner",
        "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO suture_app",
    ),
    _case(
        "a right on a function",
        "grants also has EXECUTE to PUBLIC",
        AS_GATE,
        "GRANT EXECUTE ON FUNCTION authenticate TO PUBLIC",
    ),
    _case(
        "a setting of a role",
        "settings also has work_mem=64MB (here)",
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = ''64MB''', current_database()); END $$",
    ),
]

FUNCTIONS = [
    _case(
        "another function",
        "the function more() was added",
        "CREATE FUNCTION more() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    ),
    _case(
        "a function with the rights of its caller",
        "security definer is false instead of true",
        AS_GATE,
        "ALTER FUNCTION authenticate SECURITY INVOKER",
    ),
    _case(
        "a function with another search path",
        "settings also has search_path=public",
        AS_GATE,
        "ALTER FUNCTION authenticate SET search_path = public",
    ),
    _case(
        "a function of another owner",
        'owner is "suture_gate" instead of "suture_owner"',
        _MAY_CREATE,
        "ALTER FUNCTION governance_guard_always OWNER TO suture_gate",
        _MAY_NOT,
    ),
]

WITH_ROWS = [
    Tampering(
        Class.CHECKER,
        "an edited event, and a replaced function that hashes rows",
        both(_EDIT_EVENT, _replaced("governance", "leaf_hash", lambda _: _OF_A_LEAF)),
        {
            CHAIN: [_EVENT_DIFFERS, ("schema changed: rows: the function leaf_hash(", "its body differs")],
            CHECK: [("schema: the function leaf_hash(", "its body differs")],
        },
    ),
    Tampering(
        Class.CHECKER,
        "an edited event, and a policy of row security that hides it",
        both(
            _EDIT_EVENT,
            schema("CREATE POLICY hides ON memory_event AS RESTRICTIVE USING (actor_id <> 'mallory')"),
        ),
        {
            CHAIN: [_EVENT_DIFFERS, "schema changed: rows: the policy hides on memory_event was added"],
            CHECK: ["schema: the policy hides on memory_event was added"],
        },
    ),
    # the fold is computed by functions of the database: verify_chain names the one that was replaced
    Tampering(
        Class.CHECKER,
        "another text that readers see, and a replaced function that compares it",
        both(
            sql("UPDATE memory_effectivechunk SET text = 'Jack drinks gin' WHERE id = %(shown)s"),
            _replaced("memory", "effective_drift", _finds_nothing),
        ),
        {
            CHAIN: [("schema changed: rows: the function effective_drift(uuid)", "its body differs")],
            CHECK: [("schema: the function effective_drift(uuid)", "its body differs")],
        },
    ),
]

_DESCRIPTION = "the signed description of the schema that the ledger names, {fingerprint}, is missing or was changed"

DESCRIPTIONS = [
    Tampering(
        Class.CHECKER,
        "a deleted description of the schema",
        sql("DELETE FROM governance_schemafingerprint"),
        {
            CHAIN: [f"schema changed: rows: {_DESCRIPTION}"],
            CHECK: ["schema: the signed fingerprint {fingerprint}, which the ledger of {slug} names, is missing"],
        },
        hides_others=True,
    ),
    Tampering(
        Class.CHECKER,
        "a changed description of the schema",
        sql("UPDATE governance_schemafingerprint SET document = document || ' '::bytea"),
        {
            CHAIN: [f"schema changed: rows: {_DESCRIPTION}"],
            CHECK: ["schema: the signed fingerprint {fingerprint}, which the ledger of {slug} names, is missing"],
        },
        hides_others=True,
    ),
    Tampering(
        Class.CHECKER,
        "a dropped policy of row security, and a description of the schema without its signature",
        both(
            schema("DROP POLICY tenant ON memory_chunk"),
            sql("UPDATE governance_schemafingerprint SET signature = sha256('') || sha256('')"),
        ),
        {
            CHAIN: ["schema changed: rows: the policy tenant on memory_chunk is missing"],
            CHECK: ["schema: no key of this server has signed the fingerprint {fingerprint}"],
        },
        hides_others=True,
    ),
]

# Rows first: what changes some switches every guard on again.
TAMPERINGS = [*WITH_ROWS, *DESCRIPTIONS, *ROW_SECURITY, *GUARDS, *TABLES, *RIGHTS, *FUNCTIONS]
