"""The record of every context bundle."""

from django.db import models
from django.utils import timezone

from governance.models import AppendOnlyModel, SealedModel, Sensitivity


class ContextBundle(SealedModel):
    """A bundle as it was built, without its text, which may be corrected or erased later.

    `items` is a list of objects: section, kind, id, score, tokens, edits_applied, content_hash, and `parts`, the
    memories within an item, such as those in a capsule.
    """

    built_at = models.DateTimeField(default=timezone.now)
    actor_kind = models.TextField()
    actor_id = models.UUIDField()
    actor = models.TextField()  # the name at that time
    request = models.JSONField(default=dict)
    # HMAC-SHA256 of the caller's query under the server's secret: it can prove a query without revealing it
    query_hash = models.BinaryField(max_length=32, null=True)
    items = models.JSONField(default=list)
    omissions = models.JSONField(default=list)
    total_tokens = models.IntegerField()
    edits_applied = models.IntegerField()
    # the highest sensitivity in it
    sensitivity = models.TextField(choices=Sensitivity.choices)

    # sql/0001_tables.up.sql has the index for summaries.
    class Meta(SealedModel.Meta):
        pass

    def __str__(self) -> str:
        return f"context bundle {self.id}"


class ContextBundleItem(AppendOnlyModel):
    """A memory in a bundle, itself or as a part of another. `record_context_bundle` writes these rows from the bundle's
    items: they find the bundles of a memory fast."""

    bundle_id = models.UUIDField()
    memory_id = models.UUIDField()

    class Meta(AppendOnlyModel.Meta):
        constraints = [
            # the bundles of a memory, in order of time
            models.UniqueConstraint(fields=["tenant", "memory_id", "bundle_id"], name="context_bundle_item_once"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} in {self.bundle_id}"
