"""Words are found in the forms of the tenant's language; in a writing without spaces, and in a language that PostgreSQL
does not know, by parts of words."""

import pytest
from django.db import connections, transaction

from tests.erasure.conftest import admins_of
from tests.memory.lent_words import complete, waiting
from tests.surgery.helpers import drift

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def speak(world, language):
    admins_of(world).carol.ok("post", "settings", {"search_language": language})


def vector(language, text):
    """What text_vector() makes of a text: its lexemes."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("SET LOCAL ROLE suture_gate")
        cursor.execute("SELECT tsvector_to_array(text_vector(%s::regconfig, %s))", [language, text])
        return set(cursor.fetchone()[0])


#: Of each language: what is recorded, what else, and what is asked for that finds the first only.
ASKED = [
    ("german", "Wir haben die Häuser am Fluss verkauft", "Ich trinke gern Tee", "das Haus verkaufen"),
    ("spanish", "Las niñas corrieron por los jardines", "Me gusta el café", "jardín"),
    ("arabic", "الكتب على الطاولة", "أشرب القهوة", "كتب"),
    ("japanese", "昨日、東京都で寿司を食べました", "猫が好きです", "寿司"),
    ("chinese", "我们在北京大学学习", "我喜欢喝咖啡", "大学"),
    ("thai", "เราไปกรุงเทพมหานครเมื่อวานนี้", "ฉันชอบแมว", "กรุงเทพ"),
    ("polish", "Byliśmy w pięknym ogrodzie botanicznym", "Lubię herbatę", "ogrody"),
    ("english", "The houses were sold", "I like tea", "house"),
]


@pytest.mark.parametrize(("language", "said", "other", "asked"), ASKED, ids=[case[0] for case in ASKED])
def test_another_form_of_a_word_finds_it(world, language, said, other, asked):
    if language in ("german", "spanish", "arabic"):
        speak(world, language)
    elif language != "english":
        speak(world, "simple")
    for text in (said, other):
        world.chunk(text)

    assert world.found(asked) == [said]
    complete(world)
    assert world.found(asked)[0] == said
    assert drift(world) == []


@pytest.mark.parametrize("language", ["english", "german", "simple"])
def test_a_writing_without_spaces_is_found_whatever_the_tenants_language(world, language):
    if language != "english":
        speak(world, language)
    said = "会議は京都で開かれます"
    world.chunk(said)
    world.chunk("猫が好きです")

    assert world.found("京都") == [said]
    assert world.found('"京都で開"') == [said]
    assert world.found("京都", phrases=["開京都"]) == []


GERMAN = ["Die Kundin kündigte ihre Verträge im März.", "Der Kunde lobt das Essen.", "Es regnet."]
SPANISH = ["La clienta canceló sus contratos en marzo.", "El cliente alaba la comida.", "Llueve."]
ARABIC = ["ألغت العميلة عقودها في مارس.", "العميل يمدح الطعام.", "الجو ممطر."]
JAPANESE = ["顧客は三月に契約を解約しました。", "顧客は料理をほめた。", "雨が降っている。"]
POLISH = ["Klientka wypowiedziała swoje umowy w marcu.", "Klient chwali jedzenie.", "Pada deszcz."]


@pytest.mark.parametrize(
    ("language", "texts", "query", "best"),
    [
        ("german", GERMAN, "Welche Verträge hat die Kundin gekündigt?", 0),
        ("german", GERMAN, '"lobt das Essen"', 1),
        ("spanish", SPANISH, "¿Qué contratos canceló la clienta?", 0),
        ("spanish", SPANISH, "comid*", 1),
        ("arabic", ARABIC, "من يمدح الطعام الجيد؟", 1),
        ("simple", JAPANESE, '"契約を解約"', 0),
        ("simple", JAPANESE, "料理をほめたのは誰ですか", 1),
        ("simple", POLISH, "Które umowy wypowiedziano?", 0),
    ],
)
def test_questions_and_conditions_speak_the_language(world, language, texts, query, best):
    speak(world, language)
    for number, text in enumerate(texts):
        world.chunk(text, session_id=f"session-{number}")
    assert world.found(query)[0] == texts[best]


@pytest.mark.parametrize(("language", "query"), [("german", "der und die"), ("spanish", "el de la")])
def test_the_stop_words_of_the_language_find_nothing(world, language, query):
    speak(world, language)
    world.chunk(query)
    answer = world.alice.ok("post", "chunks/search", {"query": query})
    assert (answer["chunks"], [one["code"] for one in answer["notices"]]) == ([], ["only_stop_words"])


def test_a_snippet_marks_the_form_that_the_text_has(world):
    speak(world, "german")
    world.chunk("Die Kundin kündigte ihre Verträge im März.")
    answer = world.alice.ok("post", "chunks/search", {"query": "Vertrag", "highlight": True})
    assert "<mark>Verträge</mark>" in answer["chunks"][0]["snippet"]


def test_stop_words_are_those_of_the_language():
    with transaction.atomic("owner"):
        assert vector("german", "das ist die Häuser und der") == {"haus"}
        assert vector("spanish", "las casas de los niños") == {"cas", "niñ", "nin"}
        assert vector("english", "the houses of the children") == {"hous", "children"}
        assert vector("simple", "東京都") == {"東京", "京都", "東", "京", "都"}
        assert vector("simple", "猫 and a dog") == {"猫", "and", "a", "dog"}
        assert vector("simple", "ogrody") == {"ogrody", "~ogr", "~gro", "~rod", "~ody"}


def test_a_change_of_the_language_reaches_what_is_recorded_already(world):
    said = "Wir haben die Häuser verkauft"
    chunk = world.chunk(said)
    retracted = world.chunk("Die Gärten auch")
    world.edit(retracted, "retract")
    complete(world)
    assert world.found("Haus") == []

    speak(world, "german")

    assert waiting(world) == 1
    assert drift(world) == []  # the job has still to come
    complete(world)
    assert waiting(world) == 0
    assert world.found("Haus") == [said]
    assert world.found("Garten") == []
    assert drift(world) == []
    world.edit(chunk, "amend", text="Wir haben die Gärten verkauft")
    assert world.found("Garten") == ["Wir haben die Gärten verkauft"]
    assert drift(world) == []


def test_what_was_being_recorded_while_the_language_changed_follows_too(world):
    world.chunk("Wir haben die Häuser verkauft")
    with world.inside("owner"), connections["owner"].cursor() as cursor:  # whoever changed it did not see the chunk yet
        cursor.execute("UPDATE governance_tenant SET search_language = 'german' WHERE id = %s", [world.tenant_id])

    complete(world)

    assert world.found("Haus") == ["Wir haben die Häuser verkauft"]
    assert drift(world) == []


def test_a_change_of_another_setting_leaves_the_words_alone(world):
    world.chunk("We saw the quokka")
    complete(world)

    admins_of(world).carol.ok("post", "settings", {"pending_edit_days": 9})

    assert waiting(world) == 0


def test_another_tenants_language_is_its_own(world, elsewhere):
    speak(world, "german")
    for one in (world, elsewhere):
        one.chunk("Wir haben die Häuser verkauft")

    assert world.found("Haus") == ["Wir haben die Häuser verkauft"]
    assert elsewhere.found("Haus") == []


def test_an_edit_by_a_phrase_speaks_the_language(world):
    speak(world, "german")
    world.chunk("Wir haben die alten Häuser verkauft")
    world.chunk("会議は京都で開かれます")

    for phrase in ("alte Haus", "京都で"):
        preview = world.bob.ok(
            "post",
            "edits/by-filter",
            {"filter": {"phrase": phrase}, "op": "quarantine", "reason": "a test"},
        )
        assert preview["count"] == 1, phrase
