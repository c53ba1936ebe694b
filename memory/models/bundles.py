"""What was injected: the record of every active context bundle."""

from django.db import models
from django.utils import timezone

from governance.models import AppendOnlyModel


class ContextBundle(AppendOnlyModel):
    """One bundle as it was given out, without its words: they may have been corrected or erased since.

    `items` is a list of objects: section, kind, id, score, tokens, edits_applied, content_hash, and `parts` of what a
    section of another app is made of.
    """

    built_at = models.DateTimeField(default=timezone.now)
    actor_kind = models.TextField()
    actor_id = models.UUIDField()
    actor = models.TextField()  # the name at that time
    request = models.JSONField(default=dict)
    # HMAC-SHA256 of a query that the caller gave, by the server's secret: it proves a query, and tells none
    query_hash = models.BinaryField(max_length=32, null=True)
    items = models.JSONField(default=list)
    omissions = models.JSONField(default=list)
    total_tokens = models.IntegerField()
    edits_applied = models.IntegerField()

    class Meta(AppendOnlyModel.Meta):
        pass

    def __str__(self) -> str:
        return f"context bundle {self.id}"
