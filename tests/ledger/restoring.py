"""A ledger that somebody lived in, as its operator and a caller kept it: dumps, secrets, tree heads, receipts. And the
connections of a test, on the server that a dump was restored into."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dj_database_url
import pytest
from django.db import connections
from django.test import override_settings

from governance.ledger import db, fingerprints, published_tree_heads
from memory_project.db.base import URL_SETTINGS
from memory_project.stack import roles
from tests.database.growing import growing, leave_database, url_of
from tests.ledger.conftest import KnowsNoKey
from tests.ledger.tampering import lived_in, seal
from tests.stack import running
from tests.world import World, make_world

_VARIABLES = {
    "default": "DATABASE_URL",
    "owner": "DATABASE_OWNER_URL",
    "review": "DATABASE_REVIEW_URL",
    "verifier": "DATABASE_VERIFIER_URL",
}


@dataclass
class Dumped:
    """The first dump was made after the first seal, the second after the second seal. alice kept the receipts of an
    event before each."""

    world: World
    #: The name of the database that was dumped.
    database: str
    #: The signing key and the tree heads, as they were at the end.
    home: Path
    first: Path
    #: The tree heads that were published until then.
    kept_with_first: Path
    second: Path
    #: An edit before the second seal, whose reason is "The word is tea".
    edit: str
    receipts: list[dict[str, Any]]

    @property
    def kept(self) -> Path:
        """The tree heads that were published until the second dump."""
        return self.home / "tree_heads" / f"{self.world.tenant_id}.txt"


def live_and_dump(place: Path, blocker: pytest.FixtureRequest) -> Dumped:
    """Make a tenant in a database of its own, which is dropped again, and dump the database twice."""
    home = place / "kept"
    home.mkdir()
    with pytest.MonkeyPatch.context() as patch, growing(blocker, "dumps") as source:
        patch.setattr(published_tree_heads, "_compared", set())
        patch.setattr(db, "known_signing_key", KnowsNoKey())
        with override_settings(SUTURE_HOME=home, TREE_HEAD_SINKS=[]):
            fingerprints.sign({}, accepts=True)
            world = make_world()
            receipts = [recorded(world, "We meet at noon")]
            lived_in(world)
            dump(source.name, place / "first.dump")
            heads = Path(shutil.copy(published_tree_heads.path_of(world.tenant_id), place / "first.txt"))
            receipts.append(recorded(world, "We meet at seven"))
            chunk = world.chunk("Jack likes tee")
            edit = world.edit(chunk, "amend", text="Jack likes tea", reason="The word is tea")["edit_id"]
            seal(world)
            dump(source.name, place / "second.dump")
    return Dumped(world, source.name, home, place / "first.dump", heads, place / "second.dump", edit, receipts)


def dump(name: str, file: Path) -> None:
    """`make dump` of a database of this server."""
    done = running.stack(file.parent, "dump", str(file), DATABASE_OWNER_URL=url_of(name))
    assert done.returncode == 0, done.stderr


def recorded(world: World, text: str) -> dict[str, Any]:
    """The answer to an event of alice's who asks for the receipt."""
    answer: dict[str, Any] = world.alice.ok("post", "events", world.draft(text), **{"X-Receipt": "yes"})
    return answer


@contextmanager
def using(variables: Mapping[str, str]) -> Iterator[None]:
    """Within the block the connections of this process lead where these variables say."""
    before = {alias: dict(connections[alias].settings_dict) for alias in _VARIABLES}
    of_tokens = {
        "SESSION_DATABASE_URL": variables["DATABASE_SESSION_URL"],
        "OPERATOR_DATABASE_URL": variables["DATABASE_OPERATOR_URL"],
    }
    leave_database()
    try:
        for alias, variable in _VARIABLES.items():
            parsed: dict[str, Any] = dict(dj_database_url.parse(variables[variable], engine="memory_project.db"))
            connections[alias].settings_dict.update({name: parsed[name] for name in URL_SETTINGS if name in parsed})
        with override_settings(**of_tokens):
            yield
    finally:
        leave_database()
        for alias, settings in before.items():
            connections[alias].settings_dict.update(settings)


def put_back(dumped: Dumped, home: Path) -> None:
    """Copy the signing key and the tree heads into a home, as an operator does who restores a dump."""
    shutil.copytree(dumped.home, home, dirs_exist_ok=True)


def passwords() -> dict[str, str]:
    """Passwords for the roles of a server that a test makes."""
    return {role: f"of the {role}" for role in roles.VARIABLES}
