"""The diff of two texts, and what cannot be seen in them. No database."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.admin.rendering import after_side, before_side, shown
from governance.edits import diffs
from governance.edits.diffs import Piece, word_diff

pytestmark = pytest.mark.pure

texts = st.text(alphabet=st.sampled_from("ab é<&\n.,-\u202e\u200b"), max_size=60)


def test_words_are_compared_whole():
    assert word_diff("My name is Jon Doe.", "My name is John Doe.") == [
        Piece("same", "My name is "),
        Piece("delete", "Jon"),
        Piece("insert", "John"),
        Piece("same", " Doe."),
    ]


def test_punctuation_is_no_part_of_a_word():
    assert word_diff("Use Postgres, always.", "Use Postgres; always.") == [
        Piece("same", "Use Postgres"),
        Piece("delete", ","),
        Piece("insert", ";"),
        Piece("same", " always."),
    ]


def test_all_may_go_or_come():
    assert word_diff("all", "") == [Piece("delete", "all")]
    assert word_diff("", "all") == [Piece("insert", "all")]
    assert word_diff("", "") == []


@given(texts, texts)
def test_either_side_reads_as_its_own_text(before, after):
    pieces = word_diff(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind != "insert") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "delete") == after
    assert all(piece.text for piece in pieces)


@pytest.mark.parametrize(
    ("before", "after"),
    [("a! " * 50_000, "b " + "a! " * 50_000), ("a! b " * 50_000, "b! a " * 50_000), ("a" * 200_000, "b")],
)
def test_long_texts_are_not_compared_word_by_word(monkeypatch, before, after):
    """That takes the square of their length."""
    compared, matcher = [0], difflib.SequenceMatcher

    def noted(isjunk, old, new, **options):
        compared.extend((len(old), len(new)))
        return matcher(isjunk, old, new, **options)

    monkeypatch.setattr(difflib, "SequenceMatcher", noted)
    word_diff(before, after)
    assert max(compared) <= diffs.COMPARED_AT_MOST


def test_markup_is_escaped_on_both_sides():
    pieces = word_diff("<b>x</b>", "<script>x</script>")
    assert "<b>" not in before_side(pieces)
    assert "<script>" not in after_side(pieces)
    assert "<ins>script</ins>" in after_side(pieces)


@pytest.mark.parametrize("character", ["\u202e", "\u2066", "\u200b", "\ufeff", "\u00ad", "\u00a0", "\x07", "\r",
                                       "\U000e0041", "\ufe0f", "\u3164"])  # fmt: skip
def test_what_cannot_be_seen_is_shown(character):
    assert diffs.is_unseen(character)
    html = shown(f"a{character}b")
    assert character not in html
    assert f"U+{ord(character):04X}" in html


@pytest.mark.parametrize("character", ["a", "é", "文", "ע", " ", "\n", "\t", "—", "😀", "\u0301"])
def test_what_can_be_seen_stays(character):
    assert not diffs.is_unseen(character)
