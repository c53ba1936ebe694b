"""Sentence ends in prose, in Markdown and in several scripts. Pure."""

import re

import pytest

from suture_client.text import sentences

pytestmark = pytest.mark.pure


def cut(text):
    """Split `text` into sentences after the words that end one."""
    words = [*re.finditer(r"\S+", text)]
    ends = sentences.ends(text, [word.span() for word in words], sentences.code_in(text))
    found, first = [], 0
    for last in [*sorted(ends), len(words) - 1]:
        found.append(text[words[first].start() : words[last].end()])
        first = last + 1
    return found


@pytest.mark.parametrize(
    "sentences",
    [
        ["Dr. Smith met Mr. Jones at 3 p.m. on Monday.", "They talked."],
        ["Use a library, e.g. this one, i.e. not your own.", "It helps."],
        ["Pi is 3.14 and e is 2.718.", "Version 2.0.1 is out."],
        ["Is it late?", "Yes!", "Go home."],
        ['He said "Stop it." and left.', "She stayed."],
        ["The U.S. government agreed.", "The U.K. did not."],
        ["J. R. R. Tolkien wrote it.", "It is long."],
        ["Wait... what happened?", "Nothing."],
        ["Wait… what happened…", "Nothing…", "“Really…”", "Yes."],
        ["We use Node.js and config.yaml in src/main.py.", "Run it."],
        ["The file is at https://example.com/a.b?c=d.", "Open it."],
        ["Acme Inc. was sold to Foo Ltd. for $5.", "Prices rose."],
        ["Ask Ms. Jones, approx. 5 times, vol. 2, tel. 7.", "Then stop."],
        ["Er kam am 3. Oktober.", "Sie blieb."],
        ["Run `x.y`.", "Then see `A. B` there.", "Done."],
        ["**It is bold.**", "*This too.*", "__And this.__", "Not this_one."],
        ["no capitals here.", "none here either."],
        ["M. Dupont est arrivé.", "Il est reparti !", "Pourquoi ?"],
        ["Привет.", "Как дела?", "Хорошо."],
        ["Τι κάνεις;", "Είμαι καλά."],  # noqa: RUF001
        ["मेरा नाम राम है।", "मैं दिल्ली में रहता हूँ।"],
        ["ما اسمك؟", "اسمي أحمد."],
        ["오늘 날씨가 좋습니다.", "공원에 갑시다."],
    ],
)
def test_sentences_end_where_a_reader_says_so(sentences):
    assert cut(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    "blocks",
    [
        ["# A heading", "A paragraph\nover lines.", "Its second sentence"],
        ["A paragraph without an end\n", "Another one"],
        ["- one item", "- another item\n  that goes on", "  - a nested one", "* a third"],
        ["1. Dr. Smith", "2. Mrs. Jones", "3) Others"],
        ["| a. b | c |", "|---|---|", "| D. E | f |"],
        ["> said\n> and said", "not said"],
        ["A heading\n=========", "Text"],
        ["Before", "```python", "x = 1  # no. End", "print(x)", "```", "After"],
        ["Before", "~~~", "```", "x. Y", "```", "~~~", "After\nthat"],
        ["Inline ```code``` is no fence\nand goes on", "* an item"],
        ["Text\r\nand more\r\n", "Other\r\n", "- item"],
    ],
)
def test_markdown_ends_sentences(blocks):
    found = cut("\n".join(blocks))

    assert found == [one.strip() for one in blocks]


def test_an_open_fence_continues():
    assert cut("```\na. B\nc. D") == ["```", "a. B", "c. D"]


def test_a_lone_surrogate_is_accepted():
    assert cut("A \ud800 bill. Come down.") == ["A \ud800 bill.", "Come down."]
