"""The command that an agent runs for each event."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise

from suture_client.errors import Failed
from suture_client.hooks import agents as adapters
from suture_client.installing import paths
from suture_client.installing.mcp.clients import PROJECT

_NAMES = ("suture", "suture.exe")


def command_for(agent: str, scope: str) -> tuple[list[str], bool]:
    """Return the command for an agent's hooks, and whether it works only on this machine. Raises Failed.

    It has the absolute path of `suture`, because agents start hooks in any directory, and graphical ones without the
    terminal's PATH. A project's file is shared, so it has just `suture` if the PATH leads to the same command.
    """
    found = paths.suture()
    if found is None:
        raise Failed("The command `suture` is not installed beside this Python. Install it. Nothing was changed.")
    on_path = shutil.which("suture")
    shared = scope == PROJECT and on_path is not None and os.path.realpath(on_path) == os.path.realpath(found)
    words = ["suture" if shared else found, "hook"]
    if agent != adapters.DEFAULT:
        words += ["--agent", agent]
    return words, not shared


def join(words: Sequence[str]) -> str:
    """Quote and join the words for a shell."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def parse(command: object) -> list[str]:
    """Split a command from a settings file into words; [] if it is not one of Suture's hooks."""
    if not isinstance(command, str):
        return []
    try:
        words = shlex.split(command, posix=sys.platform != "win32")
    except ValueError:
        return []
    return words if _position(words) is not None else []


def is_generated(words: Sequence[str]) -> bool:
    """Return whether we wrote the command: it starts with `suture`, unlike a user's `env X=1 suture hook`."""
    return _position(words) == 0


def problem_with(words: Sequence[str]) -> str:
    """Return why the command cannot be started; "" if it can."""
    program = _program(words[_position(words) or 0])
    if shutil.which(program):
        return ""
    if os.path.isabs(program):
        return f"The command {program} does not exist."
    return f"The command {program} is not on the PATH."


def _position(words: Sequence[str]) -> int | None:
    """Return the index of the word `suture`."""
    return next(
        (
            index
            for index, (first, second) in enumerate(pairwise(words))
            if second == "hook" and os.path.basename(_program(first)) in _NAMES
        ),
        None,
    )


def _program(word: str) -> str:
    """Remove the quotes that stay around a word on Windows."""
    return word.strip('"')
