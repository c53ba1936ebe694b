"""The verifier in JavaScript and Suture's own say the same of exports of a real ledger."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from governance.ledger import published_tree_heads
from governance.models import Leaf
from tests.ledger.tampering import append, exported, lived_in, seal
from tests.proof.verifiers import NODE, Verdict, assert_agree, by_node, mutations, run_node
from tests.scale import at_scale

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"]),
    pytest.mark.skipif(NODE is None, reason="node is not installed"),
]


@pytest.fixture
def kept(world, tmp_path):
    """The tree heads of a ledger that was lived in, and went on."""
    lived_in(world)
    append(world, 3)
    append(world, 2, chain="agent:alice")
    world.edit(world.chunk("Another fox"), "amend", text="größer, 日本, \U0001f600")
    seal(world)
    file = tmp_path / "kept.txt"
    file.write_text(published_tree_heads.path_of(world.tenant_id).read_text())
    return file


def test_it_works(world, kept):
    assert assert_agree(exported(world), [kept]) == Verdict(0, [])


@pytest.mark.slow
@pytest.mark.scaled
@settings(deadline=None, max_examples=at_scale(20, 1000), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_both_say_the_same_of_an_export_that_was_changed(world, kept, data):
    if not hasattr(world, "whole"):
        world.whole = exported(world)
    assert_agree(data.draw(mutations(world.whole)), [kept])


def test_what_the_api_answers_is_proven(world, kept, tmp_path):
    """Each sealed row is in the tree of the last tree head, and the first tree is its beginning."""
    proofs = []
    with world.inside():
        rows = list(Leaf.objects.filter(tenant_id=world.tenant_id).values_list("kind", "row_id"))
    paths = [f"inclusion?kind={kind}&id={row}" for kind, row in rows] + ["consistency?from=1", "consistency?from=7"]
    for number, path in enumerate(paths):
        file = tmp_path / f"{number}.json"
        file.write_bytes(world.auditor.get(f"ledger/proof/{path}").content)
        proofs += ["--proof", str(file)]
    whole = tmp_path / "ledger.jsonl"
    whole.write_bytes(exported(world))

    done = run_node("examples/verify_ledger.mjs", str(whole), "--trusted-tree-head", str(kept), *proofs)

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("the proof holds: ") == len(paths)


def test_receipts_of_the_server_are_kept(world, kept, tmp_path):
    answer = world.alice.ok("post", "events", world.draft("größer, \U0001f600"), **{"X-Receipt": "yes"})
    receipt, ledger = tmp_path / "recorded.json", tmp_path / "ledger.jsonl"
    receipt.write_text(json.dumps(answer))
    arguments = [str(ledger), "--receipt", str(receipt), "--trusted-tree-head", str(kept)]

    ledger.write_bytes(exported(world))
    early = run_node("examples/verify_ledger.mjs", *arguments)
    seal(world)
    ledger.write_bytes(exported(world))
    done = run_node("examples/verify_ledger.mjs", *arguments)

    assert early.returncode == 1
    assert "is not in the sealed ledger" in early.stdout
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the receipt is kept: the ledger has all 2 rows of it" in done.stdout


def test_a_cut_end_is_seen(world, kept, tmp_path):
    file = tmp_path / "ledger.jsonl"
    whole = exported(world).splitlines(keepends=True)
    file.write_bytes(b"".join(whole[:-1]))
    assert by_node(file).exit == 1
