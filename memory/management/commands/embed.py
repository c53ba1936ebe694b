import time
import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from governance.acting import gate
from governance.identity import identities
from governance.refusals import Refusal
from memory.embedding import configured, db, jobs
from memory.models import EmbeddingItem

#: Maximum number of isolated chunks to list per tenant.
LISTED = 20


class Command(BaseCommand):
    help = (
        "Embed all waiting chunks in this process; the worker does the same in the background."
        " With --progress: only show the progress."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="the tenant (default: all)")
        parser.add_argument("--progress", action="store_true", help="show waiting, failed and finished chunks")
        parser.add_argument("--retry", action="store_true", help="first reset the chunks that failed too often")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["tenant"]
        try:
            tenants = {slug: identities.tenant_id_of(slug)} if slug else gate.tenants()
        except Refusal as refusal:
            raise CommandError(refusal.detail) from None
        if options["retry"]:
            for name, tenant_id in sorted(tenants.items()):
                self._retry(name, tenant_id)
        if not options["progress"]:
            self._embed(list(tenants.values()))
        for name, tenant_id in sorted(tenants.items()):
            self._progress(name, tenant_id)

    def _retry(self, slug: str, tenant_id: uuid.UUID) -> None:
        with gate.job(tenant_id, "embedding"):
            retried = db.retry_embeddings(tenant=tenant_id, chunks=None)
        if retried:
            self.stdout.write(f"{slug}: {retried} isolated chunks will be retried")

    def _embed(self, tenants: list[uuid.UUID]) -> None:
        if configured.configured() is None:
            raise CommandError("EMBEDDING_PROVIDER is off: nothing can be embedded.")
        started, embedded = time.monotonic(), 0
        while True:
            worked = jobs.run(seconds=10, among=tenants)
            embedded += worked.embedded
            if worked.failure:
                raise CommandError(f"The provider fails, after {embedded} chunks: {worked.failure}")
            if worked.seconds < 10:
                break
            self.stdout.write(f"{embedded} chunks, {worked.per_second:.1f} per second")
        self.stdout.write(f"{embedded} chunks embedded in {time.monotonic() - started:.0f} s")

    def _progress(self, slug: str, tenant_id: uuid.UUID) -> None:
        with gate.job(tenant_id, "embedding"):
            found = db.embedding_progress(tenant=tenant_id)
            isolated = list(
                EmbeddingItem.objects.filter(tenant_id=tenant_id, state=EmbeddingItem.State.ISOLATED).order_by("id")[
                    :LISTED
                ]
            )
        since = f" (the oldest for {(timezone.now() - found.waiting_since).seconds} s)" if found.waiting_since else ""
        models = ", ".join(
            f"{vectors} by {model}{'' if is_complete else ' (not complete)'}"
            for model, vectors, is_complete in zip(found.models, found.vectors, found.complete, strict=True)
        )
        self.stdout.write(
            f"{slug}: {found.waiting} waiting{since}, {found.isolated} isolated, {found.unwanted} excluded;"
            f" embedded: {models or 'none'}"
        )
        for item in isolated:
            self.stdout.write(f"{slug}: chunk {item.id} isolated after {item.tries} attempts: {item.error}")
        if found.isolated > len(isolated):
            self.stdout.write(f"{slug}: and {found.isolated - len(isolated)} more; retry them with --retry")
