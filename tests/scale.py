"""How much a property is tried: a little in `make test`, and much more in `make test-scaled`."""

import os

#: `make test-scaled` sets it.
VARIABLE = "SUTURE_TESTS_AT_SCALE"


def at_scale(usual: int, much: int) -> int:
    """How many examples a property is tried with. A test that calls this is marked `scaled`."""
    return much if os.environ.get(VARIABLE) else usual
