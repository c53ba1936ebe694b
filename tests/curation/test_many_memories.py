"""With 10,000 memories and a block of 500 versions, an agent's calls read about as many rows as with ten."""

import pytest
from django.db import connection

from tests.owning import as_owner
from tests.tools.calls import call

pytestmark = pytest.mark.django_db

MEMORIES, VERSIONS, CONSOLIDATED = 10_000, 500, 3_000
#: The memories are numbered below the agent's own chain, which goes on after them: -10500 to -1.
FIRST = -(MEMORIES + VERSIONS)


def id_of(kind: int, number: str) -> str:
    """SQL of an id."""
    return f"('00000000-0000-7000-{kind}000-' || lpad(to_hex({number}), 12, '0'))::uuid"


#: One row a memory: n, and what it is. Every hundred of the first 3,000 have one of 30 later ones in their place.
ROWS = f"""(
    SELECT n, {id_of(8, "n")} AS id, {id_of(9, "n")} AS content_id, n + {FIRST} - 1 AS seq,
        CASE WHEN n > {MEMORIES} THEN 'block' WHEN n BETWEEN 9001 AND 9030 THEN 'consolidation' ELSE 'memory' END
            AS type,
        CASE WHEN n > {MEMORIES} THEN n - {MEMORIES} END AS version,
        CASE WHEN n > {MEMORIES} THEN 'goals' END AS label,
        CASE WHEN n <= {CONSOLIDATED} THEN 9001 + (n - 1) / 100
             WHEN n > {MEMORIES} AND n < {MEMORIES + VERSIONS} THEN n + 1 END AS above,
        clock_timestamp() - ({MEMORIES + VERSIONS} - n) * interval '1 minute' AS ts,
        CASE WHEN n > {MEMORIES} THEN 'goal number ' || n ELSE 'fact number' || n || ' about tea' END AS body
    FROM generate_series(1, {MEMORIES + VERSIONS}) n
) r"""


@pytest.fixture
def full(world, agent):
    """alice with all these memories. The projection is written as the gate would."""
    tenant, alice = world.tenant_id, world.alice_principal.id
    statements = [
        f"INSERT INTO governance_content (tenant_id, id, salt, body, sha256) SELECT '{tenant}', r.content_id, '\\x00',"
        f" r.body, sha256('\\x00'::bytea || convert_to(r.body, 'UTF8')) FROM {ROWS}",
        "INSERT INTO memory_chunk (tenant_id, id, source, content_id, chunk_index, total_chunks, importance, tags,"
        " recorder_kind, recorded_by, recorder, scope, channel, sensitivity, ts, retention)"
        f" SELECT '{tenant}', r.id, CASE r.type WHEN 'memory' THEN 'commit' ELSE r.type END, r.content_id, 0, 1, 0.5,"
        f" '{{}}', 'agent', '{alice}', 'alice', 'session', 'private', 'none', r.ts, 'relationship' FROM {ROWS}",
        "INSERT INTO memory_agentmemory (tenant_id, id, agent_id, seq, type, reason, block_label, version,"
        f" previous_block_seq, is_core) SELECT '{tenant}', r.id, '{alice}', r.seq, r.type, '', r.label, r.version,"
        f" CASE WHEN r.version > 1 THEN r.seq - 1 END, r.version IS NOT NULL FROM {ROWS}",
        "INSERT INTO memory_supersession (tenant_id, id, kind, agent_id, successor_id, successor_seq, superseded_id,"
        f" superseded_seq) SELECT '{tenant}', gen_random_uuid(), CASE WHEN r.version IS NULL THEN 'consolidation' ELSE"
        f" 'block' END, '{alice}', {id_of(8, 'r.above')}, r.above + {FIRST} - 1, r.id, r.seq FROM {ROWS}"
        " WHERE r.above IS NOT NULL",
        "INSERT INTO memory_effectivechunk (tenant_id, id, source, chunk_index, tier, importance, content_id,"
        " recorded_by, recorder, tags, scope, channel, sensitivity, ts, is_retracted, is_quarantined, blocked_channels,"
        " edits_applied, seq, block_label, is_core, superseded_by, is_superseded, text, tsv)"
        f" SELECT '{tenant}', r.id, CASE r.type WHEN 'memory' THEN 'commit' ELSE r.type END, 0, 'task', 0.5,"
        f" r.content_id, '{alice}', 'alice', '{{}}', 'session', 'private', 'none', r.ts, false, false, '{{}}', 0,"
        f" r.seq, r.label, r.version IS NOT NULL, CASE WHEN r.above IS NOT NULL THEN {id_of(8, 'r.above')} END,"
        f" r.above IS NOT NULL, r.body, to_tsvector('english', r.body) FROM {ROWS}",
    ]
    with as_owner(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        tables = ("chunk", "agentmemory", "supersession", "effectivechunk")
        for table in tables:  # as autovacuum does: PostgreSQL knows how many rows there are
            cursor.execute("SELECT * FROM testing.write(%s)", [f"ANALYZE memory_{table}"])
        # the first call would sign all of them
        cursor.execute("SELECT set_config('suture.recorded', '', true)")
    return agent


def rows_read() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables"
        )
        return int(cursor.fetchone()[0])


