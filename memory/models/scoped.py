"""Subject, channel and sensitivity: the columns shared by events and everything derived from them."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from governance.models import Channel, Sensitivity


class Scope(models.TextChoices):
    SESSION = "session"
    USER = "user"
    PROJECT = "project"
    POLICY = "policy"
    GLOBAL = "global"


#: Decisions of these scopes are rules: they apply to every session.
RULE_SCOPES = frozenset({Scope.POLICY, Scope.GLOBAL})


class Kind(models.TextChoices):
    MESSAGE = "message"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    DECISION = "decision"
    TASK_UPDATE = "task_update"
    ARTIFACT = "artifact"


class Retention(models.TextChoices):
    COMMITTED = "committed"  # never erased
    RELATIONSHIP = "relationship"
    EPHEMERAL = "ephemeral"


class Tier(models.TextChoices):
    TASK = "task"  # -> session
    SESSION = "session"  # -> longterm
    LONGTERM = "longterm"  # -> archive
    ARCHIVE = "archive"


class ScopedModel(models.Model):
    """Columns that come from the event's body or content when it is recorded, and never change."""

    scope = models.TextField(choices=Scope.choices)
    subject_type = models.TextField(null=True)
    subject_id = models.TextField(null=True)
    project_id = models.TextField(null=True)
    session_id = models.TextField(null=True)
    channel = models.TextField(choices=Channel.choices)
    sensitivity = models.TextField(choices=Sensitivity.choices)
    ts = models.DateTimeField()
    # The numbers of the audiences, of which a reader must hear each. NULL: everyone who hears the channel.
    audience = ArrayField(models.IntegerField(), null=True)

    class Meta:
        abstract = True


def retention_constraint(table: str) -> models.BaseConstraint:
    return models.CheckConstraint(
        condition=Q(retention__in=["committed", "relationship", "ephemeral"]), name=f"{table}_retention_known"
    )


def scope_constraints(table: str) -> list[models.BaseConstraint]:
    """The checks of a scoped table; constraint names are unique in a schema, hence the prefix."""
    return [
        models.CheckConstraint(
            condition=Q(scope__in=["session", "user", "project", "policy", "global"]),
            name=f"{table}_scope_known",
        ),
        models.CheckConstraint(
            condition=Q(channel__in=["private", "public", "team", "agent"]), name=f"{table}_channel_known"
        ),
        models.CheckConstraint(
            condition=Q(sensitivity__in=["none", "low", "high", "secret"]), name=f"{table}_sensitivity_known"
        ),
        models.CheckConstraint(
            condition=Q(subject_type__isnull=True, subject_id__isnull=True)
            | Q(subject_type__isnull=False, subject_id__isnull=False),
            name=f"{table}_subject_whole",
        ),
    ]
