"""The chunker: 200 words, 50 of overlap, boundaries moved to a sentence end where one is near. Pure."""

import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture_client.text.chunker import (
    CHUNK_WORDS,
    OVERLAP_WORDS,
    REACH_WORDS,
    split,
    split_warnings,
)

pytestmark = pytest.mark.pure

STEP = CHUNK_WORDS - OVERLAP_WORDS


def words(number, ends=()):
    """Return a text with this number of words. The words in `ends` (from 1) end a sentence."""
    return " ".join(f"w{index}" + "." * (index in ends) for index in range(1, number + 1))


def ranges(text):
    """(first word, last word) of each chunk, both counted from 1."""
    return [(span.first_word + 1, span.first_word + span.words) for span in split(text)]


@pytest.mark.parametrize("text", ["", " ", "\n\t  \n", "\u3000\u2003"])
def test_text_without_words_has_no_chunks(text):
    assert split(text) == []


@pytest.mark.parametrize("number", [1, 199, 200])
def test_a_short_text_is_one_chunk(number):
    assert ranges(words(number)) == [(1, number)]


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (201, [(1, 201)]),
        (220, [(1, 220)]),
        (221, [(1, 200), (151, 221)]),
        (350, [(1, 200), (151, 350)]),
        (370, [(1, 200), (151, 370)]),
        (371, [(1, 200), (151, 350), (301, 371)]),
        (400, [(1, 200), (151, 350), (301, 400)]),
        (450, [(1, 200), (151, 350), (301, 450)]),
    ],
)
def test_windows_of_200_words_overlap_by_50_and_the_last_has_more_than_20_new_words(number, expected):
    assert ranges(words(number)) == expected


@pytest.mark.parametrize(("number", "chunks"), [(1_000, 7), (10_000, 67)])
def test_the_rule_gives_so_many_chunks(number, chunks):
    assert len(split(words(number))) == chunks == math.ceil((number - OVERLAP_WORDS) / STEP)


@pytest.mark.parametrize("end", [180, 195, 199, 200, 201, 220])
def test_a_boundary_moves_to_a_sentence_end_within_20_words(end):
    first, second = split(words(300, {end}))[:2]

    assert (first.words, first.splits_sentence) == (end, False)
    assert second.first_word == end - OVERLAP_WORDS


@pytest.mark.parametrize("end", [179, 221])
def test_a_sentence_end_further_away_is_not_looked_for(end):
    first = split(words(300, {end}))[0]

    assert (first.words, first.splits_sentence) == (200, True)


def test_the_nearest_sentence_end_is_taken_and_of_two_the_earlier():
    assert split(words(300, {190, 205}))[0].words == 205
    assert split(words(300, {195, 205}))[0].words == 195


@pytest.mark.parametrize("mark", [".", "!", "?", "…", "。", ".)", '."', "?\u2019"])
def test_sentence_ends(mark):
    text = " ".join(f"W{index}" + mark * (index == 195) for index in range(1, 301))
    assert split(text)[0].words == 195


def test_sentences_longer_than_a_chunk_are_split_and_marked():
    spans = split(words(1_000, {500, 1_000}))

    assert [span.splits_sentence for span in spans[:-1]].count(True) >= 4
    assert not spans[-1].splits_sentence
    assert all(span.words <= CHUNK_WORDS + REACH_WORDS for span in spans)


def test_spans_are_positions_in_the_text_as_it_came():
    text = "  Ünïcödé   and\n\n\ttabs " + words(300)
    for span in split(text):
        piece = text[span.start : span.end]
        assert len(piece.split()) == span.words
        assert piece == piece.strip()


texts = st.lists(
    st.tuples(
        st.text("abcéд", min_size=1, max_size=4),
        st.sampled_from(["", "", "", ".", "!", '."']),
        st.sampled_from(" \n\t"),
    ),
    max_size=900,
).map(lambda parts: "".join(word + end + gap for word, end, gap in parts))


@given(texts)
def test_chunks_cover_all_words_overlap_by_50_and_keep_their_bounds(text):
    spans = split(text)
    total = len(text.split())

    assert bool(spans) == bool(total)
    reached = 0
    for index, span in enumerate(spans):
        last = index == len(spans) - 1
        assert text[span.start : span.end].split() == text.split()[span.first_word : span.first_word + span.words]
        assert span.first_word == (reached - OVERLAP_WORDS if index else 0)
        assert span.words <= CHUNK_WORDS + REACH_WORDS
        assert last or span.words >= CHUNK_WORDS - REACH_WORDS
        reached = span.first_word + span.words
    assert reached == total


def test_the_warning_names_the_word_where_a_sentence_is_split():
    assert list(split_warnings(split(words(400)))) == [
        "Chunk split mid-sentence at word 200",
        "Chunk split mid-sentence at word 350",
    ]
    assert list(split_warnings(split(words(300, {195, 345})))) == []


@pytest.mark.parametrize("number", [201, 499, 500])
def test_a_response_of_up_to_500_words_is_one_chunk(number):
    assert [span.words for span in split(words(number), above=500)] == [number]


def test_a_longer_response_is_cut_as_any_other_text():
    assert split(words(501), above=500) == split(words(501))


def test_han_and_kana_count_two_characters_as_a_word():
    sentence = "今天天气很好。"  # 6 characters, 3 words
    spans = split(sentence * 100)

    assert [(span.first_word, span.words) for span in spans] == [(0, 201), (151, 149)]
    assert all(span.start % len(sentence) == 0 or span.first_word for span in spans)
    assert spans[0].end == 67 * len(sentence)
    assert not any(span.splits_sentence for span in spans)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("コンピュータ", 3),
        ("日本語とEnglishを書く。", 5),
        ("「はい」と言う。", 3),
        ("สวัสดีครับ", 3),
        ("မြန်မာဘာသာ", 3),
        ("오늘 날씨가 좋습니다.", 3),
        ("don't stop-me now: 3.14!", 4),
        ("- a\n- b", 4),
        ("x" * 64, 1),
        ("x" * 65, 2),
        ("https://example.com/" + "a" * 50, 2),
    ],
)
def test_words(text, number):
    assert sum(span.words for span in split(text)) == number


@pytest.mark.parametrize("run", ["a", "漢", "ก", "=", "\u0301", "\U0001f469\u200d", "「", "a漢", "\0"])
def test_a_run_without_spaces_has_no_long_chunk(run):
    text = run * (200_000 // len(run))
    spans = split(text)

    assert max(span.end - span.start for span in spans) <= (CHUNK_WORDS + REACH_WORDS) * 72
    assert spans[0].start == 0
    assert spans[-1].end == len(text)


anything = st.text(
    st.sampled_from([*"ab漢かก.。!「」()`>#-*|~1 \n\t\r", "\u0301", "\u200d", "\u3000", "\0", "\ud800", "é"]),
    max_size=3_000,
)


@given(anything)
def test_every_character_of_a_word_is_in_a_chunk(text):
    spans = split(text)
    covered = set()
    for span in spans:
        assert not text[span.start].isspace()
        assert not text[span.end - 1].isspace()
        covered |= set(range(span.start, span.end))
    assert all(character.isspace() or place in covered for place, character in enumerate(text))
    assert split(text) == spans


def test_the_library_is_imported_when_it_is_needed():
    code = (
        "import sys; from suture_client.text import chunker; chunker.split('A b. ' * 100);"
        "print('sentencex' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
