"""Proofs and exports over HTTP, checked with nothing but what was answered."""

import io
import json
from hashlib import sha256

import pytest
from click.testing import CliRunner
from django.db import connection

from governance.ledger import published_tree_heads
from governance.models import AccessRecord
from suture_verify import merkle
from suture_verify.cli import main
from suture_verify.notes import parse_notes
from suture_verify.verifier import verify_export
from tests.ledger.tampering import append, entries, exported, leaves, lived_in, seal, verify_chain

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

PATHS = [
    "ledger/entries",
    "ledger/tree-head",
    "ledger/proof/inclusion?kind=chunk&id={id}",
    "ledger/proof/consistency?from=1",
]


def verified(world, query="", *notes):
    report, tenant = verify_export(io.BytesIO(exported(world, query)), notes)
    assert tenant == world.tenant_id
    return report


def assert_proven(proof, root):
    assert sha256(b"\x00" + proof["row"].encode()).hexdigest() == proof["leaf_hash"]
    path = [bytes.fromhex(node) for node in proof["path"]]
    assert merkle.verify_inclusion(bytes.fromhex(proof["leaf_hash"]), proof["position"], proof["size"], path, root)


# -- Inclusion.


def test_it_works(world):
    lived_in(world)
    root = bytes.fromhex(world.bob.ok("get", "ledger/tree-head")["root"])

    for leaf in leaves(world):
        proof = world.bob.ok("get", f"ledger/proof/inclusion?kind={leaf.kind}&id={leaf.row_id}")
        assert (proof["position"], proof["root"]) == (leaf.position, root.hex())
        assert_proven(proof, root)
        row = json.loads(proof["row"])
        assert row[:3] == [f"{leaf.kind}/1", str(world.tenant_id), str(leaf.row_id)]
        if leaf.kind not in {"edit", "verdict"}:
            assert not any(words in proof["row"] for words in ("fox", "Ship it")), "a row holds no words"
        assert not merkle.verify_inclusion(
            bytes(32), proof["position"], proof["size"], [bytes.fromhex(node) for node in proof["path"]], root
        )


def test_inclusion_in_an_older_tree(world):
    lived_in(world)
    old = parse_notes(published_tree_heads.path_of(world.tenant_id).read_text())[-1].tree_head
    for number in range(3):
        world.event(f"Message {number}")
        seal(world)
    leaf = leaves(world)[2]

    proof = world.auditor.ok("get", f"ledger/proof/inclusion?kind={leaf.kind}&id={leaf.row_id}&size={old.size}")

    assert proof["size"] == old.size
    assert_proven(proof, old.root)


def test_what_is_not_sealed_yet_is_not_found(world):
    lived_in(world)
    chunk = world.chunk("A new text")

    answer = world.bob.get(f"ledger/proof/inclusion?kind=chunk&id={chunk}")

    assert answer.status_code == 404
    assert "a new row is sealed within seconds" in answer.json()["detail"]
    seal(world)
    assert world.bob.get(f"ledger/proof/inclusion?kind=chunk&id={chunk}").status_code == 200
    assert world.bob.get(f"ledger/proof/inclusion?kind=event&id={chunk}").status_code == 404


def test_a_tree_that_never_was_or_lacks_the_row_and_what_is_not_asked_rightly_is_refused(world):
    lived_in(world)
    first, *_, last = leaves(world)
    of_last = f"kind={last.kind}&id={last.row_id}&size="
    asked = [f"{of_last}{size}" for size in ("0", "-1", "1000000", "x", "1")]
    asked += ["", "kind=chunk", "kind=CHUNK&id=x", "kind=chunk&id=1", f"kind=chunk&id={first.row_id}&more=1"]

    statuses = {query: world.bob.get(f"ledger/proof/inclusion?{query}").status_code for query in asked}
    assert statuses == dict.fromkeys(asked, 400)


# -- Consistency.


