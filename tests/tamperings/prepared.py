"""A tenant in which everything happened that somebody could tamper with, in a database of its own that is copied."""

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.test.utils import override_settings

from governance.acting import gate
from governance.ledger import db, fingerprints, published_tree_heads
from suture_verify.witness.server import Server
from suture_verify.witness.store import Store
from suture_verify.witness.witness import Witness
from tests.ledger.conftest import KnowsNoKey
from tests.ledger.tampering import pinned
from tests.tamperings import copying, living
from tests.world import World, make_world

WITNESS = "witness.example.com"


@dataclass(frozen=True)
class Prepared:
    """The tenant, the database that has it, and what else belongs to it."""

    world: World
    database: str
    #: SUTURE_HOME, with the signing key and the published tree heads.
    home: Path
    #: Tree heads that somebody kept elsewhere.
    kept: Path
    #: The verifier key of the witness that cosigned them.
    witness: str
    #: Ids and the like, by the names that tamperings and their findings use.
    facts: dict[str, Any]


@contextmanager
def prepared(template: str, folder: Path) -> Iterator[Prepared]:
    """A tenant in a copy of the database `template`, to which nobody is connected within the block."""
    home, kept = folder / "home", folder / "kept.txt"
    home.mkdir()
    with copying.database_from(template) as database:
        with copying.connected_to(database), at_home(home):
            # what the template has was signed at another home
            fingerprints.sign({}, accepts=True)
            elsewhere, world = make_world(), make_world()
            with alone(world), _witnessed(world, folder / WITNESS) as witness:
                facts = living.live(world, elsewhere)
            kept.write_text(published_tree_heads.path_of(world.tenant_id).read_text())
            with connections["owner"].cursor() as cursor:
                cursor.execute("ANALYZE")
        yield Prepared(world, database, home, kept, witness, facts)


@contextmanager
def at_home(home: Path) -> Iterator[None]:
    """Within the block, SUTURE_HOME is `home`, and this process has compared nothing with it."""
    at = override_settings(SUTURE_HOME=home, TREE_HEAD_SINKS=[], SEAL_LAG_SECONDS=0)
    with pytest.MonkeyPatch.context() as patch, at:
        for name in ("SUTURE_SIGNING_KEY", "SUTURE_SIGNING_KEY_FILE"):
            patch.delenv(name, raising=False)
        patch.setattr(published_tree_heads, "_compared", set())
        # the database knows the keys of other homes
        patch.setattr(db, "known_signing_key", KnowsNoKey())
        yield


@contextmanager
def alone(world: World) -> Iterator[None]:
    """Within the block, commands go through this tenant only: others have keys of other homes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gate, "tenants", lambda *_: {world.slug: world.tenant_id})
        yield


@contextmanager
def _witnessed(world: World, folder: Path) -> Iterator[str]:
    """Within the block, a witness cosigns what is published; answers its verifier key."""
    with closing(Store(folder)) as store:
        witness = Witness(store, WITNESS, [pinned(world)])
        with Server(("127.0.0.1", 0), witness, store) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            url = f"http://127.0.0.1:{server.server_port}/"
            try:
                with override_settings(WITNESSES=[(url, witness.verifier_key)]):
                    yield str(witness.verifier_key)
            finally:
                server.shutdown()
                thread.join()
