"""A tenant searches in its own language: forms of words, stop words, and writings without spaces."""

import pytest

from tests.erasure.conftest import admins_of

pytestmark = pytest.mark.django_db

GERMAN = ["Die Kundin kündigte ihre Verträge im März.", "Der Kunde lobt das Essen.", "Es regnet."]
SPANISH = ["La clienta canceló sus contratos en marzo.", "El cliente alaba la comida.", "Llueve."]
ARABIC = ["ألغت العميلة عقودها في مارس.", "العميل يمدح الطعام.", "الجو ممطر."]
JAPANESE = ["顧客は三月に契約を解約しました。", "顧客は料理をほめた。", "雨が降っている。"]
POLISH = ["Klientka wypowiedziała swoje umowy w marcu.", "Klient chwali jedzenie.", "Pada deszcz."]


@pytest.fixture
def speaking(world):
    """`speaking(language, texts)` records the texts in a tenant of that language, each in a session of its own."""
    admin = admins_of(world).carol

    def record(language, texts):
        if language != "english":
            admin.ok("post", "settings", {"search_language": language})
        for number, text in enumerate(texts):
            world.chunk(text, session_id=f"session-{number}")

    return record


@pytest.mark.parametrize(
    ("language", "texts", "query", "best"),
    [
        ("german", GERMAN, "Vertrag", 0),
        ("german", GERMAN, "Welche Verträge hat die Kundin gekündigt?", 0),
        ("german", GERMAN, '"lobt das Essen"', 1),
        ("spanish", SPANISH, "contrato", 0),
        ("spanish", SPANISH, "¿Qué contratos canceló la clienta?", 0),
        ("spanish", SPANISH, "comid*", 1),
        ("arabic", ARABIC, "عقود", 0),
        ("arabic", ARABIC, "من يمدح الطعام الجيد؟", 1),
        ("simple", JAPANESE, "契約", 0),
        ("simple", JAPANESE, '"契約を解約"', 0),
        ("simple", JAPANESE, "料理をほめたのは誰ですか", 1),
        ("english", JAPANESE, "契約", 0),
        ("simple", POLISH, "umowa", 0),  # another form than the text has
        ("simple", POLISH, "Które umowy wypowiedziano?", 0),
    ],
)
def test_words_are_found_in_the_forms_of_the_language(world, speaking, language, texts, query, best):
    speaking(language, texts)
    assert world.found(query)[0] == texts[best]


@pytest.mark.parametrize(("language", "query"), [("german", "der und die"), ("spanish", "el de la")])
def test_the_stop_words_of_the_language_find_nothing(world, speaking, language, query):
    speaking(language, [query])
    answer = world.alice.ok("post", "chunks/search", {"query": query})
    assert (answer["chunks"], [one["code"] for one in answer["notices"]]) == ([], ["only_stop_words"])


def test_a_snippet_marks_the_form_that_the_text_has(world, speaking):
    speaking("german", GERMAN)
    answer = world.alice.ok("post", "chunks/search", {"query": "Vertrag", "highlight": True})
    assert "<mark>Verträge</mark>" in answer["chunks"][0]["snippet"]
