"""The ledger: one hash-linked chain per tenant (governance) and per agent (its own memory)."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from governance.models.tenancy import AppendOnlyModel, TenantForeignKey, TenantModel

#: What the first entry of a chain links to.
GENESIS = bytes(32)


def genesis() -> bytes:
    return GENESIS


class Chain(TenantModel):
    """The head of a chain. Its row lock is what keeps a chain from forking."""

    name = models.TextField()
    seq = models.BigIntegerField(default=-1)
    head = models.BinaryField(max_length=32, default=genesis)
    ts = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="chain_name")]

    def __str__(self) -> str:
        return self.name


class Entry(AppendOnlyModel):
    """One act. `canonical` holds the exact bytes that were hashed; they are verified, never re-serialised."""

    chain = TenantForeignKey(Chain)
    seq = models.BigIntegerField()
    ts = models.DateTimeField()
    type = models.TextField()
    retention = models.TextField(default="committed")
    content_hash = models.BinaryField(max_length=32, null=True)
    metadata = models.JSONField(default=dict)
    prev_hash = models.BinaryField(max_length=32)
    canonical = models.BinaryField()
    hash = models.BinaryField(max_length=32)

    class Meta(AppendOnlyModel.Meta):
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(fields=["tenant", "chain", "seq"], name="entry_seq"),
            models.UniqueConstraint(fields=["tenant", "chain", "prev_hash"], name="entry_prev_hash"),
            models.CheckConstraint(
                condition=Q(retention__in=["committed", "relationship", "ephemeral"]),
                name="entry_retention_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"
