"""Starting and stopping operating-system processes so that none outlives the stack."""

import ctypes
import errno
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

PR_SET_PDEATHSIG = 1
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None

#: How to stop a process: signals, each with the seconds to wait before the next one.
Ending = Sequence[tuple[signal.Signals, float]]
ORDERLY: Ending = ((signal.SIGTERM, 30.0), (signal.SIGKILL, 5.0))
HURRIED_SECONDS = 2.0


class StackError(Exception):
    """A failure that the operator can fix: only its message is shown, without a traceback."""


def say(line: str) -> None:
    """Print a line of the supervisor, flushed; ignores a closed terminal."""
    try:
        print(line, flush=True)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - replaces stdout for the rest of the process


def die_with_parent(signum: signal.Signals) -> Callable[[], None]:
    """A `preexec_fn` that has the kernel send `signum` to the child when the forking thread ends.

    The thread, not the process: start children from the main thread only. Only Linux supports this; on other systems, a
    killed supervisor leaves its children running.
    """
    parent = os.getpid()

    def arrange() -> None:
        if _prctl is not None:
            _prctl(PR_SET_PDEATHSIG, signum)
            if os.getppid() != parent:  # it died before the line above
                os._exit(1)

    return arrange


def never() -> bool:
    return False


#: Called with a description of the current state of a start.
Tell = Callable[[str], None]


def ignore_progress(line: str) -> None:
    """Ignore progress."""


def end(process: subprocess.Popen[bytes], ending: Ending, hurried: Callable[[], bool] = never) -> None:
    """Send the signals of `ending` in turn until the process exits; `hurried` shortens each wait."""
    for signum, patience in ending:
        if process.poll() is not None:
            return
        process.send_signal(signum)
        started = time.monotonic()
        while process.poll() is None:
            waited = time.monotonic() - started
            if waited > patience or (waited > HURRIED_SECONDS and hurried()):
                break
            time.sleep(0.02)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the remaining processes of the session that `process` led."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # macOS answers EPERM for a group of zombies
        return


def processes_in(directory: Path, name: str) -> list[int]:
    """The processes called `name` whose working directory is `directory` (none without /proc)."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "comm").read_text().strip() == name and (entry / "cwd").readlink() == directory:
                found.append(int(entry.name))
        except OSError:  # it has exited, or belongs to another user
            continue
    return found


def wait_for_former(directory: Path, name: str, tell: Tell) -> None:
    """Wait until no server of a previous stack, which is shutting down, still uses `directory`."""
    while pids := processes_in(directory, name):
        tell(f"waiting until the previous {name} (process {pids[0]}) has exited")
        time.sleep(0.1)


def free_port() -> int:
    """An unused loopback TCP port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def require_free(host: str, port: int) -> str:
    """The address that `host` names. Raises StackError if `port` is not available there."""
    try:
        if not 0 < port < 65536:
            raise OSError(errno.EINVAL, "no such port")
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
    except OSError as error:
        raise StackError(
            f"Cannot listen on {host}:{port} ({error.strerror}). Set HOST and PORT, e.g. PORT=8001 make up"
        ) from None
    return str(address[0])
