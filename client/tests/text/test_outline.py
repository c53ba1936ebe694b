"""Chunks of tables begin with a row below the table's header, and chunks of nested lists below the items above."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture_client.text.chunker import CHUNK_WORDS, OVERLAP_WORDS, REACH_WORDS, split, with_lines_above
from suture_client.watching.markdown_files import chunks_of

pytestmark = pytest.mark.pure

HEADER = "| name | use |\n|---|---|"


def texts(text):
    return [with_lines_above(text, span) for span in split(text)]


def table(rows, words, *, start="| ", between=" | ", end=" |", header=HEADER):
    lines = [f"{start}row{number}{between}{' '.join(['word'] * words)}{end}" for number in range(rows)]
    return "\n".join([header, *lines])


@pytest.mark.parametrize(
    ("text", "header", "row"),
    [
        (table(80, 12), HEADER, "| row"),
        (table(80, 55), HEADER, "| row"),
        (table(20, 99), HEADER, "| row"),
        (table(80, 12, header=" name | use\n:--|--:", start="", end=""), "name | use\n:--|--:", "row"),
        (
            table(80, 12, header="> | name | use |\n> |---|---|", start="> | "),
            "> | name | use |\n> |---|---|",
            "> | row",
        ),
        (table(80, 12).replace("\n", "\r\n"), HEADER.replace("\n", "\r\n"), "| row"),
        (table(80, 12).replace("word word", "It works. Really"), HEADER, "| row"),
    ],
)
def test_a_chunk_of_a_table_begins_with_a_row_below_the_header(text, header, row):
    first, *others = texts(text)

    assert first.startswith(header)
    assert len(others) > 3
    for chunk in others:
        assert chunk.startswith(header)
        assert chunk[len(header) :].lstrip().startswith(row)
    lines = [line.strip() for line in text.splitlines()]
    assert all(chunk.splitlines()[-1].strip() in lines for chunk in [first, *others])


def test_a_row_longer_than_a_chunk_is_cut_and_keeps_the_header():
    assert all(chunk.startswith(HEADER) for chunk in texts(table(3, 700)))


def test_words_after_a_table_do_not_get_its_header():
    text = f"{table(30, 12)}\n\n{'Some words follow it. ' * 200}"
    assert HEADER not in texts(text)[-1]


def test_a_table_in_code_is_text():
    assert all(not span.above for span in split(f"```\n{table(80, 12)}\n```"))


def test_a_header_longer_than_the_overlap_is_not_repeated():
    header = f"| {' '.join(['name'] * OVERLAP_WORDS)} | use |\n|---|---|"
    assert all(not span.above for span in split(table(80, 12, header=header)))


def test_a_chunk_of_a_nested_list_repeats_the_items_above():
    text = "".join(
        f"- area {area}\n" + "".join(f"  1. step {area}.{step}\n     - {'do it ' * 9}\n" for step in range(9))
        for area in range(6)
    )
    _first, *others = texts(text)

    assert len(others) > 3
    for chunk in others:
        above, step = chunk.splitlines()[:2]
        assert step.startswith("  1. step ")
        assert above == f"- area {step.removeprefix('  1. step ')[0]}"


def test_items_of_a_flat_list_repeat_nothing():
    assert all(not span.above for span in split("- an item of the list\n" * 200))


markdown = st.lists(
    st.sampled_from(
        [
            "| a | b |\n",
            "|---|---|\n",
            "- x y\n",
            "  - x\n",
            "    1. y z\n",
            "words. " * 9,
            "\n",
            "> ",
            "```\n",
            "a|b\n",
        ]
    ),
    max_size=400,
).map("".join)


@given(markdown)
def test_chunks_of_markdown_cover_all_words_and_repeat_lines_before_them(text):
    spans = split(text)
    reached = 0
    for span in spans:
        assert span.first_word <= reached < span.first_word + span.words
        assert span.words <= CHUNK_WORDS + REACH_WORDS
        assert all(end <= span.start for _, end in span.above)
        reached = span.first_word + span.words
    assert reached == sum(len(line.split()) for line in text.splitlines())


@given(markdown)
def test_a_chunk_of_a_file_has_as_many_characters_as_its_span(text):
    for chunk in chunks_of(text).chunks:
        assert chunk["start"] >= 0
        assert chunk["end"] - chunk["start"] == len(chunk["text"])
