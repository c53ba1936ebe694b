"""A database server that goes away in the middle of what is being done."""

from collections.abc import Callable
from typing import Any

from django.db import connection, connections


def kill_backend(pid: int) -> None:
    """End a backend of the app's, and wait until it has ended."""
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])
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
