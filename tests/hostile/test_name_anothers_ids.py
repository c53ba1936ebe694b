"""The twin test: wherever a request names a record, a session, an agent or a person, one of another tenant is answered
exactly as one that is nowhere. Made from the OpenAPI schema, so that what is added to the API is asked too."""

import re
import uuid
from urllib.parse import quote, urlencode

import pytest
from django.db import transaction

from tests.hostile.documented import ITEM, Builder, body_of, ids_in, is_id, requests
from tests.hostile.everything import UUID
from tests.scale import at_scale

#: What differs between two answers to the same request: ids, moments, digests, what is weighed by time, what is signed
#: or compressed, and the mark of a bundle.
OF_ITS_OWN = [
    UUID,
    re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)"),
    re.compile(r"[0-9a-f]{64}|[0-9a-f]{32}"),
    re.compile(r"\d+\.\d+"),
    re.compile(r'(?<="token":")[^"]+'),
    re.compile(r'(?<="stored_size":)\d+'),
    re.compile(r"\b\d{12}\b"),
]


def places():
    """Each operation with each place of an id in its path, its query and its body."""
    for method, path, operation in requests():
        for parameter in operation.get("parameters", []):
            if parameter["in"] in ("path", "query") and is_id(parameter["name"], parameter["schema"]):
                yield pytest.param(method, path, operation, parameter["in"], parameter["name"],
                                   id=f"{method} {path} {parameter['name']}")  # fmt: skip
        if (schema := body_of(operation)) is not None:
            told = {}
            for place in ids_in(schema):
                told.setdefault(tuple(step for step in place if isinstance(step, str)), place)
            for name, place in told.items():
                yield pytest.param(method, path, operation, "body", place, id=f"{method} {path} {'.'.join(name)}")


PLACES = list(places())


#: What belongs with an id and no schema says: the fields beside it, by its name and the beginning of the path.
BESIDE = [
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


def answer_to(api, method, address, body, value):
    """The status and the text of the answer, without what is in any answer another; nothing is kept."""
    with transaction.atomic():
        response = api.request(method, address, body)
        transaction.set_rollback(True)
    text = response.content.decode().replace(quote(value, safe=""), "<id>").replace(value, "<id>")
    for pattern in OF_ITS_OWN:
        text = pattern.sub("<id>", text)
    return response.status_code, text


def values_for(theirs, place):
    """Pairs of what another tenant has and what is nowhere, for a place whose name tells its kind, or for each kind."""
    name = name_of(place)
    kind = name.removesuffix("s").removesuffix("_id").removesuffix("Id")
    found = theirs.ids.get(kind) or [some[0] for some in theirs.ids.values()]
    pairs = [(one, str(uuid.uuid4())) for one in (sorted(theirs.all_ids) if at_scale(0, 1) else found[:12])]
    names = (theirs.session, theirs.agent, theirs.world.bob_name)
    return pairs + [(name, name[:-8] + uuid.uuid4().hex[:8]) for name in names]


@pytest.mark.scaled
@pytest.mark.parametrize(("method", "path", "operation", "where", "place"), PLACES)
def test_it_is_answered_as_one_that_is_nowhere(tenants, method, path, operation, where, place):
    ours, theirs = tenants
    builder = builder_for(ours)
    statuses = set()
    for caller in ("agent", "admin"):
        for known, unknown in values_for(theirs, place):
            answers = [
                answer_to(
                    ours.callers[caller],
                    method,
                    *request_with(builder, method, path, operation, where, place, value),
                    value,
                )
                for value in (known, unknown)
            ]
            assert answers[0] == answers[1], (caller, known)
            assert theirs.words not in answers[0][1]
            statuses.add(answers[0][0])
    assert max(statuses) < 500


def test_every_operation_with_a_record_is_asked():
    asked = {(entry.values[0], entry.values[1]) for entry in PLACES}
    named = {(method, path) for method, path, _ in requests() if "_id}" in path}
    assert named <= asked
    assert len(PLACES) >= 180


CAPSULES = [entry for entry in PLACES if name_of(entry.values[4]) == "capsule_id"]


@pytest.mark.parametrize(("method", "path", "operation", "where", "place"), CAPSULES)
def test_a_capsule_for_others_is_refused_without_its_content(tenants, method, path, operation, where, place):
    """To an agent of the same tenant that is not in its audience."""
    ours, _ = tenants
    capsule = ours.ids["capsule"][0]
    address, body = request_with(builder_for(ours), method, path, operation, where, place, capsule)
    status, text = answer_to(ours.outsider, method, address, body, capsule)
    assert status == 403, text
    assert ours.words not in text
