"""Events: what happened, exactly as recorded."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from governance.models import SealedModel
from memory.models.scoped import Kind, Retention, ScopedModel, retention_constraint, scope_constraints


class Event(SealedModel, ScopedModel):
    """Written by the gate function `record_events`. Its words are content rows: `content_id` holds `content.text`,
    `fields_id` the JSON of every other content field."""

    class ActorType(models.TextChoices):
        HUMAN = "human"
        AGENT = "agent"
        TOOL = "tool"

    actor_type = models.TextField(choices=ActorType.choices)
    actor_id = models.TextField()
    kind = models.TextField(choices=Kind.choices)
    tags = ArrayField(models.TextField(), default=list)
    refs = ArrayField(models.TextField(), default=list)
    # the kinds of secrets that were masked before storage
    redacted = ArrayField(models.TextField(), default=list)
    retention = models.TextField(choices=Retention.choices, default=Retention.RELATIONSHIP)
    content_id = models.UUIDField(null=True)
    fields_id = models.UUIDField(null=True)
    # The recorder, from the credential. The actor above is who spoke, as the caller states it.
    recorder_kind = models.TextField()
    recorded_by = models.UUIDField()
    recorder = models.TextField()
    recorded_at = models.DateTimeField(default=timezone.now)

    class Meta(SealedModel.Meta):
        indexes = [
            # GET /events, newest first
            models.Index(fields=["tenant", "-ts", "-id"], name="event_newest"),
            # the number of events recorded on a day
            models.Index(fields=["tenant", "recorded_at"], name="event_recorded"),
            # the events of one session
            models.Index(fields=["tenant", "session_id", "-ts"], name="event_session"),
            # a search in what one actor said or did, or in events of one kind
            models.Index(fields=["tenant", "actor_id"], name="event_actor"),
            models.Index(fields=["tenant", "kind"], name="event_kind"),
            # scope, project and subject filters of the specification
            models.Index(fields=["tenant", "scope", "-ts"], name="idx_events_tenant_scope_ts"),
            models.Index(
                fields=["tenant", "project_id", "-ts"],
                name="idx_events_tenant_project_ts",
                condition=Q(project_id__isnull=False),
            ),
            models.Index(
                fields=["tenant", "subject_type", "subject_id", "-ts"],
                name="idx_events_tenant_subject_ts",
                condition=Q(subject_id__isnull=False),
            ),
        ]
        constraints = [
            *scope_constraints("event"),
            retention_constraint("event"),
            models.CheckConstraint(
                condition=Q(kind__in=["message", "tool_call", "tool_result", "decision", "task_update", "artifact"]),
                name="event_kind_known",
            ),
            models.CheckConstraint(
                condition=Q(actor_type__in=["human", "agent", "tool"]), name="event_actor_type_known"
            ),
            models.CheckConstraint(condition=Q(session_id__isnull=False), name="event_has_session"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"
