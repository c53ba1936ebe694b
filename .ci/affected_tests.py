"""The tests that the changes since a commit need: prints arguments for pytest, or nothing if all tests are needed.

A change of the clients or the verifier alone needs its own tests and the smoke tests of the server.
"""

import subprocess
import sys
from collections.abc import Iterable

#: The tests of each package: its own, and those that run it against a server.
PACKAGES = {
    "clients/": ("tests/contract",),
    "client/": ("client/tests", "tests/client", "tests/mcp_server"),
    "verifier/": ("verifier/tests", "tests/tamperings", "tests/ledger/test_prove.py", "tests/ledger/test_receipts.py"),
}
#: A fresh stack, and a review in a browser.
SMOKE = ("tests/readiness/test_fresh_stack.py", "tests/browser/test_review_desk.py")


def selected(paths: Iterable[str]) -> str:
    """Pytest's arguments for a change of these files; empty if all tests are needed."""
    changed = [path for path in paths if not path.endswith(".md")]
    packages = {next((name for name in PACKAGES if path.startswith(name)), "") for path in changed}
    if not packages or "" in packages:
        return ""
    tests = [test for name in sorted(packages) for test in PACKAGES[name]]
    return " ".join([*tests, *SMOKE]) + ' -m "smoke or not (slow or stack or browser)"'


if __name__ == "__main__":
    done = subprocess.run(  # noqa: S603 - words of our own
        ["git", "diff", "--name-only", f"{sys.argv[1]}...HEAD"],  # noqa: S607 - any git
        check=True,
        capture_output=True,
        text=True,
    )
    print(selected(done.stdout.splitlines()))  # noqa: T201 - the output of a command
