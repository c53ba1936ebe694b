"""Makes an item fit for the API: options, private spans, characters, secrets, and texts that are too long."""

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
from suture_client.importing.items import Door, Item, LeftOut, Options, identity
from suture_client.text.masking import mask_all

#: The API wants to know the channel of an event; that of a capture follows from the key.
DEFAULT_CHANNEL = "private"
#: Characters of one event's text; the API takes 1,000,000, and what is masked may become longer.
MAX_TEXT = 900_000
#: Characters of an identifier that the API takes.
_MAX_IDENTIFIER = 200
_COLOURS = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")
# What no text of Suture may have: Unicode's Cc without tab, newline and carriage return, and halves of surrogate pairs.
_NOT_TAKEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
#: The fields of a body that are identifiers.
_IDENTIFIERS = ("session_id", "actor_id", "subject_type", "subject_id", "project_id")


@dataclass(frozen=True, slots=True)
class Ready:
    """An item as the API takes it."""

    place: str
    door: Door
    id: str
    body: bytes
    #: How many secrets were masked, by kind.
    masked: Counter[str]


def prepare(item: Item, kind: str, options: Options) -> Iterator[Ready | LeftOut]:
    """The item, in parts where its text is too long; LeftOut where nothing is left of it."""
    body = _with_options(item, options)
    content, masked = mask_all(cleaned(all_without_private(body["content"])))
    masked += item.masked
    if not _says_something(content):
        yield LeftOut("only <private> words")
        return
    ts = body.get("ts")
    parts = list(_parts(content))
    for number, part in enumerate(parts, 1):
        whole = body | {"content": part}
        name = item.name
        if len(parts) > 1:
            whole["tags"] = [*whole.get("tags", []), f"part {number} of {len(parts)}"]
            name = (*name, "part", str(number))
        id = item.id if item.id and number == 1 else identity(kind, name, datetime.fromisoformat(ts) if ts else None)
        whole["id"] = id
        if item.door == "captures" and masked:
            whole["redacted"] = sorted(masked)
        yield Ready(item.place, item.door, id, json.dumps(whole, ensure_ascii=False).encode(), masked)
        masked = Counter()


def cleaned(value: Any) -> Any:
    """A JSON value without what no text of Suture may have, and without numbers that JSON has no form for."""
    if isinstance(value, str):
        return _NOT_TAKEN.sub(" ", _COLOURS.sub("", value))
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list):
        return [cleaned(one) for one in value]
    if isinstance(value, dict):
        return {cleaned(name): cleaned(one) for name, one in value.items()}
    return value


def identifier(text: str) -> str:
    """A text as an identifier of the API: on one line, and at most 200 characters long."""
    line = " ".join(cleaned(text).split())
    if len(line) <= _MAX_IDENTIFIER:
        return line
    return f"{line[:180]}-{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:12]}"


def _with_options(item: Item, options: Options) -> dict[str, Any]:
    body = dict(item.body)
    if options.channel:
        body["channel"] = options.channel
    elif item.door == "events":
        body["channel"] = DEFAULT_CHANNEL
    if options.session and item.door == "events":
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


def _says_something(content: Any) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    # A language or a media type says nothing by itself.
    return any(
        value.strip() if isinstance(value, str) else value not in (None, [], {})
        for name, value in content.items()
        if name not in ("lang", "media_type", "name", "status")
    )


def _parts(content: Any) -> Iterator[Any]:
    """The content in parts that the API takes, each but the first with its text alone."""
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
    """What each part of a content needs."""
    return {name: content[name] for name in ("name", "media_type", "tool", "lang") if name in content}


def _pieces(text: str) -> Iterator[str]:
    """The text cut between paragraphs, else lines, else words, else anywhere."""
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
