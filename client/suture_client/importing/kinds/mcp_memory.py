"""The reference memory server of MCP: a knowledge graph as JSON lines.

Format (github.com/modelcontextprotocol/servers at 76d64c82, src/memory/index.ts): a line is {"type": "entity", "name",
"entityType", "observations": [text]} or {"type": "relation", "from", "to", "relationType"}. The result of its
tool `read_graph`, {"entities": [...], "relations": [...]}, is accepted too.
"""

from collections.abc import Iterator
from typing import Any

from suture_client.importing.items import Item, NotParsed, Read, as_text
from suture_client.importing.kinds import Kind, OnRead, each_record, ends_with
from suture_client.importing.records import Record
from suture_client.importing.sources import Source

_TYPES_BY_FIELD = {"entities": "entity", "relations": "relation"}


def recognises(record: Record) -> bool:
    """Whether the record is an entity or a relation."""
    value = record.value
    if not isinstance(value, dict):
        return False
    type = _TYPES_BY_FIELD.get(record.field) or value.get("type")
    return (type == "entity" and "observations" in value) or (type == "relation" and "relationType" in value)


def read(source: Source, on_read: OnRead) -> Iterator[Read]:
    """Read the observations and relations of a graph. Raises BadSource."""
    for one in each_record(source, on_read, "mcp-memory"):
        if isinstance(one, NotParsed):
            yield one
            continue
        value = one.value
        type = _TYPES_BY_FIELD.get(one.field) or (value.get("type") if isinstance(value, dict) else None)
        if isinstance(value, dict) and type == "entity":
            yield from _entity(one.place, value)
        elif isinstance(value, dict) and type == "relation":
            yield _relation(one.place, value)
        elif value != []:
            yield NotParsed(one.place, "This is neither an entity nor a relation.")


def _entity(place: str, value: dict[str, Any]) -> Iterator[Read]:
    name, type, observations = as_text(value.get("name")), as_text(value.get("entityType")), value.get("observations")
    if not name.strip() or not isinstance(observations, list):
        yield NotParsed(place, "An entity needs a name and a list of observations.")
        return
    if not observations:
        text = f"{name} ({type})" if type else name
        yield _item(place, text, ("entity", name, type), [type], name)
    for number, observation in enumerate(observations, 1):
        at = f"{place}, observation {number}"
        if isinstance(observation, str) and observation.strip():
            yield _item(at, f"{name}: {observation}", ("observation", name, observation), [type], name)
        else:
            yield NotParsed(at, "An observation must be a string.")


def _relation(place: str, value: dict[str, Any]) -> Read:
    start, type, end = (as_text(value.get(name)) for name in ("from", "relationType", "to"))
    if not (start.strip() and type.strip() and end.strip()):
        return NotParsed(place, "A relation needs from, to and relationType.")
    text = f"{start} {type.replace('_', ' ')} {end}"
    return _item(place, text, ("relation", start, type, end), ["relation"], start, end)


def _item(place: str, text: str, name: tuple[str, ...], tags: list[str], *entities: str) -> Item:
    body = {
        "session_id": "import:mcp-memory",
        "kind": "message",
        "actor_type": "agent",
        "actor_id": "mcp-memory",
        "tags": ["mcp-memory", *tags],
        "refs": [f"mcp-memory:entity/{entity}" for entity in entities],
        "content": {"text": text},
    }
    return Item(place, body, name)


KIND = Kind(
    name="mcp-memory",
    title="a knowledge graph of MCP's reference memory server",
    wants="its memory.jsonl (see MEMORY_FILE_PATH of the server)",
    wanted=ends_with(".jsonl", ".json"),
    takes_directory=False,
    recognises=recognises,
    read=read,
)
