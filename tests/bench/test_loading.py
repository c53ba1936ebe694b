"""What the benchmark loads by COPY is what the services would have made of the same."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import psycopg
import pytest
from django.db import connections

from bench import copying, loading
from bench.corpus import SUBJECT, Corpus
from bench.product import AGENT, draft_of
from bench.tenants import REVIEWER, Tenant
from governance import edits, gate
from governance.identity import identities
from governance.identity.credentials import OperatorCredential
from governance.identity.principals import Principal
from memory.services import recording
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

CHUNKS, EDITS = 40, 60
#: So many chunks have several subjects; of fewer, all are about the one that the bench asks for.
LARGER = 1000
#: Every table that is loaded, in an order that the contents decide: what was recorded, then what was edited.
TABLES = {
    "memory_event": "r.ts",
    "memory_chunk": "r.ts",
    "memory_effectivechunk": "r.ts",
    "governance_content": "r.body",
    "governance_edit": "r.created_at, r.id",
    "governance_editstate": "r.created_at, r.edit_id",
    "governance_verdict": "r.decided_at, r.id",
    "memory_removedvalue": "r.subject_id, r.digest",
}
#: What differs between any two recordings of the same. The digest of a patch names its target.
OF_ITS_OWN = {"tenant_id", "salt", "sha256", "patch_sha256", "recorded_by", "proposed_by", "batch_id"}
#: Compared by whether there is one, and by the order that they give.
MOMENTS = {"recorded_at", "created_at", "decided_at", "applied_at"}
LINKS = {"id", "event_id", "chunk_id", "content_id", "target_id", "edit_id"}


@pytest.fixture
def as_owner() -> Iterator[psycopg.Connection]:
    """The owner's connection to the tests' database, as the bench has one."""
    settings = connections["owner"].get_connection_params()
    settings = {name: settings[name] for name in ("host", "port", "dbname", "user", "password")}
    with psycopg.connect(**settings, autocommit=True) as connection:
        yield connection


def provisioned(world: World, as_owner: psycopg.Connection) -> Tenant:
    identities.provision(world.slug, agents=[(AGENT, [])], people=[(REVIEWER, "reviewer")])
    found = as_owner.execute(
        "SELECT a.tenant_id, a.id, u.id FROM governance_agent a, governance_user u"
        " WHERE a.tenant_id = %s AND a.slug = %s AND u.username = %s",
        [world.tenant_id, AGENT, REVIEWER],
    ).fetchone()
    assert found is not None
    return Tenant(*found)


def targets_of(tenant: Tenant, as_owner: psycopg.Connection) -> list[Any]:
    # what an agent's edit may be about
    heard = "SELECT id FROM memory_chunk WHERE tenant_id = %s AND sensitivity <> 'secret' ORDER BY ts"
    found = as_owner.execute(heard, [tenant.id])
    return [row[0] for row in found]


def load_edits(as_owner: psycopg.Connection, tenant: Tenant, planned: Sequence[loading.Planned]) -> None:
    loading.propose(as_owner, tenant, planned)
    loading.fold(as_owner, tenant, sorted({one.target_id for one in planned}))


def serve(tenant: Tenant, planned: Sequence[loading.Planned]) -> None:
    """Propose the edits by the service, each by whom `loading` has propose it."""
    reviewer = Principal(
        tenant_id=tenant.id,
        kind="human",
        id=tenant.reviewer_id,
        name=REVIEWER,
        roles=frozenset({"reviewer"}),
        credential=OperatorCredential("a test", "human", tenant.reviewer_id),
    )
    for one in planned:
        proposal = edits.Proposal(
            "chunk",
            one.target_id,
            one.op,
            loading.REASON,
            edits.Patch(text=one.text, importance_delta=one.importance_delta, channel=one.channel),
        )
        with gate.tenant(tenant.id):
            edits.propose_edits([proposal], actor=tenant.agent if one.op in loading.BY_AGENT else reviewer)


def comparable(tenant: Tenant, as_owner: psycopg.Connection) -> dict[str, list[dict[str, Any]]]:
    """The rows of the tenant without what is its own; ids are numbered in the order in which they appear."""
    numbers: dict[str, int] = {}

    def told(column: str, value: Any) -> Any:
        if column in MOMENTS:
            return value is not None
        if column in LINKS and value is not None:
            return numbers.setdefault(value, len(numbers))
        return value

    found: dict[str, list[dict[str, Any]]] = {}
    for table, order in TABLES.items():
        query = f"SELECT to_jsonb(r) FROM {table} r WHERE r.tenant_id = %s ORDER BY {order}"
        found[table] = [
            {column: told(column, value) for column, value in row.items() if column not in OF_ITS_OWN}
            for (row,) in as_owner.execute(query.encode(), [tenant.id])
        ]
    return found


def test_it_loads_the_rows_that_the_services_make(world: World, elsewhere: World, as_owner: psycopg.Connection) -> None:
    loaded, served = (provisioned(one, as_owner) for one in (world, elsewhere))
    loading.record(as_owner, loaded, Corpus(1, CHUNKS).memories())
    with gate.tenant(served.id):
        recording.record_events([draft_of(one) for one in Corpus(1, CHUNKS).memories()], actor=served.agent)
    plans = [list(loading.plan("2", targets_of(tenant, as_owner), EDITS)) for tenant in (loaded, served)]
    assert {one.op for one in plans[0]} >= {"amend", "attenuate", "retract"}
    load_edits(as_owner, loaded, plans[0])
    serve(served, plans[1])

    by_copy, by_services = (comparable(tenant, as_owner) for tenant in (loaded, served))
    assert len(by_copy["governance_edit"]) == EDITS
    for table in TABLES:
        assert by_copy[table] == by_services[table], table


def loaded_and_copied(world: World, as_owner: psycopg.Connection, copies: int) -> Tenant:
    """CHUNKS chunks with EDITS edits, so many times."""
    tenant = provisioned(world, as_owner)
    loading.record(as_owner, tenant, islice(Corpus(1, LARGER * copies, copies).memories(), CHUNKS))
    targets = targets_of(tenant, as_owner)
    load_edits(as_owner, tenant, list(loading.plan("2", targets, EDITS)))
    loading.complete(as_owner, tenant, targets)
    for table in copying.TABLES:
        copying.copy_table(as_owner, table, tenant, LARGER * copies, copies)
    return tenant


@pytest.mark.parametrize("copies", [1, 3])
def test_what_is_loaded_is_sound(
    world: World, as_owner: psycopg.Connection, owner: Callable[..., list[dict[str, Any]]], copies: int
) -> None:
    """No drift, texts that match their digests, and patches that match theirs, also in copies."""
    tenant = loaded_and_copied(world, as_owner, copies)
    with world.inside("owner"):
        assert owner("SELECT * FROM effective_drift(%s)", [tenant.id]) == []
    found = as_owner.execute(
        "SELECT count(*), bool_and(sha256 = sha256(salt || convert_to(body, 'UTF8')) AND length(salt) = 16)"
        " FROM governance_content WHERE tenant_id = %s",
        [tenant.id],
    ).fetchone()
    assert found is not None
    assert found[0] > CHUNKS * copies
    assert found[1]
    patches = as_owner.execute(
        "SELECT e.op, e.target_id, c.body, e.channel, c.salt, e.patch_sha256 FROM governance_edit e"
        " LEFT JOIN governance_content c ON c.tenant_id = e.tenant_id AND c.id = e.content_id WHERE e.tenant_id = %s",
        [tenant.id],
    ).fetchall()
    assert len(patches) == EDITS * copies
    for op, target_id, text, channel, salt, digest in patches:
        delta = loading.ATTENUATE_BY if op == "attenuate" else None
        patch = edits.Patch(text=text, importance_delta=delta, channel=channel)
        assert digest == edits.patch_hash(op, "chunk", target_id, patch, salt or b"")


def test_a_copy_is_its_original_with_other_ids_sessions_and_subjects(
    world: World, as_owner: psycopg.Connection
) -> None:
    copies = 3
    tenant = loaded_and_copied(world, as_owner, copies)
    found = comparable(tenant, as_owner)
    assert {len(found[table]) for table in ("memory_event", "memory_chunk", "memory_effectivechunk")} == {3 * CHUNKS}
    assert len(found["governance_verdict"]) == len(found["governance_editstate"]) == 3 * EDITS
    assert len({row["session_id"] for row in found["memory_event"]}) == copies * len(
        {row["session_id"] for row in found["memory_event"][::copies]}
    )
    chunks = found["memory_effectivechunk"]
    for number in range(copies):
        for original, copied in zip(chunks[::copies], chunks[number::copies], strict=True):
            told = {"id", "event_id", "content_id", "ts", "session_id", "subject_id"}
            assert {**copied, **{name: original[name] for name in told}} == original
            assert (copied["subject_id"] is None) == (original["subject_id"] is None)
            assert copied["session_id"] != original["session_id"] or number == 0
    about_others = [row["subject_id"] for row in chunks if row["subject_id"] not in (None, SUBJECT[1])]
    assert len(set(about_others)) > len(about_others) // copies


def test_the_search_vector_of_a_generated_text_is_the_one_that_postgresql_makes(
    world: World, as_owner: psycopg.Connection
) -> None:
    """So that the table written by hand may have a copy of it."""
    tenant = loaded_and_copied(world, as_owner, 1)
    found = as_owner.execute(
        "SELECT count(*), count(*) FILTER (WHERE tsv = to_tsvector('english', text)) FROM memory_effectivechunk"
        " WHERE tenant_id = %s AND NOT is_retracted",
        [tenant.id],
    ).fetchone()
    assert found is not None
    assert found[0] == found[1] > 0
