"""A generated tenant: chunks, a tenth as many approved edits, and embeddings; and another with a hundredth of it.

The product creates it: its clients record and edit over HTTP, and its jobs run. Only the embeddings are invented, since
the model would take hours for 1,000,000 chunks: each is the normalized sum of three sentences' embeddings, so that
their distances resemble those of real text.
"""

import json
import random
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

from bench import load
from bench.corpora import sources
from bench.corpus import Corpus
from bench.stack import Stack

SIZES = {"100k": 100_000, "1m": 1_000_000}
AGENT, READER, REVIEWER = "bench-agent", "bench-reader", "bench-reviewer"
#: Clients that record and that edit, and events in a batch.
CLIENTS, EDITORS, BATCH = 2, 4, 1_000
#: The numbers of edits by operation. An agent's amends and attenuates apply at once, and so do all of a reviewer's
#: edits.
BY_AGENT = {"amend": 50, "attenuate": 30}
BY_REVIEWER = {"retract": 14, "quarantine": 3, "block": 3}
#: How many chunks are read and edited while measuring.
MEASURED = 20_000
#: How many sentences: triples of them give more vectors than there are chunks.
SENTENCES = 500

_FILL = """
INSERT INTO memory_embedding (tenant_id, id, chunk_id, space, model, content_id, span_start, span_end, dense)
SELECT x.tenant_id, gen_random_uuid(), x.id, 'E1', %(model)s, x.content_id, x.span_start, x.span_end,
    l2_normalize(a.vector + b.vector + c.vector)
FROM memory_effectivechunk x
JOIN sentence a ON a.place = (hashtextextended(x.id::text, 1) & 2147483647) %% %(count)s
JOIN sentence b ON b.place = (hashtextextended(x.id::text, 2) & 2147483647) %% %(count)s
JOIN sentence c ON c.place = (hashtextextended(x.id::text, 3) & 2147483647) %% %(count)s
WHERE x.tenant_id = %(tenant)s AND NOT x.is_retracted AND x.superseded_by IS NULL AND x.sensitivity <> 'secret'
"""


@dataclass(frozen=True, slots=True)
class Tenant:
    """The key of its agent, and ids of unedited chunks that the agent may see."""

    slug: str
    chunks: int
    agent: str
    ids: Sequence[str]


