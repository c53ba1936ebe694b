"""The supervisor: starts processes in order, starts them again when they end, passes their output on, and leaves none
behind.

One thread and no event loop: the kernel's parent-death signal belongs to the thread that forks.
"""

import os
import pwd
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

from memory_project.environment import BASE_DIR
from memory_project.stack.logs import Logs, TerminalLogs
from memory_project.stack.processes import Pause, StackError, die_with_parent, end_group, never, say
from memory_project.stack.standstill import Standstill

GRACE_SECONDS = 30.0
HURRIED_GRACE_SECONDS = 2.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Server(Protocol):
    """What the application needs while it runs: PostgreSQL, Valkey."""

    process: subprocess.Popen[bytes] | None

    def start(self, pause: Pause = time.sleep) -> None: ...

    def stop(self, hurried: Callable[[], bool]) -> None: ...


#: Seconds until what has ended is started again: the first time, and at most. What ran for longer than that at most
#: begins with the first again.
RESTART_SECONDS, LONGEST_RESTART_SECONDS = 1.0, 10.0


class Kept:
    """What is started again when it ends, after a time that grows. What does not start either is tried again, at most
    `tries` times in a row (None: always). Between its end and its next start, it is `due` at a time of the monotonic
    clock."""

    name: str

    def __init__(self, tries: int | None = None, excused: Callable[[], bool] = never) -> None:
        """While `excused`, it is tried again after more than `tries`, too."""
        self.due: float | None = None
        self._tries = tries
        self._excused = excused
        self._failures = 0
        self._wait = RESTART_SECONDS
        self._started = time.monotonic()

    def ended(self) -> int | None:
        """The exit code of a process that has ended; None while it runs."""
        raise NotImplementedError

    def start(self, pause: Pause) -> None:
        """Start the process. Raises StackError or OSError where that fails."""
        raise NotImplementedError

    def clear_up(self) -> None:
        """End what an ended process has left running."""

    def postpone(self) -> float | None:
        """Note an end or a failed start; the seconds until the next start, None after too many failures in a row."""
        now = time.monotonic()
        has_failed = self.due is not None
        self._failures = self._failures + 1 if has_failed else 0
        if not has_failed and now - self._started > LONGEST_RESTART_SECONDS:
            self._wait = RESTART_SECONDS
        if self._tries is not None and self._failures >= self._tries and not self._excused():
            return None
        wait, self._wait = self._wait, min(self._wait * 2, LONGEST_RESTART_SECONDS)
        self.due = now + wait
        return wait

    def resume(self) -> None:
        """Note that it runs."""
        self.due, self._started = None, time.monotonic()


class KeptServer(Kept):
    """A server, which comes back on its port with its data."""

    def __init__(self, name: str, server: Server, tries: int | None, excused: Callable[[], bool]) -> None:
        super().__init__(tries, excused)
        self.name = name
        self.server = server

    def ended(self) -> int | None:
        return self.server.process.poll() if self.server.process is not None else None

    def start(self, pause: Pause) -> None:
        self.server.start(pause)


@dataclass(frozen=True)
class Program:
    """What a child is started from. A line of its output with `replacing` in it says that it has replaced one of its
    own processes. In the directory `signs` its processes show that they go on; one that stands still is killed, and
    the child replaces it."""

    command: Sequence[str]
    environment: Mapping[str, str]
    user: pwd.struct_passwd | None = None
    replacing: str | None = None
    signs: Path | None = None


@dataclass
class _Output:
    """A pipe that a child and its processes write to. A former one may still be open beside that of the next start."""

    child: "Child"
    unfinished: bytes = b""


