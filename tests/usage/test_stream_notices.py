"""The stream of notices under the web server of the stack, with one worker of two threads."""

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import pytest

from suture_client import Memory
from tests.stack.web_server import HOST, answers, serving

pytestmark = [
    pytest.mark.slow,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"]),
]


def pending(world: Any) -> str:
    given = {"target_type": "chunk", "target_id": world.chunk("brown fox"), "op": "quarantine", "reason": "wrong"}
    return str(world.alice.ok("post", "edits", given)["edit_id"])


def test_listeners_are_told_and_hold_no_thread(world: Any) -> None:
    """Eight who listen, and two threads: everybody else is answered meanwhile."""
    edits = [pending(world), pending(world)]
    last = world.alice.get("notices/stream").content.decode().strip().rpartition("id: ")[2]

    def listen(port: int) -> list[str]:
        with Memory(f"http://{HOST}:{port}", world.keys["alice"]) as memory:
            return [verdict.edit_id for verdict in islice(memory.verdicts(after=last), 2)]

    with serving() as port, ThreadPoolExecutor(8) as pool:
        listening = [pool.submit(listen, port) for _ in range(8)]
        time.sleep(1)
        for _ in range(5):
            began = time.monotonic()
            assert answers(port)
            assert time.monotonic() - began < 1.0
        assert not any(one.done() for one in listening)
        for edit in edits:
            world.bob.decide(edit)
        assert [one.result(timeout=60) for one in listening] == [edits] * 8
