"""What governed memory is compared with: the same memory without governance, and the specification's view of it."""

import psycopg

#: The columns that an ungoverned table has in common with the projection.
_COLUMNS = (
    "tenant_id, id, event_id, source, tier, importance, recorder, scope, subject_type, subject_id, project_id, "
    "session_id, channel, sensitivity, ts, tags, edits_applied, is_quarantined, is_retracted"
)

#: The specification's table of edits, as far as its view reads it, and its indexes, with ids that are UUIDs.
_EDITS = (
    """
    CREATE TABLE bench_edits AS
    SELECT e.id AS edit_id, e.tenant_id, e.target_type, e.target_id, e.op, s.status, s.applied_at,
        jsonb_strip_nulls(jsonb_build_object('text', c.body, 'importance', e.importance,
            'importance_delta', e.importance_delta, 'channel', e.channel)) AS patch
    FROM governance_edit e
    JOIN governance_editstate s ON s.tenant_id = e.tenant_id AND s.edit_id = e.id
    LEFT JOIN governance_content c ON c.tenant_id = e.tenant_id AND c.id = e.content_id
    """,
    "ALTER TABLE bench_edits ADD PRIMARY KEY (edit_id)",
    "CREATE INDEX bench_edits_target ON bench_edits (tenant_id, target_type, target_id, status)"
    " WHERE status = 'approved'",
    "CREATE INDEX bench_edits_status ON bench_edits (tenant_id, status, applied_at)",
)

#: The specification's view. As printed it cannot be created: its outer SELECT names scope, subject_type, subject_id,
#: project_id and ts, which its CTE leaves out, and the specification's search reads tsv from it. Those six columns are
#: passed through here; nothing else is changed but the names of the tables (chunks, memory_edits) and of c.chunk_id.
_VIEW = """
CREATE VIEW bench_effective AS
WITH edits_applied AS (
  SELECT
    c.id AS chunk_id,
    c.text,
    c.importance,
    c.channel,
    c.tenant_id,
    c.scope, c.subject_type, c.subject_id, c.project_id, c.ts, c.tsv,  -- the change
    -- Apply amend text
    COALESCE(e.patch->>'text', c.text) as effective_text,
    -- Apply attenuate importance
    CASE
      WHEN e.op = 'attenuate' AND e.patch->>'importance' IS NOT NULL
        THEN (e.patch->>'importance')::REAL
      WHEN e.op = 'attenuate' AND e.patch->>'importance_delta' IS NOT NULL
        THEN c.importance + (e.patch->>'importance_delta')::REAL
      ELSE c.importance
    END as effective_importance,
    -- Check retracted
    EXISTS(
      SELECT 1 FROM bench_edits e2
      WHERE e2.target_id = c.id
        AND e2.target_type = 'chunk'
        AND e2.status = 'approved'
        AND e2.op = 'retract'
    ) as is_retracted,
    -- Check quarantined
    EXISTS(
      SELECT 1 FROM bench_edits e3
      WHERE e3.target_id = c.id
        AND e3.target_type = 'chunk'
        AND e3.status = 'approved'
        AND e3.op = 'quarantine'
    ) as is_quarantined,
    -- Get blocked channels
    ARRAY(
      SELECT e4.patch->>'channel'
      FROM bench_edits e4
      WHERE e4.target_id = c.id
        AND e4.target_type = 'chunk'
        AND e4.status = 'approved'
        AND e4.op = 'block'
    ) as blocked_channels
  FROM bench_raw c
  LEFT JOIN LATERAL (
    SELECT *
    FROM bench_edits e
    WHERE e.target_id = c.id
      AND e.target_type = 'chunk'
      AND e.status = 'approved'
      AND e.applied_at IS NOT NULL
    ORDER BY e.applied_at DESC
    LIMIT 1
  ) e ON true
)
SELECT
  tenant_id,
  chunk_id,
  effective_text as text,
  effective_importance as importance,
  channel,
  scope,
  subject_type,
  subject_id,
  project_id,
  is_retracted,
  is_quarantined,
  blocked_channels,
  ts,
  tsv  -- the change
FROM edits_applied
WHERE NOT is_retracted
"""


