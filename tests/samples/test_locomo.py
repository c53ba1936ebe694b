"""The LoCoMo converter, on a conversation of our own."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.locomo import LocomoError, events, main, questions

pytestmark = pytest.mark.pure


def corpus() -> list[dict[str, Any]]:
    turn = {"speaker": "Ada", "text": "The kiln is warm."}
    return [
        {
            "sample_id": "conv-1",
            "conversation": {
                "speaker_a": "Ada",
                "speaker_b": "Ben",
                "session_10_date_time": "12:05 am on 2 March, 2024",
                "session_10": [{**turn, "dia_id": "D10:1"}],
                "session_2_date_time": "11:59 pm on 1 March, 2024",
                "session_2": [
                    {**turn, "dia_id": "D2:1"},
                    {
                        "speaker": "Ben",
                        "text": "Look!",
                        "dia_id": "D2:2",
                        "blip_caption": "a photo of a blue bowl",
                    },
                ],
                "session_3_date_time": "11:59 pm on 1 March, 2024",
                "session_3": [{**turn, "dia_id": "D3:1"}],
            },
            "qa": [
                {
                    "question": "What is blue?",
                    "answer": "a bowl",
                    "evidence": ["D2:2; D:3:01", "D9:9"],
                    "category": 4,
                },
                {"question": "Who called?", "adversarial_answer": "Ada", "evidence": [], "category": 5},
            ],
        }
    ]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.json"
    path.write_text(json.dumps(corpus()), encoding="utf-8")
    return path


def test_turns_become_events_in_strict_time_order(source: Path) -> None:
    got = list(events(source))
    assert [(event["source_id"], event["ts"]) for event in got] == [
        ("conv-1:D2:1", "2024-03-01T23:59:00Z"),
        ("conv-1:D2:2", "2024-03-01T23:59:01Z"),
        ("conv-1:D3:1", "2024-03-01T23:59:02Z"),  # its session claims to start with the one before
        ("conv-1:D10:1", "2024-03-02T00:05:00Z"),
    ]
    assert got[1] == {
        "source_id": "conv-1:D2:2",
        "ts": "2024-03-01T23:59:01Z",
        "session_id": "conv-1:session-2",
        "channel": "private",
        "actor_type": "human",
        "actor_id": "Ben",
        "kind": "message",
        "content": {
            "text": "Look! [a photo of a blue bowl]",
            "scope": "user",
            "subject_type": "conversation",
            "subject_id": "conv-1",
        },
    }


def test_questions_name_their_evidence(source: Path) -> None:
    assert list(questions(source)) == [
        ("conv-1", "What is blue?", ["conv-1:D2:2", "conv-1:D3:1"], 4),
        ("conv-1", "Who called?", [], 5),
    ]


def test_command_writes_lines(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "out.jsonl"
    assert main([str(source), str(target)]) == 0
    assert [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()] == list(events(source))
    assert capsys.readouterr().out.startswith("4 events")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not json", "not a JSON file"),
        ("{}", "expected a list"),
        ('[{"sample_id": "x"}]', "item 0 has no conversation"),
        ('[{"sample_id": "x", "conversation": {}, "qa": []}]', "x: the conversation has no sessions"),
        (json.dumps(corpus()).replace("2 March", "2 Marsh"), "conv-1 session 10: date '12:05 am on 2 Marsh"),
        (json.dumps(corpus()).replace('"speaker": "Ben", ', ""), "conv-1 session 2: a turn has no speaker"),
        (json.dumps(corpus() * 2), "item 1 repeats the id conv-1"),
    ],
)
def test_wrong_input_is_named_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    source, target = tmp_path / "in.json", tmp_path / "out.jsonl"
    source.write_text(content, encoding="utf-8")
    assert main([str(source), str(target)]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [source]


def test_missing_input_is_named(tmp_path: Path) -> None:
    with pytest.raises(LocomoError, match=r"gone\.json: cannot be read"):
        list(questions(tmp_path / "gone.json"))
