"""Tree heads as signed notes."""

import base64
import dataclasses
import uuid

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from suture_verify.notes import MalformedNote, TreeHead, key_id, origin_of, parse_notes, sign_note
from suture_verify.signatures import is_signed

pytestmark = pytest.mark.pure

KEY = Ed25519PrivateKey.generate()
PUBLIC = KEY.public_key().public_bytes_raw()
TENANT = uuid.UUID("018f0000-0000-7000-8000-000000000001")
TREE_HEAD = TreeHead(origin_of(TENANT), 12, b"r" * 32, 7, b"h" * 32)
NOTE = sign_note(TREE_HEAD, KEY)


def test_a_note_is_written_as_the_specification_says():
    head, root = (base64.b64encode(letter * 32).decode() for letter in (b"h", b"r"))
    text = f"suture/{TENANT}\n12\n{root}\ngovernance 7 {head}\n"
    signature = base64.b64encode(key_id("suture", PUBLIC) + KEY.sign(text.encode())).decode()
    assert f"{text}\n— suture {signature}\n\n" == NOTE


def test_the_published_example_of_a_signed_note():
    """The example of the specification's first implementation (golang.org/x/mod/sumdb/note)."""
    text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
    public = base64.b64decode("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")[1:]
    signed = base64.b64decode(
        "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
    )
    assert key_id("PeterNeumann", public) == signed[:4] == bytes.fromhex("c74f20a3")
    assert is_signed(text.encode(), signed[4:], public)


def test_a_note_is_read_back_and_names_its_key():
    (note,) = parse_notes(NOTE)
    assert note.tree_head == TREE_HEAD
    other = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    assert note.verify([other, PUBLIC]) == PUBLIC
    assert note.verify([other]) is None
    assert note.verify([]) is None


@pytest.mark.parametrize("change", [{"size": 13}, {"seq": 8}, {"root": b"x" * 32}, {"head": b"x" * 32}])
def test_a_changed_note_has_no_valid_signature(change):
    (note,) = parse_notes(NOTE)
    changed = dataclasses.replace(note, tree_head=dataclasses.replace(TREE_HEAD, **change))
    assert changed.verify([PUBLIC]) is None


def test_a_file_holds_many_notes_whatever_the_empty_lines_between():
    second = sign_note(dataclasses.replace(TREE_HEAD, size=13), KEY)
    assert [note.tree_head.size for note in parse_notes(NOTE + second)] == [12, 13]
    assert [note.tree_head.size for note in parse_notes(f"\n{NOTE}\n\n{second.rstrip()}")] == [12, 13]
    assert parse_notes("") == parse_notes("\n\n") == []


def test_signatures_of_others_beside_ours_are_left_alone():
    witness = base64.b64encode(b"idid" + b"another algorithm").decode()
    (note,) = parse_notes(NOTE.rstrip("\n").replace("\n\n— ", f"\n\n— witness {witness}\n— ") + "\n")
    assert [line.name for line in note.signatures] == ["witness", "suture"]
    assert note.verify([PUBLIC]) == PUBLIC


def test_a_signature_under_another_name_does_not_count():
    (note,) = parse_notes(NOTE.replace("— suture", "— future"))
    assert note.verify([PUBLIC]) is None


LINES = NOTE.split("\n")


@pytest.mark.parametrize(
    ("at", "line", "reason"),
    [
        (2, "012", "the size is not a whole number"),
        (2, "-1", "the size is not a whole number"),
        (2, "9" * 30, "the size is not a whole number"),
        (3, "abc", "the root is not base64"),
        (3, LINES[2] + " ", "the root is not base64"),
        (3, "aGVsbG8=", "the root is not 32 bytes long"),
        (4, "governance 7", "not 'governance <seq> <hash>'"),
        (4, LINES[3].replace("governance", "gouvernance"), "not 'governance <seq> <hash>'"),
        (4, LINES[3].replace(" 7 ", " x "), "the sequence number is not a whole number"),
        (5, "something", "no empty line"),
        (6, "- suture abcd", "not a signature line"),
        (6, "— suture", "not a signature line"),
        (6, "— suture !!!!", "the signature is not base64"),
        (6, "", "the note has no signature"),
        (1, "suture/\r", "a control character"),
    ],
)
def test_malformed_text_is_refused_with_its_line_and_reason(at, line, reason):
    lines = ["", *LINES]
    lines[at + 0] = line
    with pytest.raises(MalformedNote, match=reason) as refusal:
        parse_notes("\n".join(lines[1:]))
    assert refusal.value.line == at
    assert isinstance(refusal.value, ValueError)


@pytest.mark.parametrize("kept", range(1, 6))
def test_a_note_that_ends_too_early_is_refused(kept):
    with pytest.raises(MalformedNote):
        parse_notes("\n".join(LINES[:kept]))


@given(size=st.integers(0, 2**62), seq=st.integers(0, 2**62), root=st.binary(min_size=32, max_size=32))
def test_every_tree_head_is_parsed_back(size, seq, root):
    tree_head = TreeHead(origin_of(TENANT), size, root, seq, root)
    (note,) = parse_notes(sign_note(tree_head, KEY))
    assert note.tree_head == tree_head
    assert note.verify([PUBLIC]) == PUBLIC


@given(at=st.integers(0, len(NOTE.encode()) - 3), bit=st.integers(0, 7))
def test_one_flipped_bit_is_found(at, bit):
    data = bytearray(NOTE.encode())
    data[at] ^= 1 << bit
    try:
        notes = parse_notes(data.decode())
    except (MalformedNote, UnicodeDecodeError):
        return
    assert [note.verify([PUBLIC]) for note in notes] in ([], [None])
