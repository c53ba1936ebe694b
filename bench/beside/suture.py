"""Suture: over HTTP, as any client calls it, and its reading functions over bare asyncpg."""

import itertools
import json
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import asyncpg
from langgraph.store.base import PutOp
from pgvector import HalfVector
from pgvector.asyncpg import register_vector

from bench import load
from bench.beside import systems
from bench.beside.graphs import LONG, Graph
from bench.beside.memories import Embedder, Memories
from bench.beside.systems import wait
from bench.generate import Tenant, fill_vectors
from bench.stack import Stack
from suture_client import Memory
from suture_client.checkpointing.langgraph import SutureSaver
from suture_client.storing.langgraph import SutureStore

#: The agent of the tenant that keeps the items of the store.
_AGENT = "store-agent"


class OverHttp:
    """The server, its client and LangGraph's store and saver in it."""

    name = "Suture over HTTP"

    def __init__(self, stack: Stack, tenant: Tenant, memories: Memories) -> None:
        key, url = _stored(stack, memories), f"http://127.0.0.1:{stack.port}"
        self._connection = load.Connection(stack.port, tenant.agent)
        # threads of its own, in a place that is used again too
        self._saver = SutureSaver(url=url, key=tenant.agent, prefix=f"bench-{uuid.uuid4()}")
        self._store, self._memory = SutureStore(url=url, key=key), Memory(url, key)
        self._ids = [one.id for one in itertools.islice(self._memory.memories(), systems.ASKED)]
        graph = Graph(self._saver)
        self.operations: Mapping[str, Callable[[Any], Any]] = {
            systems.BY_MEANING: lambda text: self._search(text, "semantic"),
            systems.HYBRID: lambda text: self._search(text, "hybrid"),
            systems.BY_WORDS: lambda text: self._search(text, "keyword"),
            systems.GET: lambda one: self._ask("POST", "chunks/get", {"chunk_ids": [str(one)]}),
            systems.NEWEST: lambda _: self._ask("GET", f"chunks?limit={systems.LISTED}"),
            systems.RECORD: lambda event: self._ask("POST", "events", event),
            **systems.of_store(self._store, [str(one) for one in memories.ids]),
            systems.ADD: lambda text: [self._memory.remember(text)],
            systems.MEMORY: lambda number: [self._memory.get(self._ids[number])],
            systems.MEMORIES_ABOUT: lambda text: self._memory.recall(text, limit=systems.FOUND),
            systems.MEMORIES: lambda _: [*itertools.islice(self._memory.memories(), systems.LISTED_MEMORIES)],
            systems.STORE: lambda one: systems.put(self._saver, one),
            systems.RESUME: lambda thread: systems.newest(self._saver, thread),
            systems.RUN: graph.run,
            systems.HISTORY: graph.history,
        }
        graph.run(systems.LONG_THREAD, LONG)

    def close(self) -> None:
        """Close its connections."""
        for one in (self._connection, self._saver, self._store, self._memory):
            one.close()

    def _search(self, query: str, mode: str) -> Any:
        return self._ask("POST", "chunks/search", {"query": query, "limit": systems.FOUND, "mode": mode})

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        answer = wait(self._connection.ask((method, path, body)))
        if not answer.is_done:
            raise SystemExit(str(answer))
        found = answer.json()
        return found.get("chunks", found.get("results", found))


def _stored(stack: Stack, memories: Memories) -> str:
    """The key of a tenant that has the memories of all systems as items of a store: recorded now, or by an earlier run
    in the same place."""
    kept = stack.place / "store.json"
    if not kept.exists():
        from memory.services import completing

        key = stack.provision("store", "--agent", _AGENT)[_AGENT]
        with SutureStore(url=f"http://127.0.0.1:{stack.port}", key=key) as store:
            for part in memories.batches():
                pairs = zip(memories.ids[part], memories.texts[part], strict=True)
                store.batch([PutOp(systems.NAMESPACE, str(one), {"text": text}) for one, text in pairs])
        completing.complete_contexts()
        fill_vectors(stack, ["store"])
        kept.write_text(json.dumps(key))
    return str(json.loads(kept.read_text()))


class Functions:
    """The functions that the server calls, as its role, without the server. Each call opens the context of the key in
    the same statement, as the server's reads do. Writes need the server: it signs their entries of the ledger."""

    name = "our functions, asyncpg"

    def __init__(self, stack: Stack, tenant: Tenant, embedder: Embedder) -> None:
        from governance.acting.gate import digest_of
        from memory.embedding.local import LocalModel
        from memory.queries import db

        self._embedder, self._model = embedder, LocalModel.model
        self._connection = wait(_connected(stack.url("DATABASE_URL")))
        digest = digest_of(tenant.agent)
        key = wait(self._connection.fetchrow("SELECT * FROM authenticate($1)", digest))
        self._own = {"_digest": digest, "_fingerprint": key["fingerprint"]}
        self._usual = {"listening": key["channels"], "channels": key["channels"], "include_quarantined": False}
        self._usual |= {"include_archived": False}
        self.operations: Mapping[str, Callable[[Any], Any]] = {
            systems.BY_MEANING: lambda text: self._search(db.search_chunks, text, "semantic"),
            systems.HYBRID: lambda text: self._search(db.search_chunks, text, "hybrid"),
            systems.BY_WORDS: lambda text: self._search(db.search_chunks, text, "keyword"),
            systems.GET: lambda one: self._call(db.get_chunks, ids=[systems.id_in(one)]),
            systems.NEWEST: lambda _: self._call(db.list_chunks, limit=systems.LISTED),
        }

    def close(self) -> None:
        """Close its connection."""
        wait(self._connection.close())

    def _search(self, function: Any, query: str, mode: str) -> Any:
        values: dict[str, Any] = {"query": query, "mode": mode, "limit": systems.FOUND, "collapse": True}
        if mode != "keyword":
            values |= {"vector": HalfVector(self._embedder.embed(query)), "model": self._model}
        return self._call(function, **values, highlight=False, explain=False)

    def _call(self, function: Any, **values: Any) -> Any:
        names: list[str] = []

        def numbered(found: re.Match[str]) -> str:
            if found[1] not in names:
                names.append(found[1])
            return f"${names.index(found[1]) + 1}"

        statement = re.sub(r"%\((\w+)\)s", numbered, function.entering_sql)
        given = {**dict.fromkeys(function.parameters), **function.defaults, **self._usual, **values, **self._own}
        return wait(self._connection.fetch(statement, *(given[name] for name in names)))


async def _connected(url: str) -> Any:
    connection = await asyncpg.connect(url)
    await register_vector(connection)
    return connection
