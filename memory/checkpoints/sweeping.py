"""Finds files without a row, and rows without a file.

A file is stored before its row is committed, and deleted after its row is marked as removed. So a file without a row is
a usual leftover of a killed process, and a row without a file means that something else deleted the file.
"""

import logging
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from governance.acting import gate
from governance.every_tenant import in_every_tenant
from memory.checkpoints import format, storage
from memory.checkpoints.refusals import CheckpointDamaged, IncompatibleFormat
from memory.checkpoints.storage import StoredFile
from memory.models import Checkpoint, CheckpointState

logger = logging.getLogger("suture.checkpoints")

#: Paths to look up in a query.
BATCH = 1_000


@dataclass(slots=True)
class Swept:
    """The result for a tenant. `orphans` are files without a row, `deleted` those of them that were old enough to be
    deleted; `missing` are rows without a file, and `damaged` rows whose file has changed."""

    files: int = 0
    checkpoints: int = 0
    orphans: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)

    def add(self, other: "Swept") -> None:
        """Add another tenant's counts."""
        self.files += other.files
        self.checkpoints += other.checkpoints
        for name in ("orphans", "deleted", "missing", "damaged"):
            getattr(self, name).extend(getattr(other, name))


def sweep_all() -> Swept:
    """Sweep every tenant. Raises the first failure after all have been tried."""
    total = Swept()

    def work(tenant_id: uuid.UUID) -> int:
        total.add(sweep(tenant_id))
        return 0

    _, failures = in_every_tenant(work, complaint="the checkpoints of %s could not be swept")
    if failures:
        raise failures[0]
    return total


def sweep(tenant_id: uuid.UUID, *, at: datetime | None = None, deletes: bool = True) -> Swept:
    """Report the tenant's files without a row and rows without a file. Delete the former if they are older than
    CHECKPOINT_GRACE_SECONDS: younger ones may still get a row. Raises CheckpointStoreFailed."""
    found = Swept()
    oldest = (at or timezone.now()) - timedelta(seconds=settings.CHECKPOINT_GRACE_SECONDS)
    # 1. The rows first: each had its file when it was committed.
    with gate.job(tenant_id, "checkpoints"):
        paths = set(_live(tenant_id).values_list("path", flat=True))
    # 2. The files, and then the rows again for files that matched no row.
    files = list(storage.files_of(tenant_id))
    found.files, found.checkpoints = len(files), len(paths)
    others = [one for one in files if one.path not in paths]
    for one in _without_row(tenant_id, others):
        found.orphans.append(one.path)
        if deletes and one.changed_at < oldest:
            storage.delete(one.path)
            found.deleted.append(one.path)
            logger.warning("deleted a file without a checkpoint: %s", one.path)
    # 3. Missing files, except those of rows removed meanwhile.
    absent = paths - {one.path for one in files}
    with gate.job(tenant_id, "checkpoints"):
        found.missing = sorted(path for path in absent if _live(tenant_id).filter(path=path).exists())
    for path in found.missing:
        logger.error("ALARM: the file of a checkpoint is missing: %s", path)
    return found


def verify(tenant_id: uuid.UUID) -> list[str]:
    """Read every file of the tenant; returns the paths of damaged ones. Raises CheckpointStoreFailed."""
    with gate.job(tenant_id, "checkpoints"):
        rows = list(_live(tenant_id).order_by("id"))
    return [row.path for row in rows if not _is_whole(row)]


def _is_whole(row: Checkpoint) -> bool:
    try:
        content = storage.read(row.path, row.stored_size, bytes(row.sha256))
        format.decode(content, id=row.id, tenant_id=row.tenant_id, size=row.size, version=row.format_version)
    except CheckpointDamaged:
        return False
    except IncompatibleFormat:  # written by a newer server, and intact
        return True
    return True


def _live(tenant_id: uuid.UUID) -> QuerySet[Checkpoint]:
    live = CheckpointState.objects.filter(tenant_id=OuterRef("tenant_id"), id=OuterRef("id"), is_removed=False)
    return Checkpoint.objects.filter(Exists(live), tenant_id=tenant_id)


def _without_row(tenant_id: uuid.UUID, files: Sequence[StoredFile]) -> Iterator[StoredFile]:
    """The files that no row names, or only a row whose file was already deleted."""
    for start in range(0, len(files), BATCH):
        batch = files[start : start + BATCH]
        gone = CheckpointState.objects.filter(tenant_id=OuterRef("tenant_id"), id=OuterRef("id"), is_file_deleted=True)
        rows = Checkpoint.objects.filter(~Exists(gone), tenant_id=tenant_id, path__in=[one.path for one in batch])
        with gate.job(tenant_id, "checkpoints"):
            named = set(rows.values_list("path", flat=True))
        yield from (one for one in batch if one.path not in named)
