"""Search: no input is an error, filters narrow, and nobody hears what is not for them."""

import html
import re
from itertools import chain
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.factories import EventFactory

CHANNELS = ["private", "public", "team", "agent"]


def search(api, query, **fields):
    return api.ok("post", "chunks/search", {"query": query, "limit": 200, **fields})


def texts(api, query, **fields):
    return sorted(chunk["text"] for chunk in search(api, query, **fields)["chunks"])


def test_it_works(world):
    chunk = world.chunk("The quick brown fox", content={"subject_type": "user", "subject_id": "jack"})
    world.chunk("A lazy dog")

    answer = search(world.alice, "foxes")

    assert set(answer) == {"chunks", "total_count", "total_is_estimate", "ranking", "mode", "notices", "next"}
    assert (answer["total_count"], answer["total_is_estimate"], answer["ranking"]) == (1, False, "exact")
    (found,) = answer["chunks"]
    assert set(found) == {
        *("chunk_id", "text", "importance", "ts", "rank", "edits_applied", "is_quarantined", "event_id"),
        *("session_id", "scope", "subject_type", "subject_id", "project_id", "channel", "tier", "source", "recorder"),
        *("tags", "duplicates"),
    }
    assert (found["chunk_id"], found["text"]) == (chunk, "The quick brown fox")
    assert found["rank"] > 0


QUERIES = [
    ("fox", ["brown fox", "quick fox"]),
    ("quick fox", ["brown fox", "quick fox"]),  # any word
    ("quick AND fox", ["quick fox"]),
    ("quick AND fox OR dog", ["lazy dog", "quick fox"]),
    ("fox OR dog AND lazy", ["brown fox", "lazy dog", "quick fox"]),
    ("and fox or dog", ["brown fox", "lazy dog", "quick fox"]),
    ('lazy "brown fox"', ["brown fox"]),  # the phrase is a condition, the other word is not
    ("fox -brown", ["quick fox"]),
    ('"brown fox"', ["brown fox"]),
    ('"fox brown"', ["brown fox", "quick fox"]),  # nothing has the phrase, so its words are searched
    ("brown or dog", ["brown fox", "lazy dog"]),
    ("brown OR dog", ["brown fox", "lazy dog"]),
    ("FOXES", ["brown fox", "quick fox"]),
]


def test_web_search_syntax(world):
    for text in ("brown fox", "quick fox", "lazy dog"):
        world.chunk(text)
    assert [(query, texts(world.alice, query)) for query, _ in QUERIES] == QUERIES


STARS = [
    ("invo*", ["an invoice", "paid invoices", "they involve us"]),
    ("INVO*", ["an invoice", "paid invoices", "they involve us"]),
    ("invoic*", ["an invoice", "paid invoices"]),
    ("invoices*", ["an invoice", "paid invoices"]),  # its stem
    ("paid invo*", ["an invoice", "paid invoices", "they involve us"]),
    ("paid AND invo*", ["paid invoices"]),
    ("invo* -paid", ["an invoice", "they involve us"]),
    ("us -invo*", ["us"]),
    ("us OR pai*", ["paid invoices", "they involve us", "us"]),
    ('"paid invo*"', ["paid invoices"]),
    ('"invo* paid"', ["paid invoices"]),  # nothing has the phrase, so its words are searched
    ('-"paid invo*" invo*', ["an invoice", "they involve us"]),
    ("they* AND inv*", []),  # stop words are not kept: none begins so
    ("in*", []),  # too short to mean a beginning
    ("*voice", []),
    ("inv*ice", []),
    ("**invo**", []),
    ("été*", ["étéléphone"]),
    ("sutureprefix1", []),
    ("don't*", []),
]


def test_a_star_finds_what_begins_so(world):
    for text in ("an invoice", "paid invoices", "they involve us", "us", "étéléphone"):
        world.chunk(text)
    assert [(query, texts(world.alice, query)) for query, _ in STARS] == STARS


def test_a_beginning_finds_effective_words_alone_and_shows_them(world):
    chunk = world.chunk("an invoice")
    world.edit(chunk, "amend", text="an invitation")
    assert search(world.alice, "invo*")["chunks"] == []
    (found,) = search(world.alice, "invi*", highlight=True)["chunks"]
    assert found["snippet"] == "<mark>invitation</mark>"


