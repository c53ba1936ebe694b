"""The corpora of `make eval`: whole, the same every time, and found by being in the folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import bm25
from bench.corpora import Question, sources
from bench.scoring import Score, by_category, leave_one_out, score

pytestmark = pytest.mark.pure

SHIPPED = {name: source for name, source in sources().items() if not source.NEEDS_PLACE}


def test_a_shipped_corpus_is_whole() -> None:
    assert {"long-messages", "code-and-references", "paraphrases"} == set(SHIPPED)
    for name, source in SHIPPED.items():
        corpus = source.read(None)
        ids = [event["source_id"] for event in corpus.events]
        assert len(set(ids)) == len(ids) > 30, name
        assert [event["ts"] for event in corpus.events] == sorted(event["ts"] for event in corpus.events), name
        assert len({question.text for question in corpus.questions}) == len(corpus.questions) >= 40, name
        assert all(question.answers and question.answers <= set(ids) for question in corpus.questions), name
        assert corpus == source.read(None), name


def conversations() -> list[dict[str, Any]]:
    """A file as LoCoMo's are, on a conversation of our own."""
    turn = {"speaker": "Ada", "text": "The kiln is warm."}
    return [
        {
            "sample_id": "conv-1",
            "conversation": {
                "speaker_a": "Ada",
                "session_10_date_time": "12:05 am on 2 March, 2024",
                "session_10": [{**turn, "dia_id": "D10:1"}],
                "session_2_date_time": "11:59 pm on 1 March, 2024",
                "session_2": [
                    {**turn, "dia_id": "D2:1"},
                    {"speaker": "Ben", "text": "Look!", "dia_id": "D2:2", "blip_caption": "a photo of a blue bowl"},
                ],
                "session_3_date_time": "11:59 pm on 1 March, 2024",
                "session_3": [{**turn, "dia_id": "D3:1"}],
            },
            "qa": [
                {"question": "What is blue?", "evidence": ["D2:2; D:3:01", "D9:9"], "category": 4},
                {"question": "Who called?", "evidence": [], "category": 5},
            ],
        }
    ]


def test_locomo_is_read_from_its_place(tmp_path: Path) -> None:
    (tmp_path / "half.json").write_text(json.dumps(conversations()))
    found = sources()["locomo"].read(tmp_path)
    assert [(event["source_id"], event["ts"]) for event in found.events] == [
        ("conv-1:D2:1", "2024-03-01T23:59:00Z"),
        ("conv-1:D2:2", "2024-03-01T23:59:01Z"),
        ("conv-1:D3:1", "2024-03-01T23:59:02Z"),  # its session claims to start with the one before
        ("conv-1:D10:1", "2024-03-02T00:05:00Z"),
    ]
    assert found.events[1]["content"]["text"] == "Look! [a photo of a blue bowl]"
    (question,) = found.questions
    assert question.answers == {"conv-1:D2:2", "conv-1:D3:1"}
    (tmp_path / "half.json").write_text(json.dumps(conversations()).replace("2 March", "2 Marsh"))
    with pytest.raises(ValueError, match="2 Marsh"):
        sources()["locomo"].read(tmp_path)


def test_the_librarys_bm25_finds_words_and_stems() -> None:
    corpus = SHIPPED["code-and-references"].read(None)
    places = [number for number, question in enumerate(corpus.questions) if question.category == "path"]
    for stems in (False, True):
        ranked = bm25.rank(corpus, stems=stems)
        assert all(corpus.questions[place].answers & set(ranked[place][:3]) for place in places)


def test_recall_is_the_share_of_the_answers_that_were_found() -> None:
    assert score([*"xaxxxbxxxxc"], "abcd") == Score(recall_5=0.25, recall_10=0.5, reciprocal_rank=0.5)
    assert score([], "a") == Score(0, 0, 0)


def test_means_are_of_all_of_each_category_and_of_all_without_some() -> None:
    questions = [Question("?", frozenset({"a"}), category) for category in ("one", "two", "two")]
    means = by_category(questions, [Score(1, 1, 1), Score(0, 0, 0), Score(0, 1, 0.5)], frozenset({"two"}))
    assert means["without two"] == means["one"] == Score(1, 1, 1, questions=1)
    assert means["two"] == Score(0, 0.5, 0.25, questions=2)


def test_each_group_is_scored_by_what_is_best_for_the_others() -> None:
    """Fitted on its own questions, each group would take the other candidate."""
    questions = [Question("?", frozenset({"a"}), "one", group) for group in "gh"]
    good, bad = Score(1, 1, 1), Score(0, 0, 0)
    fitted, chosen = leave_one_out(questions, {"for g": [good, bad], "for h": [bad, good]})
    assert (chosen, fitted) == ({"g": "for h", "h": "for g"}, [bad, bad])
