"""The web server of `make up`, over the database of a test."""

import os
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from django.db import connections

from memory_project.stack.application import web_command
from memory_project.stack.processes import free_port
from tests.stack.running import ROOT, eventually

HOST = "127.0.0.1"
#: What somebody else is given at most, in seconds, on a machine that is busy.
SOON = 5.0


@contextmanager
def serving() -> Iterator[int]:
    """One worker of two threads; its port."""
    free = free_port()
    command = web_command(HOST, free)
    command[command.index("--workers") + 1] = "1"
    name = connections["default"].settings_dict["NAME"]
    urls = {
        one: urlsplit(value)._replace(path=f"/{name}").geturl()
        for one, value in os.environ.items()
        if one.startswith("DATABASE_") and one.endswith("URL")
    }
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **urls, "WEB_THREADS": "2"}, stdout=subprocess.PIPE, text=True
    )
    try:
        eventually(lambda: answers(free), 60)
        yield free
    finally:
        process.terminate()
        process.communicate(timeout=30)


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/healthz", timeout=SOON) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
