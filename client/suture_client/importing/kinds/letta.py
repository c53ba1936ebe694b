"""Letta: an agent file (.af), with its memory blocks, messages and files; and archival passages as its API lists them.

Formats: github.com/letta-ai/agent-file (README: "Message history", "Memory blocks"; passages are not in the format, but
exporters add them); the schema is `AgentFileSchema` of github.com/letta-ai/letta at 4184ae26,
letta/schemas/agent_file.py, and of older files letta/serialize_schemas/pydantic_agent_schema.py, whose outermost object
is the agent itself. Some files in the agent-file repository hold that JSON as one JSON text
(customer_service_agent/customer_service.af). The ids in a file (message-0, block-0) are of that file only, so the words
name an item, with its agent and its time.
"""

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from suture_client.importing.items import (
    BadSource,
    Item,
    LeftOut,
    NotUnderstood,
    Read,
    Unreadable,
    fingerprint,
    moment,
    present,
    words,
)
from suture_client.importing.kinds import Kind, OnRead, each_record, ends_with
from suture_client.importing.records import Record
from suture_client.importing.sources import Source

_PASSAGES = {"passages", "archival_memory", "archival_passages"}
_MESSAGES = {"messages"}
_BLOCKS = {"blocks", "core_memory", "memory_blocks"}
_OTHERS = {"groups", "sources", "tools", "mcp_servers", "metadata", "created_at", "skills"}
_SETTINGS = "settings, tools and system prompts of an agent"
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
#: A file that holds its JSON as a text is read whole, up to this many bytes.
_MAX_QUOTED = 256 * 1024 * 1024


def recognises(record: Record) -> bool:
    """Whether the record is a part of an agent file, or a passage."""
    value = record.value
    if not isinstance(value, dict):
        return False
    if record.field == "agents":
        return "messages" in value or "block_ids" in value or "system" in value
    if record.field in _BLOCKS:
        return "label" in value and "value" in value
    return _is_passage(value) or (record.field == "" and "core_memory" in value)


def _is_passage(value: dict[str, Any]) -> bool:
    return isinstance(value.get("text"), str) and any(
        name in value for name in ("archive_id", "embedding_config", "agent_id")
    )


def read(source: Source, on_read: OnRead) -> Iterator[Read]:
    """What an agent remembers. Raises BadSource."""
    agent = "agent"
    #: Whose a block is, by its id; agents stand before blocks in a file.
    owners: dict[str, str] = {}
    is_old = False
    for one in each_record(_unquoted(source), on_read, "letta"):
        if isinstance(one, NotUnderstood):
            yield one
        elif one.field == "agents" and isinstance(one.value, dict):
            name = words(one.value.get("name")) or "agent"
            owners |= {id: name for id in one.value.get("block_ids") or [] if isinstance(id, str)}
            agent = name
            yield from _agent(one, name)
        elif one.field in _BLOCKS and isinstance(one.value, dict):
            yield _block(one.place, one.value, owners.get(words(one.value.get("id")), agent))
        elif one.field in _MESSAGES and isinstance(one.value, dict):
            is_old = True
            yield from _message(one.place, one.value, agent)
        elif isinstance(one.value, dict) and (one.field in _PASSAGES or (not one.field and _is_passage(one.value))):
            yield _passage(one.place, one.value, agent)
        elif one.field == "files" and isinstance(one.value, dict):
            yield _file(one.place, one.value, agent)
        elif one.field == "name" and isinstance(one.value, str):
            agent = one.value
        elif one.field in _OTHERS or (one.field and (is_old or not isinstance(one.value, dict))):
            if one.value not in (None, "", [], {}):
                yield LeftOut(_SETTINGS)
        else:
            yield NotUnderstood(one.place, f"An agent file has no {one.field or 'such record'}.")


