"""LoCoMo: long conversations of two people, with questions (CC BY-NC 4.0; not ours to ship, so its place is given)."""

from pathlib import Path

from bench import locomo
from bench.corpora import Corpus, Question

NAME = "locomo"
NEEDS_PLACE = True
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "inference", 4: "single-hop", 5: "adversarial"}


def read(place: Path | None) -> Corpus:
    """The conversations of a file, or of every JSON file of a folder. A question is asked of its own conversation."""
    assert place is not None
    files = sorted(place.glob("*.json")) if place.is_dir() else [place]
    if not files:
        raise ValueError(f"{place}: no JSON file is there.")
    events = [event for file in files for event in locomo.events(file)]
    questions = [
        Question(
            text=one.question,
            answers=frozenset(one.evidence),
            category=CATEGORIES[one.category],
            group=one.conversation_id,
            filters={"subject_type": "conversation", "subject_id": one.conversation_id},
        )
        for file in files
        for one in locomo.questions(file)
        if one.evidence
    ]
    return Corpus(
        name=NAME,
        about="turns of long conversations; a hit is a turn of evidence",
        events=sorted(events, key=lambda event: str(event["ts"])),
        questions=questions,
        groups={event["source_id"]: event["content"]["subject_id"] for event in events},
        apart=frozenset({"adversarial"}),
    )
