"""Memories over HTTP: addressed by an id, or by their recorder's key."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, ClassVar

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text as rules
from governance.acting.principals import Principal
from governance.api.shapes import NoticeOutput
from governance.faults import Faults
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import SCHEMA_PARAMETERS, envelope, page_of_rows, page_schema
from governance.http.views import GovernedView
from governance.inputs import (
    BooleanField,
    ChoiceField,
    DictField,
    IdField,
    IntegerField,
    ListField,
    PastField,
    StrictSerializer,
    TextField,
)
from governance.models import Channel, Sensitivity
from governance.relations.audience_json import AudienceField
from memory.api import shapes
from memory.api.events import notices_of
from memory.api.filters import AS_OF_HELP, MemoryFilter, OneMemory, without_audience
from memory.api.search import MODES, FilterFields
from memory.drafts import EventDraft, RecordedEvent
from memory.event_body import MAX_BATCH, MAX_ITEMS, SENSITIVITY_HELP, key_field, retention_field
from memory.event_content import (
    CONTENT,
    ScopeFields,
    check_labels,
    id_field,
    metadata_field,
    ttl_field,
    value_field,
    words_of_value,
)
from memory.models import Chunk, Kind, Scope
from memory.queries import memories as reading
from memory.queries.search import Mode
from memory.services import memories as changing
from memory.services import recording
from memory.usage.means import Means

CHANGE_STATUSES = [(one, one) for one in (changing.APPLIED, changing.PENDING)]
#: The session of memories that name none.
NO_SESSION = "memories"


class MemoryInput(ScopeFields):
    """A memory to record. Its channel, its actor and its kind follow from your key."""

    id = IdField(required=False, help_text="A UUID that you choose. If you send it again, it is recorded once.")
    text = TextField(
        rules.EVENT_TEXT, required=False, help_text="The text that search finds (default: the words of `value`)."
    )
    value = value_field()
    metadata = metadata_field()
    key = key_field()
    ttl = ttl_field()
    session_id = id_field(required=False, help_text=f"Default: `{NO_SESSION}`.")
    channel = ChoiceField(Channel.choices, required=False, help_text="Default: the most private one of your key.")
    tags = ListField(child=id_field(), max_length=MAX_ITEMS, default=list)
    sensitivity = ChoiceField(Sensitivity.choices, required=False, help_text=SENSITIVITY_HELP)
    audience = AudienceField()
    retention = retention_field()
    ts = PastField(required=False, help_text="When it was learned (default: now).")
    compute_embedding = BooleanField(default=True, help_text="Whether a job embeds it, for semantic search.")

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Require words, and limit the size of value and metadata."""
        if "text" not in values and "value" in values:
            values["text"] = words_of_value(values["value"])
        if not values.get("text", "").strip():
            faults.add(f"{pointer}/text", "There is nothing to remember. Send a text, a value, or both.")
        else:
            CONTENT[Kind.MESSAGE].check({name: values[name] for name in _CONTENT if name in values}, pointer, faults)


_CONTENT = ("text", "value", "metadata", "ttl")


@extend_schema_field(MemoryInput(many=True))
class _Memories(ListField):
    pass


class MemoryBatchInput(StrictSerializer):
    """Memories to record, all or none."""

    memories = _Memories(child=DictField(), allow_empty=False, max_length=MAX_BATCH)


