"""Stored answers for repeated Idempotency-Keys."""

from django.db import models
from django.utils import timezone

from governance.models.tenancy import TenantModel


class IdempotencyKey(TenantModel):
    """Written in the transaction of its request. Has ids and statuses, never memory text."""

    actor_id = models.UUIDField()
    key = models.TextField()
    fingerprint = models.BinaryField(max_length=32)
    status = models.SmallIntegerField(null=True)
    answer = models.JSONField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "actor_id", "key"], name="idempotency_key_once")]
        indexes = [models.Index(fields=["tenant", "created_at"], name="idempotency_key_age")]

    def __str__(self) -> str:
        return self.key
