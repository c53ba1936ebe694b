"""The supervisor: starts processes in order, passes their output on, and leaves none behind.

One thread and no event loop: the kernel's parent-death signal belongs to the thread that forks.
"""

import os
import pwd
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Protocol

from memory_project.environment import BASE_DIR
from memory_project.stack.logs import Logs, TerminalLogs
from memory_project.stack.processes import StackError, die_with_parent, end_group, say

GRACE_SECONDS = 30.0
HURRIED_GRACE_SECONDS = 2.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Server(Protocol):
    """What the application needs while it runs: PostgreSQL, Valkey."""

    process: subprocess.Popen[bytes] | None

    def start(self) -> None: ...

    def stop(self, hurried: Callable[[], bool]) -> None: ...


#: Seconds until a child that is not vital is started again: the first time, and at most.
RESTART_SECONDS, LONGEST_RESTART_SECONDS = 1.0, 60.0


@dataclass
class Child:
    """A process. `again` starts it once more after it ended; None if everything ends with it."""

    name: str
    process: subprocess.Popen[bytes]
    again: Callable[[], tuple[subprocess.Popen[bytes], int]] | None = None
    started: float = field(default_factory=time.monotonic)
    due: float | None = None
    wait: float = field(default_factory=lambda: RESTART_SECONDS)
    unfinished: bytes = b""


class Interruption:
    """The operator's signals: the first raises KeyboardInterrupt, every later one hurries the stopping."""

    def __init__(self) -> None:
        self._hurried = False

    def raise_once(self) -> None:
        for signum in STOP_SIGNALS:
            signal.signal(signum, self._first)

    def only_hurry(self) -> None:
        for signum in STOP_SIGNALS:
            signal.signal(signum, self._later)

    def hurried(self) -> bool:
        return self._hurried

    def _first(self, signum: int, frame: FrameType | None) -> None:
        self.only_hurry()
        raise KeyboardInterrupt

    def _later(self, signum: int, frame: FrameType | None) -> None:
        self._hurried = True


class Supervisor:
    """Owns the servers and the children; after `stop` nothing of them runs."""

    def __init__(self, logs: Logs | None = None) -> None:
        """`logs` takes the lines of the children; without it they go to the terminal."""
        self.interruption = Interruption()
        self.logs: Logs = logs or TerminalLogs()
        self._servers: list[tuple[str, Server]] = []
        self._children: list[Child] = []
        self._outputs = selectors.DefaultSelector()

    def start_server(self, name: str, server: Server) -> None:
        """Start a server and watch it. Raises StackError when it does not come up."""
        server.start()
        self._servers.append((name, server))

    def start_child(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        user: pwd.struct_passwd | None = None,
        *,
        is_vital: bool = True,
    ) -> None:
        """Start a process that is to run until the end, as `user` if one is given; `name` prefixes its output lines.
        If one ends that is not vital, it is started again, after a time that grows."""

        identity: dict[str, Any] = {}
        if user is not None:
            # What one process writes for the others is read by their group.
            identity = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [], "umask": 0o027}

        def start() -> tuple[subprocess.Popen[bytes], int]:
            output, written = os.pipe()
            process = subprocess.Popen(
                command,
                env=environment,
                cwd=BASE_DIR,
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
                start_new_session=True,  # Ctrl-C is for the supervisor alone
                preexec_fn=die_with_parent(signal.SIGTERM),
                **identity,
            )
            os.close(written)
            return process, output

        process, output = start()
        child = Child(name, process, None if is_vital else start)
        self._children.append(child)
        self._outputs.register(output, selectors.EVENT_READ, child)

    def watch(self, until: Callable[[], bool], seconds: float = float("inf")) -> bool:
        """Pass output on until the condition holds (True) or the time is over (False).

        Raises StackError as soon as a vital child or a server ends, which none should: only others are restarted.
        """
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._pass_output_on(0.2)
            self.logs.tick()
            self._require_all_running()
            if until():
                return True
        return False

    def stop(self) -> None:
        """Stop the children together (SIGTERM, after 30 s SIGKILL), then the servers, last started first."""
        self.interruption.only_hurry()
        self.logs.clear()
        for child in self._children:
            if child.process.poll() is None:
                child.process.terminate()
        started = time.monotonic()
        while any(child.process.poll() is None for child in self._children):
            grace = HURRIED_GRACE_SECONDS if self.interruption.hurried() else GRACE_SECONDS
            if time.monotonic() > started + grace:
                break
            self._pass_output_on(0.1)
        for child in self._children:
            if child.process.poll() is None:
                say(f"{child.name} did not stop in time and is killed.")
            end_group(child.process)
            child.process.wait()
        self._drain()
        for key in list(self._outputs.get_map().values()):  # held open by a process that left its group
            os.close(key.fd)
        self._outputs.close()
        self._children.clear()
        while self._servers:
            _, server = self._servers.pop()
            server.stop(self.interruption.hurried)

    def require_servers(self) -> None:
        """Raise StackError when a server has ended."""
        for name, server in self._servers:
            if server.process is not None and (code := server.process.poll()) is not None:
                raise StackError(f"{name} ended unexpectedly ({_described(code)}); everything is stopped.")

    def _require_all_running(self) -> None:
        # Servers first: the children end because of them.
        self.require_servers()
        for child in self._children:
            if (code := child.process.poll()) is not None:
                if child.again is not None:
                    self._restart(child, code, child.again)
                    continue
                self._drain()
                self.logs.clear()
                if last := self.logs.tail(child.name):
                    say(last)
                raise StackError(f"{child.name} ended unexpectedly ({_described(code)}); everything is stopped.")

    def _restart(self, child: Child, code: int, again: Callable[[], tuple[subprocess.Popen[bytes], int]]) -> None:
        """Start an ended child again when it is due; the longer it ran, the sooner."""
        now = time.monotonic()
        if child.due is None:
            if now - child.started > LONGEST_RESTART_SECONDS:
                child.wait = RESTART_SECONDS
            child.due = now + child.wait
            self.logs.write(child.name, f"{child.name} ended ({_described(code)}), starts again in {child.wait:.0f} s")
            child.wait = min(child.wait * 2, LONGEST_RESTART_SECONDS)
        elif now >= child.due:
            child.process, output = again()
            child.started, child.due = now, None
            self._outputs.register(output, selectors.EVENT_READ, child)

    def _pass_output_on(self, seconds: float) -> None:
        for key, _ in self._outputs.select(seconds):
            self._read(key)

    def _drain(self) -> None:
        """Pass on what ended processes have left; bounded, since a process that escaped may still write."""
        for _ in range(16):
            self._pass_output_on(0)

    def _read(self, key: selectors.SelectorKey) -> None:
        child: Child = key.data
        received = os.read(key.fd, 65536)
        if not received:  # the end
            self._outputs.unregister(key.fd)
            os.close(key.fd)
            received = b"\n" if child.unfinished else b""
        *lines, child.unfinished = (child.unfinished + received).split(b"\n")
        for line in filter(bytes.strip, lines):
            self.logs.write(child.name, line.decode(errors="replace").rstrip())


def _described(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
