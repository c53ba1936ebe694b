"""What the tests of captured memory share: bodies of requests, and what readers get."""

import hashlib
import uuid
from collections.abc import Sequence
from typing import Any

from suture_client.text import chunker
from tests.world import Api

PROMPT = {"type": "HookDescription", "hook_type": "UserPromptSubmit"}
READING = {"type": "HookDescription", "hook_type": "PreToolUse", "tool_name": "Read"}
STOP = {"type": "ClaudeResponse", "response_type": "stop"}


def words(number: int, prefix: str = "w") -> str:
    """A text of so many different words, without the end of a sentence."""
    return " ".join(f"{prefix}{place}" for place in range(number))


def body(content: str, source: dict[str, Any] = READING, **fields: Any) -> dict[str, Any]:
    """The body of a capture."""
    return {"session_id": "test-session", "source": source, "content": content, **fields}


def part(path: str, text: str, **fields: Any) -> dict[str, Any]:
    """The body that stores a file of this text as one part."""
    chunks = [
        {"text": text[span.start : span.end], "word_offset": span.first_word, "start": span.start, "end": span.end}
        for span in chunker.split(text)
    ]
    return {
        "version_id": str(uuid.uuid4()),
        "session_id": "watch:docs",
        "file_path": path,
        "file_hash": hashlib.sha256(text.encode()).hexdigest(),
        "total_chunks": len(chunks),
        "first_index": 0,
        "chunks": chunks,
        "is_last": True,
        **fields,
    }


def parts(whole: dict[str, Any], size: int) -> Sequence[dict[str, Any]]:
    """The same version in parts of so many chunks."""
    chunks = whole["chunks"]
    starts = range(0, max(len(chunks), 1), size)
    return [
        {
            **whole,
            "first_index": start,
            "chunks": chunks[start : start + size],
            "is_last": start + size >= len(chunks),
        }
        for start in starts
    ]


def store(api: Api, path: str, text: str, **fields: Any) -> dict[str, Any]:
    """Store a file; answers what the API said."""
    stored: dict[str, Any] = api.ok("post", "files", part(path, text, **fields))
    return stored


def memories(api: Api, **filters: str) -> list[dict[str, Any]]:
    """The captured memory that a filter finds, in the order of its chunks in the text."""
    query = "&".join(f"{name}={value}" for name, value in filters.items())
    found: list[dict[str, Any]] = api.ok("get", f"captures?limit=200&{query}")["results"]
    return sorted(found, key=lambda one: (one["chunk_metadata"] or {"chunk_index": 0})["chunk_index"])


def texts(api: Api, path: str = "notes.md") -> list[str]:
    """What readers get of a file, chunk by chunk."""
    return [one["content"] for one in memories(api, file_path=path)]
