"""Chunks that say the same: links, found by a job, by which results are collapsed."""

from django.db import models
from django.db.models import Q

from governance.models import TenantModel


class Duplicate(TenantModel):
    """A chunk says the same as an earlier one about the same subject (memory/duplicates.py defines when). Both stay as
    they are. The link is void once one of them changes (void_derived_of_duplicates). Only the gate's role reads it."""

    chunk_id = models.UUIDField()
    other_id = models.UUIDField()
    likeness = models.FloatField()  # 1: the same words

    class Meta:
        # with chunk_id, so that the index alone answers: else the planner reads the tenant's part of duplicate_once
        indexes = [models.Index(fields=["tenant", "other_id", "chunk_id"], name="duplicate_of")]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "chunk_id", "other_id"], name="duplicate_once"),
            models.CheckConstraint(condition=Q(likeness__range=(0, 1)), name="duplicate_likeness_in_range"),
            models.CheckConstraint(condition=~Q(chunk_id=models.F("other_id")), name="duplicate_is_another"),
        ]

    def __str__(self) -> str:
        return f"duplicate of chunk {self.other_id}"
