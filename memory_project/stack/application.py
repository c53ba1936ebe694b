"""Suture itself on top of its servers: migrations, the first tenant, then web, worker and beat."""

import http.client
import json
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Mapping

import psycopg
import redis
from psycopg import sql

from memory_project import environment
from memory_project.db.base import TENANT_TABLE
from memory_project.preparing import FOUND
from memory_project.stack import credentials
from memory_project.stack.home import Home
from memory_project.stack.processes import StackError, die_with_parent, ignore_progress, say
from memory_project.stack.supervisor import Child, Program, Supervisor

MANAGE = environment.BASE_DIR / "manage.py"
#: The servers' URLs that each process gets. None of them gets the owner's URL.
CREDENTIALS = {
    "web": ("DATABASE_URL", "DATABASE_REVIEW_URL", "DATABASE_SESSION_URL", "REDIS_URL"),
    "worker": ("DATABASE_URL", "DATABASE_OPERATOR_URL", "DATABASE_VERIFIER_URL", "REDIS_URL"),
    "beat": ("REDIS_URL",),
}
PARTS = tuple(CREDENTIALS)
#: What web and worker log when they replace one of their processes.
REPLACING = {"web": "Unexpected exit from worker-", "worker": "exited with 'signal "}
#: Makes glibc's malloc return large freed blocks at once. By default it keeps up to 64 MiB per thread, and the
#: embedding
#: model uses as much for some texts: a process with ten threads had grown by 400 MiB.
MALLOC_RETURN_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(128 * 1024), "MALLOC_TRIM_THRESHOLD_": str(128 * 1024)}
#: Maximum number of connections of a web worker.
CONNECTIONS = 1024
FIRST_TENANT = ("demo", "--agent", "support-agent", "--agent", "coding-agent", "--reviewer", "bob")


def _run(*arguments: str, variables: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """Run a management command to its end."""
    return subprocess.run(
        [sys.executable, MANAGE, *arguments],
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
        preexec_fn=die_with_parent(signal.SIGTERM),
    )


def manage(*arguments: str, variables: Mapping[str, str]) -> str:
    """Run a management command and return its output. On failure, print it and raise StackError."""
    done = _run(*arguments, variables=variables)
    if done.returncode != 0:
        say(done.stdout + done.stderr)
        raise StackError(f"`manage.py {arguments[0]}` failed; see its output above.")
    return done.stdout


def prepare(variables: Mapping[str, str], tell: Callable[[str], None]) -> None:
    """Create or update the tables, then print the tenants whose ledgers cannot be written or sealed: reading still
    works, so the server starts anyway. Calls `tell` for each migration as it is applied. Raises StackError."""
    lines = []
    with (
        tempfile.TemporaryFile("w+") as problems,
        subprocess.Popen(
            [sys.executable, "-m", "memory_project.preparing"],
            cwd=environment.BASE_DIR,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=problems,
            text=True,
            start_new_session=True,
            preexec_fn=die_with_parent(signal.SIGTERM),
        ) as process,
    ):
        for line in process.stdout or ():
            lines.append(line)
            tell(line.strip().replace("Applying", "applied").removesuffix("... OK"))
        code = process.wait()
        problems.seek(0)
        told = problems.read()
    if code not in (0, FOUND):
        say("".join(lines) + told)
        raise StackError("`manage.py migrate` failed; see its output above.")
    if code == FOUND:
        say(f"\nThe ledgers of these tenants need your attention:\n{told}")


def provision_first_tenant(variables: Mapping[str, str], home: Home) -> None:
    """Create the demo tenant if there is no tenant, and store its credentials in `home` until they are used."""
    with psycopg.connect(variables["DATABASE_OWNER_URL"]) as connection:
        query = sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.Identifier(TENANT_TABLE))
        if connection.execute(query).fetchone() == (True,):
            return
    made = json.loads(manage("provision", *FIRST_TENANT, "--policy", "standard", "--json", variables=variables))
    credentials.keep(home, made, variables["DATABASE_OWNER_URL"])


