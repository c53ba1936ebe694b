"""Zep and Graphiti: episodes, entities and facts of a temporal knowledge graph.

Neither has an export, so this reads the output of their APIs and of Graphiti's models, as JSON or JSON lines:
- Graphiti (github.com/getzep/graphiti at 993e081a, graphiti_core/edges.py and nodes.py): EntityEdge (fact, name,
  valid_at, invalid_at, expired_at, episodes), EntityNode (name, summary, labels, attributes), EpisodicNode (content,
  source, source_description, valid_at), each with uuid, group_id, created_at; server/graph_service/dto/retrieve.py:
  {"facts": []}.
- Zep Cloud (help.getzep.com/sdk-reference/graph): {"episodes": [{"uuid", "content", "created_at", "role", "role_type",
  "source", "session_id" or "thread_id", "metadata"}]}, nodes and edges as lists; {"items": []} in its version 4.
- Neo4j's `apoc.export.json.all` (neo4j.com/docs/apoc/current/export/json): {"type": "node", "labels", "properties"} and
  {"type": "relationship", "label", "properties"}.
"""

import json
from collections.abc import Iterator
from typing import Any

from suture_client.importing.items import (
    InvalidValueError,
    Item,
    LeftOut,
    NotParsed,
    Read,
    as_text,
    non_empty,
    parse_time,
)
from suture_client.importing.kinds import Kind, OnRead, each_record, ends_with
from suture_client.importing.records import Record
from suture_client.importing.sources import Source

_EPISODES = {"episodes", "episodic_nodes", "episode_nodes", "messages"}
_ENTITIES = {"nodes", "entities", "entity_nodes"}
_FACTS = {"edges", "facts", "entity_edges", "relationships", "rels"}
#: Parts of the graph that only link others, or are derived from them.
_BETWEEN = {
    "episodic_edges",
    "community_edges",
    "communities",
    "community_nodes",
    "has_episode_edges",
    "next_episode_edges",
}
_RELATIONS = {"MENTIONS", "HAS_MEMBER", "HAS_EPISODE", "NEXT_EPISODE"}
_DERIVED = {"Community", "Saga"}
_PAGING = {
    "next_cursor",
    "cursor",
    "count",
    "total",
    "total_count",
    "row_count",
    "response_count",
    "group_id",
    "user_id",
}
_BETWEEN_REASON = "links between episodes and entities, and communities"
_ACTORS = {
    "user": ("human", "user"),
    "assistant": ("agent", "assistant"),
    "ai": ("agent", "assistant"),
    "tool": ("tool", "tool"),
    "function": ("tool", "tool"),
}


def recognises(record: Record) -> bool:
    """Whether the record is a part of a graph."""
    return _kind_of(record) in ("fact", "episode", "entity", "between")


def _kind_of(record: Record) -> str:
    """Return fact, episode, entity, between (a link of others), paging, or "" for anything else."""
    value = record.value
    if record.field in _PAGING and not isinstance(value, dict):
        return "paging"
    if not isinstance(value, dict):
        return "paging" if value in (None, []) and record.field in _EPISODES | _ENTITIES | _FACTS | _BETWEEN else ""
    if "properties" in value and value.get("type") in ("node", "relationship"):
        return _neo4j_kind(value)
    if record.field in _BETWEEN:
        return "between"
    if isinstance(value.get("fact"), str):
        return "fact"
    is_of_graph = "uuid" in value or "created_at" in value
    if isinstance(value.get("content"), str) and is_of_graph:
        is_episode = any(
            name in value for name in ("source", "role_type", "source_description", "processed", "thread_id")
        )
        return "episode" if is_episode or record.field in _EPISODES else ""
    if isinstance(value.get("name"), str) and is_of_graph:
        is_entity = any(name in value for name in ("summary", "labels"))
        return "entity" if is_entity or record.field in _ENTITIES else ""
    if "source_node_uuid" in value and "target_node_uuid" in value:
        return "between"
    return ""


def _neo4j_kind(value: dict[str, Any]) -> str:
    if value["type"] == "relationship":
        if value.get("label") in _RELATIONS:
            return "between"
        return "fact" if value.get("label") == "RELATES_TO" else ""
    labels = value.get("labels") or []
    if "Episodic" in labels:
        return "episode"
    if "Entity" in labels:
        return "entity"
    return "between" if _DERIVED & set(labels) else ""


def read(source: Source, on_read: OnRead) -> Iterator[Read]:
    """Read the parts of a graph. Raises BadSource."""
    makers = {"fact": _fact, "episode": _episode, "entity": _entity}
    for one in each_record(source, on_read, "zep"):
        if isinstance(one, NotParsed):
            yield one
            continue
        kind = _kind_of(one)
        if kind == "paging":
            continue
        if kind == "between":
            yield LeftOut(_BETWEEN_REASON)
        elif kind:
            value = one.value["properties"] if "properties" in one.value and "type" in one.value else one.value
            try:
                yield makers[kind](one.place, value)
            except InvalidValueError as error:
                yield NotParsed(one.place, f"{error}.")
        else:
            yield NotParsed(one.place, "This is not a fact, episode or entity of Zep or Graphiti.")


