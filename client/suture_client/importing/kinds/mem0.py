"""mem0: the result of `get_all()`, the export of its dashboard, and the Markdown export of its plugin for coding
agents.

Formats (github.com/mem0ai/mem0 at 8d5b7865):
- docs/cookbooks/essentials/exporting-memories.mdx: `get_all()` "returns everything matching your filters: … Perfect for
  exports"; {"count", "next", "previous", "results": [...]}, earlier a bare list (docs.mem0.ai/api-reference/memory).
- mem0/configs/base.py, `MemoryItem`; mem0/memory/main.py, `get_all`: id, memory, hash, created_at, updated_at,
  metadata, and user_id, agent_id, run_id, actor_id, role; `relations` with source, relationship, target if there is a
  graph.
- server/dashboard/src/app/(root)/dashboard/export/page.tsx: {"memories": [{"id", "content", ...}], "total"}.
- integrations/mem0-plugin/scripts/parse_export_file.py: blocks of `---`, fields, `---`, text.
An export with a custom schema (docs/platform/features/memory-export.mdx) contains no memories, only answers to the
schema, and cannot be imported.
"""

import re
from collections.abc import Iterator
from typing import Any

from suture_client.importing.items import (
    InvalidValueError,
    Item,
    LeftOut,
    NotParsed,
    Read,
    as_text,
    fingerprint,
    non_empty,
    parse_time,
)
from suture_client.importing.kinds import Kind, OnRead, each_record, ends_with
from suture_client.importing.records import Record
from suture_client.importing.sources import CountingStream, Source, check_text

_LISTS = ("", "results", "memories")
#: Fields of the outermost object for paging.
_PAGING = {"count", "next", "previous", "total", "page", "page_size", "total_pages"}
_TEXTS = ("memory", "content", "data", "text")
#: Internal fields of the store.
_OWN = {"score", "embedding", "vector", "text_lemmatized"}
_KNOWN = {
    *_TEXTS, *_OWN, "id", "hash", "user_id", "agent_id", "app_id", "run_id", "actor_id", "role", "categories",
    "created_at", "updated_at", "metadata", "name", "input", "owner", "organization", "immutable", "type",
    "structured_attributes", "attributed_to", "event",
}  # fmt: skip

#: The fields at the beginning of a Markdown export.
_BLOCK = re.compile(r"---[ \t]*\r?\n(?:\w+:.*\n)*categories:")


def recognises(record: Record) -> bool:
    """Whether the record is a memory of mem0."""
    value = record.value
    if isinstance(value, str):
        return _BLOCK.match(value) is not None
    if not isinstance(value, dict) or record.field not in _LISTS:
        return False
    return isinstance(value.get("memory"), str) or (
        isinstance(value.get("content") or value.get("data"), str)
        and any(name in value for name in ("user_id", "agent_id", "run_id", "app_id", "categories", "hash"))
    )


def read(source: Source, on_read: OnRead) -> Iterator[Read]:
    """Read the memories of an export. Raises BadSource."""
    if source.name.lower().endswith((".md", ".markdown")):
        yield from _markdown(source, on_read)
        return
    for one in each_record(source, on_read, "mem0"):
        if isinstance(one, NotParsed):
            yield one
        elif one.field == "relations" and isinstance(one.value, dict):
            yield _relation(one)
        elif one.field in _PAGING:
            continue
        elif one.field in _LISTS and isinstance(one.value, dict):
            yield _memory(one.place, one.value)
        elif one.value not in (None, [], {}):
            yield NotParsed(
                one.place,
                "This is not a memory of mem0. Exports with a custom schema contain none: export with get_all().",
            )


