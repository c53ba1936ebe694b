"""E7: identifiers are split, so that the same name in another style is near."""

import pytest

from memory.spaces.source_code import SourceCode, parts
from tests.spaces.items import item, likeness, scores

pytestmark = pytest.mark.pure
SPACE = SourceCode()


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("getUserName", ["get", "user", "name"]),
        ("get_user_name", ["get", "user", "name"]),
        ("GET_USER_NAME", ["get", "user", "name"]),
        ("parseHTTPRequest", ["parse", "http", "request"]),
        ("utf8Decoder", ["utf", "8", "decoder"]),
    ],
)
def test_an_identifier_is_split_into_its_words(token, expected):
    assert parts(token) == expected


def test_letters_beyond_english_are_kept():
    assert "".join(parts("größeÄndern")) == "größeändern".casefold()


def test_the_style_of_a_name_does_not_matter():
    same, other = scores(SPACE, "getUserName(id)", "get_user_name(id)", "set_order_total(id)")
    assert same > 0.7
    assert same > other + 0.4


def test_code_is_nearer_to_code_with_the_same_names_than_to_prose_with_the_same_words():
    code, prose = scores(
        SPACE, "def load_user(name):", "user = load_user(name)", "The user had a name and a heavy load."
    )
    assert code > prose + 0.2


def test_operators_count():
    same = likeness(SPACE, "total += price", "count += price")
    other = likeness(SPACE, "total += price", "count != price")
    assert same > other


def test_the_order_of_tokens_counts():
    assert likeness(SPACE, "copy(source, target)", "copy(source, target)") > likeness(
        SPACE, "copy(source, target)", "copy(target, source)"
    )


def test_a_question_without_words_has_no_value():
    assert SPACE.embed_query(item(" ")) is None
