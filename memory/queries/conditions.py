"""Conditions of a search, which every match fulfils, and words, which rank (docs/search.md). Pure."""

import re
from collections.abc import Sequence

# Signs that make a condition of words in parse_question. A quote within a word, or after a number, makes none.
_MARKS = '["\u201c-\u201f\u2033\u00ab\u00bb\uff02]'
_QUOTES = re.compile(rf"(?<!\w){_MARKS}|{_MARKS}(?!\w)")
_MINUS = re.compile(r"(?<!\S)[-\uff0d\ufe63]+")
_OPERATORS = re.compile(r"(?<!\S)(?:AND|OR)(?!\S)")


def words_only(query: str) -> str:
    """`query` without conditions: the same words, all of which only rank."""
    plain = _MINUS.sub(" ", _QUOTES.sub(" ", query).replace("*", " "))
    return _OPERATORS.sub(lambda operator: operator[0].lower(), plain)


def with_conditions(
    query: str,
    *,
    phrases: Sequence[str] = (),
    all_of: Sequence[str] = (),
    none_of: Sequence[str] = (),
    prefix: Sequence[str] = (),
) -> str:
    """`query` as plain words, with conditions: every match has all `phrases` and all words of `all_of`, none of
    `none_of` (words or phrases), and a word with each `prefix`."""
    parts = [
        *(f'"{_unquoted(one)}"' for one in (*phrases, *all_of)),
        *(f'-"{_unquoted(one)}"' for one in none_of),
        *(f"{one}*" for one in prefix),
    ]
    return " ".join([words_only(query), *parts])


def _unquoted(words: str) -> str:
    return re.sub(_MARKS, " ", words)
