"""LoCoMo: long conversations of two people, with questions (CC BY-NC 4.0; not part of the project: pass its path).

One turn is one event. The times of a conversation's turns are strictly increasing: the session's start, plus one second
per turn.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.corpora import Corpus, Question, message

NAME = "locomo"
NEEDS_PLACE = True
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "inference", 4: "single-hop", 5: "adversarial"}
SESSION = re.compile(r"session_(\d+)")
EVIDENCE = re.compile(r"D:?(\d+):(\d+)")  # the corpus also has "D:11:26" and "D8:6; D9:17" in one string
DATE_FORMAT = "%I:%M %p on %d %B, %Y"  # 1:56 pm on 8 May, 2023


def read(place: Path | None) -> Corpus:
    """The conversations of a file, or of every JSON file of a folder. A question is asked of its own conversation."""
    assert place is not None
    files = sorted(place.glob("*.json")) if place.is_dir() else [place]
    if not files:
        raise ValueError(f"{place}: contains no JSON file.")
    events: list[dict[str, Any]] = []
    questions: list[Question] = []
    for file in files:
        try:
            for item in json.loads(file.read_text(encoding="utf-8")):
                events += conversation_events(item)
                questions += _questions(item)
        except OSError as error:
            raise ValueError(f"{file}: cannot be read: {error.strerror}") from error
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"{file}: not a LoCoMo file: {error!r}") from error
    return Corpus(
        name=NAME,
        about="turns of long conversations; a hit is a turn of evidence",
        events=sorted(events, key=lambda event: str(event["ts"])),
        questions=questions,
        groups={event["source_id"]: event["content"]["subject_id"] for event in events},
        apart=frozenset({"adversarial"}),
    )


def conversation_events(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The turns of one conversation as events, oldest first."""
    name = item["sample_id"]
    last = datetime.min.replace(tzinfo=UTC)
    for number, turns in _sessions(item):
        begun = datetime.strptime(item["conversation"][f"session_{number}_date_time"], DATE_FORMAT).replace(tzinfo=UTC)
        for place, turn in enumerate(turns):
            last = max(begun + timedelta(seconds=place), last + timedelta(seconds=1))
            caption = str(turn.get("blip_caption") or "").strip()
            yield message(
                f"{name}:{turn['dia_id']}",
                last.strftime("%Y-%m-%dT%H:%M:%SZ"),
                turn["speaker"],
                f"{turn['text'].strip()} [{caption}]".strip() if caption else turn["text"].strip(),
                f"{name}:session-{number}",
                scope="user",
                subject_type="conversation",
                subject_id=name,
            )


def _questions(item: dict[str, Any]) -> Iterator[Question]:
    """The questions of one conversation. Omits evidence that names no turn, and questions without evidence."""
    name = item["sample_id"]
    known = {str(turn["dia_id"]) for _, turns in _sessions(item) for turn in turns}
    for asked in item["qa"]:
        named = [f"D{int(s)}:{int(t)}" for part in asked["evidence"] for s, t in EVIDENCE.findall(part)]
        if answers := frozenset(f"{name}:{turn}" for turn in named if turn in known):
            category = CATEGORIES[int(asked["category"])]
            filters = {"subject_type": "conversation", "subject_id": name}
            yield Question(str(asked["question"]), answers, category, name, filters)


def _sessions(item: dict[str, Any]) -> list[tuple[int, list[dict[str, Any]]]]:
    """The sessions of a conversation that have turns, by number."""
    found = [
        (int(match[1]), turns)
        for key, turns in item["conversation"].items()
        if (match := SESSION.fullmatch(key)) and isinstance(turns, list)
    ]
    return sorted(found, key=lambda session: session[0])
