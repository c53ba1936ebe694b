"""The unit of retrieval: the record, and the projection that readers see."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from governance.models import SealedModel, TenantForeignKey, TenantModel
from memory.models.events import Event
from memory.models.scoped import Retention, ScopedModel, Tier, retention_constraint, scope_constraints


class Chunk(SealedModel, ScopedModel):
    """Derived from an event, a summary, an entry of an agent's chain or a file. Its text is a content row, or the span
    [span_start, span_end) of one, in characters."""

    class Source(models.TextChoices):
        EVENT = "event"
        SUMMARY = "summary"
        COMMIT = "commit"
        CONSOLIDATION = "consolidation"
        BLOCK = "block"
        HOOK = "hook"
        RESPONSE = "response"
        FILE = "file"

    event = TenantForeignKey(Event, null=True)
    source = models.TextField(choices=Source.choices)
    content_id = models.UUIDField()
    span_start = models.IntegerField(null=True)
    span_end = models.IntegerField(null=True)
    chunk_index = models.IntegerField(default=0)
    total_chunks = models.IntegerField(default=1)
    importance = models.DecimalField(max_digits=5, decimal_places=4)
    tags = ArrayField(models.TextField(), default=list)
    retention = models.TextField(choices=Retention.choices, default=Retention.RELATIONSHIP)  # its event's
    recorder_kind = models.TextField()
    recorded_by = models.UUIDField()
    recorder = models.TextField()

    class Meta(SealedModel.Meta):
        indexes = [
            models.Index(fields=["tenant", "event"], name="chunk_event"),  # the other chunks of a memory
        ]
        constraints = [
            *scope_constraints("chunk"),
            retention_constraint("chunk"),
            models.CheckConstraint(condition=Q(importance__range=(0, 1)), name="chunk_importance_in_range"),
            models.CheckConstraint(
                condition=Q(span_start__isnull=True, span_end__isnull=True)
                | Q(span_start__isnull=False, span_end__isnull=False, span_end__gt=models.F("span_start")),
                name="chunk_span_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"chunk {self.id}"


class RemovedValue(TenantModel):
    """A text that an approved retract removed, as a digest: if it is recorded again, it is quarantined. The refold
    updates this table; only the gate's role reads it."""

    class Reach(models.TextChoices):
        """Where the value is recognised: as a whole text, as a sentence, or within a sentence."""

        TEXT = "text"
        SENTENCE = "sentence"
        PHRASE = "phrase"

    chunk_id = models.UUIDField()
    edit_id = models.UUIDField()
    subject_type = models.TextField(null=True)
    subject_id = models.TextField(null=True)
    names_subject = models.BooleanField()
    digest = models.BinaryField(max_length=32)
    cue = models.BigIntegerField()  # its longest word, as a number
    other_cue = models.BigIntegerField(null=True)  # its second-longest word, if it has two
    cue_place = models.IntegerField()  # counted in words and symbols, from 1
    length = models.IntegerField()  # in words and symbols
    reach = models.TextField(choices=Reach.choices)

    class Meta:
        indexes = [
            # whether a text may contain a removed value, and where
            models.Index(fields=["tenant", "cue", "other_cue"], name="removed_value_cue"),
            models.Index(fields=["tenant", "digest"], name="removed_value_digest"),  # whether it does
            models.Index(fields=["tenant", "chunk_id"], name="removed_value_chunk"),  # the refold
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(reach__in=["text", "sentence", "phrase"]), name="removed_value_reach_known"
            ),
        ]

    def __str__(self) -> str:
        return f"removed value of chunk {self.chunk_id}"


