"""Whatever was edited, what a preview says of an edit is what its approval then does: every operation, every kind."""

import random
import uuid
from dataclasses import replace
from typing import Any

import pytest

from governance import edits
from governance.acting import gate
from governance.edits import targets
from governance.edits.preview import _as_proposed
from governance.models import Edit
from tests.scale import at_scale

from .helpers import drift, words

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

STEPS = at_scale(14, 140)


@pytest.fixture
def recorded(world, handed):
    """A target of each kind, by the kind; the chunk is one of three of a memory that has a decision too."""
    event = world.event(words(450), kind="decision", content={"decision": "Use PostgreSQL"})
    capsule = handed([world.chunk()], note="Jon is angry", risks=["Jon may leave"])
    return {"chunk": event["chunk_ids"][1], "decision": event["decision_id"], "capsule": capsule}


def some_patch(chance, kind, op, applied):
    """A patch that the operation takes."""
    number = f"{chance.randrange(10_001) / 10_000:.4f}"
    if op == "amend":
        texts: list[dict[str, Any]] = [{"text": f"words{chance.randrange(1000)} of {kind}"}, {"importance": number}]
        if kind == "capsule":
            texts.append({"risks": [f"risk{chance.randrange(1000)}"] * chance.randrange(3)})
        chosen = chance.sample(texts, chance.randrange(1, len(texts) + 1))
        return {name: value for one in chosen for name, value in one.items()}
    if op == "attenuate":
        return chance.choice([{"importance": number}, {"importance_delta": f"-{number}"}, {"importance_delta": number}])
    others: dict[str, dict[str, Any]] = {
        "block": {"channel": chance.choice(["public", "team"])},
        "audience": {"audience": {"principals": [f"patient:p{chance.randrange(10**9)}"]}},
        "revert": {"edit_id": applied},
    }
    return others.get(op, {})


def sent(patch):
    """The patch as JSON has it: its numbers are exact decimals here."""
    return {name: float(value) if name.startswith("importance") else value for name, value in patch.items()}


def sides(world, kind, target, op, patch):
    """The target as its fold has it, and as it would be; words and all."""
    read: dict[str, Any] = {"edit_id": uuid.UUID, "audience": lambda one: tuple(one["principals"])}
    parsed = edits.Patch.of({name: read.get(name, lambda one: one)(one) for name, one in patch.items()})
    with world.inside():
        # else its audience has no number yet
        edits.intern_audiences(parsed, [(kind, uuid.UUID(target))], principal=world.bob_principal)
        return targets.preview(kind, uuid.UUID(target), _as_proposed(op, parsed, kind), world.bob_principal)


def shown(world, kind, target):
    """The target as the projection has it, for reviewers."""
    with gate.tenant(world.tenant_id, using="review"):
        state = targets.kind_of(kind).review(uuid.UUID(target))
    assert state is not None
    return replace(state, summary="")


@pytest.mark.scaled
@pytest.mark.parametrize("kind", ["chunk", "decision", "capsule"])
def test_what_is_previewed_is_what_approval_does(world, recorded, kind):
    chance = random.Random(f"{kind} {STEPS}")  # a repeatable choice
    target = recorded[kind]
    in_effect: list[str] = []
    seen = set()
    for _ in range(STEPS):
        ops = [one for one in Edit.Op.values if one != "audience" or kind != "capsule"]
        op = chance.choice([*ops, "revert"] if in_effect else [one for one in ops if one != "revert"])
        if op != "revert" and kind != "capsule" and chance.random() < 0.2:
            # the other record of the memory is edited in between
            other = "decision" if kind == "chunk" else "chunk"
            world.edit(recorded[other], "amend", target_type=other, text=f"other{chance.randrange(1000)}")
        patch = some_patch(chance, kind, op, in_effect[-1] if in_effect else None)
        before, after = sides(world, kind, target, op, patch)
        assert replace(before, found_by=frozenset()) == shown(world, kind, target)

        edit = world.edit(target, op, target_type=kind, **sent(patch))["edit_id"]

        assert sides(world, kind, target, "retract", {})[0] == after, (op, patch)
        assert replace(after, found_by=frozenset()) == shown(world, kind, target), (op, patch)
        if op == "revert":
            in_effect.pop()
        in_effect.append(edit)  # a revert is in effect too, and may be reverted
        seen.add(op)
    assert len(seen) >= 4
    assert drift(world) == []


@pytest.mark.scaled
@pytest.mark.parametrize("kind", ["chunk", "decision", "capsule"])
def test_a_pending_edit_is_reviewed_as_its_approval_will_leave_the_target(strict_world, kind):
    """The words of a recorded edit are a content row: the review page asks the same fold."""
    world = strict_world
    event = world.event("Serve tea", kind="decision", content={"decision": "Serve tea", "scope": "session"})
    if kind == "capsule":
        body = {
            "subject_type": "user", "subject_id": "jack", "scope": "user",
            "items": {"chunks": event["chunk_ids"]}, "audience_agent_ids": [str(world.alice_principal.id)],
            "note": "Jon is angry",
        }  # fmt: skip
        target = world.alice.ok("post", "capsules", body)["capsule_id"]
    else:
        target = {"chunk": event["chunk_ids"][0], "decision": event["decision_id"]}[kind]
    waiting = [
        world.edit(target, op, target_type=kind, by=world.ann, **sent(patch))["edit_id"]
        for op, patch in (
            ("amend", {"text": "Serve coffee", "importance": "0.2500"}),
            ("attenuate", {"importance_delta": "0.9000"}),
            ("block", {"channel": "public"}),
            *([] if kind == "capsule" else [("audience", {"audience": {"principals": ["agent:alice"]}})]),
            ("quarantine", {}),
            ("retract", {}),
        )
    ]
    for edit_id in waiting:
        with world.inside(), gate.tenant(world.tenant_id, using="review"):
            edit = Edit.objects.using("review").select_related("state").get(tenant_id=world.tenant_id, id=edit_id)
            reviewed = edits.review_edit(edit, world.bob_principal)
        world.bob.decide(edit_id)
        assert reviewed is not None
        assert replace(reviewed.after, found_by=frozenset()) == shown(world, kind, target), edit.op