def _fact(place: str, value: dict[str, Any]) -> Read:
    """Read a fact. A fact that is no longer valid becomes a separate memory, because an earlier export, in which it was
    still valid, may have been imported."""
    fact, uuid = as_text(value.get("fact")).strip(), as_text(value.get("uuid"))
    if not fact:
        return LeftOut("empty fact")
    ends = parse_time(value.get("invalid_at"))
    expired = parse_time(value.get("expired_at"))
    over = ends or expired
    text = fact
    if over:
        text += f" ({'true until' if ends else 'found to be no longer true on'} {over:%Y-%m-%d})"
    begins = parse_time(value.get("valid_at"))
    data = non_empty(
        relation=as_text(value.get("name")),
        valid_from=begins.date().isoformat() if begins else "",
        attributes=_attributes(value),
    )
    body = _body(value, begins or parse_time(value.get("created_at")), f"zep:edge/{uuid}") | {
        "content": {"text": text, **non_empty(data=data)}
    }
    nodes = [as_text(value.get(name)) for name in ("source_node_uuid", "target_node_uuid")]
    episodes = value.get("episodes")
    body["refs"] += [f"zep:node/{one}" for one in nodes if one]
    body["refs"] += (
        [f"zep:episode/{one}" for one in episodes if isinstance(one, str)] if isinstance(episodes, list) else []
    )
    body["tags"] += ["fact", "invalidated"] if over else ["fact"]
    name = ("edge", uuid) if uuid else ("edge", *nodes, fact)
    return Item(place, body, (*name, "invalidated", over.isoformat()) if over else name)


def _episode(place: str, value: dict[str, Any]) -> Read:
    text, uuid = as_text(value.get("content")), as_text(value.get("uuid"))
    if not text.strip():
        return LeftOut("empty episode")
    ts = parse_time(value.get("valid_at") or value.get("created_at"))
    body = _body(value, ts, f"zep:episode/{uuid}") | {
        "content": {"text": text, **non_empty(data=non_empty(source=as_text(value.get("source_description"))))}
    }
    role = as_text(value.get("role_type")) or (
        text.partition(":")[0].lower() if as_text(value.get("source")) == "message" else ""
    )
    if role in _ACTORS:
        body["actor_type"], body["actor_id"] = _ACTORS[role]
        body["actor_id"] = as_text(value.get("role")) or body["actor_id"]
    body["tags"].append("episode")
    return Item(place, body, ("episode", uuid) if uuid else ("episode", text))


def _entity(place: str, value: dict[str, Any]) -> Read:
    name, uuid, summary = (as_text(value.get(field)).strip() for field in ("name", "uuid", "summary"))
    if not name:
        return NotParsed(place, "An entity needs a name.")
    labels = value.get("labels")
    labels = [one for one in labels if isinstance(one, str) and one != "Entity"] if isinstance(labels, list) else []
    text = f"{name}: {summary}" if summary else name
    body = _body(value, parse_time(value.get("created_at")), f"zep:node/{uuid}") | {
        "content": {"text": text, **non_empty(data=non_empty(labels=labels, attributes=_attributes(value)))}
    }
    body["tags"] += ["entity", *labels]
    return Item(place, body, ("node", uuid) if uuid else ("node", name))


def _attributes(value: dict[str, Any]) -> dict[str, Any]:
    found = value.get("attributes")
    if isinstance(found, str):  # Neo4j's form
        try:
            found = json.loads(found)
        except ValueError:
            return {}
    return found if isinstance(found, dict) else {}


def _body(value: dict[str, Any], ts: Any, ref: str) -> dict[str, Any]:
    """Return the fields that the bodies of all parts have."""
    thread = as_text(value.get("thread_id")) or as_text(value.get("session_id")) or as_text(value.get("group_id"))
    user = as_text(value.get("user_id"))
    return {
        "session_id": f"zep:{thread}" if thread else "import:zep",
        "kind": "message",
        "actor_type": "agent",
        "actor_id": "zep",
        "tags": ["zep"],
        "refs": [] if ref.endswith("/") else [ref],
        **non_empty(ts=ts.isoformat() if ts else ""),
        **({"subject_type": "user", "subject_id": user} if user else {}),
    }


KIND = Kind(
    name="zep",
    title="a graph of Zep or Graphiti",
    wants="a file of JSON or JSON lines with its episodes, entities and facts, or a directory of such files",
    wanted=ends_with(".json", ".jsonl", ".ndjson"),
    takes_directory=True,
    recognises=recognises,
    read=read,
)
