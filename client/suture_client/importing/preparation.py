"""Prepares items for the API: applies options, removes private spans and invalid characters, masks secrets, and splits
long texts."""

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from suture_client.filtering import all_without_private
from suture_client.hooks import own_answers
from suture_client.hooks.hook_call import HookCall
from suture_client.importing.items import Endpoint, Item, LeftOut, Options, identity
from suture_client.text.masking import mask_all

#: Events need a channel. The channel of a capture depends on the key.
DEFAULT_CHANNEL = "private"
#: Characters of one event's text. The API accepts 1,000,000, and masking may lengthen a text.
MAX_TEXT = 900_000
#: The longest identifier that the API accepts, in characters.
_MAX_IDENTIFIER = 200
_COLOURS = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")
# Not allowed in texts: Unicode's Cc except tab, newline and carriage return, and lone surrogates.
_INVALID_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
#: The fields of a body that are identifiers.
_IDENTIFIERS = ("session_id", "actor_id", "subject_type", "subject_id", "project_id")


@dataclass(frozen=True, slots=True)
class PreparedItem:
    """An item in the API's format."""

    place: str
    endpoint: Endpoint
    id: str
    body: bytes
    #: The number of masked secrets by kind.
    masked: Counter[str]


def prepare(item: Item, kind: str, options: Options) -> Iterator[PreparedItem | LeftOut]:
    """Prepare an item, in parts if its text is too long; LeftOut if nothing is left of it, or Suture answered it."""
    body = _with_options(item, options)
    if _is_own(body["content"]):
        yield LeftOut("calls of Suture's own tools, and their results")
        return
    content, masked = mask_all(cleaned(all_without_private(own_answers.without_context(body["content"]))))
    masked += item.masked
    if not _has_content(content):
        yield LeftOut("only words that are <private> or that Suture had given")
        return
    ts = body.get("ts")
    parts = list(_parts(content))
    for number, part in enumerate(parts, 1):
        whole = body | {"content": part}
        name = item.name
        if len(parts) > 1:
            whole["tags"] = [*whole.get("tags", []), f"part {number} of {len(parts)}"]
            name = (*name, "part", str(number))
            whole.pop("key", None)  # each part would take the place of the one before
        id = item.id if item.id and number == 1 else identity(kind, name, datetime.fromisoformat(ts) if ts else None)
        whole["id"] = id
        if item.endpoint == "captures" and masked:
            whole["redacted"] = sorted(masked)
        if item.endpoint == "memories":
            whole |= whole.pop("content")
        yield PreparedItem(item.place, item.endpoint, id, json.dumps(whole, ensure_ascii=False).encode(), masked)
        masked = Counter()


def cleaned(value: Any) -> Any:
    """Remove characters that are not allowed in texts from a JSON value, and numbers that JSON cannot represent."""
    if isinstance(value, str):
        return _INVALID_CHARACTERS.sub(" ", _COLOURS.sub("", value))
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list):
        return [cleaned(one) for one in value]
    if isinstance(value, dict):
        return {cleaned(name): cleaned(one) for name, one in value.items()}
    return value


def identifier(text: str) -> str:
    """Convert a text to an identifier of the API: one line of at most 200 characters."""
    line = " ".join(cleaned(text).split())
    if len(line) <= _MAX_IDENTIFIER:
        return line
    return f"{line[:180]}-{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:12]}"


def _with_options(item: Item, options: Options) -> dict[str, Any]:
    body = dict(item.body)
    if options.channel:
        body["channel"] = options.channel
    elif item.endpoint == "events":
        body["channel"] = DEFAULT_CHANNEL
    if options.session and item.endpoint != "captures":
        body["session_id"] = options.session
    if options.subject and "subject_id" not in body:
        body["subject_type"], body["subject_id"] = options.subject
    if options.project and "project_id" not in body:
        body["project_id"] = options.project
    for name in _IDENTIFIERS:
        if name in body:
            body[name] = identifier(body[name])
    tags = [identifier(tag) for tag in [*body.get("tags", []), *options.tags]]
    body["tags"] = list(dict.fromkeys(tag for tag in tags if tag))[:90]
    if "refs" in body:
        body["refs"] = list(dict.fromkeys(cleaned(ref)[:2000] for ref in body["refs"]))[:100]
    return body


def _is_own(content: Any) -> bool:
    """Return whether the content is a call of one of Suture's tools, or its result."""
    tool = content.get("tool") if isinstance(content, dict) else None
    if not isinstance(tool, str):
        return False
    return own_answers.is_own(HookCall("", "", "", tool_name=tool, tool_input=content.get("arguments")))


def _has_content(content: Any) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    # A language or a media type alone is no content.
    return any(
        value.strip() if isinstance(value, str) else value not in (None, [], {})
        for name, value in content.items()
        if name not in ("lang", "media_type", "name", "status")
    )


def _parts(content: Any) -> Iterator[Any]:
    """Split the content into parts that the API accepts. Only the first has all fields."""
    text = content if isinstance(content, str) else content.get("text", "")
    pieces = list(_pieces(text))
    if len(pieces) < 2:
        yield content
        return
    if isinstance(content, str):
        yield from pieces
        return
    for number, piece in enumerate(pieces):
        yield {**content, "text": piece} if number == 0 else {**_repeated(content), "text": piece}


def _repeated(content: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that each part of a content needs."""
    return {name: content[name] for name in ("name", "media_type", "tool", "lang") if name in content}


def _pieces(text: str) -> Iterator[str]:
    """Split a text between paragraphs, else lines, else words, else anywhere."""
    start = 0
    while len(text) - start > MAX_TEXT:
        end = start + MAX_TEXT
        for mark in ("\n\n", "\n", " "):
            found = text.rfind(mark, start + MAX_TEXT // 2, end)
            if found >= 0:
                end = found + len(mark)
                break
        if text[start:end].strip():
            yield text[start:end]
        start = end
    if text[start:].strip() or not start:
        yield text[start:]
