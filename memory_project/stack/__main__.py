"""`python -m memory_project.stack`: up, run, status, credentials, dump, restore, clean."""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

import psycopg

from memory_project import environment
from memory_project.stack import application, credentials, dumps, restarts, servers, watching
from memory_project.stack.home import Home
from memory_project.stack.logs import Logs
from memory_project.stack.processes import StackError, die_with_parent, require_free, say
from memory_project.stack.progress import Steps
from memory_project.stack.supervisor import Program, Supervisor

_TITLES = {"web": "the web server", "worker": "the worker", "beat": "the scheduler"}


@contextlib.contextmanager
def _supervised(home: Home, *, to_terminal: bool = False) -> Iterator[Supervisor]:
    """Lock the home and yield a supervisor; stop everything at the end."""
    home.prepare()
    home.withdraw()  # a killed stack may have left addresses of dead servers
    supervisor = Supervisor(Logs(home.path / "log", to_terminal=to_terminal))
    supervisor.interruption.raise_once()
    try:
        yield supervisor
    finally:
        supervisor.stop()
        home.withdraw()
        home.release()


def _environment(home: Home, variables: dict[str, str]) -> dict[str, str]:
    """The environment of every process: without the superuser's URL, which only this process uses, to create the
    roles."""
    inherited = {name: value for name, value in os.environ.items() if name != servers.SUPERUSER_VARIABLE}
    return {**inherited, **variables, "SUTURE_HOME": str(home.path), "PYTHONUNBUFFERED": "1"}


def _home() -> tuple[Home, bool]:
    """The home, and whether it is the default one (then data may move elsewhere)."""
    return Home(environment.HOME), "SUTURE_HOME" not in os.environ


def up(parts: Collection[str] = application.PARTS, *, resets_roles: bool = False) -> int:
    """Run everything until a signal (returns 0) or until PostgreSQL keeps failing (raises StackError). Of web, worker
    and beat, run those in `parts`. `resets_roles` gives new passwords to roles that another node created.

    If a stack already runs in the home, print its address and return 0.
    """
    home, chosen_by_us = _home()
    if _tell_where_it_runs(home):
        return 0
    host, port = os.environ.get("HOST") or "127.0.0.1", environment.whole_number("PORT", 8000)
    has_web = "web" in parts
    address = require_free(host, port) if has_web else host
    servers.require_usable(os.environ)
    watched = watching.arguments() if has_web else []
    to_terminal = environment.flag("LOGS_TO_TERMINAL")
    with _supervised(home, to_terminal=to_terminal) as supervisor:
        try:
            if os.geteuid() == 0:
                say("WARNING: web, worker and beat run as root. On a server, run Suture as a dedicated user.")
            steps = Steps(5)
            variables = servers.start_missing(
                supervisor, home, os.environ, steps, may_move=chosen_by_us, resets_roles=resets_roles
            )
            home.publish(variables)
            process_environment = _environment(home, variables)
            with steps.step("Creating or updating the tables, and checking the ledgers"):
                application.prepare(process_environment, steps.tell)
            with steps.step("Creating the first tenant if there is none"):
                application.provision_first_tenant(process_environment, home)
            with steps.step(f"Starting {', '.join(_TITLES[part] for part in parts)}"):
                application.start(supervisor, home, process_environment, (address, port), parts, steps.tell)
                supervisor.on_restart = restarts.counter(home.metrics, supervisor.names())
            site = f"http://{application.reachable_address(address, port)}" if has_web else ""
            if has_web:
                home.publish({**variables, environment.SITE_VARIABLE: site})
            if watched:
                secret = watching.key(process_environment, home)
                program = Program(watching.command(watched), watching.environment_of(site, secret))
                supervisor.start_child("watch", program)
            say("\nSuture is ready.")
            if has_web:
                say(f"  API    {site}/api/docs\n  admin  {site}/admin/")
            if len(parts) < len(application.PARTS):
                say(f"  runs   {', '.join(parts)} only")
            if watched:
                say(f"  watch  {', '.join(watched)}")
            if not to_terminal:
                say(f"  logs   {home.path / 'log'}{' (requests: web.log)' if has_web else ''}")
            _show_credentials(home, variables["DATABASE_OWNER_URL"])
            say(f"\nPress Ctrl-C to stop. The data stays in {home.path}\n")
            supervisor.watch(until=lambda: False)
        except KeyboardInterrupt:
            supervisor.logs.clear()
            say("Stopping ...")
    return 0


def _tell_where_it_runs(home: Home) -> bool:
    """Print the address of the stack that runs in the home. Returns False if none has a web server."""
    running = home.running()
    if running is None or not running[1]:
        return False
    process, site = running
    say(f"Suture is already running (process {process}).\n  API    {site}/api/docs\n  admin  {site}/admin/")
    say("`make credentials` shows the unused first credentials. To stop it, press Ctrl-C in its terminal.")
    asked = environment.whole_number("PORT", 0)
    if asked and urlsplit(site).port != asked:
        say(f"To run a second one on port {asked}, use another home: SUTURE_HOME=.suture-{asked} PORT={asked} make up")
    return True


