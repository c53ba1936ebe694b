"""ChatGPT: the conversations of a data export, from the zip file, its directory or a conversations.json.

How to export: https://help.openai.com/en/articles/7260999-how-do-i-export-my-chatgpt-history-and-data. OpenAI
documents no format; this follows what parsers of real exports describe: github.com/mitkury/chatgpt-export-parser,
docs/chatgpt-data-export-format.md (conversations as a tree in `mapping`, with the shown branch ending at
`current_node`) and github.com/mohamed-chs/chatgpt-history-export-to-md (the types of content). Large exports are split
into conversations-000.json and so on.
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
    identity,
    parse_time,
)
from suture_client.importing.kinds import Kind, OnRead, each_record
from suture_client.importing.records import Record
from suture_client.importing.sources import Source

_FILE = re.compile(r"conversations(-\d+)?\.json")
_ACTORS = {"user": ("human", "user"), "assistant": ("agent", "chatgpt"), "tool": ("tool", "chatgpt")}
#: Types of content that are not words of a conversation, and their names in the report.
_LEFT_OUT = {
    "thoughts": "reasoning",
    "reasoning_recap": "reasoning",
    "computer_output": "screenshots of a tool",
    "image_asset_pointer": "images, audio and files",
    "audio_asset_pointer": "images, audio and files",
    "video_container_asset_pointer": "images, audio and files",
    "real_time_user_audio_video_asset_pointer": "images, audio and files",
}


def recognises(record: Record) -> bool:
    """Whether the record is a conversation."""
    return isinstance(record.value, dict) and isinstance(record.value.get("mapping"), dict)


def read(source: Source, on_read: OnRead) -> Iterator[Read]:
    """Read the messages of an export, without the branches that ChatGPT does not show. Raises BadSource."""
    for one in each_record(source, on_read, "chatgpt"):
        if isinstance(one, NotParsed):
            yield one
        elif recognises(one):
            yield from _conversation(one.place, one.value)
        else:
            yield NotParsed(one.place, "This is not a conversation: it has no `mapping` of messages.")


def _conversation(place: str, value: dict[str, Any]) -> Iterator[Read]:
    title = as_text(value.get("title"))
    place = f"{place} {title[:60]!r}" if title else place
    mapping: dict[str, Any] = value["mapping"]
    id = value.get("conversation_id") or value.get("id") or fingerprint([title, sorted(mapping)])[:32]
    branch = _branch(mapping, value.get("current_node"))
    shown = set(branch)
    hidden = sum(
        1 for name, node in mapping.items() if name not in shown and isinstance(node, dict) and node.get("message")
    )
    if hidden:
        yield LeftOut("messages of branches that ChatGPT does not show", hidden)
    time = value.get("create_time")
    for name in branch:
        message = mapping[name].get("message")
        if not message:
            continue
        at = f"{place}, message {name}"
        if not isinstance(message, dict) or not isinstance(message.get("content"), dict):
            yield NotParsed(at, "The message has no content.")
            continue
        # A message without a time was written after the one before it.
        time = message.get("create_time") or time
        yield from _message(at, message, str(id), name, time)


def _branch(mapping: dict[str, Any], last: Any) -> list[str]:
    """Return the names of the nodes that lead to the last shown one, from the first on."""
    if last not in mapping:
        nodes = {name: node for name, node in mapping.items() if isinstance(node, dict)}
        leaves = [name for name, node in nodes.items() if not node.get("children")]
        last = max(leaves, key=lambda name: _time_of(nodes[name]), default=None)
    branch: list[str] = []
    seen: set[str] = set()
    while isinstance(last, str) and last not in seen and isinstance(mapping.get(last), dict):
        seen.add(last)
        branch.append(last)
        last = mapping[last].get("parent")
    return branch[::-1]


def _time_of(node: dict[str, Any]) -> float:
    message = node.get("message")
    time = message.get("create_time") if isinstance(message, dict) else None
    return float(time) if isinstance(time, int | float) else 0.0


def _message(place: str, message: dict[str, Any], conversation: str, node: str, time: Any) -> Iterator[Read]:
    content = message["content"]
    author = _object(message.get("author"))
    role = as_text(author.get("role"))
    type = as_text(content.get("content_type"))
    if type in ("user_editable_context", "model_editable_context"):
        yield _about_the_user(place, content, time)
        return
    metadata = _object(message.get("metadata"))
    if role == "system" or metadata.get("is_visually_hidden_from_conversation"):
        yield LeftOut("system messages and hidden ones")
        return
    if role not in _ACTORS:
        yield NotParsed(place, f"The author has the unknown role {role!r}.")
        return
    pieces: list[str] = []
    for part in _parts(content, type):
        if isinstance(part, str):
            pieces.append(part)
        else:
            yield NotParsed(place, part.reason) if isinstance(part, NotParsed) else part
    text = "\n".join(piece for piece in pieces if piece.strip())
    if not text:
        if not pieces and type not in _LEFT_OUT:
            return
        yield LeftOut("empty message")
        return
    try:
        ts = parse_time(time)
    except InvalidValueError as error:
        yield NotParsed(place, f"{error}.")
        return
    actor_type, actor = _ACTORS[role]
    recipient = as_text(message.get("recipient"))
    body: dict[str, Any] = {
        "session_id": f"chatgpt:{conversation}",
        "kind": "message",
        "actor_type": actor_type,
        "actor_id": actor,
        "tags": ["chatgpt"],
        "refs": [f"chatgpt:conversation/{conversation}"],
        "content": {"text": text},
    }
    if ts:
        body["ts"] = ts.isoformat()
    if role == "assistant" and recipient not in ("", "all"):
        body["kind"], body["content"]["tool"] = "tool_call", recipient
    elif role == "tool":
        body["kind"] = "tool_result"
        body["actor_id"] = body["content"]["tool"] = as_text(author.get("name")) or "tool"
    yield Item(place, body, (conversation, str(message.get("id") or node)))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _parts(content: dict[str, Any], type: str) -> Iterator[str | LeftOut | NotParsed]:
    """Yield the texts of a message's content, and its other parts."""
    if type in _LEFT_OUT:
        yield LeftOut(_LEFT_OUT[type])
    elif type in ("text", "multimodal_text"):
        parts = content.get("parts")
        for part in parts if isinstance(parts, list) else []:
            if isinstance(part, str):
                yield part
            elif isinstance(part, dict):
                yield _part(part)
            elif part is not None:
                yield NotParsed("", "A part of the message is neither a string nor an object.")
    elif type in ("code", "execution_output", "system_error"):
        yield "\n".join(filter(None, [as_text(content.get("name")), as_text(content.get("text"))]))
    elif type in ("tether_quote", "sonic_webpage"):
        yield "\n".join(filter(None, (as_text(content.get(name)) for name in ("title", "url", "text"))))
    elif type == "tether_browsing_display":
        yield as_text(content.get("result")) or as_text(content.get("summary"))
    elif type == "citable_code_output":
        yield as_text(content.get("output_str"))
    else:
        yield NotParsed("", f"The message has the unknown type of content {type!r}.")


