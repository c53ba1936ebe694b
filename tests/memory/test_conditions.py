"""Free text is no query syntax: signs are conditions only where they cannot be prose. Fields carry conditions too."""

import pytest

pytestmark = pytest.mark.django_db

#: A memory, and a query with signs that are prose: the query finds the memory, without a notice.
PROSE = [
    ("The nightly backup runs with tar -xzf on host kiwi", "what does the backup do with tar -xzf"),
    ("Never run rm -rf on the shared disk", "rm -rf"),
    ("Use git push --force only on your own branch", "May I git push --force?"),
    ("List the processes with ps -aux first", "ps -aux"),
    ("Search for it: find -name report.txt", "find -name report.txt"),
    ("Copy it with rsync -avz --delete", "rsync -avz --delete"),
    ('The old 5" disk is in the attic', '5" disk'),
    ('The frame is 24" by 36" wide', 'a 24" by 36" frame'),
    ('The מנכ"ל signed the contract', 'מנכ"ל'),
    ("PRESS START AND HOLD THE BUTTON", "PRESS START AND HOLD"),
    ("The patient waits in the OR", "who waits in the OR"),
    ("Read the *important* note", "*important* note"),
    ("It was 20 -30 degrees outside", "20 -30 degrees"),
]


@pytest.mark.parametrize(("text", "query"), PROSE)
def test_signs_in_prose_are_words(world, text, query):
    world.chunk(text)
    world.chunk("Something else entirely")

    answer = world.alice.ok("post", "chunks/search", {"query": query, "mode": "keyword"})

    assert [one["text"] for one in answer["chunks"]][:1] == [text]
    assert answer["notices"] == []


def test_what_cannot_be_prose_is_a_condition(world):
    for text in ("brown fox", "quick fox", "lazy dog"):
        world.chunk(text)

    assert sorted(world.found('"brown fox"', mode="keyword")) == ["brown fox"]
    assert sorted(world.found("\u201cbrown fox\u201d", mode="keyword")) == ["brown fox"]
    assert sorted(world.found("fox -brown", mode="keyword")) == ["quick fox"]
    assert sorted(world.found("quick AND fox", mode="keyword")) == ["quick fox"]
    assert sorted(world.found("bro*", mode="keyword")) == ["brown fox"]


def test_conditions_that_empty_the_answer_fall_back_to_the_words_and_say_so(world):
    for number in range(12):
        world.chunk(f"A quick fox in garden {number}")
    query = {"query": '"fox quick"', "mode": "keyword", "limit": 5, "collapse_duplicates": False}

    shown: list[str] = []
    cursor: dict[str, str] | None = {}
    while cursor is not None:
        answer = world.alice.ok("post", "chunks/search", {**query, **cursor})
        assert [one["code"] for one in answer["notices"]] == ["without_conditions"]
        shown += [one["text"] for one in answer["chunks"]]
        cursor = {"cursor": answer["next"]} if answer["next"] else None

    assert len(shown) == len(set(shown)) == 12


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        ({"phrases": ["brown fox"]}, {"the brown fox"}),
        ({"phrases": ['"brown" fox']}, {"the brown fox"}),
        ({"all_of": ["fox", "quick"]}, {"a quick fox"}),
        ({"none_of": ["brown"]}, {"a quick fox"}),
        ({"none_of": ["quick fox"], "all_of": ["fox"]}, {"the brown fox"}),
        ({"prefix": ["bro"]}, {"the brown fox"}),
        ({"phrases": ["fox brown"]}, set()),
        ({"all_of": ["-brown"]}, {"the brown fox"}),
    ],
)
def test_fields_carry_conditions_and_never_fall_back(world, conditions, found):
    for text in ("the brown fox", "a quick fox", "lazy dog"):
        world.chunk(text)

    assert set(world.found("fox", mode="keyword", **conditions)) == found


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"phrases": [" "]}, "#/phrases/0"),
        ({"all_of": "fox"}, "#/all_of"),
        ({"prefix": ["fo"]}, "#/prefix/0"),
        ({"prefix": ["fox*"]}, "#/prefix/0"),
        ({"none_of": ["x"] * 21}, "#/none_of"),
    ],
)
def test_a_wrong_condition_is_named(world, body, pointer):
    answer = world.alice.post("chunks/search", {"query": "fox", **body})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize("query", ["fox -brown", '"brown cow" fox', "fox AND cow", "*", "bro* -fox"])
def test_recall_and_prompts_take_signs_as_words(world, query):
    world.chunk("The brown fox")
    asked = {"query": query, "channel": "private"}
    begun = world.alice.ok("post", "context/bootstrap", asked)
    built = world.alice.ok("post", "acb/build", {**asked, "session_id": "now"})

    if query != "*":
        assert "The brown fox" in begun["system_prompt"]
        assert "The brown fox" in str(built)
    assert "without_conditions" not in str([begun, built])
