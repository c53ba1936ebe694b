"""Installs packages with pip and reports progress: `python installing.py PIP-ARGUMENT...`.

The Makefile runs it before any package is installed, so it imports only the standard library.
"""

import subprocess
import sys
import time
from collections import deque

#: Seconds between two lines.
EVERY = 5.0
#: Lines of pip's output to show on failure.
TAIL = 30


def install(arguments: list[str]) -> int:
    """Run pip; print its progress every few seconds, and the end of its output on failure. Returns its exit code."""
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"]
    started = told = time.monotonic()
    found = 0
    last: deque[str] = deque(maxlen=TAIL)
    with subprocess.Popen(
        [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None  # noqa: S101 (a pipe, as asked for)
        for line in process.stdout:
            last.append(line)
            found += line.startswith("Collecting ")
            is_last_step = line.startswith("Installing collected packages")
            if is_last_step or time.monotonic() > told + EVERY:
                told = time.monotonic()
                doing = "installing them" if is_last_step else "looking for more"
                print(f"      {found} packages after {told - started:.0f} s, {doing}", flush=True)
    if process.returncode != 0:
        print("".join(last), end="", file=sys.stderr)
    else:
        print(f"      done ({time.monotonic() - started:.0f} s)", flush=True)
    return process.returncode


if __name__ == "__main__":
    sys.exit(install(sys.argv[1:]))
