"""Writing, within a test's transaction, what only the owner of the tables may write.

A test that is rolled back cannot use the owner's connection: it would not see the test's rows. So the test database has
one function more, which the owner owns, outside of the schema of the application.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, connections

_WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE)\b")


def install() -> None:
    """Give the test database the function; called once it has been made."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            """
            CREATE SCHEMA IF NOT EXISTS testing;
            GRANT USAGE ON SCHEMA testing TO suture_app;
            CREATE OR REPLACE FUNCTION testing.write(p_sql text) RETURNS SETOF bigint LANGUAGE plpgsql SECURITY DEFINER
            SET search_path = pg_catalog, public, pg_temp AS $$
            DECLARE changed bigint;
            BEGIN
                IF p_sql ~ ' RETURNING ' THEN
                    RETURN QUERY EXECUTE format('WITH x (id) AS (%s) SELECT id::bigint FROM x', p_sql);
                ELSE
                    EXECUTE p_sql;
                    GET DIAGNOSTICS changed = ROW_COUNT;
                    RETURN QUERY SELECT generate_series(1, changed);
                END IF;
            END $$;
            GRANT EXECUTE ON FUNCTION testing.write TO suture_app;
            """
        )


@contextmanager
def as_owner() -> Iterator[None]:
    """What the block writes over the default connection, by the ORM or in SQL, the owner of the tables writes: in every
    tenant, unless a condition names one. It may answer (RETURNING) a whole number."""

    def execute(run: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        if many or not _WRITES.match(sql):
            return run(sql, params, many, context)
        statement = context["cursor"].cursor.mogrify(sql, params)
        return run("SELECT * FROM testing.write(%s)", [statement], False, context)

    with connection.execute_wrapper(execute):
        yield
