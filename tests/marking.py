"""The marks that say what a test needs: `pure` is nothing but the process; hooks of tests/conftest.py hold it."""

from collections.abc import Iterable
from pathlib import Path

import pytest

#: What asks for servers: pytest-django's mark and fixtures, and the marks of tests that start or use servers.
MARKS = ("django_db", "stack", "browser")
FIXTURES = frozenset({"db", "transactional_db", "django_db_reset_sequences", "django_db_setup"})

#: The files of which no test needs a server, and a test is not marked `pure`; for tests/test_architecture.py.
UNMARKED = pytest.StashKey[list[Path]]()


def servers_asked_for(item: pytest.Item) -> list[str]:
    """The marks and fixtures by which a test asks for a server."""
    fixtures = FIXTURES.intersection(getattr(item, "fixturenames", ()))
    return [*(mark for mark in MARKS if item.get_closest_marker(mark)), *sorted(fixtures)]


def files_to_mark(items: Iterable[pytest.Item]) -> list[Path]:
    """The files of which no test asks for a server, and some test is not marked `pure`."""
    items = list(items)
    with_servers = {item.path for item in items if servers_asked_for(item)}
    unmarked = {item.path for item in items if not item.get_closest_marker("pure")}
    return sorted(unmarked - with_servers)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Note the files to mark, before `-m` and `-k` deselect anything."""
    config.stash[UNMARKED] = files_to_mark(items)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A `pure` test that asks for a server fails."""
    if item.get_closest_marker("pure") and (asked := servers_asked_for(item)):
        pytest.fail(f"This test is marked pure, and asks for {', '.join(asked)}.", pytrace=False)
