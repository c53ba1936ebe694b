"""The servers of the benchmarks: durable ones in a separate home, unless DATABASE_URL is set."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_project.stack import roles

ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def running() -> Iterator[None]:
    """PostgreSQL and Valkey for as long as the block runs, named in the environment.

    They live in BENCH_HOME (default `.suture-bench`), with fsync on, as `make up` would start them.
    """
    if os.environ.get("DATABASE_URL"):
        missing = [v for v in (*roles.VARIABLES.values(), "REDIS_URL") if not os.environ.get(v)]
        if missing:
            raise SystemExit(
                f"DATABASE_URL is set: set {', '.join(missing)} too, or none for servers of the bench's own."
            )
        yield
        return
    chosen = os.environ.get("BENCH_HOME")
    # before any import of the settings: they read the home's secret key
    os.environ["SUTURE_HOME"] = chosen or str(ROOT / ".suture-bench")
    from memory_project.stack import servers
    from memory_project.stack.home import Home
    from memory_project.stack.processes import StackError
    from memory_project.stack.supervisor import Supervisor

    home = Home(Path(os.environ["SUTURE_HOME"]))
    try:
        home.prepare()
        supervisor = Supervisor()
        supervisor.interruption.raise_once()
        try:
            os.environ.update(servers.start_embedded(supervisor, home, may_move=chosen is None))
            yield
        finally:
            supervisor.stop()
            home.release()
    except StackError as error:
        raise SystemExit(str(error)) from None
