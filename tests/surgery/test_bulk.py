"""Editing in bulk: one call, one batch, its edits named in the ledger; all or nothing, or each for itself."""

import uuid

import pytest

from governance.edits import proposals, targets
from governance.models import Edit
from tests.factories import EventFactory

from .helpers import counts, entries, proposal, read


def bulk(api, edits, mode=None, **headers):
    body = {"edits": edits} if mode is None else {"edits": edits, "mode": mode}
    return api.post("edits/bulk", body, **headers)


def edits_of(world, batch):
    with world.inside():
        return list(Edit.objects.filter(tenant_id=world.tenant_id, batch_id=batch).order_by("created_at", "id"))


@pytest.fixture
def without_decisions(monkeypatch):
    """A server on which decisions are no targets of edits."""
    monkeypatch.delitem(targets._kinds, "decision")


def test_it_works(world):
    first, second, third = world.chunk("Original one"), world.chunk("Original two"), world.chunk("Original three")

    response = bulk(
        world.bob,
        [
            proposal(first, "retract"),
            proposal(second, "amend", text="Corrected two", importance=0.9),
            proposal(third, "quarantine"),
        ],
    )

    assert response.status_code == 201
    answer = response.json()
    assert [item["status"] for item in answer["edits"]] == ["approved"] * 3
    assert all(item["applied_at"] for item in answer["edits"])
    assert world.found("original OR corrected") == ["Corrected two"]
    assert read(world, third)["is_quarantined"]


def test_the_batch_is_listed_by_its_id(world):
    chunks = [world.chunk(f"Original {number}") for number in range(3)]
    world.edit(chunks[0], "attenuate", importance=0.1)
    answer = bulk(world.bob, [proposal(chunk, "retract") for chunk in chunks]).json()

    listed = world.auditor.ok("get", f"edits?batch_id={answer['batch_id']}")["results"]

    assert {edit["edit_id"] for edit in listed} == {item["edit_id"] for item in answer["edits"]}
    assert {edit["batch_id"] for edit in listed} == {answer["batch_id"]}
    assert world.auditor.ok("get", f"edits?batch_id={uuid.uuid4()}")["results"] == []


def test_the_ledger_names_every_edit_of_the_batch(world):
    chunks = [world.chunk(f"Original {number}") for number in range(4)]
    before = len(entries(world))

    answer = bulk(world.bob, [proposal(chunk, "amend", text=f"New {chunk}") for chunk in chunks]).json()

    chain = entries(world)
    assert len(chain) == before + 1
    entry = chain[-1]
    assert entry.type == "edits.proposed"
    edits = edits_of(world, answer["batch_id"])
    patches = {str(edit.id): bytes(edit.patch_sha256).hex() for edit in edits}
    with world.inside():
        times = {str(edit.id): edit.state.applied_at.isoformat(timespec="microseconds") for edit in edits}
    assert entry.metadata == {
        "batch": answer["batch_id"],
        "count": 4,
        "op": "amend",
        "target_type": "chunk",
        "reason": "a test",
        "in_effect": True,
        "approvals_required": 0,
        "applied_at": [times[item["edit_id"]] for item in answer["edits"]],
        "edits": [item["edit_id"] for item in answer["edits"]],
        "targets": chunks,
        "patches": [patches[item["edit_id"]] for item in answer["edits"]],
        "actor": {"kind": "human", "id": str(world.bob_principal.id), "name": world.bob_name},
    }


def test_edits_that_say_different_things_have_entries_of_their_own(world):
    """By operation, reason and whether they are in effect; and no entry names more than so many."""
    chunks = [world.chunk(f"Original {number}") for number in range(3)]
    before = len(entries(world))

    wanted = [proposal(chunk, "quarantine") for chunk in chunks]
    wanted += [proposal(chunk, "attenuate", importance=0.1) for chunk in chunks]
    wanted[1]["reason"] = "another reason"
    made = [item["edit_id"] for item in bulk(world.alice, wanted).json()["edits"]]

    told = [entry.metadata for entry in entries(world)[before:]]
    assert [(one["op"], one["reason"], one["in_effect"], one["edits"]) for one in told] == [
        ("quarantine", "a test", False, [made[0], made[2]]),
        ("quarantine", "another reason", False, [made[1]]),
        ("attenuate", "a test", True, made[3:]),
    ]