def start(
    supervisor: Supervisor,
    home: Home,
    variables: Mapping[str, str],
    address: tuple[str, int],
    parts: Collection[str] = PARTS,
    tell: Callable[[str], None] = ignore_progress,
) -> None:
    """Start web, worker and beat, or those in `parts`, and wait until they work, without a timeout. Calls `tell` with
    the state. Raises StackError if one exits meanwhile; later, the supervisor restarts it.

    The web server works when it is ready (without a worker here: when it answers). A worker without a web server works
    when it accepts jobs.
    """
    for directory in (home.metrics, home.alive):
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(mode=0o700)
    measured = {**variables, "PROMETHEUS_MULTIPROC_DIR": str(home.metrics)}
    environments = {"web": {**MALLOC_RETURN_MEMORY, **measured}, "worker": measured, "beat": variables}
    commands = {"web": web_command(*address), "worker": worker_command(), "beat": beat_command()}

    def start_part(name: str) -> Child:
        own = environment_of(name, environments[name])
        signs = home.alive if name == "web" else None
        return supervisor.start_child(name, Program(commands[name], own, REPLACING.get(name), signs))

    children = {name: start_part(name) for name in parts if name != "beat"}

    def works() -> bool:
        if "web" not in parts:
            tell("waiting until the worker accepts jobs")
            return "worker" not in parts or is_ready(children["worker"].process.pid, variables["REDIS_URL"])
        if not answers("/healthz", *address):
            tell(f"waiting until the web server answers (log: {home.path / 'log' / 'web.log'})")
            return False
        if "worker" not in parts or answers("/readyz", *address):
            return True
        tell(f"waiting until the server is ready: see http://{reachable_address(*address)}/readyz")
        return False

    supervisor.watch(works, restarts=False)
    if "beat" in parts:  # it works as soon as it runs: before, it would slow down the others
        start_part("beat")


def environment_of(name: str, variables: Mapping[str, str]) -> dict[str, str]:
    """The environment of web, worker or beat: `variables` without the credentials of other processes."""
    own = {
        variable: value
        for variable, value in variables.items()
        if variable in CREDENTIALS[name] or variable not in environment.SERVER_VARIABLES
    }
    # More threads wait for each other: each process has small matrices, and the processors have other processes.
    return {"OPENBLAS_NUM_THREADS": "1", **own, environment.PROCESS_VARIABLE: name}


def web_command(host: str, port: int) -> list[str]:
    # A thread keeps its database connection: workers x threads must stay well below max_connections (100).
    return [
        *(sys.executable, "-m", "memory_project.web", "memory_project.asgi:application", "--interface", "asgi"),
        # it warns about more workers than processors, which is intended: a request waits for its own interpreter
        *("--host", host, "--port", str(port), "--http", "1", "--no-ws", "--log-level", "error"),
        *("--workers", str(environment.whole_number("WEB_WORKERS", 4)), "--workers-kill-timeout", "20"),
        # a worker that exits twice within some seconds ends the server, which the supervisor then restarts
        "--respawn-failed-workers",
        # A connection takes no thread, so a worker accepts many. A connection without a complete request head for this
        # many
        # milliseconds is closed, also between two requests.
        *("--backlog", "2048", "--backpressure", str(CONNECTIONS), "--http1-header-read-timeout", "20000"),
        *("--http1-buffer-size", "65536"),
    ]


def worker_command() -> list[str]:
    # Celery warns root users because of pickle, which is disabled here.
    quiet = ("-W", "ignore:You're running the worker with superuser")
    return [
        *(sys.executable, *quiet, "-m", "celery", "-q", "-A", "memory_project", "worker"),
        *("--loglevel", "WARNING"),
        *("--concurrency", str(environment.whole_number("WORKER_CONCURRENCY", 2))),
        *("--without-gossip", "--without-mingle"),
    ]


def beat_command() -> list[str]:
    return [sys.executable, "-m", "celery", "-q", "-A", "memory_project", "beat", "--loglevel", "WARNING"]


def reachable_address(host: str, port: int) -> str:
    """The address at which this machine can reach a server that listens on `host`."""
    local = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    return f"[{local}]:{port}" if ":" in local else f"{local}:{port}"


def is_ready(worker: int, redis_url: str) -> bool:
    """Whether the worker with the main process `worker` has reported that it is ready."""
    try:
        with redis.Redis.from_url(redis_url, socket_connect_timeout=2, socket_timeout=2) as client:
            return bool(client.exists(environment.ready_key(worker)))
    except redis.RedisError:
        return False


def answers(path: str, host: str, port: int) -> bool:
    """Whether the web server answers a GET of `path` with 200."""
    connection = http.client.HTTPConnection(reachable_address(host, port), timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