class Child(Kept):
    """A process of the application."""

    def __init__(self, name: str, program: Program, outputs: selectors.BaseSelector) -> None:
        super().__init__()
        self.name = name
        self.program = program
        self.standstill = None if program.signs is None else Standstill(program.signs)
        self._outputs = outputs
        self.start(time.sleep)

    def ended(self) -> int | None:
        return self.process.poll()

    def start(self, pause: Pause) -> None:
        identity: dict[str, Any] = {}
        if (user := self.program.user) is not None:
            # What one process writes for the others is read by their group.
            identity = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [], "umask": 0o027}
        output, written = os.pipe()
        try:
            self.process = subprocess.Popen(
                self.program.command,
                env=self.program.environment,
                cwd=BASE_DIR,
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
                start_new_session=True,  # Ctrl-C is for the supervisor alone
                preexec_fn=die_with_parent(signal.SIGTERM),
                **identity,
            )
        except BaseException:
            os.close(output)
            raise
        finally:
            os.close(written)
        self._outputs.register(output, selectors.EVENT_READ, _Output(self))

    def standing_still(self) -> list[int]:
        """Its processes that run and do nothing."""
        return self.standstill.find(self.process.pid) if self.standstill is not None and self.due is None else []

    def clear_up(self) -> None:
        # A killed web server leaves workers that go on listening, and a killed worker its processes.
        end_group(self.process)


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
        #: Called with the name of what was started again.
        self.on_restart: Callable[[str], None] = lambda name: None
        self._servers: list[KeptServer] = []
        self._children: list[Child] = []
        self._outputs = selectors.DefaultSelector()

    def start_server(
        self, name: str, server: Server, tries: int | None = None, excused: Callable[[], bool] = never
    ) -> None:
        """Start a server and keep it running: everything ends with it when it failed to start `tries` times in a
        row (None: never) and is not `excused`. Raises StackError when it does not come up."""
        server.start()
        self._servers.append(KeptServer(name, server, tries, excused))

    def start_child(self, name: str, program: Program) -> Child:
        """Start a process and keep it running; `name` prefixes its output lines."""
        child = Child(name, program, self._outputs)
        self._children.append(child)
        return child

    def names(self) -> list[str]:
        """What it keeps running, and `NAME process` for the processes that a child replaces by itself."""
        replaced = [f"{child.name} process" for child in self._children if child.program.replacing is not None]
        return [*(kept.name for kept in (*self._servers, *self._children)), *replaced]

    def watch(self, until: Callable[[], bool], seconds: float = float("inf"), *, restarts: bool = True) -> bool:
        """Pass output on until the condition holds (True) or the time is over (False), and start again what ends.

        Raises StackError when a server failed to start too often in a row; without `restarts`, as soon as anything
        ends.
        """
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._pass_output_on(0.2)
            self.logs.tick()
            if restarts:
                self._keep_running()
            else:
                self._require_all_running()
            if until():
                return True
        return False

    def stop(self) -> None:
        """Stop the children together (SIGTERM, after 30 s SIGKILL), then the servers, last started first."""
        self.interruption.only_hurry()
        self.logs.clear()
        running = [child for child in self._children if child.due is None]
        for child in running:
            if child.process.poll() is None:
                child.process.terminate()
        started = time.monotonic()
        while any(child.process.poll() is None for child in running):
            grace = HURRIED_GRACE_SECONDS if self.interruption.hurried() else GRACE_SECONDS
            if time.monotonic() > started + grace:
                break
            self._pass_output_on(0.1)
        for child in running:
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
            self._servers.pop().server.stop(self.interruption.hurried)

    def require_servers(self) -> None:
        """Raise StackError when a server has ended."""
        for kept in self._servers:
            if (code := kept.ended()) is not None:
                raise StackError(f"{kept.name} ended unexpectedly ({_described(code)}); everything is stopped.")

    def _require_all_running(self) -> None:
        # Servers first: the children end because of them.
        self.require_servers()
        for child in self._children:
            if (code := child.ended()) is not None:
                self._drain()
                self.logs.clear()
                if last := self.logs.tail(child.name):
                    say(last)
                raise StackError(f"{child.name} ended unexpectedly ({_described(code)}); everything is stopped.")

    def _keep_running(self) -> None:
        for kept in (*self._servers, *self._children):
            if kept.due is None and (code := kept.ended()) is not None:
                kept.clear_up()
                self._postpone(kept, f"ended ({_described(code)})")
            elif kept.due is not None and time.monotonic() >= kept.due:
                self._start_again(kept)
        for child in self._children:
            for pid in child.standing_still():
                self.logs.tell(child.name, f"Process {pid} of {child.name} stands still, and is killed.")
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def _start_again(self, kept: Kept) -> None:
        try:
            # What the others write meanwhile is read: with a full pipe they would stop.
            kept.start(self._pass_output_on)
        except (StackError, OSError) as error:
            self._postpone(kept, f"did not start ({error})")
        else:
            kept.resume()
            self._count(kept.name)
            self.logs.tell(kept.name, f"{kept.name} was started again.")

    def _postpone(self, kept: Kept, what: str) -> None:
        wait = kept.postpone()
        if wait is None:
            raise StackError(f"{kept.name} {what}, again and again; everything is stopped.")
        self.logs.tell(kept.name, f"{kept.name} {what}, and is started again in {wait:g} s.")

    def _count(self, name: str) -> None:
        self.logs.count_restart()
        self.on_restart(name)

    def _pass_output_on(self, seconds: float) -> None:
        for key, _ in self._outputs.select(seconds):
            self._read(key)

    def _drain(self) -> None:
        """Pass on what ended processes have left; bounded, since a process that escaped may still write."""
        for _ in range(16):
            self._pass_output_on(0)

    def _read(self, key: selectors.SelectorKey) -> None:
        output: _Output = key.data
        child = output.child
        received = os.read(key.fd, 65536)
        if not received:  # the end
            self._outputs.unregister(key.fd)
            os.close(key.fd)
            received = b"\n" if output.unfinished else b""
        *lines, output.unfinished = (output.unfinished + received).split(b"\n")
        for line in filter(bytes.strip, lines):
            text = line.decode(errors="replace").rstrip()
            self.logs.write(child.name, text)
            if child.program.replacing is not None and child.program.replacing in text:
                self._count(f"{child.name} process")
                self.logs.tell(child.name, f"A process of {child.name} ended, and {child.name} replaces it.")


def _described(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
