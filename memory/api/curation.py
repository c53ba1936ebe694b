"""Agents' own memory, and the bootstrap prompt, over HTTP."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.db import models
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text
from governance.api.shapes import NoticeOutput
from governance.database.typed_calls import ColumnDict
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import SCHEMA_PARAMETERS, envelope, page_of_rows, page_schema
from governance.http.views import GovernedView
from governance.inputs import BooleanField, ChoiceField, IntegerField, StrictSerializer, TextField
from governance.models import Channel, Sensitivity
from governance.tools.reading import read_in_any_case
from memory.api.filters import OnlyOwnMemory, OwnMemoryFilter
from memory.api.shapes import also_from_field
from memory.context import bootstrap as bootstrapping
from memory.curation import importance, queries
from memory.curation.db import OwnMemory
from memory.curation.recall import Scored
from memory.event_content import id_field
from memory.models import AgentMemory, Retention, Tier
from memory.usage.deliveries import deliver, versions_of
from memory.usage.means import Means
from suture_client.text.invisible import drop_invisible_in

IMPORTANCE_HELP = "From 0 to 1."
SCORE_HELP = "Importance from 1 to 10; below 1 only after an edit."


class OwnMemoryOutput(serializers.Serializer[Any]):
    seq = serializers.IntegerField(help_text="Its number on the agent's chain.")
    chunk_id = serializers.UUIDField()
    type = serializers.ChoiceField(AgentMemory.Type.choices)
    content = serializers.CharField(help_text="Its effective text.")
    content_hash = serializers.CharField(help_text="SHA-256 of a random salt and the text, in hexadecimal.")
    importance = serializers.FloatField(help_text=IMPORTANCE_HELP)
    importance_score = serializers.FloatField(help_text=SCORE_HELP)
    retention = serializers.ChoiceField(Retention.choices)
    tier = serializers.ChoiceField(Tier.choices)
    ts = serializers.DateTimeField()
    channel = serializers.ChoiceField(Channel.choices)
    sensitivity = serializers.ChoiceField(Sensitivity.choices)
    scope = serializers.CharField()
    subject_type = serializers.CharField(allow_null=True)
    subject_id = serializers.CharField(allow_null=True)
    project_id = serializers.CharField(allow_null=True)
    session_id = serializers.CharField(allow_null=True)
    tags = serializers.ListField(child=serializers.CharField())
    is_superseded = serializers.BooleanField()
    superseded_by = serializers.IntegerField(allow_null=True, help_text="The number of the memory that replaced it.")
    supersedes = serializers.ListField(
        child=serializers.IntegerField(), help_text="For a consolidation: the numbers of its originals."
    )
    reason = serializers.CharField(allow_null=True, help_text="The reason for a consolidation.")
    block_label = serializers.ChoiceField(AgentMemory.BlockLabel.choices, allow_null=True)
    version = serializers.IntegerField(allow_null=True, help_text="The version of a block, from 1.")
    previous_block_seq = serializers.IntegerField(allow_null=True)
    is_core = serializers.BooleanField()
    expires_at = serializers.DateTimeField(allow_null=True)
    edits_applied = serializers.IntegerField()
    is_quarantined = serializers.BooleanField()
    access_count = serializers.IntegerField(
        help_text="How often it was delivered to agents. A job updates it within seconds."
    )
    last_accessed = serializers.DateTimeField(allow_null=True)


class PartsOutput(serializers.Serializer[Any]):
    relevance = serializers.FloatField()
    recency = serializers.FloatField()
    importance = serializers.FloatField()
    access = serializers.FloatField()


class ScoredMemoryOutput(serializers.Serializer[Any]):
    seq = serializers.IntegerField(
        allow_null=True, help_text="Its number on your chain; null if it is not your own memory."
    )
    chunk_id = serializers.UUIDField()
    content = serializers.CharField()
    score = serializers.FloatField(help_text="0.4 relevance + 0.3 recency + 0.2 importance + 0.1 access.")
    why = serializers.CharField(help_text="Why it was chosen, as text.")
    parts = PartsOutput(help_text="The parts of the score, each from 0 to 1.")
    importance = serializers.FloatField(help_text=IMPORTANCE_HELP)
    importance_score = serializers.FloatField(help_text=SCORE_HELP)
    retention = serializers.ChoiceField(Retention.choices)
    tier = serializers.ChoiceField(Tier.choices)
    ts = serializers.DateTimeField()
    channel = serializers.ChoiceField(Channel.choices)
    sensitivity = serializers.ChoiceField(Sensitivity.choices)
    source = serializers.CharField()  # type: ignore[assignment] # the field shadows Field.source
    recorder = serializers.CharField()
    session_id = serializers.CharField(allow_null=True)
    event_id = serializers.UUIDField(allow_null=True)
    is_superseded = serializers.BooleanField()
    superseded_by = serializers.IntegerField(allow_null=True)
    supersedes = serializers.ListField(child=serializers.IntegerField())
    block_label = serializers.ChoiceField(AgentMemory.BlockLabel.choices, allow_null=True)
    version = serializers.IntegerField(allow_null=True)
    is_core = serializers.BooleanField()
    expires_at = serializers.DateTimeField(allow_null=True)
    edits_applied = serializers.IntegerField()
    access_count = serializers.IntegerField()
    last_accessed = serializers.DateTimeField(allow_null=True)
    confidence = serializers.FloatField(help_text="Confidence in the memory, from 0 to 1.")
    tokens = serializers.IntegerField()


_own_columns = ColumnDict(OwnMemory)


def own_memory_json(row: OwnMemory) -> dict[str, Any]:
    """A memory of an agent's chain, with its importance on both scales."""
    return {**_own_columns(row), "importance_score": importance.score_of(row.importance)}


