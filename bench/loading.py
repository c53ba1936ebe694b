"""Rows by COPY: the record of a tenant and its edits in effect, without the services' work for each of them.

What is loaded is what the services would have made (a test makes both and compares), but for one thing: the edits have
no entry in the ledger. Nothing that is measured reads a past entry, appending one costs the same after any number of
them, and each would have to be signed. So a verification calls these edits unproven.

The words are copied into a temporary table, from which the tables are filled as the gate's role, the one that writes
them in the product. The fold is the product's own.
"""

import random
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from itertools import islice
from multiprocessing import get_context
from typing import Any

import psycopg

from bench import database
from bench.corpus import BLOCK, Corpus, Memory
from bench.product import AGENT, draft_of, use_database
from bench.tenants import REVIEWER, Tenant

PROCESSES = 2
#: How the edits divide. An agent's amends and attenuates apply at once, and so do a reviewer's of any kind.
OPERATIONS = {"amend": 50, "attenuate": 30, "retract": 14, "quarantine": 3, "block": 3}
#: The operations that the agent proposes; the others are the reviewer's.
BY_AGENT = frozenset({"amend", "attenuate"})
ATTENUATE_BY = Decimal("-0.1")
#: So many edits are proposed together.
BATCH = 1000
#: So many chunks get the vectors of their words between two removals of dead rows.
AT_ONCE = 500_000
REASON = "generated"
POLICY = "standard"

_STAGED_MEMORIES = (
    "content_id uuid, event_id uuid, chunk_id uuid, body text, salt bytea, ts timestamptz, scope text,"
    " subject_type text, subject_id text, project_id text, session_id text, channel text, sensitivity text"
)
_STAGED_EDITS = (
    "id uuid, verdict_id uuid, content_id uuid, target_id uuid, op text, proposer_kind text, proposed_by uuid,"
    " proposer text, body text, salt bytea, importance_delta numeric, channel text, patch_sha256 bytea, batch_id uuid,"
    " proposed_at timestamptz"
)


_FIRST = uuid.UUID(int=0)


@dataclass(frozen=True, slots=True)
class _Insert:
    """Rows of a model from staged ones: an expression for each column. Those that are not named get the default of the
    model's field."""

    model: str
    values: Mapping[str, str]
    source: str = "staged"

    def run(self, connection: psycopg.Connection, parameters: Mapping[str, Any]) -> None:
        from django.apps import apps

        model = apps.get_model(self.model)
        defaults = {
            field.column: field.get_default()
            for field in model._meta.concrete_fields
            if field.column not in self.values and not field.null and field.has_default()
        }
        values = {"tenant_id": "%(tenant)s", **self.values, **{column: f"%({column})s" for column in defaults}}
        query = (
            f"INSERT INTO {model._meta.db_table} ({', '.join(values)}) SELECT {', '.join(values.values())}"
            f" FROM {self.source}"
        )
        connection.execute(query.encode(), {**parameters, **defaults})


_ABOUT = {
    column: column
    for column in ("scope", "subject_type", "subject_id", "project_id", "session_id", "channel", "sensitivity", "ts")
}
_RECORDER = {"recorded_by": "%(agent)s", "recorder": "%(name)s"}
_OF_AGENT = {**_RECORDER, "recorder_kind": "'agent'"}
_OF_CHUNK = {
    "id": "chunk_id",
    "event_id": "event_id",
    "source": "'event'",
    "content_id": "content_id",
    "importance": "%(importance)s",
}
_OF_POLICY = "'policy:' || %(policy)s"

