"""`python -m memory_project.stack`: up, run, status, clean."""

import argparse
import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from memory_project import environment
from memory_project.stack import application, servers
from memory_project.stack.accounts import find_accounts, require_port
from memory_project.stack.home import Home
from memory_project.stack.processes import StackError, die_with_parent, require_free, say
from memory_project.stack.supervisor import Supervisor


@contextlib.contextmanager
def _supervised(home: Home) -> Iterator[Supervisor]:
    """A held home and a supervisor; in the end everything is stopped, whatever happened."""
    home.prepare()
    supervisor = Supervisor()
    supervisor.interruption.raise_once()
    try:
        yield supervisor
    finally:
        supervisor.stop()
        home.withdraw()
        home.release()


def _environment(home: Home, variables: dict[str, str]) -> dict[str, str]:
    """What every process is started with. A superuser's URL makes the roles, here, and goes no further."""
    inherited = {name: value for name, value in os.environ.items() if name != servers.SUPERUSER_VARIABLE}
    return {**inherited, **variables, "SUTURE_HOME": str(home.path), "PYTHONUNBUFFERED": "1"}


def _home() -> tuple[Home, bool]:
    """The home, and whether its place was our choice (so that data may be put elsewhere)."""
    return Home(environment.HOME), "SUTURE_HOME" not in os.environ


def up() -> int:
    """Run everything until a signal comes (0) or something ends that should not (StackError)."""
    host, port = os.environ.get("HOST") or "127.0.0.1", environment.whole_number("PORT", 8000)
    address = require_free(host, port)
    servers.require_usable(os.environ)
    home, chosen_by_us = _home()
    with _supervised(home) as supervisor:
        try:
            accounts = find_accounts(home.path)
            require_port(accounts, address, port)
            variables = servers.start_missing(supervisor, home, os.environ, may_move=chosen_by_us)
            home.publish(variables)
            process_environment = _environment(home, variables)
            application.migrate(process_environment)
            application.tell_of_the_ledger(process_environment)
            application.provision_first_tenant(process_environment)
            application.start(supervisor, home, process_environment, accounts, address, port)
            site = f"http://{application.reachable_address(address, port)}"
            say(f"\nSuture is ready.\n  API    {site}/api/docs\n  admin  {site}/admin/")
            say(f"Ctrl-C stops it; the data stays in {home.path}\n")
            supervisor.watch(until=lambda: False)
        except KeyboardInterrupt:
            say("Stopping ...")
    return 0


def run(command: list[str], *, ephemeral: bool) -> int:
    """Run a command against embedded servers of its own; return its exit code (128 + n for signal n)."""
    home, chosen_by_us = (Home(Path(tempfile.mkdtemp(prefix="suture-"))), False) if ephemeral else _home()
    try:
        with _supervised(home) as supervisor:
            try:
                variables = servers.start_embedded(supervisor, home, ephemeral=ephemeral, may_move=chosen_by_us)
                home.publish(variables)
                return _in_foreground(supervisor, command, _environment(home, variables))
            except KeyboardInterrupt:
                return 128 + signal.SIGINT
    finally:
        if ephemeral:
            shutil.rmtree(home.path, ignore_errors=True)


def _in_foreground(supervisor: Supervisor, command: list[str], variables: dict[str, str]) -> int:
    process: subprocess.Popen[bytes] | None = None
    came_early: list[int] = []

    def pass_on(signum: int, frame: FrameType | None) -> None:
        if process is None:
            came_early.append(signum)
        else:
            process.send_signal(signum)

    def leave_to_command(signum: int, frame: FrameType | None) -> None:
        return

    # Before the command runs: whoever sees it run may end it before we are told that it does.
    signal.signal(signal.SIGINT, leave_to_command)
    signal.signal(signal.SIGTERM, pass_on)
    signal.signal(signal.SIGHUP, pass_on)
    # It stays in our process group, so that it owns the terminal and Ctrl-C reaches it without us.
    try:
        process = subprocess.Popen(command, env=variables, preexec_fn=die_with_parent(signal.SIGTERM))
    except OSError as error:
        raise StackError(f"{command[0]}: {error.strerror}") from None
    for signum in came_early:
        process.send_signal(signum)
    told = False
    while True:
        try:
            code = process.wait(0.5)
        except subprocess.TimeoutExpired:
            try:
                supervisor.require_servers()
            except StackError as error:
                if not told:
                    say(str(error))
                told = True
        else:
            return code if code >= 0 else 128 - code


def status() -> int:
    """Say whether a stack runs in the home: 0 if so, 3 if not."""
    home, _ = _home()
    try:
        with (home.path / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        say(f"A stack is running in {home.path}.")
        return 0
    except OSError:
        pass
    say(f"No stack is running in {home.path}.")
    return 3


def clean() -> int:
    """Delete the home with all its data, unless a stack runs in it."""
    home, _ = _home()
    if home.path.exists():
        home.prepare()
        home.remove()
    say(f"Removed {home.path}.")
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m memory_project.stack", description=__doc__)
    commands = parser.add_subparsers(dest="action", required=True)
    commands.add_parser("up", help="run everything: servers, web, worker, beat")
    runner = commands.add_parser("run", help="run a command against embedded servers")
    runner.add_argument("--ephemeral", action="store_true", help="in a fresh home that is removed afterwards")
    runner.add_argument("command", nargs="+", metavar="COMMAND", help="after --")
    commands.add_parser("status", help="say whether a stack is running")
    commands.add_parser("clean", help="delete the home with all its data")
    options = parser.parse_args(arguments)
    try:
        match options.action:
            case "up":
                return up()
            case "run":
                return run(options.command, ephemeral=options.ephemeral)
            case "status":
                return status()
            case _:
                return clean()
    except StackError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
