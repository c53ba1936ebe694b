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
            GRANT USAGE, CREATE ON SCHEMA testing TO suture_gate;
            SET ROLE suture_gate;
            CREATE OR REPLACE FUNCTION testing.semantic(
                p_tenant uuid, p_vector halfvec, p_model text, p_listening text[], p_quarantined boolean, p_scope text,
                p_subject_type text, p_subject_id text, p_project_id text, p_session_id text, p_limit int
            ) RETURNS TABLE (chunk_id uuid, text text, score real) LANGUAGE plpgsql STABLE SECURITY DEFINER
            SET search_path = pg_catalog, public, pg_temp AS $$
            DECLARE heard reader := reader_of(p_tenant, p_listening);
            BEGIN
                RETURN QUERY
                SELECT s.chunk_id, r.text, s.score
                FROM semantic_candidates(p_tenant, p_vector, p_model, (p_listening, heard, p_listening, p_quarantined,
                    p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id, false, NULL,
                    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), p_limit) s
                CROSS JOIN LATERAL chunk_rows(p_tenant, ARRAY[s.chunk_id], p_listening, heard, p_quarantined) r
                ORDER BY s.score DESC, s.chunk_id;
            END $$;
            CREATE OR REPLACE FUNCTION testing.embeddings(p_tenant uuid)
            RETURNS TABLE (chunk_id uuid, space text, model text, size int) LANGUAGE sql STABLE SECURITY DEFINER
            SET search_path = pg_catalog, public, pg_temp AS $$
                SELECT e.chunk_id, e.space, e.model, vector_dims(e.dense) FROM memory_embedding e
                WHERE e.tenant_id = p_tenant ORDER BY 1, 2, 3
            $$;
            CREATE OR REPLACE FUNCTION testing.intern(p_tenant uuid, p_usersets text[]) RETURNS int LANGUAGE sql
            SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
            AS $$ SELECT intern_audience(p_tenant, p_usersets) $$;
            CREATE OR REPLACE FUNCTION testing.usersets(p_tenant uuid, p_principal text) RETURNS text[] LANGUAGE sql
            STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
            AS $$ SELECT usersets_of(p_tenant, p_principal) $$;
            CREATE OR REPLACE FUNCTION testing.hears(p_tenant uuid) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
            SET search_path = pg_catalog, public, pg_temp
            AS $$ SELECT CASE WHEN r.hears_all THEN 'all' ELSE r.audiences::text END
                FROM reader_of(p_tenant, ARRAY['private']) r $$;
            GRANT EXECUTE ON FUNCTION testing.semantic, testing.embeddings, testing.intern, testing.usersets,
                testing.hears TO suture_app;
            RESET ROLE;
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


def sign(world: Any, *rows: Any) -> None:
    """Give rows of sealed tables that a test has put past the server the receipt that the server would have signed."""
    noted = "".join(f"{row.tenant_id} {row._meta.db_table} {row.pk};" for row in rows)
    with world.inside(), connection.cursor() as cursor:  # as the trigger of the tables notes them
        cursor.execute("SELECT set_config('suture.recorded', %s, true)", [noted])
