"""Two tenants that hold one of everything, made once; each test is rolled back."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from tests.hostile.everything import Everything
from tests.world import make_world


@pytest.fixture(scope="session")
def made_tenants(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Everything, Everything]]:
    """Two tenants with one of everything, committed."""
    with django_db_blocker.unblock():
        yield (
            Everything(make_world(), "The zebra crossed the river"),
            Everything(make_world(), "The heron slept in the reeds"),
        )
        connection.close()


@pytest.fixture
def tenants(made_tenants: tuple[Everything, Everything], db: None) -> tuple[Everything, Everything]:
    """The tenant whose people ask, and another."""
    return made_tenants
