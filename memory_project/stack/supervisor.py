"""The supervisor: starts processes in order, restarts those that exit, and leaves none behind.

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
from memory_project.stack.hung_processes import HungProcesses
from memory_project.stack.logs import Logs
from memory_project.stack.processes import StackError, Tell, die_with_parent, end_group, ignore_progress, never, say

GRACE_SECONDS = 30.0
HURRIED_GRACE_SECONDS = 2.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: Seconds before a restart: at first, and at most. A process that ran longer than the maximum starts over with the
#: first delay.
RESTART_SECONDS, MAX_RESTART_SECONDS = 1.0, 10.0
#: Seconds between two checks.
LOOK_SECONDS = 0.2


class Server(Protocol):
    """A server that the application needs: PostgreSQL, Valkey."""

    process: subprocess.Popen[bytes] | None

    def start(self, tell: Tell = ...) -> None: ...

    def stop(self, hurried: Callable[[], bool] = ...) -> None: ...


@dataclass(frozen=True)
class Program:
    """How to start a child. A line of its output that contains `replacing` reports that it has replaced one of its own
    processes. Its processes write heartbeats into the directory `signs`; a frozen one is killed, and the child replaces
    it."""

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
        self._hung = None if program.signs is None else HungProcesses(program.signs)
        self.start()

    def start(self) -> None:
        """Start the process. Raises OSError on failure."""
        with self._logs.open(self.name) as output:
            self.process = subprocess.Popen(
                self.program.command,
                env=self.program.environment,
                cwd=BASE_DIR,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # only the supervisor gets Ctrl-C
                preexec_fn=die_with_parent(signal.SIGTERM),
            )

    def ended(self) -> int | None:
        """The exit code of a process that has exited; None while it runs. Kills its remaining processes: the workers of
        a killed web server would go on listening."""
        if self.process.returncode is None and self.process.poll() is not None:
            end_group(self.process)
        return self.process.returncode

    def hung_processes(self) -> list[int]:
        """Its frozen processes."""
        if self._hung is None or self.process.returncode is not None:
            return []
        return self._hung.find(self.process.pid)


@dataclass
class Restartable:
    """A server or child that is restarted when it exits, with a growing delay. A failed start is retried at most
    `tries`
    times in a row (None, and while `excused`: without limit). Until its restart, `due` is the time of the next start on
    the
    monotonic clock."""

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
        """Record an exit or a failed start. Returns the seconds until the next start, None after too many failures."""
        now = time.monotonic()
        has_failed = self.due is not None
        self.failures = self.failures + 1 if has_failed else 0
        if not has_failed and now - self.started > MAX_RESTART_SECONDS:
            self.wait = RESTART_SECONDS
        if self.tries is not None and self.failures >= self.tries and not self.excused():
            return None
        wait, self.wait = self.wait, min(self.wait * 2, MAX_RESTART_SECONDS)
        self.due = now + wait
        return wait

    def resume(self) -> None:
        """Record that it runs."""
        self.due, self.started = None, time.monotonic()


class Interruption:
    """The operator's signals: the first raises KeyboardInterrupt, every later one speeds up the shutdown."""

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
    """Owns the servers and the children; after `stop`, none of them runs."""

    def __init__(self, logs: Logs | None = None) -> None:
        """`logs` are the logs of the children; by default in the home."""
        self.interruption = Interruption()
        self.logs = logs or Logs(HOME / "log")
        #: Called with the name of a restarted process.
        self.on_restart: Callable[[str], None] = lambda name: None
        self._servers: list[Server] = []
        self._children: dict[str, Child] = {}
        self._restartables: list[Restartable] = []  # servers first: their failure makes the children exit

    def start_server(
        self,
        name: str,
        server: Server,
        tries: int | None = None,
        excused: Callable[[], bool] = never,
        tell: Tell = ignore_progress,
    ) -> None:
        """Start a server and keep it running. After `tries` failed starts in a row (None: no limit) while it is not
        `excused`, everything stops. Calls `tell` with the state. Raises StackError if it does not start."""
        server.start(tell)
        self._servers.append(server)

        def ended() -> int | None:
            return None if server.process is None else server.process.poll()

        self._restartables.append(Restartable(name, server.start, ended, tries, excused))

    def start_child(self, name: str, program: Program) -> Child:
        """Start a process and keep it running; `name` is the name of its log."""
        child = self._children[name] = Child(name, program, self.logs)
        self._restartables.append(Restartable(name, child.start, child.ended))
        return child

    def names(self) -> list[str]:
        """The names of what it keeps running, and `NAME process` for the processes that a child replaces itself."""
        replaced = [f"{child.name} process" for child in self._children.values() if child.program.replacing]
        return [*(one.name for one in self._restartables), *replaced]

    def watch(self, until: Callable[[], bool], *, restarts: bool = True) -> None:
        """Check everything until the condition holds, and restart what exits.

        Raises StackError if a server failed to start too often in a row; without `restarts`, as soon as anything exits.
        """
        while not until():
            self._look_at_logs()
            if restarts:
                self._keep_running()
            else:
                self._require_running(self._restartables)
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
            say(f"{child.name} did not stop in time; killing it.")
            end_group(child.process)
            child.process.wait()
        self.logs.look()
        self.logs.clear()
        self._children.clear()
        while self._servers:
            self._servers.pop().stop(self.interruption.hurried)

    def require_servers(self) -> None:
        """Raise StackError if a server has exited."""
        self._require_running(self._restartables[: len(self._servers)])

    def _require_running(self, restartables: Sequence[Restartable]) -> None:
        for one in restartables:
            if (code := one.ended()) is not None:
                self.logs.look()
                self.logs.clear()
                if last := self.logs.tail(one.name):
                    say(last)
                raise StackError(f"{one.name} exited unexpectedly ({_described(code)}); stopping everything.")

    def _keep_running(self) -> None:
        for one in self._restartables:
            if one.due is None and (code := one.ended()) is not None:
                self._postpone(one, f"exited ({_described(code)})")
            elif one.due is not None and time.monotonic() >= one.due:
                self._restart(one)
        for child in self._children.values():
            for pid in child.hung_processes():
                self.logs.tell(child.name, f"Process {pid} of {child.name} is frozen; killing it.")
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def _restart(self, one: Restartable) -> None:
        try:
            one.start()
        except (StackError, OSError) as error:
            self._postpone(one, f"did not start ({error})")
        else:
            one.resume()
            self._count(one.name)
            self.logs.tell(one.name, f"{one.name} was restarted.")

    def _postpone(self, one: Restartable, what: str) -> None:
        wait = one.postpone()
        if wait is None:
            raise StackError(f"{one.name} {what} too often; stopping everything.")
        self.logs.tell(one.name, f"{one.name} {what}; restarting it in {wait:g} s.")

    def _count(self, name: str) -> None:
        self.logs.count_restart()
        self.on_restart(name)

    def _look_at_logs(self) -> None:
        for name, line in self.logs.look():
            replacing = self._children[name].program.replacing
            if replacing is not None and replacing in line:
                self._count(f"{name} process")
                self.logs.tell(name, f"A process of {name} exited; {name} replaces it.")


def _described(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