_WORDS = _Insert(
    "governance.Content",
    {"id": "content_id", "salt": "salt", "body": "body", "sha256": "sha256(salt || convert_to(body, 'UTF8'))"},
    "(SELECT content_id, body, salt FROM staged WHERE content_id IS NOT NULL) s",
)
_RECORD = (
    _WORDS,
    _Insert(
        "memory.Event",
        {
            "id": "event_id",
            "actor_type": "'agent'",
            "actor_id": "%(name)s",
            "kind": "'message'",
            "content_id": "content_id",
            **_OF_AGENT,
            **_ABOUT,
        },
    ),
    _Insert("memory.Chunk", {**_OF_CHUNK, **_OF_AGENT, **_ABOUT}),
    _Insert(
        "memory.EffectiveChunk",
        {
            **_OF_CHUNK,
            "chunk_index": "0",
            "tier": "'task'",
            "text": "body",
            "tsv": "text_vector('english', body)",
            **_RECORDER,
            **_ABOUT,
        },
    ),
    _Insert("memory.PendingContext", {"id": "chunk_id"}),
)
_PROPOSED = ("proposed_by", "patch_sha256")
_EDIT = (
    _WORDS,
    _Insert(
        "governance.Edit",
        {
            "created_at": "proposed_at",
            "target_type": "'chunk'",
            "reason": "%(reason)s",
            "approvals_required": "0",
            "policy": "%(policy)s",
            **{
                column: column
                for column in (
                    *("id", "target_id", "op", "proposer_kind", "proposer", "content_id", "importance_delta"),
                    *("channel", "batch_id", *_PROPOSED),
                )
            },
        },
    ),
    # what the policy decides of itself follows the proposal by some microseconds
    _Insert(
        "governance.Verdict",
        {
            "id": "verdict_id",
            "edit_id": "id",
            "decision": "'approved'",
            "decider_kind": "'policy'",
            "decider": _OF_POLICY,
            "decided_at": "proposed_at + interval '10 microseconds'",
            **{column: column for column in _PROPOSED},
        },
    ),
    _Insert(
        "governance.EditState",
        {
            "edit_id": "id",
            "status": "'approved'",
            "approvals": "0",
            "applied_at": "proposed_at + interval '20 microseconds'",
            "approved_by": _OF_POLICY,
            "created_at": "proposed_at",
        },
    ),
)


@dataclass(frozen=True, slots=True)
class Part:
    """What one process does: of a tenant's memories or edits, every PROCESSES-th from `number` on."""

    database: str
    tenant: Tenant
    seed: int
    count: int
    number: int
    #: How often each memory is there when `bench.copying` is done.
    copies: int = 1
    #: Where in the tenant's chunks, in order of their ids, the part begins, and how many of them all parts take.
    after: uuid.UUID = _FIRST
    most: int = 0


@dataclass(frozen=True, slots=True)
class Planned:
    """An edit to be made: the words of an amend, the delta of an attenuate, the channel of a block."""

    target_id: uuid.UUID
    op: str
    text: str | None
    importance_delta: Decimal | None
    channel: str | None


def load(work: "Callable[[Part], None]", name: str, tenant: Tenant, seed: int, count: int, copies: int = 1) -> None:
    """Have `record_part` or `edit_part` done by some processes at once."""
    _together(work, [Part(name, tenant, seed, count, number, copies) for number in range(PROCESSES)], count)


def _together(work: "Callable[[Part], None]", parts: Sequence[Part], count: int) -> None:
    if count <= BLOCK:  # a process takes longer to start
        for part in parts:
            work(part)
        return
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        list(pool.map(work, parts))


def record_part(part: Part) -> None:
    """Record every PROCESSES-th block of the corpus."""
    use_database(part.database)
    corpus = Corpus(part.seed, part.count * part.copies, part.copies)
    with database.owner(part.database, autocommit=True) as connection:
        for number in range(part.number, corpus.blocks, PROCESSES):
            record(connection, part.tenant, corpus.block(number))