def scored_json(one: Scored, agent: Any) -> dict[str, Any]:
    """A recalled memory for `agent`, an id: omits numbers of other agents' chains."""
    chunk = one.chunk
    is_own = chunk.recorded_by == agent
    return {
        "seq": chunk.seq if is_own else None,
        "chunk_id": chunk.chunk_id,
        "content": chunk.text,
        "score": one.score,
        "why": one.why,
        "parts": {
            "relevance": one.relevance,
            "recency": one.recency,
            "importance": one.importance,
            "access": one.access,
        },
        "importance": one.importance,
        "importance_score": importance.score_of(chunk.importance),
        "retention": chunk.retention,
        "tier": chunk.tier,
        "ts": chunk.ts,
        "channel": chunk.channel,
        "sensitivity": chunk.sensitivity,
        "source": chunk.source,
        "recorder": chunk.recorder,
        "session_id": chunk.session_id,
        "event_id": chunk.event_id,
        "is_superseded": chunk.is_superseded,
        "superseded_by": chunk.superseded_by if is_own else None,
        "supersedes": chunk.supersedes if is_own else [],
        "block_label": chunk.block_label,
        "version": chunk.version,
        "is_core": chunk.is_core,
        "expires_at": chunk.expires_at,
        "edits_applied": chunk.edits_applied,
        "access_count": chunk.access_count,
        "last_accessed": chunk.last_accessed,
        "confidence": float(chunk.confidence),
        "tokens": one.tokens,
    }


