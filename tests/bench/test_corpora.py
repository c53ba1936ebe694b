"""The corpora of `make eval`: whole, the same every time, and found by being in the folder."""

import json
from pathlib import Path

import pytest

from bench import bm25, evaluate
from bench.corpora import sources
from memory.event_body import MAX_BATCH
from tests.samples.test_locomo import corpus as locomo_file

pytestmark = pytest.mark.pure

SHIPPED = {name: source for name, source in sources().items() if not source.NEEDS_PLACE}


def test_two_kinds_of_corpora_and_paraphrases_ship():
    assert {"long-messages", "code-and-references", "paraphrases"} <= set(SHIPPED)
    assert "locomo" in set(sources()) - set(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_corpus_is_whole(name):
    corpus = SHIPPED[name].read(None)
    ids = [event["source_id"] for event in corpus.events]
    assert corpus.name == name
    assert len(set(ids)) == len(ids) > 30
    assert [event["ts"] for event in corpus.events] == sorted(event["ts"] for event in corpus.events)
    assert len(corpus.questions) >= 40
    assert all(question.answers and question.answers <= set(ids) for question in corpus.questions)
    assert len({question.text for question in corpus.questions}) == len(corpus.questions)
    assert corpus == SHIPPED[name].read(None)


def test_long_messages_are_long():
    lengths = [len(event["content"]["text"].split()) for event in SHIPPED["long-messages"].read(None).events]
    assert min(lengths) > 150
    assert sum(lengths) / len(lengths) > 250


def test_locomo_is_read_from_its_place(tmp_path: Path):
    (tmp_path / "half.json").write_text(json.dumps(locomo_file()))
    found = sources()["locomo"].read(tmp_path)
    assert found.questions
    assert {question.filters["subject_id"] for question in found.questions} == {"conv-1"}
    assert found.apart == {"adversarial"}
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ValueError, match="no JSON file"):
        sources()["locomo"].read(empty)


def test_the_librarys_bm25_finds_words_and_stems():
    corpus = SHIPPED["code-and-references"].read(None)
    places = [number for number, question in enumerate(corpus.questions) if question.category == "path"]
    for stems in (False, True):
        ranked = bm25.rank(corpus, stems=stems)
        assert all(ranked[place][:3] for place in places)
        assert sum(bool(corpus.questions[place].answers & set(ranked[place][:3])) for place in places) == len(places)


def test_a_corpus_that_does_not_ship_needs_its_place(capsys):
    with pytest.raises(SystemExit):
        evaluate.main(["--corpus", "locomo"])
    assert "needs --locomo PLACE" in capsys.readouterr().err


def test_a_batch_of_events_is_not_too_large():
    assert evaluate.BATCH <= MAX_BATCH