class MemoryUpdateInput(StrictSerializer):
    """What to change. A text alone is an amend, under the tenant's policy; with anything else, a new version replaces
    the memory."""

    text = TextField(rules.EVENT_TEXT, required=False)
    value = value_field()
    metadata = metadata_field()
    ttl = ttl_field()
    reason = TextField(rules.REASON, required=False, help_text="Why. The ledger keeps it.")

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Require a change, and limit the size of metadata."""
        if not set(values) & set(_CONTENT):
            faults.add(pointer, f"Send at least one of: {', '.join(_CONTENT)}.")
        check_labels(values, pointer, faults)


class MemorySearchInput(FilterFields, ScopeFields):
    """A search of memories."""

    query = TextField(rules.QUERY, help_text="A question, or words.")
    where = DictField(
        default=dict,
        help_text='Conditions of metadata: `{"topic": "food", "age": {"gte": 3}}`. The operators are eq, ne, gt, gte,'
        " lt, lte, in and exists; a dot addresses a nested member.",
    )
    subject_prefix = id_field(required=False, help_text="Only about subjects whose id begins with this text.")
    session_id = id_field(required=False, allow_null=True)
    channel = ChoiceField(Channel.choices, required=False, allow_null=True)
    mode = ChoiceField(MODES, required=False, help_text="Default: `hybrid`.")
    as_of = PastField(required=False, help_text=f"{AS_OF_HELP} It is searched by words.")
    limit = IntegerField(min_value=1, max_value=100, default=10)
    collapse_duplicates = BooleanField(default=True, help_text="Omit memories that say the same as a better result.")

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Refuse to search the past by meaning."""
        if "as_of" in values and values.get("mode", Mode.KEYWORD.value) != Mode.KEYWORD.value:
            faults.add(f"{pointer}/mode", "A search as of a time is by words. Send the mode keyword, or leave it out.")


class AddressedMemoryOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField(help_text="Of its current version. Earlier ids lead to it, too.")
    text = serializers.CharField(help_text="Its effective text.")
    value = serializers.JSONField(
        allow_null=True, help_text="Any JSON; null after a correction, which it might contradict."
    )
    metadata = serializers.DictField()
    key = serializers.CharField(allow_null=True)
    kind = serializers.ChoiceField(Kind.choices, allow_null=True, help_text="Null for memory without an event.")
    source = serializers.ChoiceField(Chunk.Source.choices)  # type: ignore[assignment] # the field shadows Field.source
    scope = serializers.ChoiceField(Scope.choices)
    subject_type = serializers.CharField(allow_null=True)
    subject_id = serializers.CharField(allow_null=True)
    project_id = serializers.CharField(allow_null=True)
    session_id = serializers.CharField(allow_null=True)
    channel = serializers.ChoiceField(Channel.choices)
    tags = serializers.ListField(child=serializers.CharField())
    importance = serializers.FloatField()
    recorder = serializers.CharField()
    created_at = serializers.DateTimeField(help_text="The time of its first version.")
    updated_at = serializers.DateTimeField(help_text="The time of this version, or of its last edit.")
    expires_at = serializers.DateTimeField(allow_null=True)
    chunk_ids = serializers.ListField(child=serializers.UUIDField())
    edits_applied = serializers.IntegerField()
    is_quarantined = serializers.BooleanField()


class FoundMemoryOutput(AddressedMemoryOutput):
    score = serializers.FloatField(help_text="From 0 to 1, relative to the best result by words.")


class MemorySearchOutput(serializers.Serializer[Any]):
    results = FoundMemoryOutput(many=True)
    total_count = serializers.IntegerField(help_text="The number of matching chunks.")
    total_is_estimate = serializers.BooleanField()
    notices = NoticeOutput(many=True)


class RememberedOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    key = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(shapes.RECORDED)
    ts = serializers.DateTimeField()
    chunk_ids = serializers.ListField(child=serializers.UUIDField())
    superseded_chunk_ids = serializers.ListField(
        child=serializers.UUIDField(), help_text="The chunks of the version that it replaces."
    )
    quarantined_chunk_ids = serializers.ListField(
        child=serializers.UUIDField(), help_text="Chunks that repeat what was retracted. A person decides."
    )
    redacted = serializers.ListField(
        child=serializers.CharField(), help_text="The kinds of secrets that were masked before storage."
    )
    notices = NoticeOutput(many=True)


class RememberedBatchOutput(serializers.Serializer[Any]):
    memories = RememberedOutput(many=True)


