"""A5: every filter and the full text are answered from an index, at any size: no sequential scan of the projection."""

import pytest
from django.db import connection, connections

from governance.identity import identities
from tests.factories import EventFactory
from tests.world import Api, make_world

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

PROJECTION = "memory_effectivechunk"


def record(world, number, text, **content):
    """`number` chunks in calls of a thousand."""
    for start in range(0, number, 1000):
        count = min(1000, number - start)
        events = [EventFactory(content={"text": f"{text} {start + each}", **content}) for each in range(count)]
        world.alice.ok("post", "events/batch", {"events": events})


@pytest.fixture(scope="module")
def tenant(django_db_setup, django_db_blocker):
    """A tenant of some thousand chunks beside another one, which the tests only read."""
    with django_db_blocker.unblock():
        world, elsewhere = make_world(), make_world()
        record(world, 2500, "a note of the day")
        record(world, 60, "a note about Jack", scope="user", subject_type="user", subject_id="jack-doe-123")
        record(world, 60, "a note about alpha", scope="project", project_id="project-alpha")
        record(world, 5, "a note on aardvarks", scope="global")
        event = EventFactory(content={"text": "a note of a tool"}, tags=["odd"], actor_id="Dr. Who", kind="tool_result")
        world.alice.ok("post", "events", {**event, "ts": "2024-05-05T12:00:00Z"})
        bob = Api(identities.provision(world.slug, agents=[("agent-bob", [])]).agents["agent-bob"]["key"])
        bob.ok("post", "tools/memory_commit", {"content": "a note of bob"})
        record(elsewhere, 500, "a note on aardvarks")
    return world


@pytest.fixture
def filled(tenant, transactional_db):
    """The tenant, with what the planner knows of it up to date."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"ANALYZE {PROJECTION}, memory_chunk, memory_event")
    return tenant


FILTERS = [
    ("scope=user", "idx_chunks_tenant_scope_ts"),
    ("scope=project", "idx_chunks_tenant_scope_ts"),
    ("subject_type=user&subject_id=jack-doe-123", "idx_chunks_tenant_subject_ts"),
    ("project_id=project-alpha", "idx_chunks_tenant_project_ts"),
]


def nodes(plan):
    """A plan's nodes, depth first."""
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


@pytest.mark.parametrize(("query", "index"), FILTERS)
def test_the_specifications_query_by_a_filter_is_planned_on_its_index_under_row_security(filled, query, index):
    conditions = dict(pair.split("=") for pair in query.split("&"))
    statement = (
        f"EXPLAIN (FORMAT JSON) SELECT id FROM {PROJECTION} WHERE tenant_id = %s AND NOT is_retracted AND "
        + " AND ".join(f"{name} = %s" for name in conditions)
        + " ORDER BY ts DESC LIMIT (SELECT 50)"  # as the server writes it: docs/decisions/0013-plans-without-tenants.md
    )
    with filled.inside(), connection.cursor() as cursor:
        cursor.execute("SELECT current_user, row_security_active(%s)", [PROJECTION])
        assert cursor.fetchone() == ("suture_app", True)
        cursor.execute(statement, [filled.tenant_id, *conditions.values()])
        ((answer,),) = cursor.fetchall()
    plan = list(nodes(answer[0]["Plan"]))

    assert index in {node.get("Index Name") for node in plan}
    assert not {node["Node Type"] for node in plan} & {"Seq Scan", "Sort"}


def scans(world, read, tables=(PROJECTION,)):
    """What a request did to the projection, or to `tables`: its answer, the sequential scans, the indexes used. The
    statement is the gate's own, within its function: scans are counted, not guessed."""
    with world.inside():
        answer = read()
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT sum(seq_scan) FROM pg_stat_xact_user_tables WHERE relname = ANY (%s)", [list(tables)]
            )
            (sequential,) = cursor.fetchone()
            cursor.execute(
                "SELECT c.relname, pg_stat_get_xact_numscans(c.oid) FROM pg_index i JOIN pg_class c ON c.oid ="
                " i.indexrelid WHERE i.indrelid = ANY (%s::text[]::regclass[])",
                [list(tables)],
            )
            return answer, sequential, {name for name, count in cursor.fetchall() if count}


@pytest.mark.parametrize(("query", "index"), FILTERS)
def test_a_filter_of_the_list_is_answered_from_its_index(filled, query, index):
    answer, sequential, used = scans(filled, lambda: filled.alice.ok("get", f"chunks?{query}"))

    assert answer["results"]
    assert index in used
    assert sequential == 0


def test_the_list_without_a_filter_walks_the_newest(filled):
    answer, sequential, used = scans(filled, lambda: filled.alice.ok("get", "chunks?limit=20"))

    assert len(answer["results"]) == 20
    assert "effective_chunk_newest" in used
    assert sequential == 0


@pytest.mark.parametrize(
    "filters", [{}, {"session_id": "session-1"}, {"include_quarantined": True}, {"channel": "private"}]
)
def test_full_text_is_answered_from_its_index(filled, filters):
    answer, sequential, used = scans(
        filled, lambda: filled.alice.ok("post", "chunks/search", {"query": "aardvarks", **filters})
    )

    assert answer["total_count"] == 5
    assert "effective_chunk_terms" in used
    assert sequential == 0


@pytest.mark.parametrize(
    ("filters", "indexes"),
    [
        ({"tag": "odd"}, {"chunk_tags"}),
        ({"actor": "Dr. Who"}, {"event_actor"}),
        ({"kind": "tool_result"}, {"event_kind"}),
        ({"since": "2024-05-05", "until": "2024-05-06"}, {"effective_chunk_newest"}),
        ({"recorder": "alice", "actor": "Dr. Who"}, {"event_actor"}),
        ({"recorder": "agent-bob"}, {"effective_chunk_recorder"}),
        ({"subject_ids": ["jack-doe-123", "nobody"]}, {"effective_chunk_terms"}),
    ],
)
@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_a_filter_of_a_search_is_answered_from_an_index(filled, filters, indexes, mode):
    body = {"query": "note", "mode": mode, **filters}
    tables = (PROJECTION, "memory_chunk", "memory_event")
    answer, sequential, used = scans(filled, lambda: filled.alice.ok("post", "chunks/search", body), tables)

    assert answer["chunks"]
    assert indexes <= used
    assert sequential == 0


@pytest.mark.parametrize("query", ["note", "aardvarks OR Jack", '"about Jack" -aardvarks'])
def test_no_search_scans_the_projection(filled, query):
    answer, sequential, used = scans(filled, lambda: filled.alice.ok("post", "chunks/search", {"query": query}))

    assert len(answer["chunks"]) == 10
    assert used
    assert sequential == 0


def test_neither_does_get_by_id_nor_a_timeline(filled):
    (chunk,) = [one["chunk_id"] for one in filled.alice.ok("get", "chunks?limit=1")["results"]]

    _, sequential, used = scans(filled, lambda: filled.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]}))
    assert (sequential, bool(used)) == (0, True)

    _, sequential, used = scans(filled, lambda: filled.alice.ok("get", f"chunks/{chunk}/timeline?window_seconds=60"))
    assert (sequential, "effective_chunk_newest" in used) == (0, True)


def test_nor_does_an_edit(filled):
    chunk = filled.chunk("to be corrected")  # the others stay as they are

    _, sequential, _ = scans(filled, lambda: filled.edit(chunk, "amend", text="corrected"))

    assert sequential == 0
