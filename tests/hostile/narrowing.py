"""Which operations meet everything in every run of the tests; the others do in the slow tests."""

from collections.abc import Iterable
from typing import Any

import pytest

#: One of each parser, mixin and app: what fails one operation because of what it is made of fails one of these.
WHOLE = {
    ("post", "events"),  # a body of alternatives, with an idempotency key
    ("put", "sessions/{session_id}/turn"),  # a large body, without an idempotency key
    ("post", "capsules/{capsule_id}/forward"),  # the app of capsules, a record in the address
    ("post", "tools/propose_edit"),  # a tool
    ("get", "chunks"),  # a filter of memory, with times and tags
    ("get", "erasures"),  # a filter of governance
    ("get", "sessions/{session_id}/checkpoints"),  # a text in the address beside a filter
    ("get", "ledger/proof/inclusion"),  # parameters that no filter reads
}


def tried(cases: Iterable[tuple[str, tuple[Any, ...]]]) -> list[Any]:
    """Parameters of a test, of cases by name that begin with method and path: those of `WHOLE` with True, and the
    others with False, and with True in the slow tests."""
    found = []
    for name, values in cases:
        if values[:2] in WHOLE:
            found.append(pytest.param(*values, True, id=name))
        else:
            found.append(pytest.param(*values, False, id=name))
            found.append(pytest.param(*values, True, id=f"{name} (all)", marks=pytest.mark.slow))
    return found