def test_no_call_reads_more_than_it_answers_needs(world, full):
    agent = full
    last = f"goal number {MEMORIES + VERSIONS}"
    calls = {
        "list": (lambda: agent.listed(limit=50), lambda found: len(found) == 50, 2_000),
        "list of a type": (lambda: agent.listed(type="consolidation"), lambda found: len(found) == 30, 20_000),
        "list with superseded": (
            lambda: agent.listed(include_superseded="true", limit=50), lambda found: len(found) == 50, 2_000
        ),
        "a memory by its number": (
            lambda: world.alice.get("chain/0"), lambda found: found.status_code == 404, 500
        ),
        "block_get": (lambda: agent.block("goals"), lambda found: found["content"] == last, 2 * VERSIONS),
        "block_history": (lambda: agent.versions("goals"), lambda found: len(found) == 20, 1_500),
        "core_memories": (agent.core, lambda found: found == [last], 500),
        "recall of a rare word": (lambda: agent.recall("number7777"), lambda found: len(found) == 1, 6_000),
        "recall of a common word": (lambda: agent.recall("tea"), lambda found: len(found) == 10, 12_000),
        "recall with superseded": (
            lambda: agent.recall("number777", includeSuperseded=True), lambda found: len(found) == 1, 12_000
        ),
        "bootstrap": (agent.bootstrap, lambda found: len(found["memories"]) > 20, 4_000),
        "bootstrap with a query": (
            lambda: agent.bootstrap(query="number7777"), lambda found: len(found["memories"]) == 1, 6_000
        ),
        "commit": (lambda: agent.commit("One more"), lambda found: found["seq"] == 1, 1_000),
        "rethink": (lambda: agent.rethink([1], "One less"), lambda found: found["consolidationSeq"] == 2, 1_000),
        "block_update": (lambda: agent.update("goals", "Ship it"), lambda found: found["version"] == 501, 1_000),
    }  # fmt: skip
    told = {}
    for name, (ask, is_right, most) in calls.items():
        before = rows_read()
        found = ask()
        told[name] = (rows_read() - before, most)
        assert is_right(found), (name, found)
    assert {name: (read, most) for name, (read, most) in told.items() if read > most} == {}, told


def test_versions_are_read_to_the_first_page_by_page(world, full):
    versions: list[int] = []
    cursor: dict[str, str] = {}
    while True:
        page = call(world.alice, "block_history", {"label": "goals", "limit": 200, **cursor})
        versions += [one["version"] for one in page["versions"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert versions == list(range(VERSIONS, 0, -1))
