"""Query parameters of memory's lists, and of a request's audience."""

import json
from typing import Any

from django.db.models import QuerySet
from rest_framework.request import Request

from governance import text
from governance.http.filters import Parameter, ParameterFilter
from governance.inputs import BooleanField, ChoiceField, DictField, InstantField, IntegerField, PastField, TextField
from governance.models import Channel
from memory.models import (
    AgentMemory,
    Checkpoint,
    EffectiveDecision,
    Kind,
    Scope,
    Task,
    Tier,
)

AS_OF_HELP = "Memory as it was at this time. For people with a role, because it shows what was corrected."


def identifier(*, help_text: str | None = None, **options: Any) -> Parameter:
    """A parameter with an identifier chosen by callers."""
    return Parameter(TextField(text.IDENTIFIER, required=False, help_text=help_text), **options)


def choice(choices: Any, **options: Any) -> Parameter:
    """A parameter with a fixed set of values."""
    return Parameter(ChoiceField(choices, required=False), **options)


def archived() -> Parameter:
    """Whether to include archived memory."""
    return Parameter(
        BooleanField(
            default=False, help_text="Include memory that was archived because nobody used it for a long time."
        ),
        method="unfiltered",
    )


def past() -> Parameter:
    """The time as of which memory is read."""
    return Parameter(PastField(required=False, help_text=AS_OF_HELP), method="unfiltered")


class AudienceFilter(ParameterFilter):
    """The audience of a request. It does not filter the QuerySet; the views read it."""

    channel = choice(Channel.choices, method="unfiltered")
    include_quarantined = Parameter(BooleanField(default=False), method="unfiltered")

    def unfiltered(self, rows: QuerySet[Any], name: str, value: Any) -> QuerySet[Any]:
        """All rows, for any value."""
        return rows


class OnlyAudience(AudienceFilter):
    """The parameters of one record."""

    also_accepted = frozenset()


class ScopeFilter(ParameterFilter):
    """The scope and subject of a record."""

    scope = choice(Scope.choices)
    subject_type = identifier()
    subject_id = identifier()
    project_id = identifier()


class RecordFilter(ScopeFilter, AudienceFilter):
    """The parameters of every list of records."""

    session_id = identifier()
    since = Parameter(
        InstantField(reads_dates=True, required=False, help_text="Only from this time on (UTC, if a date alone)."),
        field_name="ts",
        lookup_expr="gte",
    )
    until = Parameter(
        InstantField(reads_dates=True, required=False, help_text="Only before this time (UTC, if a date alone)."),
        field_name="ts",
        lookup_expr="lt",
    )


class ChunkFilter(RecordFilter):
    """The parameters of the list of chunks."""

    tier = choice(Tier.choices)
    tag = identifier(help_text="Chunks with this tag: their event's, or their summary's.")
    include_archived = archived()


