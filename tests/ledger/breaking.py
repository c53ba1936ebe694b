"""A database server that goes away in the middle of what is being done."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from django.db import connection, connections

from governance.ledger import verification
from tests.ledger.tampering import assert_intact, seal
from tests.world import World


def kill_backend(pid: int) -> None:
    """End a backend of the app's, and wait until it has ended."""
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 25000)", [pid])
            assert cursor.fetchone() == (True,)
    finally:
        other.close()


def broken_after(statements: int, call: Callable[[], Any]) -> bool:
    """Call with a connection whose backend is killed after the n-th statement; whether it came to that."""
    done = 0

    def execute(run: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        nonlocal done
        answer = run(sql, params, many, context)
        done += 1
        if done == statements:
            kill_backend(context["connection"].connection.info.backend_pid)
        return answer

    connection.ensure_connection()
    with connection.execute_wrapper(execute):
        try:
            call()
        except Exception:
            assert done >= statements, "it failed by itself"
            broken = True
        else:
            broken = False
    was_killed = done >= statements
    # What a server does at the end of a request.
    connection.close()
    assert not broken or was_killed
    return was_killed


def broken_everywhere(call: Callable[[], Any], check: Callable[[], None], most: int = 100) -> int:
    """Break the call after its first statement, after its second, ..., with the check behind each, until it is over
    before it can be broken; answers after how many statements it was broken."""
    for statements in range(1, most):
        if not broken_after(statements, call):
            check()
            return statements - 1
        check()
    raise AssertionError(f"more than {most} statements")


def succeeded(response: Any) -> Any:
    """An answer that must be a success: anything else is raised, as a server that went away is."""
    if response.status_code >= 300:
        raise RuntimeError(response.content)
    return response


def row_counts(world: World) -> Counter[str]:
    """How many rows of the tenant each table has, and how many people there are; verifications are left out, which
    leave an entry each, and receipts, of which each transaction has one (test_receipts.py)."""
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'"
            " WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace"
        )
        receipts = {"governance_receipt", "governance_unsealedreceipt"}
        tables = [table for (table,) in cursor.fetchall() if table not in receipts]
        counting = [f"SELECT '{table}', count(*) FROM {table} WHERE tenant_id = %(tenant)s" for table in tables]
        counting += [
            "SELECT 'governance_user', count(*) FROM governance_user",
            "SELECT 'governance_entry', -count(*) FROM governance_entry"
            " WHERE tenant_id = %(tenant)s AND type = 'ledger.verified'",
        ]
        cursor.execute(" UNION ALL ".join(counting), {"tenant": world.tenant_id})
        found: Counter[str] = Counter()
        for table, count in cursor.fetchall():
            found[table] += count
    return found


def assert_whole_or_not_there(
    world: World, call: Callable[[], Any], made: dict[str, int], is_done: Callable[[], bool] | None = None
) -> None:
    """Break the call everywhere: whenever the server goes away, the tenant's tables have the rows that they had or
    those of `made` besides, all of them; what is done to rows that there were, which `is_done` tells, goes with them;
    and the ledger verifies. In the end it is done, once."""
    before = row_counts(world)

    def added() -> dict[str, int]:
        now = row_counts(world)
        return {table: now[table] - before[table] for table in now if now[table] != before[table]}

    def check() -> None:
        found = added()
        assert found in ({}, made), found
        assert is_done is None or is_done() is (found == made)
        report = verification.verify(world.tenant_id)
        assert report.ok, report.findings

    assert broken_everywhere(call, check) > 2
    assert added() == made
    seal(world)
    assert_intact(world)
