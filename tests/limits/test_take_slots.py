"""The processes of a web server share how many requests of a hot caller run at once."""

import signal
import subprocess
import sys

import pytest

from memory_project.environment import BASE_DIR
from memory_project.web.slots import Slots

pytestmark = [pytest.mark.pure, pytest.mark.skipif(sys.platform != "linux", reason="There are slots on Linux alone.")]


def test_so_many_of_a_caller_are_taken_in_all_processes():
    ours, siblings = Slots(str, count=2), Slots(str, count=2)
    first, second = ours.take("hot"), siblings.take("hot")
    assert first is not None
    assert second is not None
    assert ours.take("hot") is siblings.take("hot") is None
    another = ours.take("another")
    assert another is not None
    first.release()
    third = siblings.take("hot")
    assert third is not None
    for slot in (second, third, another):
        slot.release()


def test_a_process_that_is_killed_has_no_slot_any_more():
    code = """
import os
os.getppid = lambda: 0
from memory_project.web.slots import Slots
taken = Slots(str, count=1).take("hot")
print(taken is not None, flush=True)
input()
"""
    slots = Slots(str, count=1)
    slots._server = 0
    with subprocess.Popen([sys.executable, "-c", code], cwd=BASE_DIR, stdin=-1, stdout=-1, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        assert slots.take("hot") is None
        other.send_signal(signal.SIGKILL)
        other.wait()
    taken = slots.take("hot")
    assert taken is not None
    taken.release()