def _memory(place: str, value: dict[str, Any]) -> Read:
    text = next((found for name in _TEXTS if (found := as_text(value.get(name))).strip()), "")
    if not text:
        if any(name in value for name in _TEXTS):
            return LeftOut("empty memory")
        return NotParsed(place, f"A memory needs one of the fields {', '.join(_TEXTS)}.")
    try:
        ts = parse_time(value.get("created_at"))
    except InvalidValueError as error:
        return NotParsed(place, f"{error}.")
    metadata = value.get("metadata")
    categories = value.get("categories") or []
    source_id = str(value.get("id") or "")
    # Unknown fields are kept with the metadata.
    further = {name: one for name, one in value.items() if name not in _KNOWN}
    data = non_empty(**further) | (
        non_empty(**metadata) if isinstance(metadata, dict) else non_empty(metadata=metadata)
    )
    agent = str(value.get("agent_id") or "")
    if subject := str(value.get("user_id") or ""):
        about = {"subject_type": "user", "subject_id": subject}
    else:
        about = {"subject_type": "agent", "subject_id": agent} if agent else {}
    body = {
        "session_id": f"mem0:{value['run_id']}" if value.get("run_id") else "import:mem0",
        "kind": "message",
        "actor_type": "agent",
        "actor_id": agent or "mem0",
        **about,
        **non_empty(project_id=str(value.get("app_id") or ""), ts=ts.isoformat() if ts else ""),
        "tags": ["mem0", *(str(one) for one in categories if isinstance(categories, list))],
        "refs": [f"mem0:memory/{source_id}"] if source_id else [],
        "content": non_empty(text=text, data=data),
    }
    # The name contains neither the words nor `updated_at`, so that an updated memory keeps its id.
    name = (source_id,) if source_id else (subject, agent, fingerprint([text, str(value.get("created_at") or "")]))
    return Item(place, body, name)


def _relation(record: Record) -> Read:
    """Read a relation of mem0's graph memory."""
    value = record.value
    ends = [as_text(value.get(name)) for name in ("source", "relationship", "target")]
    ends[2] = ends[2] or as_text(value.get("destination"))
    if not all(ends):
        return NotParsed(record.place, "A relation needs source, relationship and target.")
    text = f"{ends[0]} {ends[1].replace('_', ' ')} {ends[2]}"
    body = {
        "session_id": "import:mem0",
        "kind": "message",
        "actor_type": "agent",
        "actor_id": "mem0",
        "tags": ["mem0", "relation"],
        "content": {"text": text},
    }
    return Item(record.place, body, ("relation", *ends))


def _markdown(source: Source, on_read: OnRead) -> Iterator[Read]:
    """Read the blocks of a Markdown export."""
    check_text(source)
    with source.open() as raw:
        text = (CountingStream(raw, on_read).read() or b"").decode("utf-8", "replace").replace("\r\n", "\n")
    pieces = re.split(r"(?m)^---[ \t]*$", text)
    if len(pieces) < 3:
        yield NotParsed(source.name, "No block of a mem0 export was found: expected `---`, fields, `---`, text.")
        return
    for number in range(1, len(pieces), 2):
        place = f"{source.name}: block {number // 2 + 1}"
        fields = dict(re.findall(r"(?m)^([A-Za-z_][A-Za-z0-9_]*)[ \t]*:[ \t]*(.*?)[ \t]*$", pieces[number]))
        said = pieces[number + 1].strip() if number + 1 < len(pieces) else ""
        if not fields:
            yield NotParsed(place, "The block has no fields.")
            continue
        metadata = non_empty(**{name: fields.get(name) for name in ("type", "confidence", "branch", "files")})
        categories = [one.strip() for one in fields.get("categories", "").split(",") if one.strip()]
        known = {"id": fields.get("id"), "created_at": fields.get("created_at")}
        yield _memory(place, {**known, "memory": said, "categories": categories, "metadata": metadata})


KIND = Kind(
    name="mem0",
    title="an export of mem0",
    wants="the JSON that get_all() answers, or the file of mem0's export",
    wanted=ends_with(".json", ".jsonl", ".ndjson", ".md"),
    takes_directory=False,
    recognises=recognises,
    read=read,
)
