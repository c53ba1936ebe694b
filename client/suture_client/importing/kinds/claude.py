"""Claude: the conversations of claude.ai's data export, from the zip file, its directory or a conversations.json.

How to export: https://support.claude.com/en/articles/9450526-how-can-i-export-my-claude-data. Anthropic documents no
format; this follows what readers of real exports describe: the package claude-json-to-markdown and
github.com/darknodebros/EleSync (release 1.5.3). A conversation has `chat_messages` in their order, each with a `sender`
(human or assistant) and `content` in blocks (text, thinking, tool_use, tool_result); exports before 2025 have only
`text`. Attachments have the text that was pasted or extracted.
"""

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
from suture_client.importing.kinds import Kind, OnRead, each_record
from suture_client.importing.records import Record
from suture_client.importing.sources import Source

_ACTORS = {"human": ("human", "user"), "assistant": ("agent", "claude")}
#: Types of blocks that are not words of a conversation, and their names in the report.
_LEFT_OUT = {
    "thinking": "reasoning",
    "redacted_thinking": "reasoning",
    "token_budget": "Claude's internal parts",
    "flag": "Claude's internal parts",
    "image": "images and files",
    "document": "images and files",
}


def recognises(record: Record) -> bool:
    """Whether the record is a conversation."""
    return isinstance(record.value, dict) and isinstance(record.value.get("chat_messages"), list)


def read(source: Source, on_read: OnRead) -> Iterator[Read]:
    """Read the messages of an export. Raises BadSource."""
    for one in each_record(source, on_read, "claude"):
        if isinstance(one, NotParsed):
            yield one
        elif recognises(one):
            yield from _conversation(one.place, one.value)
        else:
            yield NotParsed(one.place, "This is not a conversation: it has no `chat_messages`.")


def _conversation(place: str, value: dict[str, Any]) -> Iterator[Read]:
    title = as_text(value.get("name"))
    place = f"{place} {title[:60]!r}" if title else place
    id = as_text(value.get("uuid")) or fingerprint([title, value["chat_messages"]])[:32]
    time = value.get("created_at")
    for number, message in enumerate(value["chat_messages"], 1):
        at = f"{place}, message {number}"
        if not isinstance(message, dict):
            yield NotParsed(at, "The message is not an object.")
            continue
        # A message without a time was written after the one before it.
        time = message.get("created_at") or time
        yield from _message(at, message, id, time)


def _message(place: str, message: dict[str, Any], conversation: str, time: Any) -> Iterator[Read]:
    sender = as_text(message.get("sender"))
    if sender not in _ACTORS:
        yield NotParsed(place, f"The message has the unknown sender {sender!r}.")
        return
    try:
        ts = parse_time(time)
    except InvalidValueError as error:
        yield NotParsed(place, f"{error}.")
        return
    actor_type, actor = _ACTORS[sender]
    common: dict[str, Any] = {
        "session_id": f"claude:{conversation}",
        "actor_type": actor_type,
        "actor_id": actor,
        "tags": ["claude"],
        "refs": [f"claude:conversation/{conversation}"],
        **non_empty(ts=ts.isoformat() if ts else ""),
    }
    name = (conversation, as_text(message.get("uuid")) or fingerprint(message))
    texts: list[str] = []
    for number, block in enumerate(_blocks(message), 1):
        found = _block(place, block)
        if isinstance(found, str):
            texts.append(found)
        elif isinstance(found, dict):
            yield Item(place, {**common, **found}, (*name, "block", str(number)))
        else:
            yield found
    if text := "\n".join(one for one in texts if one.strip()):
        yield Item(place, {**common, "kind": "message", "content": {"text": text}}, name)
    elif texts and not message.get("attachments"):
        yield LeftOut("empty message")
    yield from _attachments(place, message, common, name)


def _blocks(message: dict[str, Any]) -> list[Any]:
    """The blocks of a message. A message without any has its words in `text`."""
    blocks = message.get("content")
    return blocks if isinstance(blocks, list) and blocks else [{"type": "text", "text": message.get("text")}]


def _block(place: str, block: Any) -> str | dict[str, Any] | LeftOut | NotParsed:
    """The text of a block, the fields of the event that it becomes, or why it becomes nothing."""
    type = as_text(block.get("type")) if isinstance(block, dict) else ""
    if type == "text":
        return as_text(block.get("text"))
    if type in _LEFT_OUT:
        return LeftOut(_LEFT_OUT[type])
    if type not in ("tool_use", "tool_result"):
        return NotParsed(place, f"A part of the message has the unknown type {type!r}.")
    tool = as_text(block.get("name")) or "tool"
    call = non_empty(call_id=as_text(block.get("id") or block.get("tool_use_id")))
    if type == "tool_use":
        return {"kind": "tool_call", "content": {"tool": tool, **non_empty(arguments=block.get("input")), **call}}
    text = _text_of_result(block.get("content"))
    if not text.strip():
        return LeftOut("empty results of tools")
    who = {"actor_type": "tool", "actor_id": tool}
    return {**who, "kind": "tool_result", "content": {"tool": tool, "text": text, **call}}


def _text_of_result(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    fields = ("title", "url", "text")
    return "\n".join(text for one in blocks for field in fields if (text := as_text(one.get(field))).strip())


def _attachments(
    place: str, message: dict[str, Any], common: dict[str, Any], name: tuple[str, ...]
) -> Iterator[Item | LeftOut]:
    attachments, files = message.get("attachments"), message.get("files")
    for number, one in enumerate(attachments if isinstance(attachments, list) else [], 1):
        text = as_text(one.get("extracted_content")) if isinstance(one, dict) else ""
        if not text.strip():
            yield LeftOut("images and files")
            continue
        title = as_text(one.get("file_name")) or "pasted text"
        content = {"name": title, "media_type": "text/plain", "text": text}
        yield Item(place, {**common, "kind": "artifact", "content": content}, (*name, "attachment", str(number)))
    if isinstance(files, list) and files:
        yield LeftOut("images and files", len(files))


KIND = Kind(
    name="claude",
    title="an export of claude.ai",
    wants="the zip file of a data export, its directory, or a conversations.json",
    wanted=lambda name: name == "conversations.json",
    takes_directory=True,
    recognises=recognises,
    read=read,
)
