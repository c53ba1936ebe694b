"""What holds for the tests of all packages: those of the server (tests/) and those of the client (client/tests/)."""

import pytest

from tests import marking

pytest_runtest_setup = marking.pytest_runtest_setup
pytest_collection_modifyitems = marking.pytest_collection_modifyitems


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--renew-snapshots` writes what tests compare with a file, for a change that is wanted."""
    parser.addoption("--renew-snapshots", action="store_true", help="write snapshots instead of comparing")