#: What an ungoverned product would have, of memory as recorded: one table with the words in it (`bench_raw`), or, with
#: the words apart as Suture keeps them so that they can be erased, two (`bench_rows`, `bench_words`).
_RAW = (
    # in the order in which they were recorded, without sorting a gigabyte: words hashed, rows scanned from the start
    "SET work_mem = '1GB'",
    "SET synchronize_seqscans = off",
    f"CREATE TABLE bench_raw AS SELECT {', '.join(f'x.{column.strip()}' for column in _COLUMNS.split(','))},"
    " c.body AS text, x.tsv FROM memory_effectivechunk x"
    " JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id",
    f"CREATE TABLE bench_rows AS SELECT {_COLUMNS}, tsv FROM bench_raw",
    "CREATE TABLE bench_words AS SELECT tenant_id, id, text FROM bench_raw",
    "GRANT SELECT ON bench_raw, bench_rows, bench_words TO suture_app",
)


def make_raw(connection: psycopg.Connection) -> None:
    """Copy what was recorded to the ungoverned tables."""
    for statement in _RAW:
        connection.execute(statement.encode())


#: The indexes that those tables need.
INDEXES = (
    *(f"ALTER TABLE {table} ADD PRIMARY KEY (tenant_id, id)" for table in ("bench_raw", "bench_rows", "bench_words")),
    *(
        f"CREATE INDEX {table}_{name} ON {table} {columns}"
        for table in ("bench_raw", "bench_rows")
        for name, columns in (
            ("newest", "(tenant_id, ts DESC, id DESC)"),
            ("subject", "(tenant_id, subject_type, subject_id, ts DESC)"),
            ("tsv", "USING gin (tenant_id, tsv)"),
        )
    ),
)


#: What a competent engineer writes by hand for memory as it is now, corrections in place: one table with the words in
#: it, their search vector, B-trees for the lists and a GIN index for the words. The vector is copied from the
#: projection, which has the same: computing it takes ten minutes for 10,000,000 texts.
_INLINE = (
    """
    CREATE TABLE bench_inline (
        id uuid NOT NULL, tenant_id uuid NOT NULL, ts timestamptz NOT NULL, text text NOT NULL,
        importance real NOT NULL, session_id text, channel text, scope text, subject_type text, subject_id text,
        project_id text, event_id uuid, tier text, source text, recorder text, edits_applied int, tsv tsvector NOT NULL)
    """,
    """
    INSERT INTO bench_inline
    SELECT x.id, x.tenant_id, x.ts, x.text, x.importance, x.session_id, x.channel, x.scope, x.subject_type,
        x.subject_id, x.project_id, x.event_id, x.tier, x.source, x.recorder, x.edits_applied, x.tsv
    FROM memory_effectivechunk x WHERE NOT x.is_retracted AND x.superseded_by IS NULL
    """,
    "GRANT SELECT ON bench_inline TO suture_app",
)
#: The copied tenants have the same ids, so the key has the tenant too; the id comes first, as in a key of the id alone.
_INLINE_INDEXES = (
    "ALTER TABLE bench_inline ADD PRIMARY KEY (id, tenant_id)",
    "CREATE INDEX bench_inline_newest ON bench_inline (tenant_id, ts DESC, id DESC)",
    "CREATE INDEX bench_inline_subject ON bench_inline (tenant_id, subject_type, subject_id, ts DESC, id DESC)",
    "CREATE INDEX bench_inline_tsv ON bench_inline USING gin (tsv)",
)


def make_inline(connection: psycopg.Connection) -> None:
    """Copy memory as it is now to the table written by hand, `bench_inline`, with its indexes and statistics."""
    connection.execute("SET maintenance_work_mem = '1GB'")
    for statement in (*_INLINE, *_INLINE_INDEXES, "VACUUM (ANALYZE) bench_inline"):
        connection.execute(statement.encode())
    connection.execute("RESET maintenance_work_mem")


def make_view(connection: psycopg.Connection) -> None:
    """The edits that are in effect, as the specification keeps them, and its view `bench_effective`."""
    for statement in (*_EDITS, _VIEW, "GRANT SELECT ON bench_effective TO suture_app"):
        connection.execute(statement.encode())
