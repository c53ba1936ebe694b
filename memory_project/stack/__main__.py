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
    """A locked home and a supervisor; stops everything at the end, whatever happens."""
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
    """The environment of every process, without a superuser's URL, which only this process uses, to create the
    roles."""
    inherited = {name: value for name, value in os.environ.items() if name != servers.SUPERUSER_VARIABLE}
    return {**inherited, **variables, "SUTURE_HOME": str(home.path), "PYTHONUNBUFFERED": "1"}


def _home() -> tuple[Home, bool]:
    """The home, and whether it is at the default place (so that data may move elsewhere)."""
    return Home(environment.HOME), "SUTURE_HOME" not in os.environ


def up() -> int:
    """Run everything until a signal (returns 0), or until a process ends unexpectedly (raises StackError)."""
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
            application.report_ledger_problems(process_environment)
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
    """Run a command with its own embedded servers; returns its exit code (128 + n for signal n)."""
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

    # set before the command starts, because it may get a signal before Popen returns
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
    is_reported = False
    while True:
        try:
            code = process.wait(0.5)
        except subprocess.TimeoutExpired:
            try:
                supervisor.require_servers()
            except StackError as error:
                if not is_reported:
                    say(str(error))
                is_reported = True
        else:
            return code if code >= 0 else 128 - code


def status() -> int:
    """Print whether a stack runs in the home; returns 0 if so, 3 if not."""
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
    runner = commands.add_parser("run", help="run a command with embedded servers")
    runner.add_argument("--ephemeral", action="store_true", help="use a new home and delete it afterwards")
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