def complete_all(name: str, tenant: Tenant, count: int) -> None:
    """Compute the vectors of the words of a tenant's `count` chunks. Do this after the edits: an edit computes those of
    the neighbours again.

    A row is written again with its vector. The old ones are removed after each part, so that the table does not become
    twice as large.
    """
    after = _FIRST
    while True:
        parts = [Part(name, tenant, 0, count, number, after=after, most=AT_ONCE) for number in range(PROCESSES)]
        _together(complete_part, parts, count)
        use_database(name)
        with database.owner(name, autocommit=True) as connection:
            if count > AT_ONCE:
                connection.execute("VACUUM memory_effectivechunk, memory_pendingcontext")
            found = connection.execute(
                "SELECT id FROM memory_chunk WHERE tenant_id = %s AND id > %s ORDER BY id OFFSET %s LIMIT 1",
                [tenant.id, after, AT_ONCE - 1],
            ).fetchall()
        if not found:
            return
        after = found[0][0]


def complete_part(part: Part) -> None:
    """Compute the vectors of the words of every PROCESSES-th block of some chunks."""
    use_database(part.database)
    with database.owner(part.database, autocommit=True) as connection:
        found = connection.execute(
            "SELECT id FROM memory_chunk WHERE tenant_id = %s AND id > %s ORDER BY id LIMIT %s",
            [part.tenant.id, part.after, part.most],
        )
        ids = [row[0] for row in found]
        for first in range(part.number * BATCH, len(ids), PROCESSES * BATCH):
            complete(connection, part.tenant, ids[first : first + BATCH])


def complete(connection: psycopg.Connection, tenant: Tenant, ids: Sequence[uuid.UUID]) -> None:
    """Compute the vectors of the words of chunks, which the job does for each of them with its neighbours, since it
    does not know that these come too."""
    values = {"tenant": tenant.id, "ids": list(ids)}
    with _as_gate(connection, tenant, "job"):
        connection.execute(
            "UPDATE memory_effectivechunk x SET lex = l.lex FROM lex_of_chunks(%(tenant)s, %(ids)s) l"
            " WHERE x.tenant_id = %(tenant)s AND x.id = l.id AND NOT x.is_retracted AND x.superseded_by IS NULL",
            values,
        )
        connection.execute(
            "DELETE FROM memory_pendingcontext p WHERE p.tenant_id = %(tenant)s AND p.id = ANY (%(ids)s)", values
        )


def edit_part(part: Part) -> None:
    """Edit the chunks of every PROCESSES-th session: an edit locks the neighbours of its chunk too."""
    use_database(part.database)
    count = len(range(part.number, part.count, PROCESSES))
    with database.owner(part.database, autocommit=True) as connection:
        found = connection.execute(
            "SELECT id FROM memory_chunk WHERE tenant_id = %s AND (hashtext(session_id) & 1023) %% %s = %s ORDER BY ts",
            [part.tenant.id, PROCESSES, part.number],
        )
        targets = [row[0] for row in found]
        planned = plan(f"{part.seed}:{part.number}", targets, count)
        edited: set[uuid.UUID] = set()
        while batch := list(islice(planned, BATCH)):
            propose(connection, part.tenant, batch)
            edited.update(one.target_id for one in batch)
        # in the order in which they lie on disk, all edits of a chunk at once
        in_order = sorted(edited)
        for first in range(0, len(in_order), BATCH):
            if first <= BATCH:
                # plans made for empty tables would last, and read for every fold all that the tables hold by then
                connection.execute("ANALYZE governance_edit, governance_editstate, memory_removedvalue")
            fold(connection, part.tenant, in_order[first : first + BATCH])


def plan(seed: str, targets: Sequence[uuid.UUID], count: int) -> Iterator[Planned]:
    """Edits of chunks taken at random, some of them more than once."""
    chance = random.Random(seed)
    corpus = Corpus(seed, 1_000_000)
    for _ in range(count):
        op = chance.choices(list(OPERATIONS), list(OPERATIONS.values()))[0]
        yield Planned(
            target_id=chance.choice(targets),
            op=op,
            text=corpus.text() if op == "amend" else None,
            importance_delta=ATTENUATE_BY if op == "attenuate" else None,
            channel="public" if op == "block" else None,
        )


