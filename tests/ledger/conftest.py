"""A home of the test's own: its signing key, its published tree heads."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from governance.acting import gate
from governance.ledger import db, published_tree_heads
from tests.erasure.conftest import admins_of
from tests.ledger.tampering import lived_in
from tests.world import World, make_world


class KnowsNoKey:
    """What a database answers about the signing key before the first start."""

    def __call__(self) -> db.KnownKey:
        return db.KnownKey(None, None, is_pinned=False)

    def on(self, using: str) -> "KnowsNoKey":
        return self


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """SUTURE_HOME, in which nothing is yet; the process has compared nothing with it."""
    settings.SUTURE_HOME = tmp_path
    settings.TREE_HEAD_SINKS = []
    for name in ("SUTURE_SIGNING_KEY", "SUTURE_SIGNING_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(published_tree_heads, "_compared", set())
    # what other tests left in the database is signed with the keys of other homes
    monkeypatch.setattr(db, "known_signing_key", KnowsNoKey())
    return tmp_path


@pytest.fixture
def world(db: None) -> World:
    """A fresh tenant, since the test's own key has to sign its ledger from the first entry on."""
    return make_world()


@pytest.fixture
def restarted(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """`restarted()` lets the process forget what it has compared, as one that starts."""
    return lambda: monkeypatch.setattr(published_tree_heads, "_compared", set())


@pytest.fixture
def alone(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """The test's tenant as the only one: those that other tests left in the database have keys of other homes."""
    monkeypatch.setattr(gate, "tenants", lambda using="default": {world.slug: world.tenant_id})
    return world


@pytest.fixture
def kept(world: World, tmp_path: Path) -> Path:
    """A ledger that was lived in, and the file of tree heads that somebody kept elsewhere."""
    lived_in(world)
    file = tmp_path / "kept.txt"
    file.write_text(published_tree_heads.path_of(world.tenant_id).read_text())
    return file


@pytest.fixture
def strict(world):
    """The test's tenant, in which two people must approve what an agent quarantines, and one what it decides."""
    rule = {"op": "quarantine", "proposer_kind": "agent", "sensitivity": None, "approvals": 2}
    changed = {"preset": "strict", "overrides": [rule], "reason": "more care"}
    admins_of(world).carol.ok("post", "policy/changes", changed)
    return world
