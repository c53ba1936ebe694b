"""`suture-verify proof`: answers of the API against kept tree heads."""

import json
import uuid

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from suture_verify import merkle
from suture_verify.cli import main
from suture_verify.notes import TreeHead, origin_of, sign_note

pytestmark = pytest.mark.pure

TENANT = uuid.UUID("01a200e5-6d6a-767c-9ab0-3b7625a10083")
IDS = [str(uuid.UUID(int=number)) for number in range(7)]
ROWS = [json.dumps(["chunk/1", str(TENANT), each, "2026-05-01"]) for each in IDS]
LEAVES = [merkle.leaf_hash(row.encode()) for row in ROWS]
KEY = Ed25519PrivateKey.generate()


def subtree(start, end):
    return merkle.root_of(LEAVES[start:end])


def note(size, root=None, tenant=TENANT):
    head = TreeHead(origin_of(tenant), size, root or subtree(0, size), 3, b"h" * 32)
    return sign_note(head, KEY)


def inclusion(index=2, size=7, **changes):
    proof = {
        "kind": "chunk", "id": IDS[index], "position": index, "row": ROWS[index], "leaf_hash": LEAVES[index].hex(),
        "size": size, "root": subtree(0, size).hex(),
        "path": [node.hex() for node in merkle.inclusion_path(index, size, subtree)],
    }  # fmt: skip
    return {**proof, **changes}


def consistency(old=3, **changes):
    proof = {
        "old_size": old, "new_size": 7, "old_root": subtree(0, old).hex(), "new_root": subtree(0, 7).hex(),
        "path": [node.hex() for node in merkle.consistency_path(old, 7, subtree)],
    }  # fmt: skip
    return {**proof, **changes}


@pytest.fixture
def run(tmp_path):
    def run(proof, *notes):
        path = tmp_path / "proof.json"
        path.write_bytes(proof if isinstance(proof, bytes) else json.dumps(proof).encode())
        arguments = ["proof", str(path)]
        for number, text in enumerate(notes):
            file = tmp_path / f"kept-{number}.txt"
            file.write_text(text)
            arguments += ["--trusted-tree-head", str(file)]
        return CliRunner().invoke(main, arguments)

    return run


def test_it_works(run):
    done = run(inclusion(), note(3) + note(7))

    assert (done.exit_code, done.output) == (
        0, f"The proof holds: the chunk {IDS[2]} is leaf 2 of the 7 in the tree head.\n"
    )  # fmt: skip


def test_every_row_of_every_tree_is_proved(run):
    for size in range(1, 8):
        for index in range(size):
            assert run(inclusion(index, size), note(size)).exit_code == 0


def test_growth_is_proved(run):
    done = run(consistency(), note(3), note(7))
    assert (done.exit_code, done.output) == (
        0, "The proof holds: the tree of 7 rows begins with the 3 rows of the tree head.\n"
    )  # fmt: skip
    done = run(consistency(), note(3))
    assert done.exit_code == 0
    assert "its root is unverified" in done.output


@pytest.mark.parametrize(
    ("proof", "kept", "reason"),
    [
        (inclusion(row=ROWS[3]), note(7), "the row does not give the leaf hash"),
        (inclusion(id=IDS[3]), note(7), f"the row is the chunk {IDS[2]}, not the chunk {IDS[3]}"),
        (inclusion(kind="event"), note(7), "not the event"),
        (inclusion(position=3), note(7), "do not give the root"),
        (inclusion(path=inclusion(3)["path"]), note(7), "do not give the root"),
        (inclusion(row=None, leaf_hash=LEAVES[3].hex()), note(7), "do not give the root"),
        (inclusion(root=subtree(0, 6).hex()), note(7), "your tree head of 7 rows has another root"),
        (inclusion(), note(7, b"r" * 32), "your tree head of 7 rows has another root"),
        (inclusion(), note(6), "no trusted tree head has 7 rows (yours have: 6)"),
        (inclusion(), "", "no trusted tree head has 7 rows (yours have: none)"),
        (inclusion(), note(7, tenant=uuid.UUID(int=1)), "the tree heads belong to others"),
        (consistency(), note(3, b"r" * 32), "your tree head of 3 rows has another root"),
        (consistency(), note(3) + note(7, b"r" * 32), "your tree head of 7 rows has another root"),
        (consistency(path=consistency(4)["path"]), note(3), "does not begin with the 3 rows"),
        (consistency(new_root=(b"r" * 32).hex()), note(3), "does not begin with the 3 rows"),
        (consistency(), note(7), "no trusted tree head has 3 rows"),
    ],
)
def test_a_failed_proof_has_a_reason(run, proof, kept, reason):
    done = run(proof, kept)

    assert done.exit_code == 1
    assert done.output.startswith("The proof does not hold: ")
    assert reason in done.output


def test_a_deleted_row_is_reported(run):
    done = run(inclusion(row=None), note(7))

    assert done.exit_code == 0
    assert "whose row was deleted" in done.output


@pytest.mark.parametrize(
    ("proof", "reason"),
    [
        (b"\xff", "not UTF-8"),
        (b"{", "not JSON"),
        (b"[]", "neither an inclusion proof nor a consistency proof"),
        (b"{}", "neither an inclusion proof nor a consistency proof"),
        ({**inclusion(), "size": "7"}, "size is not a whole number"),
        ({**inclusion(), "size": True}, "size is not a whole number"),
        (inclusion(path="x"), "path is not a list"),
        (inclusion(path=["x"]), "a hash is not 32 bytes"),
        (inclusion(root=None), "a hash is not 32 bytes"),
        (inclusion(row=1), "row is not a string"),
        (inclusion(kind=1), "kind is not a string"),
        ({**consistency(), "old_size": -1}, "old_size is not a whole number"),
    ],
)
def test_an_invalid_proof_cannot_be_read(run, proof, reason):
    done = run(proof, note(7))

    assert done.exit_code == 2
    assert "Cannot read" in done.stderr
    assert reason in done.stderr


def test_an_invalid_tree_head_cannot_be_read(run, tmp_path):
    done = run(inclusion(), note(7), "no tree head\n")
    assert done.exit_code == 2
    assert "kept-1.txt: line 2" in done.stderr
    done = CliRunner().invoke(
        main, ["proof", str(tmp_path / "proof.json"), "--trusted-tree-head", str(tmp_path / "none.txt")]
    )
    assert done.exit_code == 2
    assert "none.txt: No such file" in done.stderr


def test_a_tree_head_must_be_given(run):
    assert run(inclusion()).exit_code == 2
