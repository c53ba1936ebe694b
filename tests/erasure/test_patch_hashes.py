"""The hash of a patch proves what was reviewed, and confirms no guess of it once it is erased."""

import hashlib
import json
import uuid

import pytest

from governance.acting import gate
from governance.edits.db import record_edit
from governance.ledger.db import get_leaf_row
from governance.models import Edit, Entry, Verdict
from tests.ledger.tampering import assert_intact, leaves, seal
from tests.surgery.helpers import proposal

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

GUESS = "Jon likes zanzibar"


def recipe(edit, patch):
    """What docs/ledger.md tells everybody to compute."""
    document = {"op": edit.op, "patch": patch, "target_id": str(edit.target_id), "target_type": edit.target_type}
    canonical = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).digest()


def edit_of(world, edit_id):
    with world.inside():
        return Edit.objects.get(tenant_id=world.tenant_id, id=edit_id)


def content_of(world, owner, edit):
    with world.inside("owner"):
        (content,) = owner(
            "SELECT salt, body, sha256 FROM governance_content WHERE tenant_id = %s AND id = %s",
            [world.tenant_id, edit.content_id],
        )
    return {name: value if isinstance(value, str) else bytes(value) for name, value in content.items()}


def one_at_a_time(world, chunk, **patch):
    return world.edit(chunk, "amend", **patch)["edit_id"]


def of_a_batch(world, chunk, **patch):
    (made,) = world.bob.ok("post", "edits/bulk", {"edits": [proposal(chunk, "amend", **patch)]})["edits"]
    return made["edit_id"]


@pytest.fixture(params=[one_at_a_time, of_a_batch])
def amend(request, world):
    return lambda chunk, **patch: request.param(world, chunk, **patch)


def test_the_recipe_gives_the_stored_hash_from_the_content_row(world, owner, amend):
    chunk = world.chunk("Jon likes tea")
    edit = edit_of(world, amend(chunk, text=GUESS, importance=0.25))

    content = content_of(world, owner, edit)

    assert content["body"] == GUESS
    assert len(content["salt"]) == 16
    assert content["sha256"] == hashlib.sha256(content["salt"] + GUESS.encode()).digest()
    patch = {"text_sha256": content["sha256"].hex(), "importance": "0.2500"}
    assert bytes(edit.patch_sha256) == recipe(edit, patch)
    assert_intact(world)


@pytest.mark.parametrize("kind", ["decision", "capsule"])
def test_so_it_does_for_what_is_no_chunk(world, owner, handed, kind):
    event = world.event("Jon said so", kind="decision", content={"decision": "Serve tea"})
    target = event["decision_id"] if kind == "decision" else handed([world.chunk()], note="Tea")
    edit = edit_of(world, world.edit(target, "amend", target_type=kind, text=GUESS)["edit_id"])

    text_sha256 = content_of(world, owner, edit)["sha256"].hex()

    assert bytes(edit.patch_sha256) == recipe(edit, {"text_sha256": text_sha256})


def test_a_secret_is_taken_out_before_the_hash_is_made(world, owner, amend):
    edit = edit_of(world, amend(world.chunk(), text=f"Use {world.keys['alice']}"))

    content = content_of(world, owner, edit)

    assert world.keys["alice"] not in content["body"]
    assert bytes(edit.patch_sha256) == recipe(edit, {"text_sha256": content["sha256"].hex()})


def test_the_same_patch_twice_has_two_hashes(world, amend):
    chunk = world.chunk("Jon likes tea")
    first, second = (edit_of(world, amend(chunk, text=GUESS)) for _ in range(2))
    assert bytes(first.patch_sha256) != bytes(second.patch_sha256)


def test_a_patch_without_words_has_the_hash_that_anybody_can_compute(world):
    edit = edit_of(world, world.edit(world.chunk(), "block", channel="public")["edit_id"])
    assert bytes(edit.patch_sha256) == recipe(edit, {"channel": "public"})