def _agent(record: Record, name: str) -> Iterator[Read]:
    value = record.value
    yield LeftOut(_SETTINGS)
    for field, maker in (
        ("messages", _message),
        ("memory_blocks", None),
        ("passages", None),
        ("archival_memory", None),
    ):
        found = value.get(field)
        for number, one in enumerate(found if isinstance(found, list) else [], 1):
            place = f"{record.place} {name!r}, {field} {number}"
            if not isinstance(one, dict):
                yield NotUnderstood(place, "This is no object.")
            elif maker is not None:
                yield from maker(place, one, name)
            elif field == "memory_blocks":
                yield _block(place, one, name)
            else:
                yield _passage(place, one, name)


def _block(place: str, value: dict[str, Any], agent: str) -> Read:
    label, text = words(value.get("label")), words(value.get("value"))
    if not text.strip():
        return LeftOut("empty memory blocks")
    data = present(block=label, description=words(value.get("description")))
    body = _body(agent, "import:letta", ["block"], {"text": text, **present(data=data)})
    return Item(place, body, ("block", agent, label, fingerprint(text)))


def _passage(place: str, value: dict[str, Any], agent: str) -> Read:
    text, id = words(value.get("text")), words(value.get("id"))
    if not text.strip():
        return LeftOut("empty passages")
    try:
        ts = moment(value.get("created_at"))
    except Unreadable as error:
        return NotUnderstood(place, f"{error}.")
    metadata = value.get("metadata") or value.get("metadata_")
    tags = value.get("tags")
    body = _body(agent, "import:letta", ["passage", *_texts(tags)], {"text": text, **present(data=metadata)})
    return Item(place, body | present(ts=ts.isoformat() if ts else ""), ("passage", id, agent, fingerprint(text)))


def _file(place: str, value: dict[str, Any], agent: str) -> Read:
    text = words(value.get("content"))
    name = words(value.get("file_name")) or words(value.get("original_file_name")) or "file"
    if not text.strip():
        return LeftOut("files without their content")
    body = _body(agent, "import:letta", ["file"], {"name": name, "media_type": "text/plain", "text": text})
    return Item(place, body | {"kind": "artifact"}, ("file", name, fingerprint(text)))


def _message(place: str, value: dict[str, Any], agent: str) -> Iterator[Read]:
    role = words(value.get("role"))
    if role == "system":
        yield LeftOut(_SETTINGS)
        return
    if role not in ("user", "assistant", "tool", "approval", "function"):
        yield NotUnderstood(place, f"The message has the unknown role {role!r}.")
        return
    try:
        ts = moment(value.get("created_at"))
    except Unreadable as error:
        yield NotUnderstood(place, f"{error}.")
        return
    text, faults = _said(value.get("content"))
    yield from (NotUnderstood(place, fault) if not isinstance(fault, LeftOut) else fault for fault in faults)
    time = ts.isoformat() if ts else ""
    session = f"letta:{agent}"
    if role == "user":
        text = _of_user(text)
        if text:
            body = _body(agent, session, [], {"text": text}) | {"actor_type": "human", "actor_id": "user"}
            yield _item(place, body, time, "user")
        else:
            yield LeftOut("automatic messages to an agent")
        return
    if role in ("tool", "function"):
        yield from _result(place, value, agent, text, time)
        return
    if text.strip():
        yield _item(place, _body(agent, session, [], {"text": text}), time, role)
    calls = value.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else [], 1):
        yield _call(f"{place}, tool call {number}", call, agent, time)


def _call(place: str, call: Any, agent: str, time: str) -> Read:
    function = call.get("function") if isinstance(call, dict) else None
    name = words(function.get("name")) if isinstance(function, dict) else ""
    if not isinstance(function, dict) or not name:
        return NotUnderstood(place, "A tool call needs a function with a name.")
    given: Any = function.get("arguments")
    if isinstance(given, str):
        try:
            given = json.loads(given, parse_constant=str)
        except (ValueError, RecursionError):
            given = {"arguments": given}
    session = f"letta:{agent}"
    # An agent of the first kinds says something by calling send_message.
    if name == "send_message" and isinstance(given, dict) and words(given.get("message")).strip():
        return _item(place, _body(agent, session, [], {"text": given["message"]}), time, "assistant")
    content = present(tool=name, call_id=words(call.get("id")), arguments=given)
    return _item(place, _body(agent, session, [], content) | {"kind": "tool_call"}, time, "call")


