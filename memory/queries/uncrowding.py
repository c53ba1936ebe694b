"""A page of a search without the crowds of one recorder (memory/near_duplicates.py)."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from memory.near_duplicates import Crowds
from memory.queries.rows import FoundChunk

#: The size of a further page, and the maximum number of ranked chunks to look at for one page of results.
PAGE, DEEPEST = 200, 2_000
#: Maximum number of omitted ids that a result lists.
NAMED_IDS = 100


@dataclass(frozen=True, slots=True)
class Uncrowded:
    """The results, the others of short crowds that wait for a place, the omitted chunks, the recorders of omitted and
    of waiting ones, and whether no ranked chunk follows."""

    chunks: list[FoundChunk]
    waiting: list[FoundChunk]
    left_out: list[uuid.UUID]
    crowding: list[str]
    crowding_shortly: list[str]
    is_last: bool

    def with_others(self, others: Sequence[FoundChunk], limit: int) -> "Uncrowded":
        """The best `limit` of these results and `others`."""
        every = {one.chunk_id: one for one in [*others, *self.chunks]}.values()
        return replace(self, chunks=_best(list(every))[:limit], is_last=self.is_last and len(every) <= limit)

    def filled(self, limit: int) -> "Uncrowded":
        """With waiting ones in the places that are left, best first."""
        room = limit - len(self.chunks)
        chunks = _best([*self.chunks, *self.waiting[:room]]) if self.waiting[:room] else self.chunks
        return replace(
            self, chunks=chunks, waiting=self.waiting[room:], is_last=self.is_last and not self.waiting[room:]
        )


def _best(rows: list[FoundChunk]) -> list[FoundChunk]:
    return sorted(rows, key=lambda one: (one.rank, one.importance, one.ts, one.chunk_id), reverse=True)


def uncrowded(
    first: list[FoundChunk],
    limit: int,
    is_own: Callable[[FoundChunk], bool],
    next_ranked: Callable[[list[uuid.UUID], int], list[FoundChunk]],
) -> Uncrowded:
    """Return the best `limit` results from the page `first` on, with only the best of each crowd. The first of a crowd
    lists omitted ids in its `duplicates`. `next_ranked` returns the best chunks without some, up to a number; it is
    called only if crowds leave a page short, and nothing waits to fill it. Chunks that are `is_own` belong to no crowd.
    """
    crowds, page = Crowds(), first
    kept: list[FoundChunk] = []
    waiting: list[FoundChunk] = []
    heads: dict[int, int] = {}
    left_out: dict[int, list[uuid.UUID]] = {}
    crowding: dict[str, None] = {}
    passed: list[uuid.UUID] = []
    while True:
        taken = 0
        for row in page:
            if len(kept) == limit:
                break
            taken += 1
            crowd = None if is_own(row) else crowds.crowd_of(row.text, row.recorder)
            if crowd is None or crowds.counts(crowd.number):
                if crowd is not None:
                    heads.setdefault(crowd.number, len(kept))
                kept.append(row)
            elif crowd.is_short:
                waiting.append(row)
            else:
                left_out.setdefault(crowd.number, []).append(row.chunk_id)
                crowding[row.recorder] = None
        passed += [row.chunk_id for row in page[:taken]]
        is_last = not page or page[0].following <= taken
        if is_last or waiting or len(kept) == limit or len(passed) >= DEEPEST:
            break
        page = next_ranked(passed, PAGE)
    for number, ids in left_out.items():
        head = kept[heads[number]]
        named = [one for one in ids if one not in head.duplicates][:NAMED_IDS]
        kept[heads[number]] = replace(head, duplicates=[*head.duplicates, *named])
    shortly = list(dict.fromkeys(row.recorder for row in waiting))
    return Uncrowded(kept, waiting, [*chain.from_iterable(left_out.values())], list(crowding), shortly, is_last)