class EventFilter(RecordFilter):
    """The parameters of the list of events."""

    kind = choice(Kind.choices)
    actor_id = identifier()
    tag = identifier(method="tagged", help_text="Events with this tag.")

    def tagged(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        """The events with the tag."""
        return rows.filter(tags__contains=[value])


class WhereField(DictField):
    """Conditions of metadata, a JSON object in a parameter."""

    def parse(self, parameter: str) -> Any:
        """The object, or the text if it is not JSON."""
        try:
            return json.loads(parameter)
        except ValueError:
            return parameter


class OneMemory(AudienceFilter):
    """The parameters of one memory."""

    also_accepted = frozenset()

    as_of = past()


class MemoryFilter(RecordFilter):
    """The parameters of the list of memories."""

    as_of = past()

    subject_prefix = identifier(help_text="Memories about subjects whose id begins with this text.")
    key = identifier(help_text="Memories with this key.")
    key_prefix = identifier(help_text="Memories whose key begins with this text.")
    tag = identifier(help_text="Memories with this tag.")
    kind = choice(Kind.choices)
    recorder = identifier(help_text="Memories that this agent or person recorded, by name.")
    where = Parameter(
        WhereField(required=False, help_text='Conditions of metadata, as in a search: `{"topic": "food"}`.')
    )


class ProjectFilter(ParameterFilter):
    """The parameters of the list of projects."""

    prefix = identifier(help_text="Only those that begin with this text.")
    channel = choice(Channel.choices)


class SubjectFilter(ProjectFilter):
    """The parameters of the list of subjects."""

    subject_type = identifier()


class DecisionListFilter(RecordFilter):
    """The parameters of the list of decisions."""

    status = choice(EffectiveDecision.Status.choices)


class TaskListFilter(RecordFilter):
    """The parameters of the list of tasks."""

    status = choice(Task.Status.choices)


class ArtifactListFilter(RecordFilter):
    """The parameters of the list of artifacts."""

    media_type = identifier()


class DecisionFilter(ScopeFilter, AudienceFilter):
    """The parameters of the list of decisions in force."""

    also_accepted = frozenset()

    session_id = identifier()
    limit = Parameter(IntegerField(min_value=1, max_value=1_000, default=100))


class OnlyOwnMemory(AudienceFilter):
    """The parameters of one memory of an agent's chain."""

    also_accepted = frozenset()

    agent = identifier(help_text="The slug of the agent that owns the memory: for people with a role.")


class OwnMemoryFilter(OnlyOwnMemory):
    """The parameters of the list of an agent's own memory."""

    also_accepted = ParameterFilter.also_accepted

    type = choice(AgentMemory.Type.choices)
    block_label = choice(AgentMemory.BlockLabel.choices)
    include_superseded = Parameter(BooleanField(default=False, help_text="Include superseded memory."))


class TimelineFilter(AudienceFilter):
    """The parameters of a timeline."""

    also_accepted = frozenset({"cursor"})

    window_seconds = Parameter(IntegerField(min_value=0, max_value=366 * 86_400, default=3600))
    include_archived = archived()
    limit = Parameter(IntegerField(min_value=1, max_value=1_000, default=200))


def without_audience(values: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values that filter rows, and the values of the audience."""
    names = ("channel", "include_quarantined", "include_archived", "as_of")
    audience = {name: values[name] for name in names if name in values}
    return {name: value for name, value in values.items() if name not in audience}, audience


def only_audience_of(request: Request) -> dict[str, Any]:
    """`channel` and `include_quarantined`, for a view without other parameters. Raises Invalid for others."""
    return OnlyAudience.read(request).values


def _owner() -> Parameter:
    return identifier(method="unfiltered", help_text="The agent that owns the session, if it is not yours.")


class OwnerFilter(ParameterFilter):
    """The owner of the session: by default the caller."""

    also_accepted = frozenset()

    owner = _owner()

    def unfiltered(self, rows: QuerySet[Any], name: str, value: Any) -> QuerySet[Any]:
        """All rows: the owner selects the session."""
        return rows


class CheckpointFilter(OwnerFilter):
    """The parameters of the list of a session's checkpoints."""

    also_accepted = ParameterFilter.also_accepted

    depth = Parameter(IntegerField(min_value=0, max_value=64, required=False))
    kind = choice(Checkpoint.Kind.choices)
    label_prefix = identifier(help_text="Checkpoints whose label begins with this text.")
    order = Parameter(
        ChoiceField(
            [("newest", "Newest"), ("label", "Label")],
            default="newest",
            help_text="Newest first, or by label: those that have one, the greatest first, compared by code points.",
        )
    )
    label_before = identifier(help_text="Ordered by label, those whose label is less than this one.")
    include_state = Parameter(
        BooleanField(
            default=False, help_text="Whether to include their states. Then a page ends after 4 MiB of states too."
        )
    )


class SessionFilter(OwnerFilter):
    """The parameters of the list of sessions."""

    also_accepted = ParameterFilter.also_accepted

    owner = identifier(
        method="unfiltered", help_text="Sessions of this agent; for another agent, those that it offers to you."
    )
    offered = Parameter(
        BooleanField(default=False, help_text="Sessions that other agents offer to you, instead of your own."),
        method="unfiltered",
    )
    prefix = identifier(
        field_name="session_id", lookup_expr="startswith", help_text="Sessions whose id begins with this text."
    )


class LatestCheckpoint(OwnerFilter):
    """The depth of the newest checkpoint; by default any."""

    depth = Parameter(IntegerField(min_value=0, max_value=64, required=False))


class OneCheckpoint(OwnerFilter):
    """The parameters of one checkpoint."""

    include_state = Parameter(BooleanField(default=False, help_text="Whether to include its state."))
