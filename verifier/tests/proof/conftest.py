import pytest

from tests import marking
from tests.proof.ledgers import Ledger, small_ledger

#: A `pure` test that needs a server fails here too.
pytest_runtest_setup = marking.pytest_runtest_setup


@pytest.fixture
def ledger() -> Ledger:
    """An intact ledger of two chains with seals and a key rotation."""
    return small_ledger()
