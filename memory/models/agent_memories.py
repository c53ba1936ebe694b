"""An agent's own memory: the memories of its chain, supersessions, and deliveries."""

from decimal import Decimal

from django.db import models
from django.db.models import Q

from governance.models import AppendOnlyModel, SealedModel, TenantModel


class AgentMemory(SealedModel):
    """An entry of an agent's chain with text: a commit, a consolidation or a version of a memory block. Its text is
    that of the chunk with the same id. Written by the gate function `record_agent_memory`."""

    class Type(models.TextChoices):
        MEMORY = "memory"
        CONSOLIDATION = "consolidation"
        BLOCK = "block"

    class BlockLabel(models.TextChoices):
        PERSONA = "persona"
        USER_PROFILE = "user_profile"
        GOALS = "goals"
        KNOWLEDGE = "knowledge"

    agent_id = models.UUIDField()
    seq = models.BigIntegerField()  # the number of its entry in the chain `agent:<slug>`
    type = models.TextField(choices=Type.choices)
    reason = models.TextField(default="", blank=True)  # why a consolidation was made
    block_label = models.TextField(null=True, choices=BlockLabel.choices)
    version = models.IntegerField(null=True)  # the version of the block, from 1
    previous_block_seq = models.BigIntegerField(null=True)
    is_core = models.BooleanField(default=False)
    expires_at = models.DateTimeField(null=True)

    class Meta(SealedModel.Meta):
        verbose_name_plural = "agent memories"
        constraints = [
            models.UniqueConstraint(fields=["tenant", "agent_id", "seq"], name="agent_memory_seq"),
            models.UniqueConstraint(
                fields=["tenant", "agent_id", "block_label", "version"], name="agent_memory_block_version"
            ),
            models.CheckConstraint(
                condition=Q(type__in=["memory", "consolidation"], block_label__isnull=True, version__isnull=True)
                | Q(type="block", block_label__isnull=False, version__isnull=False),
                name="agent_memory_type_known",
            ),
            models.CheckConstraint(
                condition=Q(block_label__isnull=True)
                | Q(block_label__in=["persona", "user_profile", "goals", "knowledge"], block_label__isnull=False),
                name="agent_memory_label_known",
            ),
            models.CheckConstraint(
                condition=Q(version__isnull=True) | Q(version__gte=1), name="agent_memory_version_positive"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.seq}"


class Supersession(AppendOnlyModel):
    """One memory replaces another: a consolidation replaces each of its originals, a version of a block the previous
    one. The view `consolidations` shows those of consolidations."""

    class Kind(models.TextChoices):
        CONSOLIDATION = "consolidation"
        BLOCK = "block"

    kind = models.TextField(choices=Kind.choices)
    agent_id = models.UUIDField()
    successor_id = models.UUIDField()
    successor_seq = models.BigIntegerField()
    superseded_id = models.UUIDField()
    superseded_seq = models.BigIntegerField()

    class Meta(AppendOnlyModel.Meta):
        indexes = [
            # the successors of a memory
            models.Index(fields=["tenant", "superseded_id"], name="supersession_superseded"),
            # the memories that a memory superseded
            models.Index(fields=["tenant", "successor_id"], name="supersession_successor"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "agent_id", "successor_seq", "superseded_seq"], name="supersession_once"
            ),
            models.CheckConstraint(condition=Q(kind__in=["consolidation", "block"]), name="supersession_kind_known"),
            models.CheckConstraint(
                condition=Q(successor_seq__gt=models.F("superseded_seq")), name="supersession_is_later"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.successor_seq} supersedes {self.superseded_seq}"


class Delivery(SealedModel):
    """A delivery of a version of a chunk to a receiver. Written in batches by a job."""

    chunk_id = models.UUIDField()
    version = models.IntegerField()  # how many edits were applied to it then
    receiver_kind = models.TextField()
    receiver_id = models.UUIDField()
    receiver = models.TextField()  # the name at that time
    means = models.TextField()  # search, get, recall, bootstrap, bundle, capsule, ...: memory/usage/deliveries.py
    session_id = models.TextField(null=True)
    at = models.DateTimeField()
    # the principal on whose behalf the receiver asked
    on_behalf_of = models.TextField(null=True)

    class Meta(SealedModel.Meta):
        verbose_name_plural = "deliveries"
        indexes = [
            models.Index(fields=["tenant", "chunk_id", "-at"], name="delivery_of_chunk"),
            # the deliveries to an agent in a session, up to a checkpoint of it
            models.Index(
                fields=["tenant", "session_id", "receiver_id", "at"],
                name="delivery_of_session",
                condition=Q(session_id__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.chunk_id} to {self.receiver}"


class ChunkAccess(TenantModel):
    """The number of deliveries of a chunk to agents, the confidence in it after the last change, and its outcomes. Its
    id is the chunk's; a chunk without a row was never delivered, and has the defaults."""

    access_count = models.BigIntegerField(db_default=0)
    last_accessed = models.DateTimeField(null=True)
    confidence = models.DecimalField(max_digits=5, decimal_places=4, db_default=Decimal("0.5"))
    successes = models.IntegerField(db_default=0)
    failures = models.IntegerField(db_default=0)
    last_outcome_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "chunk accesses"
        constraints = [
            models.CheckConstraint(condition=Q(confidence__range=(0, 1)), name="chunk_access_confidence_in_range"),
        ]

    def __str__(self) -> str:
        return f"{self.access_count} accesses of {self.id}"
