"""Running sessions of agents, and their checkpoints. The states themselves are files."""

from django.db import models
from django.db.models import Q

from governance.models import SealedModel, TenantModel


class RunningSession(TenantModel):
    """A session whose turns an agent reports. Sessions belong to an agent: another agent may have a session with the
    same id."""

    class Status(models.TextChoices):
        RUNNING = "running"  # -> resumed, deleted
        RESUMED = "resumed"  # running again, from `resumed_from` -> deleted
        DELETED = "deleted"  # permanently: nothing is added to it, and its name is not reused

    session_id = models.TextField()
    owner_id = models.UUIDField()
    owner = models.TextField()  # the slug
    status = models.TextField(choices=Status.choices, default=Status.RUNNING)
    resumed_from = models.UUIDField(null=True)
    resumed_at = models.DateTimeField(null=True)
    keep = models.IntegerField(null=True)  # NULL: the setting's
    checkpoint_every = models.IntegerField(null=True)  # NULL: the setting's
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "owner_id", "session_id"], name="running_session_of_agent"),
            models.CheckConstraint(
                condition=Q(status__in=["running", "resumed", "deleted"]), name="running_session_status_known"
            ),
            models.CheckConstraint(
                condition=Q(keep__isnull=True) | Q(keep__range=(1, 10_000)), name="running_session_keep_in_range"
            ),
            models.CheckConstraint(
                condition=Q(checkpoint_every__isnull=True) | Q(checkpoint_every__range=(1, 1_000)),
                name="running_session_interval_in_range",
            ),
        ]

    def __str__(self) -> str:
        return self.session_id


class SessionTurn(TenantModel):
    """The turn that a session has reached at one depth: of the main agent, or of a sub-agent below it."""

    running_id = models.UUIDField()
    depth = models.SmallIntegerField()
    turn = models.BigIntegerField()
    is_reported = models.BooleanField()  # False: only a checkpoint named this turn
    state_sha256 = models.BinaryField(max_length=32, null=True)  # of the reported state, if one was given
    checkpoint_id = models.UUIDField(null=True)  # that the report made
    checkpointed_turn = models.BigIntegerField(default=0)  # of the latest checkpoint

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "running_id", "depth"], name="session_turn_of_depth"),
            models.CheckConstraint(condition=Q(depth__gte=0, depth__lte=64, turn__gte=0), name="session_turn_in_range"),
        ]

    def __str__(self) -> str:
        return f"turn {self.turn}"


class SessionShare(TenantModel):
    """An offer of a session to another agent, which may read and restore its checkpoints, and report its turns if it
    may continue it. It accepts the offer by the first request that names the owner."""

    running_id = models.UUIDField()
    agent_id = models.UUIDField()
    agent = models.TextField()  # the slug
    may_continue = models.BooleanField()
    shared_at = models.DateTimeField()
    taken_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "running_id", "agent_id"], name="session_shared_once"),
        ]

    def __str__(self) -> str:
        return self.agent


class Checkpoint(SealedModel):
    """The saved state of a running agent: the file, and its expected size and hash. Written by the gate function
    `record_checkpoints`. It contains no text: the label and other mutable fields are in CheckpointState."""

    class Kind(models.TextChoices):
        AUTOMATIC = "automatic"  # made when a turn was reported
        MANUAL = "manual"
        EXCEPTION = "exception"  # the client made it when it failed

    running_id = models.UUIDField()
    session_id = models.TextField()
    turn = models.BigIntegerField()
    depth = models.SmallIntegerField()
    format_version = models.TextField()
    kind = models.TextField(choices=Kind.choices)
    size = models.BigIntegerField()  # of the JSON, in bytes
    stored_size = models.BigIntegerField()  # of the file, in bytes
    sha256 = models.BinaryField(max_length=32)  # of the file
    state_sha256 = models.BinaryField(max_length=32)  # of the state alone
    path = models.TextField()  # below the root
    agent_id = models.UUIDField()  # who made it
    agent = models.TextField()
    created_at = models.DateTimeField()

    class Meta(SealedModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant", "path"], name="checkpoint_path_once"),
            models.CheckConstraint(
                condition=Q(kind__in=["automatic", "manual", "exception"]), name="checkpoint_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(depth__gte=0, depth__lte=64, turn__gte=0, size__gt=0, stored_size__gt=0),
                name="checkpoint_numbers_in_range",
            ),
        ]

    def __str__(self) -> str:
        return f"checkpoint of turn {self.turn}"


