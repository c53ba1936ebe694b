"""Lists of chunks: as they are now, newest first, page by page while others write."""

import pytest


def listed(api, query=""):
    return api.ok("get", "chunks" + (f"?{query}" if query else ""))


def texts(api, query=""):
    return [chunk["text"] for chunk in listed(api, query)["results"]]


def test_it_works(world):
    for text in ("one", "two", "three"):
        world.chunk(text)

    answer = listed(world.alice)

    assert set(answer) == {"results", "next"}
    assert [chunk["text"] for chunk in answer["results"]] == ["three", "two", "one"]
    assert answer["next"] is None
    assert "is_retracted" not in answer["results"][0]


def test_every_filter_narrows(world):
    world.chunk("jack", content={"subject_type": "user", "subject_id": "jack"}, ts="2025-01-01T00:00:00Z")
    world.chunk("alpha", content={"project_id": "alpha"}, ts="2025-01-02T00:00:00Z", session_id="session-2")
    world.chunk("global", content={"scope": "global"}, ts="2025-01-03T00:00:00Z", channel="team")

    for query, expected in (
        ("scope=user", ["jack"]),
        ("subject_type=user", ["jack"]),
        ("subject_type=user&subject_id=jack", ["jack"]),
        ("subject_id=jane", []),
        ("project_id=alpha", ["alpha"]),
        ("session_id=session-2", ["alpha"]),
        ("tier=task", ["global", "alpha", "jack"]),
        ("tier=archive", []),
        ("channel=team", ["global"]),
        ("since=2025-01-02T00:00:00Z", ["global", "alpha"]),
        ("until=2025-01-02T00:00:00Z", ["jack"]),
        ("since=2025-01-01T00:00:00Z&until=2025-01-03T00:00:00%2B02:00", ["alpha", "jack"]),
    ):
        assert texts(world.alice, query) == expected, query


def test_edits_show_at_once(world):
    amended, quarantined, retracted = world.chunk("one"), world.chunk("two"), world.chunk("three")
    world.edit(amended, "amend", text="ONE", importance=0.9)
    world.edit(quarantined, "quarantine")
    world.edit(retracted, "retract")

    assert [(c["text"], c["importance"], c["edits_applied"]) for c in listed(world.alice)["results"]] == [
        ("ONE", 0.9, 1)
    ]
    assert texts(world.alice, "include_quarantined=true") == ["two", "ONE"]


def test_who_hears_what_holds_in_lists(world, agent_in):
    world.chunk("team high", channel="team", sensitivity="high")
    world.chunk("team none", channel="team")
    world.chunk("public none", channel="public")
    world.chunk("secret", channel="team", sensitivity="secret")

    assert texts(world.alice) == ["public none", "team none", "team high"]
    assert texts(world.alice, "channel=team") == ["team none", "team high"]
    assert texts(agent_in("public")) == ["public none"]
    assert agent_in("public").get("chunks?channel=team").status_code == 403


def pages(api, query, between=None):
    """Every page of a list, doing `between` after each."""
    found, cursor = [], None
    while True:
        page = listed(api, query + (f"&cursor={cursor}" if cursor else ""))
        found.append([chunk["text"] for chunk in page["results"]])
        cursor = page["next"]
        if cursor is None:
            return found
        if between:
            between()


def test_pages_follow_each_other(world):
    for number in range(7):
        world.chunk(f"{number}")

    assert pages(world.alice, "limit=3") == [["6", "5", "4"], ["3", "2", "1"], ["0"]]


def test_a_last_page_that_is_full_has_no_next(world):
    for number in range(6):
        world.chunk(f"{number}")
    assert pages(world.alice, "limit=3") == [["5", "4", "3"], ["2", "1", "0"]]


def test_what_is_written_meanwhile_neither_repeats_nor_hides_anything(world):
    for number in range(6):
        world.chunk(f"{number}")

    assert pages(world.alice, "limit=2", between=lambda: world.chunk("new")) == [["5", "4"], ["3", "2"], ["1", "0"]]


def test_chunks_of_one_moment_are_all_listed_once(world):
    for number in range(10):
        world.chunk(f"{number}", ts="2025-01-01T00:00:00Z")

    found = [text for page in pages(world.alice, "limit=3") for text in page]
    assert sorted(found) == [f"{number}" for number in range(10)]


def test_a_retraction_between_pages_leaves_it_out(world):
    chunks = [world.chunk(f"{number}") for number in range(4)]

    assert pages(world.alice, "limit=2", between=lambda: world.edit(chunks[1], "retract")) == [["3", "2"], ["0"]]


def test_a_cursor_is_of_its_list_and_its_filters(world, elsewhere):
    for number in range(3):
        world.chunk(f"{number}")
        elsewhere.chunk(f"{number}")
    cursor = listed(world.alice, "limit=1")["next"]

    for address in (
        f"chunks?limit=1&scope=session&cursor={cursor}",
        f"events?limit=1&cursor={cursor}",
        f"chunks?limit=1&cursor={cursor}x",
        f"chunks?limit=1&cursor={cursor[:-2]}",
        "chunks?cursor=",
        "chunks?cursor=%00",
    ):
        response = world.alice.get(address)
        assert response.status_code == 400, address
        assert response.json()["errors"][0]["parameter"] == "cursor"
    # in the hands of another tenant, or of another key of this one, it is nothing
    for other in (elsewhere.alice, world.bob):
        response = other.get(f"chunks?limit=1&cursor={cursor}")
        assert response.status_code == 400
        assert response.json()["errors"][0]["parameter"] == "cursor"


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("scope=everything", "scope"),
        ("tier=hot", "tier"),
        ("channel=everywhere", "channel"),
        ("include_quarantined=1", "include_quarantined"),
        ("since=yesterday", "since"),
        ("until=2025-01-01T00:00:00", "until"),
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=ten", "limit"),
        ("sort=importance", "sort"),
        ("subject_id=%00", "subject_id"),
    ],
)
def test_a_bad_parameter_is_named_and_not_ignored(world, query, parameter):
    response = world.alice.get(f"chunks?{query}")

    assert response.status_code == 400
    assert [error["parameter"] for error in response.json()["errors"]] == [parameter]