def test_a_large_batch_has_several_entries(world, monkeypatch):
    monkeypatch.setattr(proposals, "IN_ONE_ENTRY", 2)
    before = len(entries(world))

    answer = bulk(world.bob, [proposal(world.chunk(f"Original {number}"), "retract") for number in range(5)]).json()

    told = [entry.metadata for entry in entries(world)[before:] if entry.type == "edits.proposed"]
    assert [len(one["edits"]) for one in told] == [2, 2, 1]
    assert [edit for one in told for edit in one["edits"]] == [item["edit_id"] for item in answer["edits"]]


def test_the_ledger_entry_holds_no_words_of_memory(world):
    bulk(world.bob, [proposal(world.chunk("Hush"), "amend", text="Whisper")])

    assert b"Whisper" not in bytes(entries(world)[-1].canonical)


@pytest.mark.parametrize(
    ("wrong", "status", "pointer"),
    [
        (lambda chunk: proposal(uuid.uuid4(), "retract"), 404, "#/edits/1/target_id"),
        (lambda chunk: proposal(chunk, "amend"), 400, "#/edits/1/patch"),
        (lambda chunk: proposal(chunk, "retract", text="x"), 400, "#/edits/1/patch/text"),
        (lambda chunk: proposal(chunk, "forget"), 400, "#/edits/1/op"),
        (lambda chunk: proposal(chunk, "retract", "decision"), 400, "#/edits/1/target_type"),
    ],
)
def test_all_or_nothing_names_the_place_of_what_is_wrong_and_does_nothing(
    world, without_decisions, wrong, status, pointer
):
    chunk = world.chunk("Original")
    before = counts(world)

    response = bulk(world.bob, [proposal(chunk, "retract"), wrong(chunk), proposal(chunk, "quarantine")])

    assert response.status_code == status, response.content
    assert response.json()["errors"][0]["pointer"] == pointer
    assert counts(world) == before
    assert world.found("original") == ["Original"]


def test_all_or_nothing_undoes_what_was_applied_before_the_refusal(world):
    first, second = world.chunk("Original one"), world.chunk("Original two")
    reverted = world.edit(first, "attenuate", importance=0.1)["edit_id"]
    before, shown = counts(world), read(world, first)

    # the database refuses the third, after two were applied
    response = bulk(
        world.bob,
        [proposal(first, "retract"), proposal(second, "retract"), proposal(second, "revert", edit_id=reverted)],
    )

    assert response.status_code == 409
    assert counts(world) == before
    assert read(world, first) == shown
    assert sorted(world.found("original")) == ["Original one", "Original two"]


def test_each_for_itself_keeps_the_good_and_says_why_it_refused_the_others(world, without_decisions):
    first, second = world.chunk("Original one"), world.chunk("Original two")
    applied = world.edit(first, "attenuate", importance=0.1)["edit_id"]

    response = bulk(
        world.bob,
        [
            proposal(first, "retract"),
            proposal(uuid.uuid4(), "retract"),
            proposal(second, "amend"),
            proposal(second, "revert", edit_id=applied),
            proposal(second, "retract", "decision"),
            proposal(second, "amend", text="Corrected"),
        ],
        "each",
    )

    assert response.status_code == 201, response.content
    items = response.json()["edits"]
    assert [item["status"] for item in items] == ["approved", "refused", "refused", "refused", "refused", "approved"]
    for item, reason in zip(
        items[1:5], ("no chunk", "amend needs", "same target", "You cannot edit a decision"), strict=True
    ):
        assert reason in item["refusal"]
        assert "edit_id" not in item
    assert world.found("original OR corrected") == ["Corrected"]
    told = [entry.metadata for entry in entries(world, "edits.proposed")]
    assert [(one["count"], one["edits"]) for one in told] == [(2, [items[0]["edit_id"]]), (2, [items[5]["edit_id"]])]
    assert len(edits_of(world, response.json()["batch_id"])) == 2