def test_every_published_tree_is_the_beginning_of_every_later_one(world):
    for number in range(5):
        world.event(f"Message {number}")
        seal(world)
    found = [note.tree_head for note in parse_notes(published_tree_heads.path_of(world.tenant_id).read_text())]
    assert len(found) == 5

    for old in found:
        for new in found:
            if old.size > new.size:
                continue
            proof = world.bob.ok("get", f"ledger/proof/consistency?from={old.size}&to={new.size}")
            assert (proof["old_root"], proof["new_root"]) == (old.root.hex(), new.root.hex())
            path = [bytes.fromhex(node) for node in proof["path"]]
            assert merkle.verify_consistency(old.size, new.size, old.root, new.root, path)
            assert old == new or not merkle.verify_consistency(old.size, new.size, bytes(32), new.root, path)


def test_sizes_that_never_were_are_refused(world):
    lived_in(world)

    asked = ["", "from=0", "from=-1", "from=5&to=4", "from=1000000", "from=1&to=1000000", "from=x"]
    statuses = {query: world.bob.get(f"ledger/proof/consistency?{query}").status_code for query in asked}
    assert statuses == dict.fromkeys(asked, 400)


def test_before_the_first_seal_there_is_nothing_to_prove(world):
    world.event("A message")

    assert world.bob.get("ledger/tree-head").status_code == 404
    assert world.bob.get("ledger/proof/consistency?from=1").status_code == 400


def test_the_tree_head_is_the_note_that_was_published_last(world):
    lived_in(world)

    answer = world.auditor.ok("get", "ledger/tree-head")

    assert published_tree_heads.path_of(world.tenant_id).read_text().endswith(answer["note"])
    (note,) = parse_notes(answer["note"])
    tree_head = note.tree_head
    assert (answer["size"], answer["root"], answer["seq"], answer["head"]) == (
        tree_head.size, tree_head.root.hex(), tree_head.seq, tree_head.head.hex()
    )  # fmt: skip


def test_the_tree_head_can_be_the_note_alone(world):
    lived_in(world)

    answer = world.auditor.get("ledger/tree-head", Accept="text/plain")

    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.content.decode() == world.auditor.ok("get", "ledger/tree-head")["note"]
    assert "Accept" in answer.headers["Vary"]


def test_a_problem_is_json_also_for_who_wants_a_note(world):
    answer = world.auditor.get("ledger/tree-head", Accept="text/plain")

    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/problem+json")
    assert answer.json()["code"] == "nothing-published"


def test_what_curl_keeps_is_a_trusted_tree_head(world, tmp_path):
    """`curl .../ledger/tree-head > kept.txt`, then `suture verify ledger.jsonl --trusted-tree-head kept.txt`."""
    lived_in(world)
    ledger, proof = tmp_path / "ledger.jsonl", tmp_path / "proof.json"
    ledger.write_bytes(exported(world))
    leaf = leaves(world)[2]
    proof.write_bytes(
        world.auditor.get(
            f"ledger/proof/inclusion?kind={leaf.kind}&id={leaf.row_id}", headers={"Accept": "*/*"}
        ).content
    )

    for number, headers in enumerate([{}, {"Accept": "*/*"}, {"Accept": "text/plain"}]):
        kept = tmp_path / f"kept{number}.txt"
        kept.write_bytes(world.auditor.get("ledger/tree-head", **headers).content)
        verified = CliRunner().invoke(main, ["export", str(ledger), "--trusted-tree-head", str(kept)])
        proved = CliRunner().invoke(main, ["proof", str(proof), "--trusted-tree-head", str(kept)])

        assert (verified.exit_code, proved.exit_code) == (0, 0), (verified.output, proved.output)
        assert "1 compared" in verified.output
    assert verify_chain(world, "--trusted-tree-head", str(kept))[0] == 0


# -- Whose they are.


def test_agents_and_strangers_read_nothing_of_the_ledger(world, charlie, nobody):
    lived_in(world)
    chunk = next(leaf.row_id for leaf in leaves(world) if leaf.kind == "chunk")

    for path in (path.format(id=chunk) for path in PATHS):
        assert world.alice.get(path).status_code == 403, path
        assert charlie.get(path).status_code == 403, path
        assert nobody("get", path).status_code == 401, path


