"""A root of checkpoints for each test, and agents who have sessions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from tests.checkpoints.sessions import Session


@pytest.fixture(autouse=True)
def root(tmp_path: Path) -> Iterator[Path]:
    """The directory in which this test's checkpoints are."""
    place = tmp_path / "checkpoints"
    directory = {"BACKEND": "memory.checkpoints.storage.DirectoryStorage", "OPTIONS": {"location": str(place)}}
    with override_settings(CHECKPOINT_ROOT=str(place), STORAGES={**settings.STORAGES, "checkpoints": directory}):
        yield place


@pytest.fixture
def session(world: Any) -> Session:
    """A session of alice's, whose id has characters that an address has a meaning for."""
    return Session(world.alice, "run/7:main?#%")
