"""What masking, comparing and parsing take for the largest inputs, in CPU time of this process. No server is needed."""

import base64
import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from governance import strict_json
from governance.edits.diffs import word_diff
from governance.masking import mask
from governance.refusals import Refusal

GOAL_MS = 300
TEXT = 1_000_000
WORDS = 2_500
BODY = 10_000_000
RUNS = 3


def measure() -> list[dict[str, Any]]:
    """The best of three runs of each case, in milliseconds of CPU time."""
    return [_row(case, act) for case, act in _cases()]


def _row(case: str, act: Callable[[], object]) -> dict[str, Any]:
    took = min(_cpu_ms(act) for _ in range(RUNS))
    return {"case": case, "figure": round(took, 1), "unit": "ms", "goal": f"< {GOAL_MS}", "is_met": took < GOAL_MS}


def _cpu_ms(act: Callable[[], object]) -> float:
    begun = time.process_time()
    act()
    return (time.process_time() - begun) * 1_000


def _cases() -> Iterator[tuple[str, Callable[[], object]]]:
    for name, text in _texts().items():
        yield f"mask 1 MB of {name}", partial(mask, text)
    for name, (before, after) in _pairs().items():
        yield f"compare {WORDS:,} words, {name}", partial(word_diff, before, after)
    for name, body in _bodies().items():
        yield f"parse 10 MB of {name}", partial(_parse, body)


def _parse(body: bytes) -> None:
    with suppress(Refusal):  # the time until a body is refused counts too
        strict_json.parse_object(body)


def _texts() -> dict[str, str]:
    chance = random.Random("limits")
    words = ["the", "customer", "account", "invoice", "4711", "was", "paid", "and", "password", "sent", "at", "10:30"]
    encoded = base64.b64encode(" ".join(chance.choice(words) for _ in range(TEXT // 8)).encode()).decode()
    units = {
        "slashes": "/",
        "addresses": "https://example.com/a/b?c=d ",
        "beginnings of tokens": "eyJsk-ghp_xoxb-1-",
        "beginnings of keys": "-----BEGIN A ",
        "passwords": "password: pwd ",
        "headers": "authorization: bearer ",
        "card numbers that are none": "4111 1111 1111 1112 ",
        "digits": "4 ",
    }
    repeated = {name: (unit * (TEXT // len(unit) + 1))[:TEXT] for name, unit in units.items()}
    prose = " ".join(chance.choice(words) for _ in range(TEXT // 4))[:TEXT]
    return {"prose": prose, "base64": encoded[:TEXT], **repeated}


def _pairs() -> dict[str, tuple[str, str]]:
    chance = random.Random("limits")

    def text(vocabulary: int) -> str:
        return " ".join(f"w{chance.randrange(vocabulary)}" for _ in range(WORDS))

    return {f"of {size:,} different ones": (text(size), text(size)) for size in (2, 50, 10_000)}


def _bodies() -> dict[str, bytes]:
    event = {"session_id": "s", "channel": "private", "kind": "message", "content": {"text": "hello " * 1_600}}
    units = {"numbers": b"1,", "empty lists": b"[],", "objects": b'{"b":1},', "short texts": b'"a",'}
    return {
        "one text": b'{"a":"' + b"x" * BODY + b'"}',
        "escapes": b'{"a":"' + b"\\u00e9" * (BODY // 6) + b'"}',
        "a batch of events": json.dumps({"events": [event] * 1_000}).encode(),
        "nested lists": b'{"a":' + b"[" * BODY,
        "names": json.dumps({f"{number:x}": 1 for number in range(BODY // 12)}).encode(),
        "as many numbers as there may be": b'{"a":[' + b"1," * (strict_json.MAX_VALUES - 3) + b"1]}",
        **{name: b'{"a":[' + unit * (BODY // len(unit)) + b"1]}" for name, unit in units.items()},
    }