def test_a_reviewer_of_another_tenant_finds_nothing_of_this_one(world, elsewhere):
    lived_in(world)
    lived_in(elsewhere)
    leaf = next(leaf for leaf in leaves(world) if leaf.kind == "chunk")

    assert elsewhere.bob.get(f"ledger/proof/inclusion?kind=chunk&id={leaf.row_id}").status_code == 404
    theirs = exported(elsewhere).decode()
    assert str(world.tenant_id) not in theirs
    assert str(leaf.row_id) not in theirs
    assert str(world.tenant_id) not in elsewhere.bob.ok("get", "ledger/tree-head")["note"]


# -- Exports.


def test_an_export_verifies_and_is_in_the_access_log(world):
    lived_in(world)
    note = parse_notes(published_tree_heads.path_of(world.tenant_id).read_text())[-1]

    report = verified(world, "", note)

    assert report.findings == ()
    assert (report.leaves, report.entries, report.tree_heads) == (
        len(leaves(world)), len(entries(world)) + len(entries(world, "agent:alice")), 1
    )  # fmt: skip
    with world.inside():
        logged = AccessRecord.objects.filter(tenant_id=world.tenant_id, action="ledger.exported").latest("at")
    assert (logged.outcome, logged.target_type, logged.actor_kind) == ("allowed", "ledger", "human")
    assert logged.details == {"chain": None, "entries": report.entries, "leaves": report.leaves}
    seal(world)
    assert logged.id in {leaf.row_id for leaf in leaves(world)}
    assert b"fox" not in exported(world), "an export holds no words"


def test_an_export_is_verified_at_the_command_line(world, tmp_path):
    lived_in(world)
    file = tmp_path / "ledger.jsonl"
    file.write_bytes(exported(world))
    command = ["export", str(file), "--trusted-tree-head", str(published_tree_heads.path_of(world.tenant_id))]

    assert CliRunner().invoke(main, command).exit_code == 0

    text = file.read_text()
    file.write_text(text.replace("edit.proposed", "edit.proposee", 1))
    answer = CliRunner().invoke(main, command)
    assert answer.exit_code == 1
    assert "link: governance at" in answer.output


def test_the_reader_reads_it_by_their_own_right(world, monkeypatch):
    """A web process has no right of the operator's."""
    lived_in(world)
    expected = exported(world).splitlines()[1:]

    def refuse(*_):
        raise AssertionError("the operator's context was asked for")

    monkeypatch.setattr("governance.ledger.exports.gate.tenant", refuse)
    again = exported(world).splitlines()[1:]

    assert len(again) == len(expected) > 10
    assert again == expected


def test_one_chain_can_be_exported(world):
    lived_in(world)

    lines = [json.loads(line) for line in exported(world, "?chain=agent:alice").splitlines()]

    assert [line.get("chain") for line in lines] == [None, *["agent:alice"] * 4]
    assert world.auditor.get("ledger/entries?chain=agent:nobody").status_code == 404


def test_pages_join_without_a_seam(world, monkeypatch):
    monkeypatch.setattr("governance.ledger.exports.PAGE", 3)
    lived_in(world)

    assert verified(world).findings == ()


@pytest.mark.slow
def test_an_export_while_others_write_shows_one_moment(world, at_once):
    lived_in(world)

    def write():
        for number in range(8):
            world.edit(world.chunk(f"Text {number}"), "amend", text="Corrected")
            append(world, chain="agent:alice")
            seal(world)

    def export():
        return [verified(world).findings for _ in range(8)]

    written, found, others = at_once(write, export, export)

    assert written is None
    assert found == others == [()] * 8


def test_a_seal_between_two_statements_of_an_export_does_not_show(world, at_once):
    """Whichever statement of the request the seal comes behind."""
    lived_in(world)
    for behind in range(1, 100):
        world.event("A message")
        done = 0

        def execute(run, sql, params, many, context):
            nonlocal done
            answer = run(sql, params, many, context)
            done += 1
            if done == behind:  # noqa: B023 (called within this turn of the loop)
                assert at_once(lambda: seal(world))[0]
            return answer

        with connection.execute_wrapper(execute):
            response = world.auditor.get("ledger/entries")
            report, _ = verify_export(io.BytesIO(b"".join(response.streaming_content)))
        assert report.findings == (), behind
        if done < behind:
            break
    assert behind > 8