def test_after_an_erasure_nothing_that_stays_confirms_a_guess(world, admins, owner, found_in, amend):
    chunk = world.chunk("Jon likes tea")
    edit = edit_of(world, amend(chunk, text=GUESS))
    content = content_of(world, owner, edit)
    salt = content["salt"].hex()
    assert found_in(world, salt.encode()) == ["governance_content"]
    seal(world)

    admins.erase(by="chunk", id=chunk)

    # the salt is nowhere, so nobody can compute what the hash is over
    assert found_in(world, salt.encode()) == []
    assert found_in(world, b"zanzibar") == []
    # and what can be computed of the text alone is in no row, leaf or entry
    unsalted = hashlib.sha256(GUESS.encode()).digest()
    guesses = [
        unsalted,
        recipe(edit, {"text": GUESS}),
        recipe(edit, {"text_sha256": unsalted.hex()}),
        recipe(edit, {"text_sha256": hashlib.sha256(bytes(16) + GUESS.encode()).hexdigest()}),
    ]
    # a batch has one entry, over the hashes of its edits
    guesses += [hashlib.sha256(f'[["{edit.id}","{guess.hex()}"]]'.encode()).digest() for guess in guesses]
    for guess in guesses:
        assert found_in(world, guess.hex().encode()) == []
    with world.inside():
        (leaf,) = [leaf for leaf in leaves(world) if (leaf.kind, leaf.row_id) == ("edit", edit.id)]
        row = get_leaf_row(tenant=world.tenant_id, kind="edit", id=edit.id)
    assert row is not None
    assert hashlib.sha256(b"\0" + row.encode()).digest() == bytes(leaf.hash)
    assert not any(guess.hex() in row for guess in guesses)


def test_after_an_erasure_the_hash_still_fits_what_is_left(world, admins, owner):
    """What was approved is provable without its words: the patch's hash is over a hash that the tombstone keeps."""
    chunk = world.chunk("Jon likes tea")
    edit = edit_of(world, world.edit(chunk, "amend", text=GUESS)["edit_id"])
    before = content_of(world, owner, edit)["sha256"]
    seal(world)

    admins.erase(by="chunk", id=chunk)

    with world.inside():
        (row,) = gate.rows(
            "SELECT sha256 FROM governance_erasedcontent WHERE tenant_id = %s AND id = %s",
            [world.tenant_id, edit.content_id],
        )
        verdict = Verdict.objects.get(tenant_id=world.tenant_id, edit_id=edit.id)
        entry = Entry.objects.get(tenant_id=world.tenant_id, type="edit.proposed", metadata__edit=str(edit.id))
    kept = bytes(row["sha256"])
    assert kept == before
    stored = {bytes(edit_of(world, edit.id).patch_sha256), bytes(verdict.patch_sha256)}
    assert stored == {bytes.fromhex(entry.metadata["patch_sha256"])} == {recipe(edit, {"text_sha256": kept.hex()})}
    seal(world)
    assert_intact(world)


def test_the_database_stores_the_salt_that_it_is_given(world, owner):
    """The gate's function, called as the service calls it: what it stores is what the hash was made over."""
    chunk, edit_id, salt = world.chunk(), uuid.uuid4(), bytes(range(16))
    with gate.acting_as(world.bob_principal):
        record_edit(
            tenant=world.tenant_id,
            id=edit_id,
            target_type="chunk",
            target_id=chunk,
            sensitivity="none",
            op="amend",
            reason="a test",
            text=GUESS,
            salt=salt,
            importance=None,
            importance_delta=None,
            channel=None,
            reverts=None,
            patch_sha256=b"a" * 32,
        )
    content = content_of(world, owner, edit_of(world, edit_id))
    assert (content["salt"], content["body"]) == (salt, GUESS)
    assert content["sha256"] == hashlib.sha256(salt + GUESS.encode()).digest()
