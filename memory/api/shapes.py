"""The shapes of what comes in and goes out, shared by the views and the schema."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from governance import text as rules
from governance.http.serializers import IdField, Instant, StrictSerializer, TextField
from governance.models import Channel, Sensitivity
from memory.drafts import EventDraft
from memory.models import Event, Kind, Retention, Scope, Task, Tier

MAX_ITEMS = 100


def id_field(**kwargs: Any) -> TextField:
    """A caller's identifier."""
    return TextField(rules.IDENTIFIER, **kwargs)


def retention_field() -> serializers.ChoiceField:
    return serializers.ChoiceField(
        Retention.choices,
        default=Retention.RELATIONSHIP,
        help_text="What may be erased: `committed` never, the others by an approved erasure.",
    )


class ScopeFields(StrictSerializer):
    """What a record is about. Null is the same as absent."""

    scope = serializers.ChoiceField(Scope.choices, required=False, allow_null=True)
    subject_type = id_field(required=False, allow_null=True)
    subject_id = id_field(required=False, allow_null=True)
    project_id = id_field(required=False, allow_null=True)


class _Texts(serializers.ListField):
    child = TextField(rules.PASSAGE)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, max_length=MAX_ITEMS, **kwargs)


class _KnownContent(serializers.Serializer[Any]):
    """The content fields that Suture reads. Any other field is kept as it came."""

    text = TextField(rules.EVENT_TEXT, required=False)
    scope = serializers.ChoiceField(Scope.choices, required=False, allow_null=True)
    subject_type = id_field(required=False, allow_null=True)
    subject_id = id_field(required=False, allow_null=True)
    project_id = id_field(required=False, allow_null=True)


class _DecisionContent(_KnownContent):
    decision = TextField(rules.STATEMENT)
    rationale = _Texts()
    constraints = _Texts()
    alternatives = _Texts()
    supersedes = IdField(required=False, allow_null=True)


class _TaskContent(_KnownContent):
    task_id = IdField(required=False, allow_null=True)
    title = TextField(rules.IDENTIFIER)
    details = TextField(rules.EVENT_TEXT, required=False)
    status = serializers.ChoiceField(Task.Status.choices)


class _ArtifactContent(_KnownContent):
    name = TextField(rules.IDENTIFIER)
    media_type = serializers.RegexField(r"^[\w.+-]+/[\w.+-]+(;.*)?$", max_length=rules.IDENTIFIER.max_length)
    data = serializers.CharField(required=False)  # type: ignore[assignment] # the field shadows Serializer.data

    def validate_data(self, value: str) -> str:
        try:
            base64.b64decode(value, validate=True)
        except binascii.Error:
            raise serializers.ValidationError("Not base64.") from None
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("text" in attrs) == ("data" in attrs):
            raise serializers.ValidationError({"text": ["An artifact has either text or data."]})
        return attrs


# Made once: building a serializer copies every field, which was half of the time that an event's validation took.
_ANY_CONTENT = _KnownContent()
_CONTENT = {Kind.DECISION: _DecisionContent(), Kind.TASK_UPDATE: _TaskContent(), Kind.ARTIFACT: _ArtifactContent()}


class EventInput(ScopeFields):
    """`POST /events`; the scope fields may stand in the body or in `content`, the body's win."""

    session_id = id_field()
    channel = serializers.ChoiceField(Channel.choices)
    actor_type = serializers.ChoiceField(Event.ActorType.choices)
    actor_id = id_field()
    kind = serializers.ChoiceField(Kind.choices)
    sensitivity = serializers.ChoiceField(Sensitivity.choices, default="none")
    retention = retention_field()
    tags = serializers.ListField(child=id_field(), required=False, max_length=MAX_ITEMS)
    refs = serializers.ListField(child=TextField(rules.REFERENCE), required=False, max_length=MAX_ITEMS)
    content = serializers.DictField()
    ts = Instant(required=False, help_text="When it happened, for imports. Not in the future.")

    def validate_ts(self, value: Any) -> Any:
        if value > timezone.now():
            raise serializers.ValidationError("The time lies in the future.")
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        try:
            _CONTENT.get(attrs["kind"], _ANY_CONTENT).run_validation(attrs["content"])
        except serializers.ValidationError as error:
            raise serializers.ValidationError({"content": error.detail}) from None
        return attrs


class BatchInput(StrictSerializer):
    """`POST /events/batch`."""

    events = serializers.ListField(child=EventInput(), allow_empty=False, max_length=1000)


