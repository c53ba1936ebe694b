"""The watcher beside the web server: SUTURE_WATCH lists directories whose Markdown files become memory."""

import json
import os
import sys
from collections.abc import Mapping, Sequence

import psycopg
from psycopg import sql

from memory_project.db.base import TENANT_TABLE
from memory_project.stack import application
from memory_project.stack.home import Home, private_file
from memory_project.stack.processes import StackError
from suture_client.errors import Failed
from suture_client.watching.roots import find_roots

DIRECTORIES = "SUTURE_WATCH"
NAMES = "SUTURE_WATCH_NAMES"
KEY = "SUTURE_WATCH_KEY"
#: The agent of the first tenant that captures the files if no key is set.
AGENT = "watcher"
_KEY_FILE = "watch_key"
#: The variables that the watcher gets: none opens the database or signs.
_PASSED = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")
_PASSED_IGNORES = ("SUTURE_IGNORE_PATHS", "SUTURE_IGNORE_TOOLS", "SUTURE_STATE_DIR", "PYTHONPATH")


def arguments() -> list[str]:
    """The arguments of `suture watch`, from the environment: directories, and the names of their sessions if set;
    usually empty. Raises StackError for a missing directory and for names that do not match the directories."""
    watched = _listed(DIRECTORIES)
    names = _listed(NAMES)
    try:
        find_roots(watched, names, named_by=f"{NAMES}, one for each directory, in their order, {os.pathsep} between")
    except Failed as failed:
        raise StackError(f"{DIRECTORIES}: {failed}") from None
    paths = [os.path.abspath(os.path.expanduser(one)) for one in watched]
    return [*paths, *(part for name in names for part in ("--name", name))]


def _listed(variable: str) -> list[str]:
    return [one for one in os.environ.get(variable, "").split(os.pathsep) if one]


def key(variables: Mapping[str, str], home: Home) -> str:
    """The watcher's API key: the one that is set, else the key of an agent that is created once in the first tenant.
    Raises StackError without one."""
    if given := os.environ.get(KEY, "").strip():
        return given
    kept = home.path / "secrets" / _KEY_FILE
    if kept.exists():
        return kept.read_text()
    tenant = application.FIRST_TENANT[0]
    with psycopg.connect(variables["DATABASE_OWNER_URL"]) as connection:
        query = sql.SQL("SELECT EXISTS (SELECT FROM {} WHERE slug = %s)").format(sql.Identifier(TENANT_TABLE))
        if connection.execute(query, [tenant]).fetchone() != (True,):
            raise StackError(f"There is no tenant {tenant} to capture for. Set {KEY} to the key of an agent.")
    made = json.loads(application.manage("provision", tenant, "--agent", AGENT, "--json", variables=variables))
    found: str | None = made["agents"].get(AGENT, {}).get("key")
    if not found:
        raise StackError(
            f"The agent {AGENT} of the tenant {tenant} has a key that is not stored in {kept}. Set {KEY} to the key of"
            f" an agent: `manage.py keys rotate --tenant {tenant} PREFIX` creates a new one."
        )
    private_file(kept, found)
    return found


def command(watched: Sequence[str]) -> list[str]:
    """The command of the watcher, with the `arguments`."""
    return [sys.executable, "-m", "suture_client.entry", "watch", *watched]


def environment_of(site: str, secret: str) -> dict[str, str]:
    """The watcher's environment. The watcher runs as the user who starts the stack, because it must read the
    directories."""
    passed = {name: os.environ[name] for name in (*_PASSED, *_PASSED_IGNORES) if name in os.environ}
    return {**passed, "SUTURE_URL": site, "SUTURE_KEY": secret}
