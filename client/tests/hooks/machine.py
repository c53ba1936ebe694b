"""A machine that runs hooks like agents do: as a process with a payload on standard input, and a separate state."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.hooks.serving import KEY

ROOT = Path(__file__).resolve().parents[2]
SESSION = "5c1f7f0e-2f0b-4a53-9f6e-0a1b2c3d4e5f"


#: Seconds after which a hook hangs. No test asserts less: a busy machine starts even an empty interpreter late.
HANGS = 60


class Ran(NamedTuple):
    """The result of a command."""

    code: int
    output: str
    errors: str


class Client:
    """A user's machine with the `suture` command: `hook()` and `suture()` run it."""

    def __init__(self, home: Path, url: str) -> None:
        self.home, self.state = home, home / "state"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("SUTURE_", "XDG_"))},
            "HOME": str(home),
            "SUTURE_STATE_DIR": str(self.state),
            "SUTURE_URL": url,
            "SUTURE_KEY": KEY,
            # A busy machine must not fail tests that are not about time.
            "SUTURE_HOOK_PATIENCE": "20",
            "PYTHONPATH": str(ROOT),
        }

    def in_a_hurry(self) -> "Client":
        """The same machine, with the time limits that users have."""
        del self.environment["SUTURE_HOOK_PATIENCE"]
        return self

    def hook(self, *words: str, **payload: Any) -> Ran:
        """Run a hook (`suture hook` by default) with a payload."""
        return self.suture(*(words or ("hook",)), given=json.dumps(payload).encode())

    def suture(self, *words: str, given: bytes | None = None) -> Ran:
        """Run `suture`.

        Raises:
            subprocess.TimeoutExpired: If it hangs.
        """
        done = subprocess.run(
            self.command(*words), input=given, capture_output=True, env=self.environment, cwd=self.home, timeout=HANGS
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    @contextmanager
    def start(self, *words: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
        """Start `suture`. It is killed at the end of the block if it still runs."""
        with subprocess.Popen(
            self.command(*words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self.environment,
            cwd=self.home,
            **options,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    @staticmethod
    def command(*words: str) -> list[str]:
        return [sys.executable, "-m", "suture_client.entry", *words]

    @property
    def spooled(self) -> list[dict[str, Any]]:
        """The waiting captures, oldest first."""
        return [json.loads(file.read_bytes()) for file in sorted(self.state.glob("spool/*.json"))]

    @property
    def log(self) -> str:
        try:
            return (self.state / "log").read_text()
        except FileNotFoundError:
            return ""

    @property
    def kept(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.state / "captured.json").read_bytes())
        return found

    @property
    def refused(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.state / "refused").read_bytes().splitlines()]