class ForgottenOutput(serializers.Serializer[Any]):
    status = serializers.ChoiceField(
        CHANGE_STATUSES,
        help_text="`pending`: a person decides; until then nothing changes.",
    )
    edit_ids = serializers.ListField(child=serializers.UUIDField())


class ChangedOutput(ForgottenOutput):
    memory = AddressedMemoryOutput(help_text="The memory as it is now.")


def drafts_of(bodies: Sequence[Any], pointers: Sequence[str], principal: Principal) -> list[EventDraft]:
    """The events of memories to record. Raises Invalid with every error and its place, and what EventDraft raises."""
    faults, shape = Faults(), MemoryInput()
    found = [shape.read(body, pointer, faults) for body, pointer in zip(bodies, pointers, strict=True)]
    faults.raise_any()
    return [_draft(values, pointer, principal) for values, pointer in zip(found, pointers, strict=True)]


def _draft(values: Mapping[str, Any], pointer: str, principal: Principal) -> EventDraft:
    given = {name: value for name, value in values.items() if name not in (*_CONTENT, "id", "tags", "ts", "channel")}
    named = {"id": values["id"], "is_named": True} if "id" in values else {}
    return EventDraft(
        **{
            "session_id": NO_SESSION,
            "actor_type": "agent" if principal.kind == "agent" else "human",
            "actor_id": principal.name,
            **given,
            **named,
        },
        kind=Kind.MESSAGE.value,
        channel=values.get("channel") or principal.default_channel(),
        ts=values.get("ts") or timezone.now(),
        tags=tuple(values["tags"]),
        content={name: values[name] for name in _CONTENT if name in values},
        pointer=pointer,
        ttl_pointer="/ttl",
    )


def _remembered_json(recorded: RecordedEvent, draft: EventDraft) -> dict[str, Any]:
    return {
        "id": recorded.event_id,
        "key": draft.key,
        "status": "already_recorded" if recorded.is_repeated else "recorded",
        "ts": recorded.ts,
        "chunk_ids": recorded.chunk_ids,
        "superseded_chunk_ids": recorded.superseded_chunk_ids,
        "quarantined_chunk_ids": recorded.quarantined_chunk_ids,
        "redacted": sorted(recorded.redacted),
        "notices": notices_of(recorded),
    }


def remembered_json(principal: Principal, bodies: Sequence[Any], pointers: Sequence[str]) -> list[dict[str, Any]]:
    """Record memories, all or none, and return what was recorded."""
    drafts = drafts_of(bodies, pointers, principal)
    recorded = recording.record_events(drafts, actor=principal)
    return [_remembered_json(one, draft) for one, draft in zip(recorded, drafts, strict=True)]


