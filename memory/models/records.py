"""Typed records derived from events: decisions, tasks, artifacts. Their current state is a projection too."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from governance.models import SealedModel, TenantForeignKey, TenantModel
from memory.models.events import Event
from memory.models.scoped import ScopedModel, scope_constraints


class Decision(SealedModel, ScopedModel):
    """A decision; `content_id` is its statement, `details_id` the JSON of rationale, constraints, alternatives."""

    event = TenantForeignKey(Event)
    content_id = models.UUIDField()
    details_id = models.UUIDField(null=True)
    supersedes = TenantForeignKey("self", null=True)

    class Meta(SealedModel.Meta):
        indexes = [
            models.Index(fields=["tenant", "event"], name="decision_event"),
            # what superseded a decision, for its refold
            models.Index(
                fields=["tenant", "supersedes"],
                name="decision_supersedes",
                condition=Q(supersedes__isnull=False),
            ),
        ]
        constraints = [*scope_constraints("decision")]

    def __str__(self) -> str:
        return f"decision {self.id}"


class EffectiveDecision(TenantModel, ScopedModel):
    """A decision as readers see it. The gate functions update it."""

    class Status(models.TextChoices):
        ACTIVE = "active"  # -> superseded, and back if its successor is retracted or quarantined
        SUPERSEDED = "superseded"

    event_id = models.UUIDField()
    content_id = models.UUIDField()
    details_id = models.UUIDField(null=True)  # also NULL if an amend withholds them
    importance = models.DecimalField(max_digits=5, decimal_places=4)
    status = models.TextField(choices=Status.choices, default=Status.ACTIVE)
    is_retracted = models.BooleanField(default=False)
    is_quarantined = models.BooleanField(default=False)
    blocked_channels = ArrayField(models.TextField(), default=list)
    edits_applied = models.IntegerField(default=0)

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "event_id"], name="effective_decision_event"),
            # the list, newest first
            models.Index(
                fields=["tenant", "-ts", "-id"], name="effective_decision_newest", condition=Q(is_retracted=False)
            ),
            # decisions in force, by scope
            models.Index(
                fields=["tenant", "scope", "-ts"],
                name="effective_decision_in_force",
                condition=Q(status="active", is_retracted=False),
            ),
        ]

    def __str__(self) -> str:
        return f"effective decision {self.id}"


class Task(SealedModel, ScopedModel):
    """One update of a task: `task_id` names the task, and is the id of its first update."""

    class Status(models.TextChoices):
        OPEN = "open"  # -> doing, done
        DOING = "doing"  # -> open, done
        DONE = "done"  # -> open

    event = TenantForeignKey(Event)
    task_id = models.UUIDField()
    status = models.TextField(choices=Status.choices)
    content_id = models.UUIDField()  # the title
    details_id = models.UUIDField(null=True)  # the event's fields, with the details

    class Meta(SealedModel.Meta):
        indexes = [
            models.Index(fields=["tenant", "event"], name="task_event"),
            models.Index(fields=["tenant", "task_id", "-ts"], name="task_updates"),
        ]
        constraints = [
            *scope_constraints("task"),
            models.CheckConstraint(condition=Q(status__in=["open", "doing", "done"]), name="task_status_known"),
        ]

    def __str__(self) -> str:
        return f"task {self.task_id}"


class EffectiveTask(TenantModel, ScopedModel):
    """A task as readers see it: its newest update that is neither retracted nor quarantined, else the newest that is
    not retracted. The gate functions update it."""

    update_id = models.UUIDField()
    event_id = models.UUIDField()
    content_id = models.UUIDField()
    details_id = models.UUIDField(null=True)
    status = models.TextField(choices=Task.Status.choices)
    is_retracted = models.BooleanField(default=False)
    is_quarantined = models.BooleanField(default=False)
    blocked_channels = ArrayField(models.TextField(), default=list)
    edits_applied = models.IntegerField(default=0)

    class Meta:
        # sql/0001_tables.up.sql has the indexes for context bundles.
        indexes = [
            # the list, newest first
            models.Index(
                fields=["tenant", "-ts", "-id"], name="effective_task_newest", condition=Q(is_retracted=False)
            ),
        ]

    def __str__(self) -> str:
        return f"effective task {self.id}"


class Artifact(SealedModel, ScopedModel):
    """A named piece of work. `content_id` is its name; text or data are in the event's content. Its state is that of
    the chunk made from the same event."""

    event = TenantForeignKey(Event)
    content_id = models.UUIDField()
    media_type = models.TextField()

    class Meta(SealedModel.Meta):
        indexes = [
            models.Index(fields=["tenant", "event"], name="artifact_event"),
            # the list, newest first
            models.Index(fields=["tenant", "-ts", "-id"], name="artifact_newest"),
        ]
        constraints = [*scope_constraints("artifact")]

    def __str__(self) -> str:
        return f"artifact {self.id}"
