"""The supervisor: starts processes in order, starts them again when they end, and leaves none behind.

One thread and no event loop: the kernel's parent-death signal belongs to the thread that forks.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Protocol

from memory_project.environment import BASE_DIR, HOME
from memory_project.stack.hung_processes import Standstill
from memory_project.stack.logs import Logs
from memory_project.stack.processes import StackError, Tell, die_with_parent, end_group, never, say, tell_nobody

GRACE_SECONDS = 30.0
HURRIED_GRACE_SECONDS = 2.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: Seconds until what has ended is started again: the first time, and at most. What ran for longer than that at most
#: begins with the first again.
RESTART_SECONDS, LONGEST_RESTART_SECONDS = 1.0, 10.0
#: Seconds between two looks at everything.
LOOK_SECONDS = 0.2


class Server(Protocol):
    """What the application needs while it runs: PostgreSQL, Valkey."""

    process: subprocess.Popen[bytes] | None

    def start(self, tell: Tell = ...) -> None: ...

    def stop(self, hurried: Callable[[], bool] = ...) -> None: ...


@dataclass(frozen=True)
class Program:
    """What a child is started from. A line of its output with `replacing` in it says that it has replaced one of its
    own processes. In the directory `signs` its processes show that they go on; one that stands still is killed, and
    the child replaces it."""

    command: Sequence[str]
    environment: Mapping[str, str]
    replacing: str | None = None
    signs: Path | None = None


class Child:
    """A process of the application, which writes to its log."""

    def __init__(self, name: str, program: Program, logs: Logs) -> None:
        self.name = name
        self.program = program
        self._logs = logs
        self._standstill = None if program.signs is None else Standstill(program.signs)
        self.start()

    def start(self) -> None:
        """Start the process. Raises OSError where that fails."""
        with self._logs.open(self.name) as output:
            self.process = subprocess.Popen(
                self.program.command,
                env=self.program.environment,
                cwd=BASE_DIR,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # Ctrl-C is for the supervisor alone
                preexec_fn=die_with_parent(signal.SIGTERM),
            )

    def ended(self) -> int | None:
        """The exit code of a process that has ended; None while it runs. What an ended one left running is killed: a
        killed web server leaves workers that go on listening, and a killed worker its processes."""
        if self.process.returncode is None and self.process.poll() is not None:
            end_group(self.process)
        return self.process.returncode

    def standing_still(self) -> list[int]:
        """Its processes that run and do nothing."""
        if self._standstill is None or self.process.returncode is not None:
            return []
        return self._standstill.find(self.process.pid)


@dataclass
class Kept:
    """What is started again when it ends, after a time that grows. What does not start either is tried again, at most
    `tries` times in a row (None, and while `excused`: always). Between its end and its next start, it is `due` at a
    time of the monotonic clock."""

    name: str
    start: Callable[[], None]
    ended: Callable[[], int | None]
    tries: int | None = None
    excused: Callable[[], bool] = never
    due: float | None = None
    failures: int = 0
    wait: float = field(default_factory=lambda: RESTART_SECONDS)
    started: float = field(default_factory=time.monotonic)

    def postpone(self) -> float | None:
        """Note an end or a failed start; the seconds until the next start, None after too many failures in a row."""
        now = time.monotonic()
        has_failed = self.due is not None
        self.failures = self.failures + 1 if has_failed else 0
        if not has_failed and now - self.started > LONGEST_RESTART_SECONDS:
            self.wait = RESTART_SECONDS
        if self.tries is not None and self.failures >= self.tries and not self.excused():
            return None
        wait, self.wait = self.wait, min(self.wait * 2, LONGEST_RESTART_SECONDS)
        self.due = now + wait
        return wait

    def resume(self) -> None:
        """Note that it runs."""
        self.due, self.started = None, time.monotonic()


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
        """`logs` has the logs of the children; by default in the home."""
        self.interruption = Interruption()
        self.logs = logs or Logs(HOME / "log")
        #: Called with the name of what was started again.
        self.on_restart: Callable[[str], None] = lambda name: None
        self._servers: list[Server] = []
        self._children: dict[str, Child] = {}
        self._kept: list[Kept] = []  # servers first: the children end because of them

    def start_server(
        self,
        name: str,
        server: Server,
        tries: int | None = None,
        excused: Callable[[], bool] = never,
        tell: Tell = tell_nobody,
    ) -> None:
        """Start a server and keep it running: everything ends with it when it failed to start `tries` times in a
        row (None: never) and is not `excused`. `tell` is told what it waits for. Raises StackError when it does not
        come up."""
        server.start(tell)
        self._servers.append(server)

        def ended() -> int | None:
            return None if server.process is None else server.process.poll()

        self._kept.append(Kept(name, server.start, ended, tries, excused))

    def start_child(self, name: str, program: Program) -> Child:
        """Start a process and keep it running; `name` is that of its log."""
        child = self._children[name] = Child(name, program, self.logs)
        self._kept.append(Kept(name, child.start, child.ended))
        return child

    def names(self) -> list[str]:
        """What it keeps running, and `NAME process` for the processes that a child replaces by itself."""
        replaced = [f"{child.name} process" for child in self._children.values() if child.program.replacing]
        return [*(kept.name for kept in self._kept), *replaced]

    def watch(self, until: Callable[[], bool], *, restarts: bool = True) -> None:
        """Look at everything until the condition holds, and start again what ends.

        Raises StackError when a server failed to start too often in a row; without `restarts`, as soon as anything
        ends.
        """
        while not until():
            self._look_at_logs()
            if restarts:
                self._keep_running()
            else:
                self._require_running(self._kept)
            time.sleep(LOOK_SECONDS)

    def stop(self) -> None:
        """Stop the children together (SIGTERM, after 30 s SIGKILL), then the servers, last started first."""
        self.interruption.only_hurry()
        self.logs.clear()
        for child in self._children.values():
            if child.ended() is None:
                child.process.terminate()
        started = time.monotonic()
        while running := [child for child in self._children.values() if child.ended() is None]:
            grace = HURRIED_GRACE_SECONDS if self.interruption.hurried() else GRACE_SECONDS
            if time.monotonic() > started + grace:
                break
            self.logs.look()
            time.sleep(0.1)
        self.logs.clear()
        for child in running:
            say(f"{child.name} did not stop in time and is killed.")
            end_group(child.process)
            child.process.wait()
        self.logs.look()
        self.logs.clear()
        self._children.clear()
        while self._servers:
            self._servers.pop().stop(self.interruption.hurried)

    def require_servers(self) -> None:
        """Raise StackError when a server has ended."""
        self._require_running(self._kept[: len(self._servers)])

    def _require_running(self, kept: Sequence[Kept]) -> None:
        for one in kept:
            if (code := one.ended()) is not None:
                self.logs.look()
                self.logs.clear()
                if last := self.logs.tail(one.name):
                    say(last)
                raise StackError(f"{one.name} ended unexpectedly ({_described(code)}); everything is stopped.")

    def _keep_running(self) -> None:
        for kept in self._kept:
            if kept.due is None and (code := kept.ended()) is not None:
                self._postpone(kept, f"ended ({_described(code)})")
            elif kept.due is not None and time.monotonic() >= kept.due:
                self._start_again(kept)
        for child in self._children.values():
            for pid in child.standing_still():
                self.logs.tell(child.name, f"Process {pid} of {child.name} stands still, and is killed.")
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def _start_again(self, kept: Kept) -> None:
        try:
            kept.start()
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

    def _look_at_logs(self) -> None:
        for name, line in self.logs.look():
            replacing = self._children[name].program.replacing
            if replacing is not None and replacing in line:
                self._count(f"{name} process")
                self.logs.tell(name, f"A process of {name} ended, and {name} replaces it.")


def _described(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