BESIDE_SIGNS = [
    "The “refund” is due",
    "a «refund» for Jack",
    "a \u2018refund\u2019",
    "the refund\u2019s day",
    "alpha—refund—beta",
    "refund… yes",
    "x →refund← y",
    "「refund」",
    "a\u00a0refund\u00a0today",
    "it is ¿refund? & <b>refund</b>",
]


@pytest.mark.parametrize("text", BESIDE_SIGNS)
def test_a_snippet_marks_words_beside_typographic_signs(world, text):
    world.chunk(text)
    (found,) = search(world.alice, "refund", highlight=True)["chunks"]
    snippet = found["snippet"]
    assert snippet.count("<mark>refund</mark>") == text.count("refund"), snippet
    assert re.sub("</?mark>", "", snippet) in html.escape(text, quote=False)


def test_a_query_without_words_finds_nothing_and_says_so(world):
    world.chunk("The end of the road")
    for query in ("the", "of and", "   ", "!!!", '"', "-", "OR", '""', "( ) & | ! <-> :*", "\\", "'"):
        answer = search(world.alice, query)
        assert [notice["code"] for notice in answer.pop("notices")] == ["only_stop_words"], query
        assert answer == {
            "chunks": [],
            "total_count": 0,
            "total_is_estimate": False,
            "ranking": "exact",
            "mode": "keyword",
            "next": None,
        }, query


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=1000))
def test_no_text_is_a_syntax_error(world, query):
    assert world.alice.post("chunks/search", {"query": query}).status_code == 200


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text("-\"!&|()<>:*\\'aA orOR\t\u3000\u2028", min_size=1, max_size=1000))
def test_no_row_of_signs_is_a_syntax_error(world, query):
    assert world.alice.post("chunks/search", {"query": query}).status_code == 200


def test_the_words_beside_a_ruled_line_are_found(world):
    world.chunk("fox")
    assert texts(world.alice, "-" * 80 + "\nfox\n" + "-" * 80) == ["fox"]


def test_no_long_text_is_an_error(world):
    for query in ("😀" * 1000, "İ" * 1000, "a" * 1000, "x:y&z!(<->" * 100, "-" * 1000, '"a b" ' * 160):
        assert world.alice.post("chunks/search", {"query": query}).status_code == 200, query[:9]


EVERYTHING = ["about alpha", "about jack", "about jane", "about nothing"]
FILTERS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, EVERYTHING),
    ({"scope": "user"}, ["about jack", "about jane"]),
    ({"subject_type": "user", "subject_id": "jack"}, ["about jack"]),
    ({"subject_id": "jane"}, ["about jane"]),
    ({"subject_type": "company"}, []),
    ({"project_id": "alpha"}, ["about alpha"]),
    ({"session_id": "session-2"}, ["about nothing"]),
    ({"scope": "user", "session_id": "session-2"}, []),
    ({"scope": None, "subject_id": None, "project_id": None, "session_id": None, "channel": None}, EVERYTHING),
]


def test_filters_narrow(world):
    for name in ("jack", "jane"):
        world.chunk(f"about {name}", content={"subject_type": "user", "subject_id": name})
    world.chunk("about alpha", content={"project_id": "alpha"})
    world.chunk("about nothing", session_id="session-2")

    words = "about OR jack OR jane OR alpha OR nothing"
    assert [(filters, texts(world.alice, words, **filters)) for filters, _ in FILTERS] == FILTERS


def test_the_total_counts_what_the_limit_leaves_out(world):
    for number in range(7):
        world.chunk(f"fox {number}")

    answer = world.alice.ok("post", "chunks/search", {"query": "fox", "limit": 3})

    assert (len(answer["chunks"]), answer["total_count"]) == (3, 7)
    assert len(world.alice.ok("post", "chunks/search", {"query": "fox"})["chunks"]) == 7


def said_in_every_channel(world):
    return {channel: world.chunk(f"fox {channel}", channel=channel) for channel in CHANNELS}


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_channel_hears_what_was_said_in_it(world, channel):
    said_in_every_channel(world)
    assert texts(world.alice, "fox", channel=channel) == [f"fox {channel}"]


def test_without_a_channel_all_of_the_keys_channels_are_searched(world, agent_in):
    said_in_every_channel(world)

    assert texts(world.alice, "fox") == sorted(f"fox {channel}" for channel in CHANNELS)
    assert texts(agent_in("public", "team"), "fox") == ["fox public", "fox team"]


