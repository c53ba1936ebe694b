"""Request and response bodies, shared by the views and the schema."""

from typing import Any

from rest_framework import serializers

from governance import text as rules
from governance.api.shapes import NoticeOutput
from governance.inputs import BooleanField, ChoiceField, DecimalField, IdField, ListField, StrictSerializer, TextField
from governance.models import Channel, Sensitivity
from governance.relations.audience_json import AudienceField
from memory import event_body
from memory.event_body import SENSITIVITY_HELP, retention_field
from memory.event_content import id_field
from memory.models import Event, Kind, Retention, Scope, Task, Tier


class QuarantineOutput(serializers.Serializer[Any]):
    """A chunk that was quarantined on recording, because it repeats text that an approved retract removed."""

    chunk_id = serializers.UUIDField()
    edit_id = serializers.UUIDField(help_text="The quarantine. A reviewer can revert it.")
    retracted_by = serializers.UUIDField(help_text="The retract that removed this text.")


def also_from_field() -> ListField:
    """The channels less open than the listeners' from which memory is wanted too."""
    return ListField(
        child=ChoiceField(Channel.choices),
        default=list,
        max_length=len(Channel),
        help_text="Channels of your key that are less open than `channel` (public, agent, team, private) and from which"
        " memory is wanted too.",
    )


#: Whether this request recorded something, or an earlier one had.
RECORDED = [("recorded", "recorded"), ("already_recorded", "already_recorded")]


class RecordedOutput(serializers.Serializer[Any]):
    event_id = serializers.UUIDField()
    ts = serializers.DateTimeField()
    status = serializers.ChoiceField(
        RECORDED,
        help_text="`already_recorded`: the event had been recorded before with this id, so nothing was recorded now.",
    )
    chunk_ids = serializers.ListField(child=serializers.UUIDField())
    decision_id = serializers.UUIDField(allow_null=True)
    task_id = serializers.UUIDField(allow_null=True)
    artifact_id = serializers.UUIDField(allow_null=True)
    superseded_chunk_ids = serializers.ListField(
        child=serializers.UUIDField(), help_text="The earlier chunks that it updates, by `updates` or `key`."
    )
    quarantined_chunk_ids = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="Chunks that were quarantined: they repeat text that an approved retract removed, quote delivered"
        " memory that is hidden or for fewer readers, or their decision waits for approval.",
    )
    approval_edit_id = serializers.UUIDField(
        allow_null=True,
        help_text="The pending edit whose approval puts the decision in force; null if it needs no approval.",
    )
    quarantines = QuarantineOutput(many=True)
    notices = NoticeOutput(
        many=True,
        help_text="What you should know: that your clock is ahead (`clock_ahead`), that you do not read the record"
        " yourself (`not_in_audience`), or that its audience has a type or a relation that the tenant has not used"
        " (`unknown_type`, `unknown_relation`).",
    )


class BatchOutput(serializers.Serializer[Any]):
    events = RecordedOutput(many=True)


class ScopeOutput(serializers.Serializer[Any]):
    scope = serializers.ChoiceField(Scope.choices)
    subject_type = serializers.CharField(allow_null=True)
    subject_id = serializers.CharField(allow_null=True)
    project_id = serializers.CharField(allow_null=True)


class ContentScopeOutput(serializers.Serializer[Any]):
    """The scope fields of an event's content, as far as they are set."""

    scope = serializers.ChoiceField(Scope.choices, required=False)
    subject_type = serializers.CharField(required=False)
    subject_id = serializers.CharField(required=False)
    project_id = serializers.CharField(required=False)


class EventContentOutput(ContentScopeOutput):
    """What was said or done, with corrections applied. The fields depend on the kind of the event."""

    text = serializers.CharField(required=False)
    lang = serializers.CharField(required=False)
    tool = serializers.CharField(required=False)
    call_id = serializers.CharField(required=False)
    arguments = serializers.JSONField(required=False, help_text="Any JSON.")
    exit_code = serializers.IntegerField(required=False)
    decision = serializers.CharField(required=False)
    rationale = serializers.ListField(child=serializers.CharField(), required=False)
    constraints = serializers.ListField(child=serializers.CharField(), required=False)
    alternatives = serializers.ListField(child=serializers.CharField(), required=False)
    supersedes = serializers.UUIDField(required=False, allow_null=True)
    task_id = serializers.UUIDField(required=False, allow_null=True)
    title = serializers.CharField(required=False)
    details = serializers.CharField(required=False)
    status = serializers.ChoiceField(Task.Status.choices, required=False)
    name = serializers.CharField(required=False)
    media_type = serializers.CharField(required=False)
    note = serializers.CharField(required=False)
    data: Any = serializers.JSONField(required=False, help_text="Any JSON; of an artifact, its bytes in base64.")


