"""The embedding queue in the admin: its progress, failed chunks, and retries."""

from typing import Any

from django.contrib import admin
from django.urls import reverse

from governance.acting.principals import Principal
from governance.admin import home
from governance.admin.manage import Act, CleanedData, Done, ManagedAdmin
from governance.admin.site import site
from memory.embedding import db
from memory.models import EmbeddingItem


def _retry(principal: Principal, row: Any, data: CleanedData) -> Done:
    retried = db.retry_embeddings(tenant=principal.tenant_id, chunks=None if row is None else [row.pk])
    return Done(f"{retried} isolated {'chunk' if retried == 1 else 'chunks'} will be retried.")


def _is_isolated(row: Any, principal: Principal) -> bool:
    return bool(row.state == EmbeddingItem.State.ISOLATED)


@admin.register(EmbeddingItem, site=site)
class EmbeddingItemAdmin(ManagedAdmin):
    """Chunks that wait to be embedded, that failed too often, or that are excluded from embedding; without text."""

    icon = "hub"
    list_display = ["id", "state", "tries", "due_at", "error"]
    list_filter = ["state"]
    exclude = ["tenant"]
    ordering = ["-id"]
    list_acts = [
        Act(
            "retry-all",
            "Retry isolated chunks",
            "The job retries every isolated chunk, from its next run on.",
            _retry,
        )
    ]
    row_acts = [Act("retry", "Retry", "The job retries the chunk, from its next run on.", _retry, applies=_is_isolated)]

    def story_of(self, row: Any) -> None:
        return None


def _progress(principal: Principal) -> list[home.Fact]:
    found = db.embedding_progress(tenant=principal.tenant_id)
    page = reverse("admin:memory_embeddingitem_changelist")
    facts = [
        home.Fact("Waiting chunks", str(found.waiting), f"{page}?state__exact=waiting"),
        home.Fact(
            "Isolated after failures", str(found.isolated), f"{page}?state__exact=isolated", is_alarm=found.isolated > 0
        ),
    ]
    for model, vectors in zip(found.models, found.vectors, strict=True):
        facts.append(home.Fact(f"Embedded by {model}", str(vectors), page))
    return facts


home.register(home.Panel("Embeddings", _progress))
