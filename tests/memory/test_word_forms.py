"""Texts as people write them, questions as people ask them: one normal form finds both, in every writing system."""

import pytest
from django.db import connections, transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.django_db

#: A memory and queries that find it.
FOUND = [
    # Unicode forms, and signs that are no letters
    ("Das Cafe\u0301 in Zu\u0308rich schlie\u00dft", ["Caf\u00e9", "Z\u00fcrich", "Zurich", "SCHLIESST"]),
    ("Das Caf\u00e9 in Z\u00fcrich schlie\u00dft", ["Cafe\u0301", "Zu\u0308rich", "CAF\u00c9"]),
    ("A naive resume from Lodz", ["na\u00efve", "r\u00e9sum\u00e9", "\u0141\u00f3d\u017a"]),
    ("The \u201crefund\u201d was paid \u2014 really", ["refund", "really"]),
    ("word\u2014word and staging\u2192production", ["word", "staging", "production"]),
    ("\u00bfD\u00f3nde est\u00e1 la factura?", ["d\u00f3nde", "donde", "factura"]),
    ("\u2026the \u00abdeposit\u00bb\u2026", ["deposit"]),
    ("The \ufb01le is \uff26\uff35\uff2c\uff2c", ["file", "full"]),
    ("in\u00advoi\u200bce and pass\u2060word", ["invoice", "password"]),
    ("ΟΔΟΣ Αθηνών", ["οδος", "αθηνων"]),
    ("ёлка и Йод", ["елка", "йод"]),
    # numbers
    ("It cost \u20ac250", ["250", "\u20ac250"]),
    ("The price is 2,500 dollars", ["2500", "\u00a32,500", "2'500", "$2,500"]),
    ("The price is 2500", ["2,500", "2\u202f500", "2\u2019500"]),
    ("Der Preis ist 1\u2019234\u2019567", ["1234567", "1,234,567"]),
    ("السعر ٢٥٠٠ ريال", ["2500", "۲۵۰۰"]),
    ("कीमत २५०० है", ["2500"]),
    ("Call +41 79 123 45 67", ["41", "123"]),
    # apostrophes
    ("Ms O\u2019Brien signed", ["O'Brien", "OBrien", "brien"]),
    ("L\u2019\u00e9t\u00e9 prochain nous partons", ["\u00e9t\u00e9", "l'\u00e9t\u00e9", "ete"]),
    ("Jack's house", ["Jacks", "Jack\u02bcs"]),
    # identifiers
    ("We patched CVE-2026-2332 on Friday", ["2332", "CVE-2026-2332", "cve 2026 2332"]),
    ("Ticket 1234-4332 is closed", ["4332", "1234-4332"]),
    ("We call getShippingMethodIdFromCheckout before", ["shipping method checkout", "getShippingMethodIdFromCheckout"]),
    ("The HTTPServerError and parseXMLFile", ["server", "xml file", "HttpServerError"]),
    ("Set max_open_files first", ["open files", "max_open_files", "maxOpenFiles"]),
    ("It is django.contrib.auth.models", ["contrib", "auth models", "django.contrib.auth.models"]),
    ("See /var/log/nginx/error.log", ["error.log", "nginx", "/var/log/nginx/error.log"]),
    ("Open C:\\Users\\jo\\report.docx", ["report.docx", "jo"]),
    ("Write to jack.doe@example.com", ["jack", "example", "jack.doe@example.com"]),
    ("https://example.org/docs/setup.html#step", ["setup.html", "docs"]),
    ("std::vector<String> and List<Int>", ["vector", "String", "int"]),
    # writing systems
    ("김민수는 서울에서 일한다", ["서울", "김민수", "서울에서"]),
    ("월세는 2,871이고 INV-2026-5173를 PDF로 냈다", ["2871", "5173", "inv-2026-5173", "PDF"]),
    ("小化妆包 在柜子里", ["包", "化妆包", "柜子"]),
    ("猫在屋顶上", ["猫", "屋顶"]),
    ("会議は京都で開かれます", ["京都", "会議"]),
    ("أحمد يعمل في الإدارة", ["احمد", "الادارة"]),
    ("نتائج الدوري اليوم", ["الدورى"]),
    ("كَتَبَ الرِّسَالَةَ", ["كتب", "الرسالة"]),
    ("می\u200cخواهم کتاب", ["میخواهم", "كتاب"]),  # noqa: RUF001 (Persian)
    ("یہ کہانی ہے", ["كہانی", "کہاني"]),
    ("שָׁלוֹם לכולם", ["שלום"]),
    ("המנכ\u05f4ל אישר", ['המנכ"ל', "המנכל"]),
    ("\u05d2\u05f3\u05d9\u05e8\u05e4\u05d4", ["\u05d2'\u05d9\u05e8\u05e4\u05d4", "\u05d2\u05d9\u05e8\u05e4\u05d4"]),
    ("ราคาสินค้าแพง", ["สินค้า"]),
    ("हिन्दी में लिखा", ["हिन्दी"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "queries"), FOUND, ids=[text[:20] for text, _ in FOUND])
def test_each_query_finds_the_text(world, text, queries):
    world.chunk(text)
    world.chunk("Something else entirely 7")

    missed = [query for query in queries if world.found(query, mode="keyword")[:1] != [text]]
    assert missed == []


def test_a_part_of_an_identifier_does_not_find_every_other(world):
    """Asked for one invoice, search does not list all of them."""
    for number in range(5):
        world.chunk(f"Invoice INV-2087{number} was paid")

    assert world.found("INV-20872", mode="keyword") == ["Invoice INV-20872 was paid"]


def test_a_chinese_word_is_not_found_by_its_characters_elsewhere(world):
    world.chunk("东京很大")
    world.chunk("东边有人")

    assert world.found("东京", mode="keyword") == ["东京很大"]
    assert set(world.found("东", mode="keyword")) == {"东京很大", "东边有人"}


@pytest.fixture
def ask():
    """`ask("expression of %s", ...)` is the answer of the database."""

    def one(sql, *values):
        with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
            cursor.execute("SET LOCAL ROLE suture_gate")
            cursor.execute(f"SELECT {sql}", values)
            return cursor.fetchone()[0]

    return one


TEXTS = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"])
    | st.sampled_from("0123456789,.'-+/\\@_\u2019\u200b\u200d\u0301\u202f<>aAéß漢字서울\u0627\u0623\u0649מנכ\"\u05f4"),
    max_size=40,
)


@pytest.mark.django_db(databases=["default", "owner"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None)
@given(text=TEXTS)
@example(text="1,234'567")
@example(text="e\u200d\u0301")
@example(text="1-+2")
def test_the_normal_form_is_its_own_normal_form(ask, text):
    once = ask("word_text(%s)", text)
    assert ask("word_text(%s)", once) == once


@pytest.mark.django_db(databases=["default", "owner"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None)
@given(text=TEXTS)
def test_a_text_is_found_by_itself(ask, text):
    """Query and index agree: whatever words a text has as a question, it has them as a memory."""
    missing = ask(
        "ARRAY(SELECT unnest(question_terms('english', word_text(%s)))"
        " EXCEPT SELECT unnest(tsvector_to_array(text_vector('english', %s))))",
        text,
        text,
    )
    assert missing == []
