"""`POST /tools/{name}`: the body is the arguments; the answer is an object, or a problem with its places."""

import uuid
from typing import Any

import pytest

from governance.tools import formats, registry, schemas
from tests.tools.calls import call, faults

pytestmark = pytest.mark.django_db


def amend(chunk_id: str, **fields: Any) -> dict[str, Any]:
    return {"target_id": chunk_id, "op": "amend", "patch": {"text": "red fox"}, "reason": "its colour", **fields}


def test_it_works(world: Any) -> None:
    chunk = world.chunk("brown fox")
    answer = call(world.alice, "propose_edit", amend(chunk))
    assert answer["status"] == "approved"
    assert world.found("fox") == ["red fox"]


def test_an_unknown_tool_is_not_found_and_the_answer_says_which_there_are(world: Any) -> None:
    for name in ("propose_edits", "proposeEdit", "Propose_Edit"):
        answer = world.alice.post(f"tools/{name}")
        assert answer.status_code == 404
        assert answer.json()["code"] == "unknown-tool"
        detail = answer.json()["detail"]
        assert f'There is no tool "{name}". Did you mean propose_edit?' in detail
        assert all(tool.name in detail for tool in registry.all_tools())
    far = world.alice.post(f"tools/{'x' * 500}")
    assert far.status_code == 404
    assert "Did you mean" not in far.json()["detail"]
    assert "x" * 101 not in far.json()["detail"]


def test_it_needs_a_key(nobody: Any) -> None:
    for name in ("propose_edit", "no_such_tool"):
        assert nobody("post", f"tools/{name}", {}).status_code == 401


def test_an_unknown_tool_is_not_found_whatever_the_method_and_the_role(world: Any) -> None:
    for method in ("get", "put", "delete"):
        assert world.auditor.request(method, "tools/propose").json()["code"] == "unknown-tool"


def test_only_post_calls_it(world: Any) -> None:
    for method in ("get", "put", "delete"):
        assert world.alice.request(method, "tools/propose_edit").status_code == 405


def test_every_fault_of_the_arguments_is_named(world: Any) -> None:
    given = {"target_id": 5, "op": "amnd", "patch": {"text": 1, "importnce": 1}, "resaon": "x"}
    found = faults(world.alice.post("tools/propose_edit", given))
    assert set(found) == {"#/target_id", "#/op", "#/patch/text", "#/patch/importnce", "#/resaon", "#/reason"}
    assert "Did you mean reason?" in found["#/resaon"]
    assert "Did you mean importance?" in found["#/patch/importnce"]
    assert "Choose one of: retract, amend" in found["#/op"]
    assert found["#/reason"] == "This field is required."


def test_both_spellings_are_read_and_answered_as_they_were_written(world: Any) -> None:
    chunk = world.chunk("brown fox")
    given = {"targetId": chunk, "op": "attenuate", "patch": {"importanceDelta": -0.1}, "reason": "less"}
    assert call(world.alice, "propose_edit", given)["status"] == "approved"
    found = faults(world.alice.post("tools/propose_edit", {**given, "patch": {"importanceDelta": 7}}))
    assert set(found) == {"#/patch/importanceDelta"}
    # the service's own places too
    found = faults(world.alice.post("tools/propose_edit", {**given, "patch": {"editId": str(uuid.uuid4())}}))
    assert set(found) == {"#/patch/editId"}
    found = faults(world.alice.post("tools/propose_edit", {"targetType": "chunk", "tragetId": chunk}))
    assert {"#/targetId", "#/tragetId"} < set(found)
    assert "Did you mean targetId?" in found["#/tragetId"]


def test_one_argument_in_both_spellings_is_refused(world: Any) -> None:
    chunk = world.chunk("brown fox")
    found = faults(world.alice.post("tools/propose_edit", amend(chunk, targetId=chunk)))
    assert found == {"#/targetId": "This is the same argument as target_id. Give one of the two."}
    patch = {"importanceDelta": 0.1, "importance_delta": 0.1}
    given = {"target_id": chunk, "op": "attenuate", "patch": patch, "reason": "less"}
    assert set(faults(world.alice.post("tools/propose_edit", given))) == {"#/patch/importance_delta"}
    assert world.found("fox") == ["brown fox"]