class OwnMemoriesView(GovernedView):
    """List an agent's own memory."""

    reads_query = True

    @extend_schema(
        operation_id="chain_list",
        summary="List an agent's own memory",
        parameters=[OwnMemoryFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("OwnMemoryPage", OwnMemoryOutput),
        description="The memories of your chain, newest first; people with a role name the `agent`. Superseded"
        " memories are included only on request.",
    )
    def get(self, request: Request) -> Response:
        values = OwnMemoryFilter.read(request).values

        def fetch(before: tuple[int] | None, limit: int) -> list[dict[str, Any]]:
            rows = queries.list_memories(self.principal, before=before[0] if before else None, limit=limit, **values)
            return [own_memory_json(row) for row in rows]

        found, following = page_of_rows(fetch, request, key=("seq",), scope="chain", fields=[models.IntegerField()])
        deliver(self.principal, versions_of(found), means=Means.LIST)
        return Response(envelope(found, following))


class OwnMemoryView(GovernedView):
    """One memory of an agent's chain, superseded or not."""

    reads_query = True

    @extend_schema(
        operation_id="chain_retrieve",
        summary="Read one of an agent's own memories",
        parameters=[OpenApiParameter("seq", int, OpenApiParameter.PATH), OnlyOwnMemory.schema()],
        responses=OwnMemoryOutput,
    )
    def get(self, request: Request, seq: int) -> Response:
        return Response(own_memory_json(queries.find_memory(self.principal, seq, **OnlyOwnMemory.read(request).values)))


class BootstrapInput(StrictSerializer):
    also_named: ClassVar[Mapping[str, Sequence[str]]] = {"query": ("user_message", "message")}

    query = TextField(
        text.TOPIC,
        required=False,
        allow_null=True,
        help_text="The user's message, or the task. Without it, memory is chosen by recency and importance. Also named"
        " `user_message`. Every field may be written in camelCase, such as `userMessage` or `maxTokens`.",
    )
    max_tokens = IntegerField(
        min_value=256,
        max_value=1_000_000,
        default=4_000,
        help_text="Maximum number of tokens (o200k_base) of the prompt.",
    )
    channel = ChoiceField(Channel.choices, required=False, allow_null=True)
    also_from = also_from_field()
    session_id = id_field(required=False, allow_null=True)
    subject_type = id_field(required=False, allow_null=True)
    subject_id = id_field(required=False, allow_null=True)
    project_id = id_field(required=False, allow_null=True)
    include_core = BooleanField(
        default=True, help_text="False in the middle of a session, when the agent already has its core memory."
    )
    without_session_id = id_field(
        required=False, allow_null=True, help_text="Exclude memory that was recorded in this session."
    )


class BootstrapOutput(serializers.Serializer[Any]):
    system_prompt = serializers.CharField(
        help_text="Core memory under its headings, then relevant memory. Lines that begin with > are data. Empty if"
        " there is no memory."
    )
    core_tokens = serializers.IntegerField(help_text="Tokens of the core memory in the prompt.")
    working_tokens = serializers.IntegerField(help_text="Tokens of the other memory in the prompt.")
    tokens_used = serializers.IntegerField(help_text="Tokens of the whole prompt.")
    max_tokens = serializers.IntegerField()
    core_over_reserve = serializers.BooleanField(
        help_text=f"Whether core memory exceeds the {bootstrapping.CORE_RESERVE} tokens reserved for it. It is never"
        " cut."
    )
    core = OwnMemoryOutput(many=True)
    memories = ScoredMemoryOutput(many=True)
    notices = NoticeOutput(many=True)


class BootstrapView(IdempotentMixin, GovernedView):
    """Build the beginning of a prompt."""

    only_reads = True
    stores_response = False
    enters_each_statement = True

    @extend_schema(
        operation_id="context_bootstrap",
        request=BootstrapInput,
        responses=BootstrapOutput,
        description="What an agent should know from the first token on: all of its core memory, and other memory as"
        " far as `max_tokens` allows.",
    )
    def post(self, request: Request) -> Response:
        # the names of the specification are in camelCase
        values = read_in_any_case(request.data, BootstrapInput())
        made = bootstrapping.bootstrap(self.principal, **values)
        return Response(
            drop_invisible_in(
                {
                    "system_prompt": made.system_prompt,
                    "core_tokens": made.core_tokens,
                    "working_tokens": made.working_tokens,
                    "tokens_used": made.tokens_used,
                    "max_tokens": made.max_tokens,
                    "core_over_reserve": made.is_core_over_reserve,
                    "core": [own_memory_json(one) for one in made.core],
                    "memories": [scored_json(one, self.principal.id) for one in made.memories],
                    "notices": [{"code": one.code, "detail": one.detail} for one in made.notices],
                }
            )
        )
