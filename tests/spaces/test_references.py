"""E8: texts are near that refer to the same things."""

import pytest

from memory.spaces.references import References, references
from tests.spaces.items import item, likeness, scores

pytestmark = pytest.mark.pure
SPACE = References()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see src/app/main.py:42", "path src/app/main.py"),
        ("see README.md.", "file readme.md"),
        ("https://example.org/a/b?c=1.", "url https://example.org/a/b?c=1"),
        ("fixed in PROJ-17", "ticket proj-17"),
        ("closes #42", "ticket 42"),
        ("commit 9fceb02d", "id 9fceb02d"),
        ("ask @ada.l today", "mention ada.l"),
        ("mail ada@example.org", "mention ada@example.org"),
        ("as in [[Firing Log|the log]]", "file firing log"),
        ("01a20051-4153-7453-8e9c-9632ba0c06ef", "id 01a20051-4153-7453-8e9c-9632ba0c06ef"),
    ],
)
def test_references_are_found(text, expected):
    assert expected in references(text)


def test_plain_prose_refers_to_nothing():
    assert references("We met, e.g. on Monday, and it cost 3.50! Either way, I agreed.") == {}


def test_the_same_reference_makes_texts_near_whatever_their_words():
    same, other = scores(
        SPACE,
        "who changed src/app/main.py?",
        "The retry loop in src/app/main.py is new.",
        "Who changed src/web/site.css?",
    )
    assert same > 0.7
    assert same > other + 0.4


def test_a_file_is_near_to_another_of_its_folder_and_to_itself_from_elsewhere():
    elsewhere, beside, far = scores(SPACE, "src/app/main.py", "app/main.py", "src/app/views.py", "docs/intro.md")
    assert elsewhere > beside > far + 0.1


def test_the_references_of_the_event_count():
    with_ref, without = scores(SPACE, "what of PROJ-17?", item("Done.", refs=("PROJ-17",)), item("Done."))
    assert with_ref > without + 0.5


def test_items_without_references_are_near_by_session_and_speaker_only():
    said = [item("Yes.", session_id="s", speaker="Ada"), item("No.", session_id="s", speaker="Ada")]
    assert likeness(SPACE, *said) == pytest.approx(1)
    assert likeness(SPACE, said[0], item("Yes.", session_id="t", speaker="Ben")) < 0.2


def test_a_question_without_references_has_no_value():
    assert SPACE.embed_query(item("How are you?")) is None
