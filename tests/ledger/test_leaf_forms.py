"""Python makes of every sealed row the bytes that the database makes its leaf of, whatever the row says."""

import io
import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

from governance.ledger import sealed_kinds, sealed_rows
from governance.ledger.table_rows import RawReader
from governance.models import new_id
from memory_project.environment import BASE_DIR
from suture_verify.export import LeafLine
from suture_verify.leaves import Column, Type
from tests.scale import at_scale
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

KINDS = {kind.name: kind for kind in sealed_kinds.kinds()}
PAGE = BASE_DIR / "docs" / "ledger-leaves.md"

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
#: What `jsonb` keeps as it is, or writes in its own way: order of keys, decimals, exponents.
NUMBERS = st.one_of(st.integers(-(10**40), 10**40), st.floats(allow_nan=False, allow_infinity=False))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=8,
)
VALUES: dict[Type, st.SearchStrategy[Any]] = {
    Type.TEXT: TEXTS,
    Type.UUID: st.uuids(),
    Type.INTEGER: st.integers(-(2**15), 2**15 - 1),
    Type.NUMBER: st.one_of(
        st.just(Decimal("NaN")),
        st.decimals(allow_nan=False, allow_infinity=False).filter(lambda one: abs(one.adjusted()) < 500),
    ),
    Type.BOOLEAN: st.booleans(),
    Type.MOMENT: st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31), timezones=st.just(UTC)),  # noqa: DTZ001
    Type.BYTES: st.binary(max_size=40),
    Type.TEXTS: st.lists(st.none() | TEXTS, max_size=3),
    Type.INTEGERS: st.lists(st.none() | st.integers(-(2**31), 2**31 - 1), max_size=3),
    Type.JSON: JSON.map(lambda value: json.dumps(value, ensure_ascii=False)),
}


def test_every_kind_has_a_form_of_its_own():
    names = [kind.form.name for kind in sealed_kinds.kinds()]
    assert len(set(names)) == len(names)
    assert {name.partition("/")[0] for name in names} == KINDS.keys()


def test_the_page_of_forms_is_current():
    output = io.StringIO()
    call_command("ledger_leaves", stdout=output)

    assert output.getvalue() == PAGE.read_text(), "Run: manage.py ledger_leaves > docs/ledger-leaves.md"


@contextmanager
def without_constraints(kind: sealed_kinds.SealedKind) -> Iterator[Any]:
    """A cursor of the owner, for whom the tables of a kind are empty and take any value, until the end."""
    with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
        for table, read in {
            kind.table: kind.form.columns,
            **{one.table: one.columns for one in kind.form.gathered},
        }.items():
            cursor.execute(f"ALTER TABLE {table} RENAME TO as_it_was_{table}")
            cursor.execute(f"CREATE TABLE {table} (LIKE as_it_was_{table})")
            cursor.execute(f"GRANT SELECT ON {table} TO suture_gate")
            cursor.execute("SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0", [table])
            for (name,) in cursor.fetchall():
                cursor.execute(f'ALTER TABLE {table} ALTER COLUMN "{name}" DROP NOT NULL')
            for column in read:
                if column.type == Type.NUMBER:
                    cursor.execute(f'ALTER TABLE {table} ALTER COLUMN "{column.name}" TYPE numeric')
        yield cursor
        transaction.set_rollback(True, "owner")


def insert(cursor: Any, table: str, values: dict[str, Any]) -> None:
    cursor.execute(
        sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.Identifier(table),
            sql.SQL(", ").join(map(sql.Identifier, values)),
            sql.SQL(", ").join(sql.Placeholder() * len(values)),
        ),
        list(values.values()),
    )


def row_of(form_columns: tuple[Column, ...], draw: Any, **given: Any) -> dict[str, Any]:
    row = {column.name: draw(st.none() | VALUES[column.type]) for column in form_columns}
    return row | given


@pytest.mark.scaled
@pytest.mark.parametrize("name", KINDS)
def test_python_renders_what_the_seal_hashes(world: World, name: str) -> None:
    kind = KINDS[name]
    words = {name: new_id() for name in ("kept", "erased", "missing")}

    @settings(max_examples=at_scale(5, 300), deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def tried(data: st.DataObject) -> None:
        with transaction.atomic("owner"):
            ids = [uuid.uuid4(), uuid.uuid4()]
            for id_ in ids:
                row = row_of(kind.form.columns, data.draw, tenant_id=world.tenant_id, id=id_)
                for element in kind.form.words:
                    row[element.column] = data.draw(st.sampled_from([None, *words.values()]))
                insert(cursor, kind.table, row)
                for one in kind.form.gathered:
                    for place in range(data.draw(st.integers(0, 3))):
                        given_ = {"tenant_id": world.tenant_id, one.key: id_, one.order: place}
                        insert(cursor, one.table, row_of(one.columns, data.draw, **given_))
            cursor.execute("SET LOCAL ROLE suture_gate")
            cursor.execute(
                f"SELECT x.id, x.leaf::text, leaf_hash(x.leaf) FROM leaves_of_{name}(%s, %s) x", [world.tenant_id, ids]
            )
            sealed_as = {str(id_): (leaf, bytes(digest)) for id_, leaf, digest in cursor.fetchall()}
            cursor.execute("RESET ROLE")
            leaves = [LeafLine(place, name, id_, b"") for place, id_ in enumerate(ids)]
            found = sealed_rows.read(reader, leaves)
            rows = [sealed_rows.with_hashes(kind.form, row, found.hashes) for row in found.rows[name]]
            transaction.set_rollback(True, "owner")
        assert {row[1]: (kind.form.render(row), kind.form.hash(row)) for row in rows} == sealed_as

    with world.inside("owner"), without_constraints(kind) as cursor:
        insert(
            cursor,
            "governance_content",
            {"tenant_id": world.tenant_id, "id": words["kept"], "salt": b"s", "body": "words", "sha256": b"\x01" * 32},
        )
        insert(
            cursor,
            "governance_erasedcontent",
            {
                "tenant_id": world.tenant_id,
                "id": words["erased"],
                "sha256": b"\x02" * 32,
                "erasure_id": new_id(),
                "erased_at": datetime.now(UTC),
            },
        )
        reader = RawReader(world.tenant_id, connections["owner"].connection, "owner")
        tried()