def _show_credentials(home: Home, owner_url: str) -> None:
    found = credentials.unused(home, owner_url)
    if found:
        say(f"\nThe tenant {found[0].tenant} has unused credentials:\n")
        say(credentials.as_table(found))
        say("\n`make credentials` shows each of them again until it is used.")


def show_credentials(*, for_shell: bool) -> int:
    """Print the unused credentials of the first tenant. Returns 1, with instructions, if there are none."""
    home, _ = _home()
    owner_url = os.environ.get("DATABASE_OWNER_URL") or environment.published(home.path, "DATABASE_OWNER_URL")
    if not owner_url:
        raise StackError(f"No stack is running in {home.path}. Start it with `make up`.")
    try:
        found = credentials.unused(home, owner_url)
    except psycopg.Error as error:
        raise StackError(f"The database did not tell which credentials were used: {error}") from None
    if not found:
        raise StackError(
            "The first credentials have been used, so they are no longer stored. For a new key: `manage.py keys list"
            " --tenant demo`, then `manage.py keys rotate --tenant demo PREFIX`. For a new password: `manage.py"
            " changepassword bob`."
        )
    if for_shell:
        say(f"{environment.SITE_VARIABLE}={environment.published(home.path, environment.SITE_VARIABLE)}")
        say(credentials.as_shell(found))
    else:
        say(credentials.as_table(found))
    return 0


def run(command: list[str], *, ephemeral: bool) -> int:
    """Run a command with its own embedded servers. Returns its exit code (128 + n for signal n)."""
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

    # set before the command starts, because a signal may arrive before Popen returns
    signal.signal(signal.SIGINT, leave_to_command)
    signal.signal(signal.SIGTERM, pass_on)
    signal.signal(signal.SIGHUP, pass_on)
    # It stays in our process group, so that it controls the terminal and receives Ctrl-C directly.
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
    """Print whether a stack runs in the home, and its address. Returns 0 if so, otherwise 3."""
    home, _ = _home()
    running = home.running()
    if running is None:
        say(f"No stack is running in {home.path}.")
        return 3
    process, site = running
    say(f"A stack is running in {home.path} (process {process}){f': {site}' if site else '.'}")
    return 0


def dump(file: Path) -> int:
    """Dump the database of the running stack, or the one that the environment names, into a file."""
    home, _ = _home()
    owner_url = os.environ.get("DATABASE_OWNER_URL") or environment.published(home.path, "DATABASE_OWNER_URL")
    if not owner_url:
        raise StackError(f"No stack is running in {home.path}. Start it with `make up`, or set DATABASE_OWNER_URL.")
    dumps.dump(file, owner_url)
    say(
        f"Dumped the database into {file}. Also back up the secrets and tree heads in {home.path} (docs/operations.md)."
    )
    return 0


def restore(file: Path, *, resets_roles: bool) -> int:
    """Restore a dump into a database without tables; no stack may run in the home."""
    home, chosen_by_us = _home()
    with _supervised(home):
        dumps.restore(file, home, os.environ, may_move=chosen_by_us, resets_roles=resets_roles)
    say(f"The database is restored. Copy the secrets and tree heads back into {home.path}, then run `make up`.")
    return 0


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
    starter = commands.add_parser("up", help="run everything: servers, web, worker, beat")
    starter.add_argument("--only", nargs="+", choices=application.PARTS, help="run only these of web, worker and beat")
    starter.add_argument(
        "--reset-roles", action="store_true", help="give new passwords to roles that another node created"
    )
    runner = commands.add_parser("run", help="run a command with embedded servers")
    runner.add_argument("--ephemeral", action="store_true", help="use a new home and delete it afterwards")
    runner.add_argument("command", nargs="+", metavar="COMMAND", help="after --")
    commands.add_parser("status", help="show whether a stack is running")
    shown = commands.add_parser("credentials", help="show the unused first credentials")
    shown.add_argument("--shell", action="store_true", help="as shell variables")
    dumper = commands.add_parser("dump", help="dump the database into a file")
    dumper.add_argument("file", type=Path)
    restorer = commands.add_parser("restore", help="restore a dump into an empty database")
    restorer.add_argument("file", type=Path)
    restorer.add_argument(
        "--reset-roles", action="store_true", help="give new passwords to roles that another node created"
    )
    commands.add_parser("clean", help="delete the home with all its data")
    options = parser.parse_args(arguments)
    try:
        match options.action:
            case "up":
                parts = [part for part in application.PARTS if not options.only or part in options.only]
                return up(parts, resets_roles=options.reset_roles)
            case "run":
                return run(options.command, ephemeral=options.ephemeral)
            case "status":
                return status()
            case "credentials":
                return show_credentials(for_shell=options.shell)
            case "dump":
                return dump(options.file)
            case "restore":
                return restore(options.file, resets_roles=options.reset_roles)
            case _:
                return clean()
    except StackError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