class EventOutput(ScopeOutput):
    event_id = serializers.UUIDField()
    ts = serializers.DateTimeField()
    session_id = serializers.CharField()
    channel = serializers.ChoiceField(Channel.choices)
    actor_type = serializers.ChoiceField(Event.ActorType.choices)
    actor_id = serializers.CharField()
    kind = serializers.ChoiceField(Kind.choices)
    sensitivity = serializers.ChoiceField(Sensitivity.choices)
    tags = serializers.ListField(child=serializers.CharField())
    refs = serializers.ListField(child=serializers.CharField())
    redacted = serializers.ListField(
        child=serializers.CharField(), help_text="The kinds of secrets that were masked before storage."
    )
    retention = serializers.ChoiceField(Retention.choices)
    recorded_by = serializers.CharField()
    content = EventContentOutput(allow_null=True)
    withheld = serializers.ChoiceField(
        [(reason, reason) for reason in ("erased", "retracted", "sensitivity", "blocked", "quarantined")],
        allow_null=True,
    )
    edits_applied = serializers.IntegerField()
    chunk_ids = serializers.ListField(child=serializers.UUIDField())
    decision_id = serializers.UUIDField(allow_null=True)
    task_id = serializers.UUIDField(allow_null=True)
    artifact_id = serializers.UUIDField(allow_null=True)


class ChunkOutput(ScopeOutput):
    chunk_id = serializers.UUIDField()
    text = serializers.CharField()
    importance = serializers.FloatField()
    ts = serializers.DateTimeField()
    edits_applied = serializers.IntegerField()
    is_quarantined = serializers.BooleanField()
    session_id = serializers.CharField(allow_null=True)
    channel = serializers.ChoiceField(Channel.choices)
    tier = serializers.ChoiceField(Tier.choices)
    event_id = serializers.UUIDField(allow_null=True)
    source = serializers.CharField()  # type: ignore[assignment] # the field shadows Field.source
    recorder = serializers.CharField()


class TaggedChunkOutput(ChunkOutput):
    tags = serializers.ListField(child=serializers.CharField())


class GetInput(StrictSerializer):
    chunk_ids = ListField(child=IdField(), max_length=1_000)
    include_quarantined = BooleanField(default=False)
    channel = ChoiceField(Channel.choices, required=False, allow_null=True)


class ChunkByIdOutput(TaggedChunkOutput):
    is_retracted = serializers.BooleanField()


class GetOutput(serializers.Serializer[Any]):
    chunks = ChunkByIdOutput(many=True)


class TimelineChunkOutput(TaggedChunkOutput):
    distance_seconds = serializers.IntegerField()


class TimelineOutput(serializers.Serializer[Any]):
    around_chunk_id = serializers.UUIDField()
    center_ts = serializers.DateTimeField()
    window_seconds = serializers.IntegerField()
    chunks = TimelineChunkOutput(many=True)
    is_cut = serializers.BooleanField(help_text="Whether the window has more chunks; get them with `next`.")
    next = serializers.CharField(allow_null=True, help_text="The cursor of the next page; null on the last one.")


class SummaryInput(StrictSerializer):
    text = TextField(rules.SUMMARY)
    scope = ChoiceField([("user", "User"), ("project", "Project"), ("session", "Session")])
    subject_type = id_field()
    subject_id = id_field()
    project_id = id_field(required=False, allow_null=True)
    importance = DecimalField(5, 4, min_value=0, max_value=1, required=False)
    tags = ListField(child=id_field(), required=False, max_length=event_body.MAX_ITEMS)
    session_id = id_field()
    channel = ChoiceField(Channel.choices)
    sensitivity = ChoiceField(Sensitivity.choices, required=False, help_text=SENSITIVITY_HELP)
    audience = AudienceField()
    retention = retention_field()
    compute_embedding = BooleanField(
        default=True, help_text="Whether a job embeds it, so that semantic search finds it."
    )


class SummaryOutput(serializers.Serializer[Any]):
    chunk_id = serializers.UUIDField()
    ts = serializers.DateTimeField()
    status = serializers.ChoiceField([("saved", "saved")])
    sensitivity = serializers.ChoiceField(
        Sensitivity.choices,
        help_text="At least the highest sensitivity of the memory that you were given in the session, in context"
        " bundles for it or in what was recorded in it.",
    )
    is_quarantined = serializers.BooleanField(
        help_text="True if the summary repeats text that an approved retract removed."
    )
    quarantines = QuarantineOutput(many=True)
