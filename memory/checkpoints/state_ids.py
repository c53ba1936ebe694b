"""The ids in a state: UUIDs in text form, anywhere in it."""

import re

from memory.checkpoints.format import State

#: Maximum number of ids of a state to compare with the tenant's memories: 100,000 take about a second.
MAX_NAMED = 100_000

#: Search the middle first, because it contains a literal: searching for the whole takes thirty times as long.
_MIDDLE = re.compile(rb"-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-")
_WHOLE = re.compile(rb"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
#: Where the digit of the version is, and the version of the ids that the server generates.
_VERSION, _OUR_VERSION = slice(14, 15), b"7"


def ids_in(state: State) -> tuple[str, bool]:
    """The ids in all fields of the state, without duplicates, as a comma-separated string: a list would take longer to
    send than to look up. Also whether there are more than MAX_NAMED; then those that the server may have generated come
    first."""
    ours: set[bytes] = set()
    others: set[bytes] = set()
    has_more = False
    for value in state.fields.values():
        for middle in _MIDDLE.finditer(value):
            start = middle.start() - 8
            if start < 0 or (whole := _WHOLE.match(value, start)) is None:
                continue
            kind = ours if whole[0][_VERSION] == _OUR_VERSION else others
            if len(kind) < MAX_NAMED:
                kind.add(whole[0])
            elif whole[0] not in kind:
                has_more = True
    found = [*ours, *others]
    return b",".join(found[:MAX_NAMED]).decode("ascii"), has_more or len(found) > MAX_NAMED
