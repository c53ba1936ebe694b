"""What is sent of a file has no secrets, wherever its parts begin and end, and counts the file's words."""

from collections.abc import Iterator

import pytest

from capture.watching import masked
from capture.watching.chunks import Chunks
from capture.watching.masked import Masked
from memory import chunker

pytestmark = pytest.mark.pure

KEY = "-----BEGIN RSA PRIVATE KEY-----\n{}-----END RSA PRIVATE KEY-----"
PASSWORD = "password = 'hunter2hunter2'"
AWS = "AKIAIOSFODNN7EXAMPLE"


def blocks(text: str, size: int = 3_000) -> Iterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]


def masked_text(text: str, size: int = 3_000) -> str:
    return "".join(Masked(blocks(text, size)))


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masked, "PART", 20_000)


@pytest.mark.parametrize("place", range(19_900, 20_400, 25))
@pytest.mark.parametrize("between", [" ", "\n", "\n\n"])
def test_a_secret_at_the_edge_of_a_part_is_masked(small_parts: None, place: int, between: str) -> None:
    filling = f"word{between}" * 8_000
    text = filling[:place] + between + AWS + between + PASSWORD + between + filling
    found = masked_text(text)
    assert AWS not in found
    assert "hunter2" not in found
    assert found.count("[redacted: ") == 2


@pytest.mark.parametrize("lines", [30, 5_000])
@pytest.mark.parametrize("place", [0, 100, 19_000, 20_100, 39_000])
def test_a_key_of_many_lines_is_masked_however_long_it_is(small_parts: None, lines: int, place: int) -> None:
    filling = "Some words.\n\n" * 4_000
    text = filling[:place] + KEY.format("abcd1234efgh\n\n" * lines) + "\nAfter it. " + filling
    found = masked_text(text)
    assert "abcd1234" not in found
    assert "After it." in found
    assert found.count("[redacted: private key]") == 1


def test_a_key_without_an_end_takes_the_rest_of_the_file(small_parts: None) -> None:
    text = "Before it. " + KEY.format("abcd1234efgh\n\n" * 9_000).rpartition("-----END")[0] + "after it"
    assert masked_text(text) == "Before it. [redacted: private key]"


@pytest.mark.parametrize("size", [1, 7, 3_000])
def test_private_spans_are_left_out_wherever_blocks_end(small_parts: None, size: int) -> None:
    text = "One <private>hidden <PRIVATE a='b'>more</private> still</private > two. " * 20 + "three <private> rest"
    assert masked_text(text, size) == "One  two. " * 20 + "three "


def test_a_word_without_end_has_chunks_that_the_server_takes(small_parts: None) -> None:
    text = "start " + "x" * 100_000 + " end"
    assert masked_text(text) == text
    chunks = list(Chunks(blocks(text)))
    assert max(len(chunk.text) for chunk in chunks) < 50_000
    assert chunks[-1].text.endswith(" end")


def test_control_characters_become_spaces() -> None:
    assert masked_text("a\x0cb\x1bc\x85d\te\nf\r\n") == "a b c d\te\nf\r\n"


def test_word_offsets_count_the_words_of_the_file() -> None:
    key = KEY.format("abcd efgh\n\nijkl\n")
    pieces = [f"w{number}" for number in range(900)]
    pieces[20], pieces[190], pieces[400] = AWS, PASSWORD, key
    text = " ".join(pieces)
    chunks = list(Chunks([text]))
    words = text.split()
    assert len(chunks) > 4
    for chunk in chunks[1:]:
        first = chunk.text.split()[0]
        assert words[chunk.word_offset] == first
    whole = "".join(Masked([text]))
    assert [whole[chunk.start : chunk.end] for chunk in chunks] == [chunk.text for chunk in chunks]


def test_a_text_in_parts_has_the_chunks_of_the_whole(small_parts: None) -> None:
    secret = PASSWORD.replace(" ", "")
    text = "".join(
        f"Sentence {number} has {number % 23} words or so{' and more' * (number % 23)}."
        + ("\n\n" if number % 7 == 0 else " ")
        + (f"{secret} " if number % 50 == 0 else "")
        for number in range(3_000)
    )
    whole = "".join(Masked([text]))
    chunks = list(Chunks(blocks(text)))
    assert [(chunk.start, chunk.end) for chunk in chunks] == [(span.start, span.end) for span in chunker.split(whole)]
    assert [chunk.text for chunk in chunks] == [whole[chunk.start : chunk.end] for chunk in chunks]
    words = text.split()
    beginnings = [(words[chunk.word_offset], chunk.text.split()[0]) for chunk in chunks]
    assert all(word == first for word, first in beginnings if "redacted" not in first and "]" not in first)