def test_a_channel_outside_the_keys_is_403(world, agent_in):
    response = agent_in("public").post("chunks/search", {"query": "fox", "channel": "team"})

    assert response.status_code == 403
    assert response.json()["errors"][0]["pointer"] == "#/channel"


@pytest.mark.parametrize(
    ("channel", "heard"),
    [
        ("private", ["high", "low", "none"]),
        ("team", ["high", "low", "none"]),
        ("public", ["low", "none"]),
        ("agent", ["low", "none"]),
    ],
)
def test_a_channel_hears_the_sensitivities_that_it_may(world, channel, heard):
    for sensitivity in ("none", "low", "high", "secret"):
        world.chunk(f"fox {sensitivity}", channel=channel, sensitivity=sensitivity)

    assert texts(world.alice, "fox", channel=channel) == [f"fox {level}" for level in heard]
    assert texts(world.alice, "fox", channel=channel, include_quarantined=True) == [f"fox {level}" for level in heard]


def test_without_a_channel_all_is_found_that_the_key_may_read_in_one(world, agent_in):
    world.chunk("fox high", channel="private", sensitivity="high")
    world.chunk("fox none", channel="private")

    assert texts(world.alice, "fox") == ["fox high", "fox none"]
    assert texts(agent_in("private", "team"), "fox") == ["fox high", "fox none"]
    assert texts(agent_in("private", "public"), "fox") == ["fox high", "fox none"]
    assert texts(agent_in("private", "public"), "fox", channel="public") == []


def test_secret_is_never_found_by_anybody(world, agent_in):
    world.chunk("fox secret", sensitivity="secret")

    for caller in (world.alice, world.bob, world.auditor, agent_in("private")):
        for channel in (None, "private"):
            assert texts(caller, "fox", channel=channel, include_quarantined=True) == []


def test_leaving_the_channel_out_does_not_go_around_a_block(world, agent_in):
    chunk = world.chunk("fox", channel="team")
    speaker = agent_in("team", "private")
    world.edit(chunk, "block", channel="public")

    assert texts(world.alice, "fox") == []
    # who does not speak in the blocked channel is not concerned
    assert texts(speaker, "fox") == ["fox"]
    assert texts(world.alice, "fox", channel="team") == ["fox"]


def test_a_block_of_its_own_channel_hides_it_there(world):
    chunk = world.chunk("fox", channel="team")
    world.edit(chunk, "block", channel="team")

    assert texts(world.alice, "fox", channel="team") == []


def test_quarantined_chunks_come_when_asked_for_and_are_marked(world):
    world.edit(world.chunk("fox one"), "quarantine")
    world.chunk("fox two")

    assert texts(world.alice, "fox") == ["fox two"]
    answer = search(world.alice, "fox", include_quarantined=True)
    assert {chunk["text"]: chunk["is_quarantined"] for chunk in answer["chunks"]} == {"fox one": True, "fox two": False}
    assert answer["total_count"] == 2


def test_the_auditor_reads(world):
    world.chunk("fox")
    assert texts(world.auditor, "fox") == ["fox"]


def test_the_newer_words_are_found_and_the_older_are_not(world):
    chunk = world.chunk("fox")
    edit = world.edit(chunk, "amend", text="wolf")
    assert (texts(world.alice, "fox"), texts(world.alice, "wolf")) == ([], ["wolf"])

    world.edit(chunk, "revert", edit_id=edit["edit_id"])
    assert (texts(world.alice, "fox"), texts(world.alice, "wolf")) == (["fox"], [])


def test_an_amendment_longer_than_a_search_vector_is_found_by_its_beginning(world):
    text = " ".join(f"{number:x}" for number in range(160_000))[:1_000_000]
    chunk = world.chunk("fox")
    preview = {"target_type": "chunk", "target_id": chunk, "op": "amend", "patch": {"text": text}}
    assert "1f" in world.bob.ok("post", "edits/preview", preview)["newly_found_by"]
    world.edit(chunk, "amend", text=text)

    assert search(world.alice, "1f")["total_count"] == 1