def test_where_every_one_is_refused_nothing_is_written(world):
    before = counts(world)

    response = bulk(world.bob, [proposal(uuid.uuid4(), "retract")] * 2, "each")

    assert [item["status"] for item in response.json()["edits"]] == ["refused"] * 2
    assert counts(world) == before


def test_edits_of_one_target_take_effect_in_their_order(world):
    chunk = world.chunk("Original")

    bulk(
        world.bob,
        [
            proposal(chunk, "amend", text="First", importance=0.9),
            proposal(chunk, "attenuate", importance_delta=-0.5),
            proposal(chunk, "amend", text="Second"),
        ],
    )

    shown = read(world, chunk)
    assert (shown["text"], shown["importance"], shown["edits_applied"]) == ("Second", 0.4, 3)


def test_what_needs_approval_waits_and_the_rest_applies(world):
    first, second = world.chunk("Original one"), world.chunk("Original two")

    answer = bulk(world.alice, [proposal(first, "quarantine"), proposal(second, "amend", text="Corrected")]).json()

    assert [item["status"] for item in answer["edits"]] == ["pending", "approved"]
    assert sorted(world.found("original OR corrected")) == ["Corrected", "Original one"]
    told = [entry.metadata for entry in entries(world, "edits.proposed")]
    assert [(one["op"], one["in_effect"]) for one in told] == [("quarantine", False), ("amend", True)]
    world.bob.decide(answer["edits"][0]["edit_id"])
    assert world.found("original OR corrected") == ["Corrected"]


@pytest.mark.slow
def test_a_thousand_edits_are_one_batch_and_no_more_fit(world):
    events = [EventFactory(content__text=f"note {number}") for number in range(1000)]
    recorded = world.alice.ok("post", "events/batch", {"events": events})["events"]
    chunks = [one["chunk_ids"][0] for one in recorded]
    before = counts(world)

    refused = bulk(world.bob, [proposal(chunk, "retract") for chunk in [*chunks, chunks[0]]])
    assert refused.status_code == 400
    assert counts(world) == before

    answer = bulk(world.bob, [proposal(chunk, "retract") for chunk in chunks]).json()

    assert len({item["edit_id"] for item in answer["edits"]}) == 1000
    assert world.found("note") == []
    after = counts(world)
    assert after["Edit"] == before["Edit"] + 1000
    told = [entry.metadata for entry in entries(world, "edits.proposed")]
    assert after["Entry"] == before["Entry"] + len(told)
    assert {one["count"] for one in told} == {1000}
    assert [edit for one in told for edit in one["edits"]] == [item["edit_id"] for item in answer["edits"]]


def test_an_empty_batch_and_an_unknown_mode_are_refused(world):
    assert bulk(world.bob, []).status_code == 400
    assert bulk(world.bob, [proposal(world.chunk(), "retract")], "some").status_code == 400


def test_sent_twice_with_one_key_it_is_done_once(world):
    edits = [proposal(world.chunk("Original"), "attenuate", importance_delta=-0.1)]
    headers = {"Idempotency-Key": f"key-{uuid.uuid4()}"}

    first, second = bulk(world.bob, edits, **headers), bulk(world.bob, edits, **headers)

    assert first.json() == second.json()
    assert second.headers["Idempotent-Replay"] == "true"
    assert len(edits_of(world, first.json()["batch_id"])) == 1


def test_another_tenants_chunk_is_a_404_like_one_that_is_not_there(world, elsewhere):
    theirs = elsewhere.chunk("Belongs to Charlie")

    response = bulk(world.bob, [proposal(world.chunk("Mine"), "retract"), proposal(theirs, "retract")])

    assert response.status_code == 404
    assert world.found("mine") == ["Mine"]
    assert elsewhere.found("charlie") == ["Belongs to Charlie"]


def test_an_auditor_proposes_nothing_in_bulk(world):
    before = counts(world)

    assert bulk(world.auditor, [proposal(world.chunk("Original"), "retract")]).status_code == 403

    assert world.found("original") == ["Original"]
    assert counts(world)["Edit"] == before["Edit"]
