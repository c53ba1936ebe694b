"""The credentials of the first tenant: shown when it is created, and again until they are used.

They are stored in `secrets/first_credentials.json`, which only the operator can read. Used, replaced and revoked
credentials are removed from the file when it is read, and at every start.
"""

import json
import shlex
from dataclasses import asdict, dataclass, replace
from typing import Any

import psycopg

from memory_project.stack.home import Home, private_file

FILE = "first_credentials.json"

_KEY_IS_UNUSED = (
    "SELECT EXISTS (SELECT FROM governance_apikey WHERE prefix = %s AND last_used_at IS NULL AND revoked_at IS NULL)"
)
# A login renews the hash too, so an unchanged hash means an unused password.
_LOGIN_IS_UNUSED = (
    "SELECT EXISTS (SELECT FROM governance_user WHERE username = %s AND password = %s AND last_login IS NULL)"
)
_HASH = "SELECT password FROM governance_user WHERE username = %s"


@dataclass(frozen=True, slots=True)
class Credential:
    """One key or password. `hash` is the database's hash of a password; empty for a key, which has a prefix instead."""

    tenant: str
    kind: str  # agent, user
    name: str
    label: str  # key, password
    secret: str
    hash: str = ""

    @property
    def variable(self) -> str:
        """Its shell variable: `SUPPORT_AGENT_KEY`."""
        letters = f"{self.name}_{self.label}".upper()
        return "".join(one if one.isascii() and one.isalnum() else "_" for one in letters)


def keep(home: Home, made: dict[str, Any], owner_url: str) -> None:
    """Store the credentials that `manage.py provision --json` printed."""
    found = [
        Credential(made["tenant"], kind, name, label, member[label])
        for kind, members in (("agent", made["agents"]), ("user", made["users"]))
        for name, member in members.items()
        for label in ("key", "password")
        if member.get(label)
    ]
    with psycopg.connect(owner_url) as connection:
        hashed = [
            replace(one, hash=_value(connection, _HASH, one.name) or "") if one.label == "password" else one
            for one in found
        ]
    _write(home, hashed)


def unused(home: Home, owner_url: str) -> list[Credential]:
    """The stored credentials that are still unused; removes the others. Raises psycopg.Error without a database."""
    kept = _read(home)
    if not kept:
        return []
    with psycopg.connect(owner_url) as connection:
        found = [one for one in kept if _is_unused(connection, one)]
    if found != kept:
        _write(home, found)
    return found


def as_table(found: list[Credential]) -> str:
    """A table for people."""
    return "\n".join(f"  {one.kind:<6} {one.name:<16} {one.label:<9} {one.secret}" for one in found)


def as_shell(found: list[Credential]) -> str:
    """Shell assignments: `SUPPORT_AGENT_KEY=sut_...`."""
    return "\n".join(f"{one.variable}={shlex.quote(one.secret)}" for one in found)


def _is_unused(connection: psycopg.Connection[Any], one: Credential) -> bool:
    if one.label == "password":
        return bool(_value(connection, _LOGIN_IS_UNUSED, one.name, one.hash))
    return bool(_value(connection, _KEY_IS_UNUSED, one.secret.split("_")[1]))


def _value(connection: psycopg.Connection[Any], query: Any, *values: str) -> Any:
    row = connection.execute(query, values).fetchone()
    return row[0] if row else None


def _read(home: Home) -> list[Credential]:
    try:
        rows = json.loads((home.path / "secrets" / FILE).read_text())
    except FileNotFoundError:
        return []
    return [Credential(**row) for row in rows]


def _write(home: Home, found: list[Credential]) -> None:
    path = home.path / "secrets" / FILE
    if found:
        private_file(path, json.dumps([asdict(one) for one in found], indent=1))
    else:
        path.unlink(missing_ok=True)
