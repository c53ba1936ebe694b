"""The examples of the OpenAPI document: each is valid, its request is done by the server, and the answer has its form.

They are files beside the views: `*/api/examples/<operation id>.json`. With `--renew-snapshots`, their answers are
written anew.
"""

import json
import uuid
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
FILES = {path.stem: path for path in ROOT.glob("*/api/examples/*.json")}
#: The examples as one story, in order: the operation, who asks, and where. `{name}` is what an earlier answer named so.
STORY = [
    ("events_create", "alice", "post", "events"),
    ("events_batch", "alice", "post", "events/batch"),
    ("events_retrieve", "alice", "get", "events/{event_id}"),
    ("events_list", "alice", "get", "events?session_id=call-17&limit=1"),
    ("chunks_search", "alice", "post", "chunks/search"),
    ("chunks_list", "alice", "get", "chunks?session_id=call-17&limit=1"),
    ("chunks_get", "alice", "post", "chunks/get"),
    ("acb_build", "alice", "post", "acb/build"),
    ("context_bootstrap", "alice", "post", "context/bootstrap"),
    ("edits_create", "alice", "post", "edits"),
    ("edits_retrieve", "bob", "get", "edits/{edit_id}"),
    ("edits_approve", "bob", "post", "edits/{edit_id}/approve"),
    ("checkpoints_create", "alice", "post", "sessions/call-17/checkpoints"),
    ("checkpoints_list", "alice", "get", "sessions/call-17/checkpoints?limit=1"),
    ("checkpoints_retrieve", "alice", "get", "checkpoints/{id}?include_state=true"),
    ("checkpoints_restore", "alice", "post", "checkpoints/{id}/restore"),
    ("settings_retrieve", "bob", "get", "settings"),
]


@pytest.mark.pure
def test_every_example_has_its_place_in_the_story():
    assert sorted(FILES) == sorted(operation for operation, *_ in STORY)


@pytest.mark.django_db
def test_the_server_does_every_request_and_gives_every_answer(world, request):
    ids: dict[str, str] = {}
    named: dict[str, str] = {}
    for operation, who, method, path in STORY:
        example = json.loads(FILES[operation].read_text(encoding="utf-8"))
        asked = with_ids(example.get("request"), ids)
        answer = getattr(world, who).request(method, path.format(**named), asked)
        assert answer.status_code == example["status"], (operation, answer.content)
        learn_ids(example["answer"], answer.json(), ids)
        named |= {name: value for name, value in answer.json().items() if isinstance(value, str)}
        if request.config.getoption("renew_snapshots"):
            renewed = {**({"request": asked} if asked is not None else {}), "status": answer.status_code}
            text = json.dumps({**renewed, "answer": answer.json()}, indent=2, ensure_ascii=False)
            FILES[operation].write_text(f"{text}\n", encoding="utf-8")
        else:
            assert form_of(answer.json()) == form_of(example["answer"]), operation


@pytest.mark.django_db
def test_the_document_is_answered_without_a_key(client, document):
    assert client.get("/api/schema", headers={"Accept": "application/json"}).json() == document


@pytest.mark.pure
def test_every_example_is_valid(document):
    """Those of the files, and those of the tools."""
    examples = 0
    for item in document["paths"].values():
        for operation in item.values():
            for content in contents_of(operation):
                for example in content.get("examples", {}).values():
                    examples += 1
                    schema = {**content["schema"], "components": document["components"]}
                    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
                    jsonschema.Draft202012Validator(schema, format_checker=checker).validate(example["value"])
    assert examples > 2 * len(FILES) - 10


def contents_of(operation: dict[str, Any]) -> list[dict[str, Any]]:
    """The bodies of an operation in JSON, of the request and of every answer."""
    bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
    return [body["content"]["application/json"] for body in bodies if "application/json" in body.get("content", {})]


def is_id(value: Any) -> bool:
    try:
        uuid.UUID(value)
    except (ValueError, AttributeError, TypeError):
        return False
    return True


def learn_ids(example: Any, answer: Any, ids: dict[str, str]) -> None:
    """Note which id of the answer stands for which of the example."""
    if isinstance(example, dict) and isinstance(answer, dict):
        for name in example.keys() & answer.keys():
            learn_ids(example[name], answer[name], ids)
    elif isinstance(example, list) and isinstance(answer, list):
        for one, other in zip(example, answer, strict=False):
            learn_ids(one, other, ids)
    elif is_id(example) and is_id(answer):
        ids[example] = answer


def with_ids(value: Any, ids: dict[str, str]) -> Any:
    """The value with the ids of this run."""
    if isinstance(value, dict):
        return {name: with_ids(one, ids) for name, one in value.items()}
    if isinstance(value, list):
        return [with_ids(one, ids) for one in value]
    return ids.get(value, value) if isinstance(value, str) else value


def form_of(value: Any) -> Any:
    """The names of an answer without its values, of lists those of the first item."""
    if isinstance(value, dict):
        return {name: form_of(one) for name, one in value.items()}
    if isinstance(value, list):
        return [form_of(one) for one in value[:1]]
    return None
