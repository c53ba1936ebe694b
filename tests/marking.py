"""The marks that say what a test needs. A test that asks for no server is `pure`; the hooks in conftest.py and
tests/test_architecture.py hold it to that."""

import pytest

#: What asks for servers: pytest-django's mark and fixtures, and the marks of tests that start or use servers.
MARKS = ("django_db", "redis", "stack", "browser")
FIXTURES = frozenset({"db", "transactional_db", "django_db_reset_sequences", "django_db_setup"})

#: The tests that ask for no server and are not marked `pure`, as `file::test`.
UNMARKED = pytest.StashKey[list[str]]()


def servers_asked_for(item: pytest.Item) -> list[str]:
    """The marks and fixtures by which a test asks for a server."""
    fixtures = FIXTURES.intersection(getattr(item, "fixturenames", ()))
    return [*(mark for mark in MARKS if item.get_closest_marker(mark)), *sorted(fixtures)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Note the unmarked tests before `-m` and `-k` deselect anything. A committing test that names its
    connections may use the one that verifies too."""
    for item in items:
        for mark in item.iter_markers("django_db"):
            databases = mark.kwargs.get("databases")
            if mark.kwargs.get("transaction") and isinstance(databases, list) and "verifier" not in databases:
                databases.append("verifier")
    config.stash[UNMARKED] = sorted(
        {
            item.nodeid.partition("[")[0]
            for item in items
            if not item.get_closest_marker("pure") and not servers_asked_for(item)
        }
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A `pure` test that asks for a server fails."""
    if item.get_closest_marker("pure") and (asked := servers_asked_for(item)):
        pytest.fail(f"This test is marked pure and asks for {', '.join(asked)}.", pytrace=False)
