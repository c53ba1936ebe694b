"""Requests that are made from the OpenAPI schema and would be done, with one value of choice."""

from typing import Any
from urllib.parse import quote, urlencode

from tests.hostile.documented import ITEM, Builder, body_of

#: What belongs with an id and no schema says: the fields beside it, by its name and the beginning of the path.
BESIDE: list[tuple[str, str, dict[str, Any]]] = [
    ("", "subject_id", {"subject_type": "user"}),
    ("", "subjectId", {"subjectType": "user"}),
    ("erasures", "agent", {"by": "agent"}),
    ("erasures", "subject_id", {"by": "subject"}),
    ("erasures", "id", {"by": "event"}),
    ("captures/delete", "session_id", {"file_path": "notes.md"}),
    ("edits/by-filter", "", {"op": "retract", "reason": "x", "filter": {"project_id": "alpha"}}),
    ("edits/by-filter", "edit_id", {"op": "revert"}),
    ("edits/bulk", "edit_id", {"op": "revert"}),
    ("edits/preview", "edit_id", {"op": "revert"}),
    ("tools/preview_edit", "edit_id", {"op": "revert"}),
    ("tools/propose_edit", "edit_id", {"op": "revert"}),
    ("chunks/{chunk_id}/outcome", "", {"session_id": "session-1"}),
    ("tools/memory_outcome", "", {"sessionId": "session-1"}),
    ("checkpoints/{checkpoint_id}/pin", "", {"is_pinned": True}),
    ("tools/record_event", "supersedes", {"kind": "decision", "content": {"decision": "x"}}),
    ("tools/record_event", "task_id", {"kind": "task_update", "content": {"title": "x", "status": "open"}}),
    ("tools/record_event", "call_id", {"kind": "tool_call", "content": {"tool": "x", "text": "x"}}),
]


def with_beside(body, path, name):
    """The body, or each item of the list in it, with what belongs beside the id."""
    for below in ("events", "edits", "captures"):
        if below in body:
            return {**body, below: [with_beside(one, path, name) for one in body[below]]}
    for begins, of, fields in BESIDE:
        if not path.startswith(begins) or of not in ("", name):
            continue
        inside = next((below for below in ("content", "filter") if name in as_object(body.get(below))), None)
        if of and inside:
            body = {**body, inside: {**fields, **body[inside]}}
        else:
            for field, one in fields.items():
                body = {**body, field: {**one, **as_object(body.get(field))} if isinstance(one, dict) else one}
    return body


def as_object(value):
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def request_with(builder, method, path, operation, where, place, value):
    """The address and the body of the smallest request with `value` at its place."""
    query = {}
    address = path
    for parameter in operation.get("parameters", []):
        name, schema = parameter["name"], parameter["schema"]
        is_place = (parameter["in"], name) == (where, place)
        if parameter["in"] == "path":
            given = value if is_place else builder.make(schema, name)
            address = address.replace(f"{{{name}}}", quote(str(given), safe=""))
        elif parameter["in"] == "query" and (is_place or parameter.get("required")):
            query[name] = value if is_place else builder.make(schema, name)
    body = None
    if (schema := body_of(operation)) is not None:
        body = builder.make(schema, "", place, value) if where == "body" else builder.make(schema)
        body = with_beside(body, path, name_of(place) if where == "body" else "")
    return f"{address}?{urlencode(query)}" if query else address, body


def name_of(place):
    """The name of the property at a place."""
    return place if isinstance(place, str) else [step for step in place if isinstance(step, str) and step != ITEM][-1]


def builder_for(ours):
    """Makes requests of the caller's own records."""
    usual = {f"{kind}_id": some[0] for kind, some in ours.ids.items()}
    chunk = usual["chunk_id"]
    usual |= {"chunk_ids": chunk, "target_id": chunk, "session_id": ours.session, "subject_type": "user"}
    usual |= {"audience_agent_ids": ["alice"], "actor_id": "alice", "channel": "private", "actor_type": "agent"}
    usual |= {"items": {"chunks": [chunk]}, "content": {"text": "x"}, "file_hash": "0" * 64}
    return Builder({**usual, "source": {"hook_type": "UserPromptSubmit"}})