def _result(place: str, value: dict[str, Any], agent: str, text: str, time: str) -> Iterator[Read]:
    tool = words(value.get("name"))
    # What send_message answers says nothing; other results have their words in `message`.
    try:
        packed = json.loads(text)
    except (ValueError, RecursionError):
        packed = None
    if isinstance(packed, dict) and "message" in packed and set(packed) <= {"status", "message", "time"}:
        text = words(packed["message"]) if packed["message"] not in ("None", None) else ""
    if not text.strip():
        yield LeftOut("empty results of tools")
        return
    content = {"text": text, **present(tool=tool, call_id=words(value.get("tool_call_id")))}
    body = _body(agent, f"letta:{agent}", [], content) | {"kind": "tool_result", "actor_type": "tool"}
    yield _item(place, body | {"actor_id": tool or "tool"}, time, "result")


def _said(content: Any) -> tuple[str, list[str | LeftOut]]:
    """The words of a message's content, and what else it has."""
    if isinstance(content, str) or content is None:
        return words(content), []
    pieces: list[str] = []
    faults: list[str | LeftOut] = []
    for part in content if isinstance(content, list) else [content]:
        type = part.get("type") if isinstance(part, dict) else None
        if type == "text":
            pieces.append(words(part.get("text")))
        elif type in ("reasoning", "redacted_reasoning", "omitted_reasoning", "summarized_reasoning"):
            faults.append(LeftOut("reasoning"))
        elif type in ("image", "audio"):
            faults.append(LeftOut("images, audio and files"))
        # Calls and results of tools stand in fields of their own, too.
        elif type not in ("tool_call", "tool_return"):
            faults.append(f"A part of the message has the unknown type {type!r}.")
    return "\n".join(piece for piece in pieces if piece.strip()), faults


def _of_user(text: str) -> str:
    """What a person wrote; "" for what Letta sends in the user's name."""
    try:
        packed = json.loads(text)
    except (ValueError, RecursionError):
        return _REMINDER.sub("", text).strip()
    if isinstance(packed, dict) and isinstance(packed.get("type"), str):
        return words(packed.get("message")) if packed["type"] == "user_message" else ""
    return text


def _item(place: str, body: dict[str, Any], time: str, role: str) -> Item:
    name = (body["session_id"], role, time, fingerprint(body["content"]))
    return Item(place, body | present(ts=time), name)


def _body(agent: str, session: str, tags: list[str], content: dict[str, Any]) -> dict[str, Any]:
    return {
        "session_id": session,
        "kind": "message",
        "actor_type": "agent",
        "actor_id": agent,
        "tags": ["letta", *tags],
        "content": content,
    }


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _unquoted(source: Source) -> Source:
    """The source; where it holds its JSON as one JSON text, what that text says."""
    if not source.can_reopen:
        return source
    with source.open() as stream:
        if stream.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b'"':
            return source
    if source.size > _MAX_QUOTED:
        raise BadSource(f"{source.name} holds its JSON as one text of more than {_MAX_QUOTED} bytes.")
    with source.open() as stream:
        try:
            inner = json.loads(stream.read())
        except (ValueError, RecursionError) as error:
            raise BadSource(f"{source.name} is no JSON: {error}.") from None
    content = str(inner).encode("utf-8", "replace")
    return replace(source, opener=lambda: io.BytesIO(content), size=len(content))


KIND = Kind(
    name="letta",
    title="an agent file of Letta",
    wants="the .af file, or the JSON of an agent's archival passages",
    wanted=ends_with(".af", ".json"),
    takes_directory=False,
    recognises=recognises,
    read=read,
)