def draft_of(values: Mapping[str, Any], pointer: str = "") -> EventDraft:
    """The draft of a validated EventInput; `pointer` is where it stands in the body."""
    return EventDraft(
        session_id=values["session_id"],
        channel=values["channel"],
        actor_type=values["actor_type"],
        actor_id=values["actor_id"],
        kind=values["kind"],
        sensitivity=values["sensitivity"],
        retention=values["retention"],
        tags=tuple(values.get("tags", ())),
        refs=tuple(values.get("refs", ())),
        content=values["content"],
        ts=values.get("ts") or timezone.now(),
        pointer=pointer,
        scope=values.get("scope"),
        subject_type=values.get("subject_type"),
        subject_id=values.get("subject_id"),
        project_id=values.get("project_id"),
    )


class RecordedOutput(serializers.Serializer[Any]):
    event_id = serializers.UUIDField()
    ts = serializers.DateTimeField()
    status = serializers.ChoiceField([("recorded", "recorded")])
    chunk_ids = serializers.ListField(child=serializers.UUIDField())
    decision_id = serializers.UUIDField(allow_null=True)
    task_id = serializers.UUIDField(allow_null=True)
    artifact_id = serializers.UUIDField(allow_null=True)
    quarantined_chunk_ids = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="Those that say again what an approved retract removed about the subject.",
    )


class BatchOutput(serializers.Serializer[Any]):
    events = RecordedOutput(many=True)


class ScopeOutput(serializers.Serializer[Any]):
    scope = serializers.ChoiceField(Scope.choices)
    subject_type = serializers.CharField(allow_null=True)
    subject_id = serializers.CharField(allow_null=True)
    project_id = serializers.CharField(allow_null=True)


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
        child=serializers.CharField(), help_text="Kinds of secrets that were taken out before storage."
    )
    retention = serializers.ChoiceField(Retention.choices)
    recorded_by = serializers.CharField()
    content = serializers.DictField(allow_null=True)
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


class FoundChunkOutput(ChunkOutput):
    rank = serializers.FloatField()
    snippet = serializers.CharField(required=False, help_text="With `highlight`: escaped HTML, matches in <mark>.")


class SearchInput(ScopeFields):
    query = TextField(rules.QUERY)
    session_id = id_field(required=False, allow_null=True)
    include_quarantined = serializers.BooleanField(default=False)
    channel = serializers.ChoiceField(Channel.choices, required=False, allow_null=True)
    limit = serializers.IntegerField(min_value=1, max_value=200, default=10)
    highlight = serializers.BooleanField(default=False)


class SearchOutput(serializers.Serializer[Any]):
    chunks = FoundChunkOutput(many=True)
    total_count = serializers.IntegerField()
    total_is_estimate = serializers.BooleanField()
    ranking = serializers.ChoiceField([("exact", "exact"), ("windowed", "windowed")])


class GetInput(StrictSerializer):
    chunk_ids = serializers.ListField(child=IdField(), max_length=1_000)
    include_quarantined = serializers.BooleanField(default=False)
    channel = serializers.ChoiceField(Channel.choices, required=False, allow_null=True)


class GotChunkOutput(ChunkOutput):
    is_retracted = serializers.BooleanField()


class GetOutput(serializers.Serializer[Any]):
    chunks = GotChunkOutput(many=True)


class TimelineChunkOutput(ChunkOutput):
    distance_seconds = serializers.IntegerField()


class TimelineInput(StrictSerializer):
    window_seconds = serializers.IntegerField(min_value=0, max_value=366 * 86_400, default=3600)
    include_quarantined = serializers.BooleanField(default=False)
    channel = serializers.ChoiceField(Channel.choices, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=1_000, default=200)


class TimelineOutput(serializers.Serializer[Any]):
    around_chunk_id = serializers.UUIDField()
    center_ts = serializers.DateTimeField()
    window_seconds = serializers.IntegerField()
    chunks = TimelineChunkOutput(many=True)


class SummaryInput(StrictSerializer):
    text = TextField(rules.SUMMARY)
    scope = serializers.ChoiceField([("user", "User"), ("project", "Project"), ("session", "Session")])
    subject_type = id_field()
    subject_id = id_field()
    project_id = id_field(required=False, allow_null=True)
    importance = serializers.DecimalField(5, 4, min_value=0, max_value=1, required=False)
    tags = serializers.ListField(child=id_field(), required=False, max_length=MAX_ITEMS)
    session_id = id_field()
    channel = serializers.ChoiceField(Channel.choices)
    retention = retention_field()


class SummaryOutput(serializers.Serializer[Any]):
    chunk_id = serializers.UUIDField()
    ts = serializers.DateTimeField()
    status = serializers.ChoiceField([("saved", "saved")])
    is_quarantined = serializers.BooleanField(help_text="It says again what an approved retract removed.")