class CheckpointState(TenantModel):
    """The mutable fields of a checkpoint. Its id is the checkpoint's."""

    running_id = models.UUIDField()
    depth = models.SmallIntegerField()
    label = models.TextField(null=True)  # deleted with the checkpoint: it is the agent's text
    is_pinned = models.BooleanField()
    is_removed = models.BooleanField(default=False)
    is_file_deleted = models.BooleanField(default=False)

    class Meta:
        indexes = [
            # the checkpoints of a session, newest first, and those to prune
            models.Index(
                fields=["tenant", "running_id", "-id"], name="checkpoint_state_live", condition=Q(is_removed=False)
            ),
            # the files that the job has yet to delete
            models.Index(
                fields=["tenant"],
                name="checkpoint_state_undeleted",
                condition=Q(is_removed=True, is_file_deleted=False),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(is_removed=True) | Q(is_file_deleted=False), name="checkpoint_state_file_deleted_last"
            ),
            models.CheckConstraint(
                condition=Q(is_removed=False) | Q(label__isnull=True), name="checkpoint_state_removed_wordless"
            ),
        ]

    def __str__(self) -> str:
        return f"state of checkpoint {self.id}"


class CheckpointRemoval(SealedModel):
    """The removal of a checkpoint. The job deletes its file; its row stays."""

    class Reason(models.TextChoices):
        PRUNED = "pruned"  # replaced by newer ones
        DELETED = "deleted"  # deleted on request
        ERASED = "erased"  # it could repeat erased text

    checkpoint_id = models.UUIDField()
    reason = models.TextField(choices=Reason.choices)
    erasure_id = models.UUIDField(null=True)
    remover_kind = models.TextField()
    removed_by = models.UUIDField()
    remover = models.TextField()
    removed_at = models.DateTimeField()

    class Meta(SealedModel.Meta):
        indexes = [
            models.Index(
                fields=["tenant", "erasure_id"],
                name="checkpoint_removal_erasure",
                condition=Q(erasure_id__isnull=False),
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "checkpoint_id"], name="checkpoint_removed_once"),
            models.CheckConstraint(
                condition=Q(reason__in=["pruned", "deleted"], erasure_id__isnull=True)
                | Q(reason="erased", erasure_id__isnull=False),
                name="checkpoint_removal_reason_known",
            ),
        ]

    def __str__(self) -> str:
        return f"removal of {self.checkpoint_id}"


class CheckpointMemory(TenantModel):
    """A memory whose id is in a checkpoint's state; for a chunk, also its state at that time. Deleted with the
    checkpoint. The memory 00000000-0000-0000-0000-000000000000 stands for ids that were not compared, because the state
    has too many."""

    checkpoint_id = models.UUIDField()
    memory_id = models.UUIDField()
    version = models.IntegerField(null=True)  # of a chunk: how many edits were applied to it
    standing = models.TextField(null=True)  # of a chunk: chunk_standing()

    class Meta:
        indexes = [models.Index(fields=["tenant", "checkpoint_id"], name="checkpoint_memory_checkpoint")]
        constraints = [
            # the checkpoints that name a memory, when it is erased
            models.UniqueConstraint(fields=["tenant", "memory_id", "checkpoint_id"], name="checkpoint_memory_once")
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} in {self.checkpoint_id}"


class OperationDone(SealedModel):
    """A finished pending operation of a checkpoint."""

    checkpoint_id = models.UUIDField()
    operation_id = models.TextField()
    note = models.TextField(default="", blank=True)
    agent_id = models.UUIDField()
    agent = models.TextField()
    done_at = models.DateTimeField()

    class Meta(SealedModel.Meta):
        verbose_name_plural = "operations done"
        constraints = [
            models.UniqueConstraint(fields=["tenant", "checkpoint_id", "operation_id"], name="operation_done_once")
        ]

    def __str__(self) -> str:
        return self.operation_id


class CheckpointUsage(TenantModel):
    """The storage that a tenant uses. Its id is the tenant's; recording or removing checkpoints locks the row."""

    stored_bytes = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(stored_bytes__gte=0), name="checkpoint_usage_positive")]

    def __str__(self) -> str:
        return f"{self.stored_bytes} bytes"