class EffectiveChunk(TenantModel, ScopedModel):
    """A chunk as readers see it: one row per chunk, which the gate functions update in the transaction of each change.

    SQL of the migrations adds the columns `text`, the effective text, `tsv`, its search vector, and `lex`, the vector
    of its words with their context. They are no fields here, because the web role may not read them.
    """

    event_id = models.UUIDField(null=True)
    source = models.TextField()
    chunk_index = models.IntegerField()
    tier = models.TextField(choices=Tier.choices)  # tier_of(): of its last promotion
    importance = models.DecimalField(max_digits=5, decimal_places=4)
    content_id = models.UUIDField()
    span_start = models.IntegerField(null=True)
    span_end = models.IntegerField(null=True)
    recorded_by = models.UUIDField()
    recorder = models.TextField()
    tags = ArrayField(models.TextField(), default=list)  # the chunk's; here so that answers need not look them up
    is_retracted = models.BooleanField(default=False)
    is_quarantined = models.BooleanField(default=False)
    blocked_channels = ArrayField(models.TextField(), default=list)
    # the chunk that replaces it: with is_superseded, a later memory (a consolidation, the next version of a block);
    # without,
    # another chunk of the same memory, which has its text.
    superseded_by = models.UUIDField(null=True)
    is_superseded = models.BooleanField(db_default=False)
    edits_applied = models.IntegerField(default=0)
    # for an agent's own memory: its AgentMemory
    seq = models.BigIntegerField(null=True)
    block_label = models.TextField(null=True)
    is_core = models.BooleanField(db_default=False)
    expires_at = models.DateTimeField(null=True)
    is_expired = models.BooleanField(db_default=False)  # the job has removed data derived from its text

    class Meta:
        indexes = [
            # lists and timelines, newest first; no index of lists holds retracted rows, but that of sessions
            models.Index(
                fields=["tenant", "-ts", "-id"],
                name="effective_chunk_newest",
                condition=Q(is_retracted=False),
            ),
            # the chunks of a session, and turns_beside(), for which retracted ones keep their positions. The tenant is
            # not first;
            # otherwise the planner would look up chunks by id here, reading all entries of the tenant
            models.Index(fields=["session_id", "tenant", "ts", "id"], name="effective_chunk_session"),
            # scope, project and subject filters: the specification's indexes
            models.Index(
                fields=["tenant", "scope", "-ts"],
                name="idx_chunks_tenant_scope_ts",
                condition=Q(is_retracted=False),
            ),
            models.Index(
                fields=["tenant", "project_id", "-ts"],
                name="idx_chunks_tenant_project_ts",
                condition=Q(is_retracted=False, project_id__isnull=False),
            ),
            models.Index(
                fields=["tenant", "subject_type", "subject_id", "-ts", "-id"],
                name="idx_chunks_tenant_subject_ts",
                condition=Q(is_retracted=False, subject_id__isnull=False),
            ),
            # the summaries of earlier sessions about a subject or a project, for context bundles
            models.Index(
                fields=["tenant", "subject_type", "subject_id", "-ts"],
                name="effective_chunk_subject_notes",
                condition=Q(source="summary", is_retracted=False),
            ),
            models.Index(
                fields=["tenant", "project_id", "-ts"],
                name="effective_chunk_project_notes",
                condition=Q(source="summary", is_retracted=False),
            ),
            # a search in what one recorder has recorded
            models.Index(
                fields=["tenant", "recorder", "-ts"],
                name="effective_chunk_recorder",
                condition=Q(is_retracted=False),
            ),
            # an agent's current memories, newest first
            models.Index(
                fields=["tenant", "recorded_by", "-seq"],
                name="effective_chunk_active",
                condition=Q(is_superseded=False, is_retracted=False, seq__isnull=False),
            ),
            # its core memories, and the versions of its blocks
            models.Index(
                fields=["tenant", "recorded_by", "block_label", "-seq"],
                name="effective_chunk_core",
                condition=Q(is_core=True, is_superseded=False),
            ),
            models.Index(
                fields=["tenant", "recorded_by", "block_label", "-seq"],
                name="effective_chunk_block",
                condition=Q(block_label__isnull=False),
            ),
            # memory that the job has yet to expire
            models.Index(
                fields=["tenant", "expires_at"],
                name="effective_chunk_expiring",
                condition=Q(expires_at__isnull=False, is_expired=False),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(tier__in=["task", "session", "longterm", "archive"]),
                name="effective_chunk_tier_known",
            ),
            models.CheckConstraint(condition=Q(importance__range=(0, 1)), name="effective_chunk_importance_in_range"),
        ]

    def __str__(self) -> str:
        return f"effective chunk {self.id}"


class PendingContext(TenantModel):
    """A chunk that waits for the job complete_context(): its vector of words is missing, and its neighbours' lack its
    words. Its id is the chunk's. Only the gate's role reads it."""

    is_reworded = models.BooleanField(default=False)  # its search vector is outdated too: the tenant's language changed

    def __str__(self) -> str:
        return f"context of chunk {self.id}"
