"""Each test has a copy of its own of one prepared database."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import databases
from tests.tamperings import copying
from tests.tamperings.prepared import Prepared, alone, at_home, prepared
from tests.tamperings.tampering import Copy


@pytest.fixture(scope="session")
def ready(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: Any) -> Iterator[Prepared]:
    """The tenant in which everything happened; made once for each worker."""
    folder = tmp_path_factory.mktemp("prepared")
    with django_db_blocker.unblock(), prepared(databases.TEMPLATE, folder) as one, django_db_blocker.block():
        yield one


@pytest.fixture
def copy(ready: Prepared, transactional_db: None, tmp_path: Path) -> Iterator[Copy]:
    """A copy of it, in which a test may do what it likes."""
    home = tmp_path / "home"
    shutil.copytree(ready.home, home)
    with (
        copying.database_from(ready.database) as name,
        copying.connected_to(name),
        at_home(home),
        alone(ready.world),
    ):
        yield Copy(ready, tmp_path, dict(ready.facts))