def test_the_limit_is_1_to_200(world):
    for limit in (0, 201, -1, 1.5, "ten", None, True):
        response = world.alice.post("chunks/search", {"query": "fox", "limit": limit})

        assert response.status_code == 400, limit
        assert response.json()["errors"][0]["pointer"] == "#/limit", limit


BAD = [{}, {"query": ""}, {"query": None}, {"query": 5}, {"query": ["fox"]}, {"query": "x" * 1001}]


def test_a_query_is_1_to_1000_characters(world):
    for body in BAD:
        response = world.alice.post("chunks/search", body)

        assert response.status_code == 400, body
        assert response.json()["errors"][0]["pointer"] == "#/query", body


def test_a_search_is_three_queries_after_authentication(world, django_assert_max_num_queries):
    world.chunk("fox")
    # what the tests themselves set at the start of a request, savepoint, authenticate, the models of the tenant's
    # vectors, misspelled words, search, release
    with django_assert_max_num_queries(7):
        search(world.alice, "fox")


def pages(api, query, limit, **fields):
    """Every page of a search, as the texts that it answers."""
    found, cursor = [], None
    while True:
        answer = search(api, query, limit=limit, **fields, **({"cursor": cursor} if cursor else {}))
        found.append([chunk["text"] for chunk in answer["chunks"]])
        cursor = answer["next"]
        if cursor is None:
            return found


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 200])
def test_pages_hold_every_match_once_and_in_order(world, limit):
    for number in range(7):
        world.chunk(f"fox {number}" + " fox" * (number % 3), ts="2025-01-01T00:00:00Z")
    world.chunk("dog")

    everything = [chunk["text"] for chunk in search(world.alice, "fox")["chunks"]]
    found = pages(world.alice, "fox", limit)

    assert [*chain(*found)] == everything
    assert [len(page) for page in found] == [limit] * (7 // limit) + [7 % limit] * (7 % limit > 0)


def test_more_than_200_matches_are_reached_by_pages(world):
    bodies = [EventFactory(content__text=f"fox {number}", ts="2025-01-01T00:00:00Z") for number in range(450)]
    world.alice.ok("post", "events/batch", {"events": bodies})

    found = pages(world.alice, "fox", 200)

    assert [len(page) for page in found] == [200, 200, 50]
    assert len({*chain(*found)}) == 450


@pytest.mark.slow
def test_a_windowed_search_has_pages_too(world):
    for start in range(0, 8_000, 1_000):
        bodies = [EventFactory(content__text=f"fox {start + n}") for n in range(1_000)]
        world.alice.ok("post", "events/batch", {"events": bodies})

    first = search(world.alice, "fox", limit=200)
    found = [*chain(*pages(world.alice, "fox", 200))]

    assert (first["ranking"], first["total_is_estimate"]) == ("windowed", True)
    assert len(found) == len(set(found))
    assert len(found) > 500


def test_a_page_has_what_was_not_shown_whatever_was_recorded_since(world):
    for number in range(4):
        world.chunk(f"fox {number}", ts=f"2025-01-0{number + 1}T00:00:00Z")
    first = search(world.alice, "fox", limit=2)
    world.chunk("fox", ts="2025-01-03T12:00:00Z")
    world.edit(first["chunks"][1]["chunk_id"], "retract")

    rest = search(world.alice, "fox", limit=2, cursor=first["next"])

    assert [chunk["text"] for chunk in rest["chunks"]] == ["fox", "fox 1"]
    last = search(world.alice, "fox", limit=2, cursor=rest["next"])
    assert ([chunk["text"] for chunk in last["chunks"]], last["next"]) == (["fox 0"], None)


@pytest.mark.parametrize(
    "changed", [{"query": "dog"}, {"limit": 3}, {"scope": "global"}, {"highlight": True}, {"channel": "private"}]
)
def test_a_cursor_belongs_to_one_search(world, changed):
    for number in range(3):
        world.chunk(f"fox {number}")
    cursor = search(world.alice, "fox", limit=2)["next"]

    response = world.alice.post("chunks/search", {"query": "fox", "limit": 2, "cursor": cursor, **changed})

    assert response.status_code == 400
    assert [fault["pointer"] for fault in response.json()["errors"]] == ["#/cursor"]
    for broken in ("x", cursor[:-1], ""):
        assert world.alice.post("chunks/search", {"query": "fox", "limit": 2, "cursor": broken}).status_code == 400
