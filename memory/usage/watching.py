"""Watch recorders: an entry in the ledger when one records, or edits others' memory, far more than usual."""

import uuid
from datetime import datetime, timedelta
from typing import Final

from django.utils import timezone

from governance import daily_counts
from governance.acting import gate
from governance.acting.credentials import system
from governance.every_tenant import in_every_tenant
from governance.ledger import appending
from governance.models import Entry, first_id_of
from memory.usage import db

TYPE: Final = "recorder.unusual"
#: Recordings are counted over this time.
RECENT = timedelta(minutes=10)
#: A recorder is reported at most once in this time for the same.
QUIET = timedelta(hours=1)


def watch_recorders() -> int:
    """Append an entry for each recorder that leaves what is usual, once an hour. Returns the number of entries. Safe to
    run twice at once: a second run may repeat an entry. A failure in one tenant does not stop the others; the first one
    is raised after all were tried."""
    done, failures = in_every_tenant(_watch, complaint="the recorders of %s could not be watched")
    if failures:
        raise failures[0]
    return done


def reported_since(tenant_id: uuid.UUID, since: datetime) -> list[Entry]:
    """The entries about unusual recorders since a moment, newest first. Called within the tenant."""
    found = Entry.objects.filter(tenant_id=tenant_id, type=TYPE, id__gte=first_id_of(since))
    return list(found.order_by("-id"))


def _usual(tenant_id: uuid.UUID) -> int:
    """How many chunks the whole tenant records in RECENT, by the daily counts before today."""
    *before, _ = daily_counts.days_of(tenant_id, "chunks", days=8)
    return int(sum(before) / len(before) * RECENT / timedelta(days=1))


def _watch(tenant_id: uuid.UUID) -> int:
    now = timezone.now()
    with gate.job(tenant_id, "watch-recorders"):
        found = db.unusual_recorders(tenant=tenant_id, first=first_id_of(now - RECENT), usual=_usual(tenant_id))
        if not found:
            return 0
        reported = {(one.metadata["recorder"], one.metadata["what"]) for one in reported_since(tenant_id, now - QUIET)}
        drafts = [
            appending.Draft(
                TYPE,
                {
                    "recorder": str(one.recorder_id),
                    "name": one.recorder,
                    "what": one.what,
                    "number": one.number,
                    "usual": one.usual,
                    "since": (now - (RECENT if one.what == "records" else QUIET)).isoformat(),
                },
            )
            for one in found
            if (str(one.recorder_id), one.what) not in reported
        ]
        appending.record_all(drafts, actor=system(tenant_id, "watch"))
        return len(drafts)