@pytest.mark.parametrize("name", ["TargetId", "target-id", "targetid", "target_Id", "__class__", "TARGET_ID", ""])
def test_no_other_spelling_is_read(world: Any, name: str) -> None:
    found = faults(world.alice.post("tools/propose_edit", {name: str(uuid.uuid4())}))
    assert found["#/target_id"] == "This field is required."
    assert found[f"#/{name}"].startswith("Unknown field.")


@pytest.mark.parametrize("body", ["[]", "null", '"x"', "{", '{"op": "amend", "op": "amend"}', "NaN"])
def test_a_body_that_is_no_object_is_refused(world: Any, body: str) -> None:
    assert world.alice.post("tools/propose_edit", body).status_code == 400


def test_auditors_call_what_reads_and_nothing_else(world: Any) -> None:
    chunk = world.chunk("brown fox")
    for tool in registry.all_tools():
        answer = world.auditor.post(f"tools/{tool.name}", {"unknown": 1})
        assert answer.status_code in ((200, 400) if tool.is_read_only else (403,)), tool.name
    seen = call(world.auditor, "preview_edit", {"target_id": chunk, "op": "retract"})
    assert seen["after"]["is_retracted"] is True


def test_other_tenants_reach_nothing(world: Any, charlie: Any) -> None:
    chunk = world.chunk("brown fox")
    for name, arguments in (("propose_edit", amend(chunk)), ("preview_edit", {"target_id": chunk, "op": "retract"})):
        answer = charlie.post(f"tools/{name}", arguments)
        assert answer.status_code == 404
        assert "brown" not in answer.content.decode()


def test_a_call_with_an_idempotency_key_is_done_once(world: Any) -> None:
    chunk = world.chunk("brown fox")
    first = world.alice.post("tools/propose_edit", amend(chunk), **{"Idempotency-Key": "a"})
    second = world.alice.post("tools/propose_edit", amend(chunk), **{"Idempotency-Key": "a"})
    assert first.json() == second.json()
    assert second["Idempotent-Replay"] == "true"
    other = world.alice.post("tools/propose_edit", amend(chunk, reason="another"), **{"Idempotency-Key": "a"})
    assert other.status_code == 409


def test_the_answer_of_a_tool_that_reads_is_not_kept(world: Any) -> None:
    chunk = world.chunk("brown fox")
    given = {"target_id": chunk, "op": "retract"}
    assert call(world.alice, "preview_edit", given, **{"Idempotency-Key": "a"})["before"]["text"] == "brown fox"
    world.edit(chunk, "amend", text="red fox")
    assert call(world.alice, "preview_edit", given, **{"Idempotency-Key": "a"})["before"]["text"] == "red fox"


def test_no_tool_decides_an_edit(strict_world: Any) -> None:
    """Whatever tool is called with the id of a pending edit, the edit still waits."""
    world = strict_world
    pending = call(world.alice, "propose_edit", amend(world.chunk("brown fox")))
    assert pending["status"] == "pending"
    for tool in registry.all_tools():
        assert not any(word in tool.name for word in ("approve", "reject", "withdraw", "decide", "verdict"))
        names = schemas.arguments_of(tool)["properties"]
        ids = {name: pending["edit_id"] for name in names if name.endswith(("_id", "Id"))}
        example = formats.example_of(tool)
        for caller in (world.alice, world.bob):
            for given in (ids, {**example, **ids}, {**example, **ids, "decision": "approved"}):
                caller.post(f"tools/{tool.name}", given)
    assert world.bob.ok("get", f"edits/{pending['edit_id']}")["status"] == "pending"


def test_a_body_over_the_limit_is_refused(world: Any, settings: Any) -> None:
    settings.MAX_BODY_BYTES = settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000
    answer = world.alice.post("tools/propose_edit", amend(str(uuid.uuid4()), reason="x" * 1_000))
    assert answer.status_code == 413
