import pytest

from tests.proof.ledgers import Ledger, small_ledger


@pytest.fixture
def ledger() -> Ledger:
    """A whole ledger of two chains with seals and a key rotation."""
    return small_ledger()
