"""A process of the web server gives back what its threads took for a request."""

import os
import platform
import subprocess
import sys

import pytest

from memory_project.environment import BASE_DIR
from memory_project.stack.application import MALLOC_RETURN_MEMORY

pytestmark = [
    pytest.mark.stack,
    pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="The variables are those of glibc."),
]

#: Four threads embed texts of several lengths; then how many MiB the process has more than before.
THREADS = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import psutil
from memory.embedding.local import local_model

together = Barrier(4)

def embed(_):
    together.wait()
    for words in (250, 20, 80):
        local_model().embed([f"{'memory ' * words}{number}" for number in range(8)])

local_model().embed(["Ready."])
before = psutil.Process().memory_info().rss
with ThreadPoolExecutor(4) as threads:
    list(threads.map(embed, range(4)))
    print((psutil.Process().memory_info().rss - before) // 2**20)
"""


def test_threads_that_embedded_keep_little_of_what_that_took() -> None:
    command = [sys.executable, "-c", THREADS]
    done = subprocess.run(
        command, cwd=BASE_DIR, env={**os.environ, **MALLOC_RETURN_MEMORY}, capture_output=True, check=True
    )
    assert int(done.stdout) < 32
