"""The part `capture`: a database and a web server of its own, and everything that captures."""

import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import database, tenants, webserver
from bench.capture import hooks, throughput, watching
from bench.http import Target
from bench.product import leave_database, use_database

#: It needs no generated data: what is captured first is what the hooks find.
DATABASE = "suture_bench_capture"

Rows = list[dict[str, Any]]


def measure(runs: int, seconds: float, files: int, say: Callable[[str], None]) -> dict[str, Rows]:
    """The rows of hooks, throughput and watching, on the server that `make up` starts.

    `runs` calls of each hook and changes of a file, `seconds` of each kind of capture, `files` to index.
    """
    database.create(DATABASE)
    try:
        key = _key()
        variables = {**database.environment(DATABASE), "SECRET_KEY": uuid.uuid4().hex}
        with (
            webserver.running(webserver.default(), variables) as port,
            tempfile.TemporaryDirectory(prefix="suture-bench-") as made,
        ):
            target, place = Target("as make up", port, key), Path(made)
            say("capturing memories")
            found = {"throughput": throughput.measure(target, seconds)}
            say("calling hooks")
            found["hooks"] = hooks.measure(port, key, place, runs)
            say(f"watching {files:,} files")
            found["watching"] = watching.measure(port, key, place, files, runs)
    finally:
        database.drop(DATABASE)
    return found


def _key() -> str:
    """The key of an agent in a new tenant."""
    use_database(DATABASE)
    with database.owner(DATABASE) as connection:
        tenant = tenants.provision(tenants.LARGE, connection)
    key = tenant.issue_key()
    leave_database()
    return key
