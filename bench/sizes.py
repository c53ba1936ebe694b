"""How large a generated database is, what it is called, and what room it needs."""

import os
import shutil
from dataclasses import dataclass

#: The sizes with a name: `make bench SIZE=1m`.
NAMED = {"100k": 100_000, "1m": 1_000_000, "10m": 10_000_000}
#: Of more chunks in a tenant, so many are recorded, and the others copied from them (bench/copying.py). Nothing is
#: generated then but what words need: vectors of meaning of 10,000,000 chunks would take 25 GB.
MOST_RECORDED = 1_000_000
#: One byte of an id tells the copies apart.
MOST_COPIES = 256

_GB = 1024**3
#: Bytes, measured: a chunk with all its indexes and the dead rows that generating leaves, the same in the tables that
#: it is compared with, its vector of meaning, and an edit. Besides, what PostgreSQL keeps of its log.
_CHUNK, _INLINE, _OTHER_TABLES, _MEANING, _EDIT, _LOG = 4_600, 1_100, 1_900, 2_700, 2_500, 4 * _GB


@dataclass(frozen=True, slots=True)
class Size:
    """Chunks and edits of the huge tenant, and how many tenants there are with it. `has_meaning`: chunks have vectors
    of meaning, and there are the other tables that `read` compares with. `copies`: how often each of its memories is
    there; divides the chunks and the edits."""

    chunks: int
    edits: int
    tenants: int = 3
    has_meaning: bool = True
    copies: int = 1

    @property
    def name(self) -> str:
        """The name of the database."""
        name = f"suture_bench_{self.chunks}_{self.edits}_{self.tenants}"
        return name + ("" if self.has_meaning else "w") + (f"c{self.copies}" if self.copies > 1 else "")

    @property
    def recorded(self) -> tuple[int, int]:
        """Chunks and edits of the huge tenant before they are copied."""
        return self.chunks // self.copies, self.edits // self.copies

    @property
    def tenth(self) -> "Size":
        """A tenth of it, with as many tenants."""
        copies = max(1, self.copies // 10)
        return Size(self.chunks // 10, self.edits // 10, self.tenants, self.has_meaning, copies)

    @property
    def small(self) -> tuple[int, int]:
        """Chunks and edits of the small tenant, and of the newest."""
        return max(50, self.chunks // 100), self.edits // 100

    @property
    def chunks_of_others(self) -> int:
        """Chunks of each of the tenants beyond the third: together a tenth of the huge one's, if they are many."""
        return max(3, min(100, self.chunks // 10 // max(1, self.tenants - 3)))

    @property
    def all_chunks(self) -> int:
        return self.chunks + 2 * self.small[0] + max(0, self.tenants - 3) * self.chunks_of_others

    @property
    def bytes_needed(self) -> int:
        """An estimate of what generating it takes on the disk."""
        each = _CHUNK + _INLINE + (_OTHER_TABLES + _MEANING if self.has_meaning else 0)
        return self.all_chunks * each + self.edits * _EDIT + min(_LOG, self.all_chunks * 4_000)


def require_room(needed: int, *, copies: int = 1) -> str:
    """What `needed` bytes, so many times, take of the disk of the bench's servers, in words. Raises SystemExit where
    that is more than is free. A server of one's own (DATABASE_URL) has a disk that cannot be seen from here."""
    home = os.environ.get("SUTURE_HOME")
    told = f"about {copies * needed / _GB:.1f} GB of disk"
    if home is None:
        return told
    free = shutil.disk_usage(home).free
    told += f", of which {free / _GB:.1f} GB are free"
    if copies * needed > free:
        raise SystemExit(f"This takes {told} at {home}. Choose a smaller SIZE, or set BENCH_HOME to a larger disk.")
    return told
