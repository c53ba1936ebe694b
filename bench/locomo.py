"""Convert the LoCoMo corpus to the event lines that our loader reads, and give its questions to a benchmark.

    python -m bench.locomo INPUT.json OUTPUT.jsonl

One turn is one event. Events are written in time order; the turns of one conversation have strictly
increasing times (the session's start, plus one second for each turn). LoCoMo is CC BY-NC 4.0: keep its data,
and what is converted from it, out of this repository.
"""

import argparse
import heapq
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

SESSION = re.compile(r"session_(\d+)")
EVIDENCE = re.compile(r"D:?(\d+):(\d+)")  # the corpus also has "D:11:26" and "D8:6; D9:17" in one string
DATE_FORMAT = "%I:%M %p on %d %B, %Y"  # 1:56 pm on 8 May, 2023


class LocomoError(ValueError):
    """The input is not a LoCoMo file; the message names the place."""


class Question(NamedTuple):
    """One question of the corpus with the turns that answer it."""

    conversation_id: str
    question: str
    evidence: list[str]
    category: int


def load(path: str | Path) -> list[dict[str, Any]]:
    """Read a LoCoMo file and check its outline: items with an id, a conversation and questions."""
    try:
        items = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise LocomoError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:  # bad JSON or bad UTF-8
        raise LocomoError(f"{path}: not a JSON file: {error}") from error
    if not isinstance(items, list) or not items:
        raise LocomoError(f"{path}: not a LoCoMo file: expected a list of conversations")
    seen: set[str] = set()
    for number, item in enumerate(items):
        for key, kind in (("sample_id", str), ("conversation", dict), ("qa", list)):
            if not isinstance(item, dict) or not isinstance(item.get(key), kind):
                raise LocomoError(f"{path}: not a LoCoMo file: item {number} has no {key} ({kind.__name__})")
        if item["sample_id"] in seen:
            raise LocomoError(f"{path}: item {number} repeats the id {item['sample_id']}")
        seen.add(item["sample_id"])
    return items


def events(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield every turn of the file as an event, in time order."""
    return heapq.merge(*(conversation_events(item) for item in load(path)), key=lambda event: event["ts"])


def conversation_events(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the turns of one conversation as events, their times strictly increasing."""
    conversation_id, conversation = item["sample_id"], item["conversation"]
    last = datetime.min.replace(tzinfo=UTC)
    for number, turns in _sessions(item):
        where = f"{conversation_id} session {number}"
        ts = _parse_date(conversation.get(f"session_{number}_date_time"), where)
        for turn in turns:
            ts = last = max(ts, last + timedelta(seconds=1))
            for key in ("dia_id", "speaker", "text"):
                if not isinstance(turn, dict) or not isinstance(turn.get(key), str):
                    raise LocomoError(f"{where}: a turn has no {key}: {turn!r:.80}")
            yield {
                "source_id": f"{conversation_id}:{turn['dia_id']}",
                "ts": ts.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "session_id": f"{conversation_id}:session-{number}",
                "channel": "private",
                "actor_type": "human",
                "actor_id": turn["speaker"],
                "kind": "message",
                "content": {
                    "text": _text(turn),
                    "scope": "user",
                    "subject_type": "conversation",
                    "subject_id": conversation_id,
                },
            }
            ts += timedelta(seconds=1)


def questions(path: str | Path) -> Iterator[Question]:
    """Yield the questions of the file with their evidence as source ids.

    Evidence that names no turn of the conversation is left out (the corpus has a few such slips), so a
    question's list can be empty: a benchmark skips those. Categories: 1 multi-hop, 2 temporal, 3 inference,
    4 single-hop, 5 adversarial.
    """
    for item in load(path):
        conversation_id = item["sample_id"]
        known = {str(turn.get("dia_id")) for _, turns in _sessions(item) for turn in turns}
        for number, qa in enumerate(item["qa"]):
            try:
                text, evidence, category = str(qa["question"]), qa["evidence"], int(qa["category"])
                named = [f"D{int(s)}:{int(t)}" for part in evidence for s, t in EVIDENCE.findall(part)]
            except (KeyError, TypeError, ValueError) as error:
                raise LocomoError(f"{conversation_id}: question {number} is malformed: {error!r}") from error
            sources = [f"{conversation_id}:{dia_id}" for dia_id in dict.fromkeys(named) if dia_id in known]
            yield Question(conversation_id, text, sources, category)


def convert(source: str | Path, target: str | Path) -> int:
    """Write the events of `source` to `target`, one JSON object a line, and return how many.

    The lines go to a file beside the target first, so a wrong input leaves no half-written output.
    """
    target = Path(target)
    partial = target.with_name(f"{target.name}.partial")
    count = 0
    try:
        with partial.open("w", encoding="utf-8") as output:
            for event in events(source):
                output.write(json.dumps(event, ensure_ascii=False) + "\n")
                count += 1
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)
    return count


def _sessions(item: dict[str, Any]) -> list[tuple[int, list[dict[str, Any]]]]:
    """The sessions of a conversation that have turns, by number."""
    found = [
        (int(match[1]), turns)
        for key, turns in item["conversation"].items()
        if (match := SESSION.fullmatch(key)) and isinstance(turns, list)
    ]
    if not found:
        raise LocomoError(f"{item['sample_id']}: the conversation has no sessions")
    return sorted(found, key=lambda session: session[0])


def _parse_date(value: object, where: str) -> datetime:
    try:
        return datetime.strptime(str(value), DATE_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        raise LocomoError(f"{where}: date {value!r} is not like '1:56 pm on 8 May, 2023'") from None


def _text(turn: dict[str, Any]) -> str:
    """What was said, with the caption of a shared photo in brackets."""
    caption = str(turn.get("blip_caption") or "").strip()
    return f"{turn['text'].strip()} [{caption}]".strip() if caption else turn["text"].strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is 2 when the input is wrong."""
    parser = argparse.ArgumentParser(prog="python -m bench.locomo", description="LoCoMo to event lines.")
    parser.add_argument("input", type=Path, metavar="INPUT.json")
    parser.add_argument("output", type=Path, metavar="OUTPUT.jsonl")
    options = parser.parse_args(arguments)
    try:
        count = convert(options.input, options.output)
    except (LocomoError, OSError) as error:
        print(f"locomo: {error}", file=sys.stderr)
        return 2
    print(f"{count} events written to {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
