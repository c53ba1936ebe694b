"""PostgreSQL's parser takes quadratic time for some texts; none of these reaches it."""

import re

import pytest
from django.db import connections

pytestmark = pytest.mark.django_db(databases=["default", "owner"])

#: For 80 kB of each, to_tsvector() took more than half a second, and for most more than a minute.
LURES = ["a_", "/.", "./", "1b@", "1_", "<!--", "<a ", "/./././. ", "1b@1b@1b@ ", "a_/.@<"]


def parsable(text: str) -> str:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SET LOCAL ROLE suture_gate")
        cursor.execute("SELECT parsable_text(%s)", [text])
        return str(cursor.fetchone()[0])


@pytest.mark.parametrize("lure", LURES)
@pytest.mark.parametrize("length", [150, 2_000, 20_000, 200_000])
def test_what_the_parser_would_try_again_and_again_is_bounded(lure, length):
    text = parsable(lure * (length // len(lure)))

    for stretch in re.findall(r"\S{201,}", text):
        assert not set("_/.@") & set(stretch)
    for sign in "<@":
        assert text.count(sign) * len(text) <= 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "See https://example.com/a_b/c.html?d=e#f or write to jack_doe@example.com.",
        "<p>Jack &amp; Jane</p> " * 20,
        "snake_case and dotted.names " * 30,
        "x" * 5_000,
        "",
    ],
)
def test_usual_texts_stay(text):
    assert parsable(text) == text


def test_such_a_text_is_recorded_and_found(world):
    world.event("needle " + "a_" * 10_000 + " haystack " + "/." * 5_000 + " <!--" * 5_000)

    assert len(world.found("needle")) == 1
    assert len(world.found("haystack")) == 2  # its two chunks share the words between them
