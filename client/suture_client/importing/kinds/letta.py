"""Letta: an agent file (.af), with its memory blocks, messages and files; and archival passages as its API lists them.

Formats: github.com/letta-ai/agent-file (README: "Message history", "Memory blocks"; passages are not in the format, but
exporters add them); the schema is `AgentFileSchema` of github.com/letta-ai/letta at 4184ae26,
letta/schemas/agent_file.py, and of older files letta/serialize_schemas/pydantic_agent_schema.py, whose outermost object
is the agent itself. Some files in the agent-file repository hold that JSON as one JSON text
(customer_service_agent/customer_service.af). The ids in a file (message-0, block-0) are unique only within the file, so
an item is identified by its words, its agent and its time.
"""

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from suture_client.importing.items import (
    BadSource,
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
from suture_client.importing.sources import Source

_PASSAGES = {"passages", "archival_memory", "archival_passages"}
_MESSAGES = {"messages"}
_BLOCKS = {"blocks", "core_memory", "memory_blocks"}
_OTHERS = {"groups", "sources", "tools", "mcp_servers", "metadata", "created_at", "skills"}
_SETTINGS = "settings, tools and system prompts of an agent"
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
#: A file that holds its JSON as one string is read completely, up to this many bytes.
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
    """Read the memory of an agent. Raises BadSource."""
    agent = "agent"
    #: The agent of each block, by the block's id. In a file, agents precede blocks.
    owners: dict[str, str] = {}
    is_old = False
    for one in each_record(_decoded(source), on_read, "letta"):
        if isinstance(one, NotParsed):
            yield one
        elif one.field == "agents" and isinstance(one.value, dict):
            name = as_text(one.value.get("name")) or "agent"
            owners |= {id: name for id in one.value.get("block_ids") or [] if isinstance(id, str)}
            agent = name
            yield from _agent(one, name)
        elif one.field in _BLOCKS and isinstance(one.value, dict):
            yield _block(one.place, one.value, owners.get(as_text(one.value.get("id")), agent))
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
            yield NotParsed(one.place, f"An agent file has no {one.field or 'such record'}.")


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
                yield NotParsed(place, "This is not a JSON object.")
            elif maker is not None:
                yield from maker(place, one, name)
            elif field == "memory_blocks":
                yield _block(place, one, name)
            else:
                yield _passage(place, one, name)


def _block(place: str, value: dict[str, Any], agent: str) -> Read:
    label, text = as_text(value.get("label")), as_text(value.get("value"))
    if not text.strip():
        return LeftOut("empty memory blocks")
    data = non_empty(block=label, description=as_text(value.get("description")))
    body = _body(agent, "import:letta", ["block"], {"text": text, **non_empty(data=data)})
    return Item(place, body, ("block", agent, label, fingerprint(text)))


def _passage(place: str, value: dict[str, Any], agent: str) -> Read:
    text, id = as_text(value.get("text")), as_text(value.get("id"))
    if not text.strip():
        return LeftOut("empty passages")
    try:
        ts = parse_time(value.get("created_at"))
    except InvalidValueError as error:
        return NotParsed(place, f"{error}.")
    metadata = value.get("metadata") or value.get("metadata_")
    tags = value.get("tags")
    body = _body(agent, "import:letta", ["passage", *_texts(tags)], {"text": text, **non_empty(data=metadata)})
    return Item(place, body | non_empty(ts=ts.isoformat() if ts else ""), ("passage", id, agent, fingerprint(text)))


def _file(place: str, value: dict[str, Any], agent: str) -> Read:
    text = as_text(value.get("content"))
    name = as_text(value.get("file_name")) or as_text(value.get("original_file_name")) or "file"
    if not text.strip():
        return LeftOut("files without their content")
    body = _body(agent, "import:letta", ["file"], {"name": name, "media_type": "text/plain", "text": text})
    return Item(place, body | {"kind": "artifact"}, ("file", name, fingerprint(text)))


def _message(place: str, value: dict[str, Any], agent: str) -> Iterator[Read]:
    role = as_text(value.get("role"))
    if role == "system":
        yield LeftOut(_SETTINGS)
        return
    if role not in ("user", "assistant", "tool", "approval", "function"):
        yield NotParsed(place, f"The message has the unknown role {role!r}.")
        return
    try:
        ts = parse_time(value.get("created_at"))
    except InvalidValueError as error:
        yield NotParsed(place, f"{error}.")
        return
    text, faults = _text_and_faults(value.get("content"))
    yield from (NotParsed(place, fault) if not isinstance(fault, LeftOut) else fault for fault in faults)
    time = ts.isoformat() if ts else ""
    session = f"letta:{agent}"
    if role == "user":
        text = _user_text(text)
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
    name = as_text(function.get("name")) if isinstance(function, dict) else ""
    if not isinstance(function, dict) or not name:
        return NotParsed(place, "A tool call needs a function with a name.")
    given: Any = function.get("arguments")
    if isinstance(given, str):
        try:
            given = json.loads(given, parse_constant=str)
        except (ValueError, RecursionError):
            given = {"arguments": given}
    session = f"letta:{agent}"
    # Agents of early versions talk to the user by calling send_message.
    if name == "send_message" and isinstance(given, dict) and as_text(given.get("message")).strip():
        return _item(place, _body(agent, session, [], {"text": given["message"]}), time, "assistant")
    content = non_empty(tool=name, call_id=as_text(call.get("id")), arguments=given)
    return _item(place, _body(agent, session, [], content) | {"kind": "tool_call"}, time, "call")


def _result(place: str, value: dict[str, Any], agent: str, text: str, time: str) -> Iterator[Read]:
    tool = as_text(value.get("name"))
    # The result of send_message is empty. Other results have their text in `message`.
    try:
        packed = json.loads(text)
    except (ValueError, RecursionError):
        packed = None
    if isinstance(packed, dict) and "message" in packed and set(packed) <= {"status", "message", "time"}:
        text = as_text(packed["message"]) if packed["message"] not in ("None", None) else ""
    if not text.strip():
        yield LeftOut("empty results of tools")
        return
    content = {"text": text, **non_empty(tool=tool, call_id=as_text(value.get("tool_call_id")))}
    body = _body(agent, f"letta:{agent}", [], content) | {"kind": "tool_result", "actor_type": "tool"}
    yield _item(place, body | {"actor_id": tool or "tool"}, time, "result")


def _text_and_faults(content: Any) -> tuple[str, list[str | LeftOut]]:
    """Return the text of a message's content, and its other parts."""
    if isinstance(content, str) or content is None:
        return as_text(content), []
    pieces: list[str] = []
    faults: list[str | LeftOut] = []
    for part in content if isinstance(content, list) else [content]:
        type = part.get("type") if isinstance(part, dict) else None
        if type == "text":
            pieces.append(as_text(part.get("text")))
        elif type in ("reasoning", "redacted_reasoning", "omitted_reasoning", "summarized_reasoning"):
            faults.append(LeftOut("reasoning"))
        elif type in ("image", "audio"):
            faults.append(LeftOut("images, audio and files"))
        # Tool calls and results are repeated in separate fields.
        elif type not in ("tool_call", "tool_return"):
            faults.append(f"A part of the message has the unknown type {type!r}.")
    return "\n".join(piece for piece in pieces if piece.strip()), faults


def _user_text(text: str) -> str:
    """Return the text of a user; "" for messages that Letta sends in the user's name."""
    try:
        packed = json.loads(text)
    except (ValueError, RecursionError):
        return _REMINDER.sub("", text).strip()
    if isinstance(packed, dict) and isinstance(packed.get("type"), str):
        return as_text(packed.get("message")) if packed["type"] == "user_message" else ""
    return text


def _item(place: str, body: dict[str, Any], time: str, role: str) -> Item:
    name = (body["session_id"], role, time, fingerprint(body["content"]))
    return Item(place, body | non_empty(ts=time), name)


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


def _decoded(source: Source) -> Source:
    """Return the source. If it holds its JSON as one JSON string, decode the string."""
    if not source.can_reopen:
        return source
    with source.open() as stream:
        if stream.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b'"':
            return source
    if source.size > _MAX_QUOTED:
        raise BadSource(f"{source.name} holds its JSON as one string of more than {_MAX_QUOTED} bytes.")
    with source.open() as stream:
        try:
            inner = json.loads(stream.read())
        except (ValueError, RecursionError) as error:
            raise BadSource(f"{source.name} is not JSON: {error}.") from None
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
