"""Rows are looked up by their ids in the primary key, whatever the size of the table and its other indexes."""

import re
import uuid

import pytest
from django.apps import apps
from django.db import connections

from governance.database.functions import definitions
from governance.models import TenantModel

pytestmark = pytest.mark.django_db(databases=["default", "owner"])

#: Rows in a table, and pages that the lookup of one row may read: three levels of the index, and the row.
SIZES, PAGES = (300, 3000, 12000), 4
TENANT = uuid.UUID(int=1)
MODELS = [model for model in apps.get_models() if issubclass(model, TenantModel) and model._meta.pk.name == "id"]
#: They read the few capsules that were forwarded from one.
FEW = {"lock_capsules", "revoke_capsule"}
#: PostgreSQL inlines it: each column of `(f(...)).*` is then a column of its argument.
INLINED = "place_of_event"


@pytest.fixture
def owner():
    with connections["owner"].cursor() as cursor:
        cursor.execute("CREATE SCHEMA reading")
        yield cursor


def pages(plan):
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]


@pytest.mark.parametrize("size", SIZES)
def test_a_lookup_reads_a_few_pages_for_each_id(owner, size):
    measured, too_many = 0, {}
    for model in MODELS:
        table = model._meta.db_table
        ids = [uuid.UUID(int=number) for number in range(1, size, size // 10)]
        owner.execute(f"CREATE TABLE reading.{table} (LIKE {table} INCLUDING INDEXES)")
        owner.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND attnotnull"
            " AND attname NOT IN ('tenant_id', 'id')",
            [f"reading.{table}"],
        )
        for (column,) in owner.fetchall():
            owner.execute(f"ALTER TABLE reading.{table} ALTER COLUMN {column} DROP NOT NULL")
        owner.execute(f"ALTER TABLE reading.{table} ALTER COLUMN tenant_id SET STATISTICS 0")
        owner.execute(
            f"INSERT INTO reading.{table} (tenant_id, id)"
            " SELECT %s, lpad(to_hex(n), 32, '0')::uuid FROM generate_series(1, %s) n ON CONFLICT DO NOTHING",
            [TENANT, size],
        )
        if owner.rowcount < size:  # a tenant has few of them
            continue
        measured += 1
        owner.execute(f"ANALYZE reading.{table}")
        asked = model.by_ids(TENANT, ids)
        statement = str(asked.raw_query).replace(f"FROM {table} t", f"FROM reading.{table} t")
        assert "reading." in statement
        owner.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", asked.params)
        plan = owner.fetchone()[0][0]["Plan"]
        assert plan["Actual Rows"] == len(ids)
        if pages(plan) > PAGES * len(ids):
            too_many[table] = pages(plan)
    assert too_many == {}
    assert measured > 40


def test_no_function_reads_ids_where_another_index_ends_with_the_id(owner):
    """Such an index would serve a condition on the tenant and on all ids, and is read for the whole tenant."""
    owner.execute(
        "SELECT c.relname FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_attribute a"
        " ON a.attrelid = c.oid AND a.attname = 'id' JOIN pg_attribute t"
        " ON t.attrelid = c.oid AND t.attname = 'tenant_id'"
        " WHERE NOT x.indisprimary AND x.indpred IS NULL AND x.indkey[0] = t.attnum"
        " AND a.attnum = ANY ((x.indkey::int2[])[1:]) GROUP BY 1"
    )
    tables = {table for (table,) in owner.fetchall()}
    assert {"memory_event", "governance_edit"} <= tables
    wrong = [
        f"{name}: {table} {alias}"
        for app in ("governance", "memory", "capsules", "capture")
        for name, one in definitions(app).items()
        if name not in FEW
        for table, alias in re.findall(r"(?<!DELETE )(?:FROM|JOIN)\s+(\w+)\s+(\w+)\b", one.statement)
        if table in tables and re.search(rf"(?<!NOT )\b{alias}\.id = ANY \(", one.statement)
    ]
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize("size", SIZES[1:])  # for the planner, the few pages of a small table are equal
def test_the_links_to_a_chunk_are_looked_up_from_both_sides(owner, size):
    owner.execute("CREATE TABLE reading.memory_duplicate (LIKE memory_duplicate INCLUDING INDEXES)")
    owner.execute("ALTER TABLE reading.memory_duplicate ALTER COLUMN tenant_id SET STATISTICS 0")
    owner.execute(
        "INSERT INTO reading.memory_duplicate (tenant_id, id, chunk_id, other_id, likeness)"
        " SELECT %s, gen_random_uuid(), gen_random_uuid(), lpad(to_hex(n), 32, '0')::uuid, 1"
        " FROM generate_series(1, %s) n",
        [TENANT, size],
    )
    owner.execute("ANALYZE reading.memory_duplicate")
    query = definitions("memory")["duplicates_of"].statement.split("$$")[1]
    text = query.replace("FROM memory_duplicate", "FROM reading.memory_duplicate")
    text = text.replace("p_tenant", "%(tenant)s").replace("p_chunk", "%(chunk)s")
    owner.execute(
        f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {text}", {"tenant": TENANT, "chunk": uuid.UUID(int=size // 2)}
    )
    plan = owner.fetchone()[0][0]["Plan"]
    assert plan["Actual Rows"] == 1
    assert pages(plan) <= 2 * PAGES


def test_no_function_is_called_once_for_each_column_of_its_result():
    """PostgreSQL expands `(f(...)).*` into one call for each column."""
    wrong = [
        name
        for app in ("governance", "memory", "capsules", "capture")
        for name, one in definitions(app).items()
        if re.search(rf"(?<!\({INLINED}\(e)\)\)\.\*", re.sub(r"--.*", "", one.statement))
    ]
    assert wrong == []
