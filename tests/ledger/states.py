"""What the owner of the tables can do to edits, and what the commands then say."""

import io
from typing import Any

from django.core.management import call_command
from django.db import connections

from governance.ledger import verification
from suture_verify.findings import Kind, Row
from tests.ledger.tampering import unguarded
from tests.world import World

STATES = "governance_editstate"


def waiting(world: World, text: str = "Jack drinks gin", op: str = "quarantine", **fields: Any) -> tuple[str, str]:
    """A chunk, and an edit of it that waits for a person."""
    chunk = world.chunk(text)
    return chunk, world.edit(chunk, op, by=world.alice, **fields)["edit_id"]


def quarantined(world: World, text: str = "Jack drinks gin") -> tuple[str, str]:
    """A chunk, and its quarantine that bob approved."""
    chunk, edit = waiting(world, text)
    world.bob.decide(edit, "approve", reason="Agreed")
    return chunk, edit


def write(world: World, sql: str, *params: Any) -> None:
    """Run one statement as the owner of the tables; it must change something. The tenant is its last parameter."""
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(sql, [*params, world.tenant_id])
        assert cursor.rowcount > 0, sql


def set_state(world: World, edit: str, **columns: Any) -> None:
    """Change the state of an edit by hand."""
    assigned = ", ".join(f"{name} = %s" for name in columns)
    write(
        world,
        f"UPDATE governance_editstate SET {assigned} WHERE edit_id = %s AND tenant_id = %s",
        *columns.values(),
        edit,
    )


def refold(world: World, chunk: str) -> None:
    """Fold the memory of a chunk again, as everything that changes an edit does."""
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SET LOCAL ROLE suture_gate")
        cursor.execute("SELECT refold_chunk(%s, %s)", [world.tenant_id, chunk])


def forge(world: World, edit: str, **columns: Any) -> str:
    """Put a copy of an edit with its state and its verdicts into the tables, with other values in some columns of the
    edit; answers its id. No entry names it."""
    assigned = {"id": "gen_random_uuid()", **{name: f"'{value}'" for name, value in columns.items()}}
    with unguarded("governance_edit", "governance_verdict") as cursor:
        made = _copy(cursor, "governance_edit", "id", edit, assigned)
        of_edit = {"edit_id": f"'{made}'"}
        _copy(cursor, "governance_editstate", "edit_id", edit, of_edit)
        _copy(cursor, "governance_verdict", "edit_id", edit, {"id": "gen_random_uuid()", **of_edit})
    return made


def _copy(cursor: Any, table: str, key: str, value: str, assigned: dict[str, str]) -> str:
    cursor.execute(
        "SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) FROM information_schema.columns"
        " WHERE table_schema = 'public' AND table_name = %s",
        [table],
    )
    names = cursor.fetchone()[0].split(", ")
    values = ", ".join(assigned.get(name, name) for name in names)
    cursor.execute(
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM {table} WHERE {key} = %s RETURNING {key}",
        [value],
    )
    return str(cursor.fetchone()[0])


def unproven(world: World) -> dict[Row, tuple[str | None, str | None]]:
    """The rows that a verification calls unproven, with what they say and what they should say."""
    findings = verification.verify(world.tenant_id).findings
    return {
        one.row: (one.found, one.expected)
        for one in findings
        if one.kind is Kind.UNPROVEN_STATE and one.row is not None
    }


def verify_effective(world: World, *arguments: str) -> tuple[int, list[str]]:
    """The exit code of `verify_effective` for the test's tenant, and its lines without the tenant's name."""
    output, code = io.StringIO(), 0
    try:
        call_command("verify_effective", "--tenant", world.slug, *arguments, stdout=output)
    except SystemExit as end:
        code = int(str(end.code))
    return code, [line.removeprefix(f"{world.slug}: ") for line in output.getvalue().splitlines()]
