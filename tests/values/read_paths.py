"""Every way to read memory, in one table: a new way is one row."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.world import Api, World


@dataclass
class Made:
    """What there is to read. `query` finds all of it."""

    query: str = ""
    chunks: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    edits: list[str] = field(default_factory=list)
    capsules: list[str] = field(default_factory=list)
    bundles: list[str] = field(default_factory=list)
    checkpoints: list[str] = field(default_factory=list)
    memories: list[int] = field(default_factory=list)
    blocks: set[str] = field(default_factory=set)
    session_id: str = "session-1"


@dataclass(frozen=True)
class ReadPath:
    """`read` yields the JSON of every answer. `is_of_reviewer`: a reviewer asks."""

    name: str
    read: Callable[[Api, Made], Iterator[Any]]
    is_of_reviewer: bool = False


def _search(**fields: Any) -> Callable[[Api, Made], Iterator[Any]]:
    def read(api: Api, made: Made) -> Iterator[Any]:
        asked = {"limit": 200, "collapse_duplicates": False, **fields}
        yield api.ok("post", "chunks/search", {"query": made.query, **asked})["chunks"]

    return read


def _get(path: str) -> Callable[[Api, Made], Iterator[Any]]:
    def read(api: Api, made: Made) -> Iterator[Any]:
        yield api.ok("get", path)

    return read


def _each(things: str, path: str, missing: tuple[int, ...] = (404,)) -> Callable[[Api, Made], Iterator[Any]]:
    """An answer for each of `things`; who may not read one gets `missing`."""

    def read(api: Api, made: Made) -> Iterator[Any]:
        for one in getattr(made, things):
            response = api.get(path.format(one))
            assert response.status_code in (200, *missing), (path, response.content)
            if response.status_code == 200:
                yield response.json()

    return read


def _tool(name: str, **arguments: Any) -> Callable[[Api, Made], Iterator[Any]]:
    def read(api: Api, made: Made) -> Iterator[Any]:
        known = {"session_id": made.session_id, "query": made.query}
        yield api.ok(
            "post", f"tools/{name}", {key: known.get(key) if one is None else one for key, one in arguments.items()}
        )

    return read


def _each_tool(name: str, things: str, argument: str, **arguments: Any) -> Callable[[Api, Made], Iterator[Any]]:
    def read(api: Api, made: Made) -> Iterator[Any]:
        for one in getattr(made, things):
            response = api.post(f"tools/{name}", {argument: one, **arguments})
            assert response.status_code in (200, 404), (name, response.content)
            if response.status_code == 200:
                yield response.json()

    return read


def _chunks(**fields: Any) -> Callable[[Api, Made], Iterator[Any]]:
    def read(api: Api, made: Made) -> Iterator[Any]:
        if made.chunks:
            yield api.ok("post", "chunks/get", {"chunk_ids": made.chunks, **fields})

    return read


def _bundle(shape: str) -> Callable[[Api, Made], Iterator[Any]]:
    def read(api: Api, made: Made) -> Iterator[Any]:
        asked = {"session_id": made.session_id, "channel": "private", "query": made.query, "format": shape}
        yield api.ok("post", "acb/build", asked)

    return read


def _bootstrap(api: Api, made: Made) -> Iterator[Any]:
    yield api.ok("post", "context/bootstrap", {"query": made.query, "max_tokens": 100_000})
    yield api.ok("post", "context/bootstrap", {"max_tokens": 100_000})


def _restored(api: Api, made: Made) -> Iterator[Any]:
    for one in made.checkpoints:
        yield api.ok("post", f"checkpoints/{one}/restore", {})


def _states(api: Api, made: Made) -> Iterator[Any]:
    if made.checkpoints:
        yield api.ok("get", "sessions/run-1/checkpoints?include_state=true&limit=200")


READ_PATHS = (
    ReadPath("search by words", _search(mode="keyword", highlight=True, explain=True)),
    ReadPath("search by meaning", _search(mode="semantic", highlight=True, explain=True)),
    ReadPath("search by both, reranked", _search(mode="hybrid", rerank=True, highlight=True, explain=True)),
    ReadPath("search with quarantined memory", _search(include_quarantined=True, highlight=True, explain=True)),
    ReadPath("a search by the reviewer", _search(include_quarantined=True, highlight=True), is_of_reviewer=True),
    ReadPath("chunks by id", _chunks()),
    ReadPath("quarantined chunks by id", _chunks(include_quarantined=True)),
    ReadPath("list of chunks", _get("chunks?limit=200")),
    ReadPath("list of chunks of the reviewer", _get("chunks?limit=200&include_quarantined=true"), is_of_reviewer=True),
    ReadPath("timeline", _each("chunks", "chunks/{}/timeline?limit=1000")),
    ReadPath("history", _each("chunks", "chunks/{}/history"), is_of_reviewer=True),
    ReadPath("history for the agent", _each("chunks", "chunks/{}/history", missing=(403, 404))),
    ReadPath("confidence", _each("chunks", "chunks/{}/confidence")),
    ReadPath("list of events", _get("events?limit=200&include_quarantined=true")),
    ReadPath("event", _each("events", "events/{}?include_quarantined=true")),
    ReadPath("decisions", _get("decisions?include_quarantined=true")),
    ReadPath("decisions in force", _get("decisions/active")),
    ReadPath("tasks", _get("tasks?include_quarantined=true")),
    ReadPath("artifacts", _get("artifacts?include_quarantined=true")),
    ReadPath("list of edits", _get("edits?limit=200"), is_of_reviewer=True),
    ReadPath("edit", _each("edits", "edits/{}"), is_of_reviewer=True),
    ReadPath("list of edits of the agent", _get("edits?limit=200")),
    ReadPath("values of the agent", _get("values")),
    ReadPath("own memory", _get("chain?limit=200&include_superseded=true")),
    ReadPath("one own memory", _each("memories", "chain/{}")),
    ReadPath("candidates for promotion", _get("promotions/candidates"), is_of_reviewer=True),
    ReadPath("bundle", _bundle("json")),
    ReadPath("bundle as text", _bundle("text")),
    ReadPath("an earlier bundle", _each("bundles", "acb/{}")),
    ReadPath("bootstrap", _bootstrap),
    ReadPath("list of capsules", _get("capsules")),
    ReadPath("capsule", _each("capsules", "capsules/{}")),
    ReadPath("capsule for the reviewer", _each("capsules", "capsules/{}"), is_of_reviewer=True),
    ReadPath("list of captures", _get("captures")),
    ReadPath("sessions", _get("sessions")),
    ReadPath("restored checkpoint", _restored),
    ReadPath("checkpoints with their states", _states),
    ReadPath("checkpoint", _each("checkpoints", "checkpoints/{}")),
    ReadPath("tool search_memory", _tool("search_memory", query=None, limit=200, max_tokens=100_000)),
    ReadPath("tool memory_recall", _tool("memory_recall", query=None, max_results=100, include_superseded=True)),
    ReadPath("tool build_context", _tool("build_context", session_id=None, query=None)),
    ReadPath("tool core_memories", _tool("core_memories")),
    ReadPath("tool timeline", _each_tool("timeline", "chunks", "chunk_id")),
    ReadPath("tool block_get, resource of a block", _each_tool("block_get", "blocks", "label")),
    ReadPath("tool block_history", _each_tool("block_history", "blocks", "label")),
    ReadPath("ledger", lambda api, made: iter([api.get("ledger/entries").getvalue().decode()]), is_of_reviewer=True),
)


def answers(world: World, made: Made) -> Iterator[tuple[str, Any]]:
    """The name of each path and each of its answers."""
    for path in READ_PATHS:
        for answer in path.read(world.bob if path.is_of_reviewer else world.alice, made):
            yield path.name, answer
