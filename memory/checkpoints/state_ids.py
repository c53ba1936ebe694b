"""The ids in a state: UUIDs in text form, anywhere in it."""

import re

from governance.refusals import TooLarge
from memory.checkpoints.format import State

#: Maximum number of ids in a state: each is looked up among the tenant's memories.
MAX_NAMED = 100_000

#: Search the middle first, because it contains a literal: searching for the whole takes thirty times as long.
_MIDDLE = re.compile(rb"-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-")
_WHOLE = re.compile(rb"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")


class TooManyIds(TooLarge):
    """The state contains too many ids."""


def ids_in(state: State) -> str:
    """The ids in all fields of the state, without duplicates, as a comma-separated string: a list would take longer to
    send than to look up. Raises TooManyIds."""
    found: set[bytes] = set()
    for value in state.fields.values():
        for middle in _MIDDLE.finditer(value):
            start = middle.start() - 8
            if start >= 0 and (whole := _WHOLE.match(value, start)):
                found.add(whole[0])
                if len(found) > MAX_NAMED:
                    raise TooManyIds(f"The state contains more than {MAX_NAMED:,} ids.")
    return b",".join(found).decode("ascii")