def _part(part: dict[str, Any]) -> str | LeftOut | NotParsed:
    type = as_text(part.get("content_type"))
    if type in _LEFT_OUT:
        return LeftOut(_LEFT_OUT[type])
    # The transcript of a voice message.
    if type == "audio_transcription" or (not type and isinstance(part.get("text"), str)):
        return as_text(part.get("text"))
    return NotParsed("", f"A part of the message has the unknown type {type!r}.")


def _about_the_user(place: str, content: dict[str, Any], time: Any) -> Read:
    """Read custom instructions and saved memories. Each conversation repeats them, so their words identify them."""
    texts = [as_text(content.get(name)).strip() for name in ("user_profile", "user_instructions", "model_set_context")]
    text = "\n\n".join(filter(None, texts))
    if not text:
        return LeftOut("empty message")
    name = ("about the user", fingerprint(text))
    body: dict[str, Any] = {
        "session_id": "import:chatgpt",
        "kind": "message",
        "actor_type": "human",
        "actor_id": "user",
        "tags": ["chatgpt", "about-the-user"],
        "content": {"text": text},
    }
    try:
        if ts := parse_time(time):
            body["ts"] = ts.isoformat()
    except InvalidValueError as error:
        return NotParsed(place, f"{error}.")
    return Item(place, body, name, id=identity("chatgpt", name, None))


KIND = Kind(
    name="chatgpt",
    title="an export of ChatGPT",
    wants="the zip file of the export, its directory, or its conversations.json",
    wanted=lambda name: _FILE.fullmatch(name) is not None,
    takes_directory=True,
    recognises=recognises,
    read=read,
)