class MemoriesView(IdempotentMixin, GovernedView):
    """Record a memory, or list memories."""

    reads_query = True
    gets_enter_each_statement = True

    @extend_schema(
        operation_id="memories_create",
        summary="Record a memory",
        request=MemoryInput,
        responses={201: RememberedOutput, 200: RememberedOutput},
        description="Record a memory. With a `key`, it replaces what you last recorded with this key about the same"
        " subject.",
    )
    def post(self, request: Request) -> Response:
        (answer,) = remembered_json(self.principal, [request.data], [""])
        repeated = answer["status"] == "already_recorded"
        return Response(answer, status.HTTP_200_OK if repeated else status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="memories_list",
        summary="List memories",
        parameters=[MemoryFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("MemoryPage", AddressedMemoryOutput),
        description="Memories in their current versions, newest first.",
    )
    def get(self, request: Request) -> Response:
        filters, audience = without_audience(MemoryFilter.read(request).values)

        def fetch(before: tuple[datetime, uuid.UUID] | None, limit: int) -> list[dict[str, Any]]:
            rows = reading.listed(self.principal, filters=filters, before=before, limit=limit, **audience)
            return [{"row": row, "ts": row.ts, "chunk_id": row.chunk_id} for row in rows]

        found, following = page_of_rows(fetch, request, key=("ts", "chunk_id"), scope="memories")
        rows = [one["row"] for one in found]
        reading.delivered(self.principal, rows, Means.LIST, as_of=audience.get("as_of"))
        return Response(envelope([reading.as_json(row) for row in rows], following))


class MemoryBatchView(IdempotentMixin, GovernedView):
    """Record up to 1,000 memories, all or none."""

    @extend_schema(
        operation_id="memories_batch",
        summary="Record several memories",
        request=MemoryBatchInput,
        responses={201: RememberedBatchOutput},
    )
    def post(self, request: Request) -> Response:
        bodies = MemoryBatchInput.of(request.data)["memories"]
        answers = remembered_json(self.principal, bodies, [f"/memories/{index}" for index in range(len(bodies))])
        return Response({"memories": answers}, status.HTTP_201_CREATED)


class MemorySearchView(IdempotentMixin, GovernedView):
    """Search memories."""

    only_reads = True
    enters_each_statement = True
    stores_response = False

    @extend_schema(
        operation_id="memories_search",
        summary="Search memories",
        request=MemorySearchInput,
        responses=MemorySearchOutput,
        description="Memories that answer a question, best first.",
    )
    def post(self, request: Request) -> Response:
        values = MemorySearchInput.of(request.data)
        query, as_of = values.pop("query"), values.pop("as_of", None)
        mode, collapse = Mode(values.pop("mode", Mode.HYBRID)), values.pop("collapse_duplicates")
        options = {name: values.pop(name, None) for name in ("where", "limit", "channel")} | {"filters": values}
        if as_of:
            found = reading.found_at(self.principal, query, as_of, **options)
        else:
            found = reading.found(self.principal, query, mode=mode, collapse=collapse, **options)
        return Response(
            {
                "results": [{**reading.as_json(row), "score": score} for row, score in found.memories],
                "total_count": found.total,
                "total_is_estimate": found.is_estimate,
                "notices": [asdict(one) for one in found.notices],
            }
        )


class MemoryView(IdempotentMixin, GovernedView):
    """One memory, named by the id of any of its versions."""

    reads_query = True
    gets_enter_each_statement = True
    query_names = frozenset({"reason"})
    not_stored = frozenset({"memory"})
    #: What a change says that gives no reason.
    no_reason: ClassVar[str] = "No reason was given."

    @extend_schema(
        operation_id="memories_retrieve",
        summary="Read a memory",
        parameters=[OneMemory.schema()],
        responses=AddressedMemoryOutput,
    )
    def get(self, request: Request, memory_id: uuid.UUID) -> Response:
        options = OneMemory.read(request).values
        return Response(reading.as_json(reading.find(self.principal, memory_id, **options)))

    @extend_schema(
        operation_id="memories_update", summary="Change a memory", request=MemoryUpdateInput, responses=ChangedOutput
    )
    def patch(self, request: Request, memory_id: uuid.UUID) -> Response:
        values = MemoryUpdateInput.of(request.data)
        reason = values.pop("reason", self.no_reason)
        changed = changing.update_memory(memory_id, actor=self.principal, changes=values, reason=reason)
        return Response(self._with_memory(asdict(changed)))

    @extend_schema(
        operation_id="memories_delete",
        summary="Forget a memory",
        parameters=[OpenApiParameter("reason", str, description="Why. The ledger keeps it.")],
        request=None,
        responses={200: ForgottenOutput},
        description="Forget a memory with all its versions. Of another recorder's memory, this may wait for a person.",
    )
    def delete(self, request: Request, memory_id: uuid.UUID) -> Response:
        reason = request.query_params.get("reason") or self.no_reason
        return Response(asdict(changing.forget_memory(memory_id, actor=self.principal, reason=reason)))

    def with_text(self, answer: dict[str, Any]) -> dict[str, Any]:
        return self._with_memory(answer) if self.request.method == "PATCH" else answer

    def _with_memory(self, answer: dict[str, Any]) -> dict[str, Any]:
        now = reading.find(self.principal, self.kwargs["memory_id"])
        return {**answer, "memory": reading.as_json(now)}
