"""The ids that a state names: UUIDs in their text form, wherever they stand."""

import re

from governance.refusals import TooLarge
from memory.checkpoints.format import State

#: How many ids a state may name: each is looked for among the tenant's memories.
MAX_NAMED = 100_000

#: The middle first: a literal to look for, where a search for the whole takes thirty times as long.
_MIDDLE = re.compile(rb"-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-")
_WHOLE = re.compile(rb"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")


class TooManyIds(TooLarge):
    """The state names too many ids."""


def ids_in(state: State) -> str:
    """The ids in all fields of the state, each once in each of its spellings, separated by commas: as a list of their
    own they would take longer to send than to find. Raises TooManyIds."""
    found: set[bytes] = set()
    for value in state.fields.values():
        for middle in _MIDDLE.finditer(value):
            start = middle.start() - 8
            if start >= 0 and (whole := _WHOLE.match(value, start)):
                found.add(whole[0])
                if len(found) > MAX_NAMED:
                    raise TooManyIds(f"The state names more than {MAX_NAMED:,} ids.")
    return b",".join(found).decode("ascii")