def record(connection: psycopg.Connection, tenant: Tenant, memories: Iterator[Memory]) -> None:
    """Record messages of one chunk each, with their projection."""
    from governance.edits.patches import new_salt
    from governance.models import new_id
    from memory.drafts import DEFAULT_IMPORTANCE

    with _staging(connection, tenant, _STAGED_MEMORIES):
        with connection.cursor() as cursor, cursor.copy("COPY staged FROM STDIN") as copy:
            for one in memories:
                about = draft_of(one)
                copy.write_row(
                    (
                        *(new_id(), new_id(), new_id(), one.text, new_salt(), one.ts),
                        *(about.scope, about.subject_type, about.subject_id, about.project_id),
                        *(one.session_id, one.channel, one.sensitivity),
                    )
                )
        values = {
            "tenant": tenant.id,
            "agent": tenant.agent_id,
            "name": AGENT,
            "importance": Decimal(str(DEFAULT_IMPORTANCE)),
        }
        for insert in _RECORD:
            insert.run(connection, values)


def propose(connection: psycopg.Connection, tenant: Tenant, batch: Sequence[Planned]) -> None:
    """Proposals in the order given, with the policy's verdicts on them. To be followed by `fold`."""
    from governance.edits.patches import Patch, new_salt, patch_hash
    from governance.models import new_id

    proposers = {
        True: ("agent", tenant.agent_id, AGENT, new_id()),
        False: ("human", tenant.reviewer_id, REVIEWER, new_id()),
    }
    with _staging(connection, tenant, _STAGED_EDITS):
        with connection.cursor() as cursor, cursor.copy("COPY staged FROM STDIN") as copy:
            for one in batch:
                kind, proposer_id, proposer, batch_id = proposers[one.op in BY_AGENT]
                patch = Patch(text=one.text, importance_delta=one.importance_delta, channel=one.channel)
                salt = new_salt()
                copy.write_row(
                    (
                        *(new_id(), new_id(), new_id() if one.text is not None else None, one.target_id, one.op),
                        *(kind, proposer_id, proposer, one.text, salt, one.importance_delta, one.channel),
                        *(patch_hash(one.op, "chunk", one.target_id, patch, salt), batch_id, datetime.now(UTC)),
                    )
                )
        for insert in _EDIT:
            insert.run(connection, {"tenant": tenant.id, "reason": REASON, "policy": POLICY})


def fold(connection: psycopg.Connection, tenant: Tenant, targets: Sequence[uuid.UUID]) -> None:
    """Bring the projection of the targets to their edits."""
    with _as_gate(connection, tenant):
        # The planner takes the fold of one memory for a thousand rows, and reads whole tables for them.
        for method in ("seqscan", "hashjoin", "mergejoin"):
            connection.execute(f"SET LOCAL enable_{method} = off".encode())
        connection.execute("SELECT count(refold_chunk(%s, id)) FROM unnest(%s) id", [tenant.id, list(targets)])


@contextmanager
def _staging(connection: psycopg.Connection, tenant: Tenant, columns: str) -> Iterator[None]:
    """A transaction as the gate with an empty table `staged`."""
    with connection.transaction():
        connection.execute(f"CREATE TEMP TABLE staged ({columns}) ON COMMIT DROP".encode())
        connection.execute("GRANT SELECT, INSERT ON staged TO suture_gate")
        with _as_gate(connection, tenant):
            yield


@contextmanager
def _as_gate(connection: psycopg.Connection, tenant: Tenant, kind: str = "agent") -> Iterator[None]:
    """A transaction as the gate, within the tenant: for the bench's agent, or as a job."""
    with connection.transaction():
        connection.execute("SET LOCAL synchronous_commit = off")
        tenant.enter(connection, kind)
        connection.execute("SET LOCAL ROLE suture_gate")
        yield