def generated(stack: Stack, chunks: int, say: Callable[[str], None]) -> tuple[Tenant, Tenant]:
    """Both tenants in a stopped stack, of which only the web server runs in the end. Reuses the data of an earlier run
    in the same place; deletes an incomplete tenant."""
    told = stack.place / "tenants.json"
    if told.exists():
        large, small = (Tenant(**one) for one in json.loads(told.read_text()))
        if large.chunks != chunks:
            raise SystemExit(f"{stack.place} has {large.chunks:,} chunks: use another place, or that --size.")
        stack.start("web")
        stack.set_up_django()
        return large, small
    shutil.rmtree(stack.home, ignore_errors=True)
    started = time.monotonic()

    def tell(what: str) -> None:
        say(f"{time.monotonic() - started:5.0f} s  {what}")

    stack.environment["EMBEDDING_PROVIDER"] = "off"
    stack.start()
    tenants = [_made(stack, slug, size, tell) for slug, size in (("large", chunks), ("small", max(100, chunks // 100)))]
    tell("waiting for the jobs")
    with stack.connect() as connection:
        while connection.execute("SELECT FROM memory_pendingcontext LIMIT 1").fetchone():
            time.sleep(0.5)
    stack.stop()
    del stack.environment["EMBEDDING_PROVIDER"]
    stack.start("web")
    stack.set_up_django()
    tell("inserting embeddings")
    fill_vectors(stack, [tenant.slug for tenant in tenants])
    told.write_text(json.dumps([asdict(tenant) for tenant in tenants]))
    tell("generated")
    return tenants[0], tenants[1]


def _made(stack: Stack, slug: str, chunks: int, tell: Callable[[str], None]) -> Tenant:
    keys = stack.provision(slug, "--agent", AGENT, "--agent", READER, "--reviewer", f"{REVIEWER}-{slug}")
    agent, reviewer = keys[AGENT], keys[f"{REVIEWER}-{slug}"]
    tell(f"recording {chunks:,} chunks of {slug}")
    seen: list[str] = []
    history = Corpus(slug, chunks).history()
    load.call(stack.port, agent, [_recording(history, seen) for _ in range(CLIENTS)])
    chance = random.Random(slug)
    edited: set[str] = set()
    # the agent's edits first: it cannot edit hidden chunks
    for key, shares in ((agent, BY_AGENT), (reviewer, BY_REVIEWER)):
        targets = chance.sample(seen, chunks * sum(shares.values()) // 1000)
        ops = chance.choices(list(shares), list(shares.values()), k=len(targets))
        tell(f"{len(targets):,} edits of {slug}: {', '.join(shares)}")
        edits = (edit(op, target, Corpus(target)) for op, target in zip(ops, targets, strict=True))
        load.call(stack.port, key, [_each(edits) for _ in range(EDITORS)])
        edited.update(targets)
    left = [one for one in seen if one not in edited]
    return Tenant(slug, chunks, agent, chance.sample(left, min(MEASURED, len(left))))


def edit(op: str, target: str, corpus: Corpus) -> load.Request:
    """The proposal of an edit of a chunk."""
    patches: dict[str, dict[str, Any]] = {
        "amend": {"text": corpus.text()},
        "attenuate": {"importance_delta": -0.1},
        "block": {"channel": "public"},
    }
    body = {"target_type": "chunk", "target_id": target, "op": op, "reason": "bench", "patch": patches.get(op, {})}
    return "POST", "edits", body


def _recording(history: Iterator[dict[str, Any]], seen: list[str]) -> load.Caller:
    """A client that records the history; collects the chunks that the agent may see."""
    while batch := list(islice(history, BATCH)):
        answer = yield "POST", "events/batch", {"events": batch}
        for event, recorded in zip(batch, answer.json()["events"], strict=True):
            if event["sensitivity"] in ("none", "low"):
                seen += recorded["chunk_ids"]


def _each(requests: Iterator[load.Request]) -> load.Caller:
    yield from requests


def fill_vectors(stack: Stack, slugs: Sequence[str]) -> None:
    """Insert a vector of the local model for every chunk that the job would embed, and mark the model as complete."""
    from django.db import connections
    from pgvector import HalfVector

    from governance.acting import gate
    from governance.acting.credentials import OperatorCredential, system
    from memory.embedding.local import local_model

    model = local_model()
    texts = _sentences()[:SENTENCES]
    vectors = [vector for start in range(0, len(texts), 32) for vector in model.embed(texts[start : start + 32])]
    ids = gate.tenants()
    with connections["owner"].cursor() as cursor:
        cursor.execute("SET statement_timeout = 0; SET maintenance_work_mem = '1GB'")
        cursor.execute("CREATE TEMP TABLE sentence (place int PRIMARY KEY, vector halfvec)")
        cursor.executemany(
            "INSERT INTO sentence VALUES (%s, %s)",
            [(place, HalfVector(vector).to_text()) for place, vector in enumerate(vectors)],
        )
        cursor.execute("GRANT SELECT ON sentence TO suture_gate")
        # creating an index of this many vectors is much faster than growing it
        cursor.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'memory_embedding' AND indexdef ~ 'hnsw'"
        )
        indexes = cursor.fetchall()
        for name, _ in indexes:
            cursor.execute(f"DROP INDEX {name}")
        for slug in slugs:
            worker = replace(system(ids[slug], "bench"), credential=OperatorCredential("bench", kind="job"))
            with gate.acting_as(worker, using="owner"):
                cursor.execute("SET LOCAL ROLE suture_gate")
                cursor.execute(_FILL, {"tenant": ids[slug], "model": model.model, "count": len(vectors)})
                made = cursor.rowcount
                cursor.execute("DELETE FROM memory_embeddingitem WHERE tenant_id = %s", [ids[slug]])
                cursor.execute(
                    "INSERT INTO memory_embeddingmodel (tenant_id, id, model, dimensions, is_complete, filled_at,"
                    " row_count) VALUES (%s, gen_random_uuid(), %s, %s, true, now(), %s)",
                    [ids[slug], model.model, model.dimensions, made],
                )
                cursor.execute("SELECT count_terms(%s)", [ids[slug]])
        cursor.execute("DROP TABLE sentence")
        for _, definition in indexes:
            cursor.execute(definition)
    with stack.connect() as connection:
        connection.execute("SET statement_timeout = 0")
        connection.execute("VACUUM (ANALYZE)")


def _sentences() -> list[str]:
    """The distinct sentences of the included corpora, each with 20 letters or more."""
    texts = (
        str(event["content"].get("text", ""))
        for source in sources().values()
        if not source.NEEDS_PLACE
        for event in source.read(None).events
    )
    found = (sentence.strip() for text in texts for sentence in re.split(r"(?<=[.!?])\s+|\n", text))
    return list(dict.fromkeys(sentence for sentence in found if len(sentence) >= 20))
