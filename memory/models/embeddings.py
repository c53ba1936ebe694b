"""Embeddings: the vectors that retrieval compares, their models, and the queue of chunks to embed."""

from django.db import models
from django.db.models import Q
from pgvector.django import HalfVectorField, SparseVectorField

from governance.models import TenantModel


class EmbeddingModel(TenantModel):
    """A language model whose vectors a tenant has in space E1. There are two while one replaces another."""

    model = models.TextField()
    dimensions = models.IntegerField()
    filled_to = models.UUIDField(null=True)  # the chunks up to this id were queued for it; NULL: none yet
    filled_at = models.DateTimeField(null=True)  # when all existing chunks were queued
    is_complete = models.BooleanField(default=False)  # all were embedded, so previous models can be deleted
    row_count = models.BigIntegerField(default=0)  # about how many vectors it has

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "model"], name="embedding_model_once"),
            models.CheckConstraint(condition=Q(dimensions__range=(1, 16000)), name="embedding_model_dimensions_known"),
        ]

    def __str__(self) -> str:
        return self.model


class Embedding(TenantModel):
    """The vector of a chunk in one space and model. It is void once the chunk has another key (content_id, span), or
    its neighbours lend it other words (context).

    A space fills one of `dense`, `sparse` and `bits`, a `bit varying` that sql/0001_tables.up.sql adds. Only the gate's
    role reads this table: a vector reveals the text.
    """

    chunk_id = models.UUIDField()
    space = models.TextField()
    model = models.TextField()
    content_id = models.UUIDField()
    span_start = models.IntegerField(null=True)
    span_end = models.IntegerField(null=True)
    context = models.UUIDField(null=True)  # a digest of the borrowed words (embedding_source)
    dense = HalfVectorField(null=True)
    sparse = SparseVectorField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "chunk_id", "space", "model"], name="embedding_once"),
            models.CheckConstraint(condition=Q(space__regex="^E([1-9]|1[0-3])$"), name="embedding_space_known"),
        ]

    def __str__(self) -> str:
        return f"embedding of chunk {self.chunk_id}"


class EmbeddingSet(TenantModel):
    """The values of a captured chunk in all thirteen spaces, as it was recorded: its id is the chunk's. It is deleted
    when the chunk gets other words. Only the gate's role reads this table, as with Embedding."""

    model = models.TextField()  # of E1
    content_id = models.UUIDField()
    span_start = models.IntegerField(null=True)
    span_end = models.IntegerField(null=True)
    packed = models.BinaryField()  # memory/spaces/packing.py

    def __str__(self) -> str:
        return f"embeddings of chunk {self.id}"


class EmbeddingItem(TenantModel):
    """A chunk in the queue of the embedding job, or one that is excluded from embedding. Its id is the chunk's."""

    class State(models.TextChoices):
        WAITING = "waiting"
        ISOLATED = "isolated"  # it failed too often
        OFF = "off"  # recorded with compute_embedding false

    state = models.TextField(choices=State.choices, default=State.WAITING)
    #: Not before this time: a job that claims it moves the time on, so that another one can claim it if the first is
    #: killed.
    due_at = models.DateTimeField()
    tries = models.IntegerField(default=0)
    error = models.TextField(null=True)  # of the last attempt; without text of the chunk

    class Meta:
        verbose_name = "embedding in the queue"
        verbose_name_plural = "embedding queue"
        indexes = [
            # without the id; otherwise the planner would look up items here, reading all of the tenant's entries
            models.Index(fields=["tenant", "due_at"], name="embedding_item_due", condition=Q(state="waiting")),
            models.Index(fields=["tenant", "state", "id"], name="embedding_item_state", condition=~Q(state="waiting")),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "isolated", "off"]), name="embedding_item_state_known"
            ),
        ]

    def __str__(self) -> str:
        return f"embedding of chunk {self.id}"
