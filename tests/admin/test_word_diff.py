"""The diff of two texts, and what cannot be seen in them. No database."""

import itertools
import random
import re

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
def test_very_long_texts_are_not_compared_word_by_word(monkeypatch, before, after):
    """The comparison keeps a bit for each pair of words."""
    compared, kept = [0], diffs._kept

    def noted(old, new):
        compared.extend((len(old), len(new)))
        return kept(old, new)

    monkeypatch.setattr(diffs, "_kept", noted)
    word_diff(before, after)
    assert max(compared) <= diffs.COMPARED_AT_MOST


class Counted(str):
    """A word that counts how often it is looked at."""

    __slots__ = ()
    looks = 0

    def __hash__(self):
        Counted.looks += 1
        return super().__hash__()

    def __eq__(self, other):
        Counted.looks += 1
        return super().__eq__(other)


@pytest.mark.parametrize("words", [1, 2, 7, 10_000])
def test_the_steps_of_a_comparison_grow_with_the_words(words):
    chance = random.Random(words)
    for length in (600, 1_200, 2_400):
        old, new = ([Counted(f"w{chance.randrange(words)}") for _ in range(length)] for _ in range(2))
        Counted.looks = 0
        diffs._kept(old, new)
        assert Counted.looks <= 8 * length


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_as_many_words_are_kept_as_can_be(old, new):
    longest = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, one in enumerate(old):
        for j, other in enumerate(new):
            longest[i + 1][j + 1] = longest[i][j] + 1 if one == other else max(longest[i][j + 1], longest[i + 1][j])

    kept = diffs._kept(old, new)

    assert len(kept) == longest[-1][-1]
    assert all(old[i] == new[j] for i, j in kept)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in itertools.pairwise(kept))


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


def test_a_page_does_not_grow_fiftyfold():
    """A text of invisible characters alone has a short form, and only so many are named."""
    assert len(shown("\u200b" * 1_000_000)) < 200
    assert "U+200B \u00d7 1000000" in shown("\u200b" * 1_000_000)
    assert len(shown("a\u200b" * 100_000)) < 400_000
    assert "\u200b" not in shown("a\u200b" * 100_000)
    assert len(shown("\u200b\u200c" * 100_000)) < 4_000


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize("emoji", [FAMILY, "\u2764\ufe0f", "1\ufe0f\u20e3", "\U0001f3f3\ufe0f\u200d\U0001f308"])
def test_an_emoji_of_several_characters_is_shown_as_one(emoji):
    assert shown(f"a {emoji} b") == f"a {emoji} b"
    assert "U+" not in after_side(word_diff("a b", f"a {emoji} b"))
    assert f"<ins>{emoji}" in after_side(word_diff("a b", f"a {emoji} b"))


def test_invisible_characters_that_an_edit_adds_are_marked_as_added():
    html = after_side(word_diff("pay Jack now", f"pay\u200b Jack {FAMILY}\u202enow\U000e0041"))
    for character in ("200B", "202E", "E0041"):
        assert re.search(rf"<ins>(?:(?!</ins>).)*U\+{character}", html), character
    assert "U+200D" not in html
