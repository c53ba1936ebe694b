"""The tools by which agents keep, correct and consolidate their own memory (docs/self-editing-memory.md)."""

from decimal import Decimal
from typing import Any

from django.db.models import IntegerField
from rest_framework import serializers

from governance import text
from governance.http.pagination import Asked, page_of_rows
from governance.http.serializers import StrictSerializer, TextField
from governance.identity.principals import Principal
from governance.models import Channel, Sensitivity
from governance.tools.declaration import NoArguments, Tool
from memory.api import shapes
from memory.api.curation import (
    IMPORTANCE_HELP,
    SCORE_HELP,
    OwnMemoryOutput,
    ScoredMemoryOutput,
    own_memory_json,
    scored_json,
)
from memory.api.search import NoticeOutput
from memory.context import bootstrap
from memory.context.tokens import count
from memory.curation import importance, reading, recall, writing
from memory.curation.writing import About, Written
from memory.models import AgentMemory, Retention, Tier
from memory.usage.deliveries import deliver, versions_of
from memory.usage.means import Means

_LABELS = AgentMemory.BlockLabel.choices
_LABEL_HELP = "persona, user_profile, goals or knowledge"
_RETENTION_HELP = (
    "How long it is kept: ephemeral (a day, or as expires_in_hours says), relationship (the default), committed (for"
    " ever: it cannot be erased)."
)
_CHANNEL_HELP = "Who may read it. Default: the most private channel of your key."
_LISTENING_HELP = "Who listens: only what they may hear is answered. Default: every channel of your key."


class WrittenOutput(serializers.Serializer[Any]):
    chunk_id = serializers.UUIDField(help_text="Its id as a memory, for propose_edit and create_capsule.")
    contentHash = serializers.CharField(help_text="SHA-256 over a random salt and the words, in hexadecimal.")  # noqa: N815 (the specification's name)
    importance = serializers.FloatField(help_text=IMPORTANCE_HELP)
    importance_score = serializers.FloatField(help_text=SCORE_HELP)
    retention = serializers.ChoiceField(Retention.choices, help_text="How long it is kept.")
    tier = serializers.ChoiceField(Tier.choices, help_text="Where it is in its life: task, session, longterm, archive.")
    channel = serializers.ChoiceField(Channel.choices)
    sensitivity = serializers.ChoiceField(Sensitivity.choices)
    ts = serializers.DateTimeField()
    redacted = serializers.ListField(child=serializers.CharField(), help_text="The kinds of secrets that were masked.")
    is_quarantined = serializers.BooleanField(
        help_text="True if readers do not get it: it repeats what a retract removed, or was built on hidden memory."
    )
    quarantine = shapes.QuarantineOutput(allow_null=True)
    approval_edit_id = serializers.UUIDField(
        allow_null=True, help_text="The edit that a person must approve before readers get it; see wait_for_edit."
    )


def _written_json(made: Written) -> dict[str, Any]:
    quarantine = made.quarantine
    return {
        "chunk_id": made.chunk_id,
        "contentHash": made.content_hash.hex(),
        "importance": float(made.importance),
        "importance_score": importance.score_of(made.importance),
        "retention": made.retention,
        "tier": made.tier,
        "channel": made.channel,
        "sensitivity": made.sensitivity,
        "ts": made.ts,
        "redacted": list(made.redacted),
        "is_quarantined": quarantine is not None or made.approval_edit_id is not None,
        "quarantine": None
        if quarantine is None
        else {
            "chunk_id": quarantine.chunk_id,
            "edit_id": quarantine.edit_id,
            "retracted_by": quarantine.retracted_by,
        },
        "approval_edit_id": made.approval_edit_id,
    }


class CommitArguments(StrictSerializer):
    content = TextField(text.MEMORY, help_text="What to remember")
    importance = serializers.FloatField(
        min_value=importance.LOWEST, max_value=importance.HIGHEST, default=5, help_text="1-10 importance score"
    )
    retention = serializers.ChoiceField(Retention.choices, required=False, help_text=_RETENTION_HELP)
    tier = serializers.ChoiceField(Retention.choices, required=False, help_text="Another name of retention.")
    expires_in_hours = serializers.FloatField(
        min_value=0.001,
        max_value=writing.MAX_EXPIRY_HOURS,
        required=False,
        help_text="Of ephemeral memory: when it expires.",
    )
    subject_type = shapes.id_field(required=False, help_text="What it is about, such as user.")
    subject_id = shapes.id_field(required=False, help_text="Whom or which, such as jack.")
    project_id = shapes.id_field(required=False)
    session_id = shapes.id_field(required=False, help_text="The session in which you learned it.")
    tags = serializers.ListField(child=shapes.id_field(), required=False, max_length=50)
    channel = serializers.ChoiceField(Channel.choices, required=False, help_text=_CHANNEL_HELP)
    sensitivity = serializers.ChoiceField(Sensitivity.choices, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """One retention, by either name."""
        tier = attrs.pop("tier", None)
        if tier is not None and attrs.setdefault("retention", tier) != tier:
            raise serializers.ValidationError({"tier": "tier and retention say different things. Give one of them."})
        retention = attrs.setdefault("retention", Retention.RELATIONSHIP)
        if "expires_in_hours" in attrs and retention != Retention.EPHEMERAL:
            raise serializers.ValidationError(
                {"expires_in_hours": "Only memory with the retention ephemeral expires. Add it, or leave this out."}
            )
        return attrs


class CommitOutput(WrittenOutput):
    seq = serializers.IntegerField(help_text="Its number on your chain, for memory_rethink.")
    expires_at = serializers.DateTimeField(allow_null=True)


def memory_commit(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Append a memory to the caller's chain."""
    about = {name: values[name] for name in About.__dataclass_fields__ if name in values}
    about["tags"] = tuple(about.get("tags", ()))
    made = writing.commit(
        values["content"],
        actor=principal,
        retention=values["retention"],
        score=Decimal(str(values["importance"])),
        expires_hours=values.get("expires_in_hours"),
        about=About(**about),
    )
    return {"seq": made.seq, **_written_json(made), "expires_at": made.expires_at}


class RecallArguments(StrictSerializer):
    query = TextField(text.QUERY, help_text="What to search for")
    max_results = serializers.IntegerField(
        min_value=1, max_value=100, default=10, help_text="Maximum memories to return"
    )
    max_tokens = serializers.IntegerField(
        min_value=1, max_value=100_000, default=2_000, help_text="Maximum tokens of their words together"
    )
    include_superseded = serializers.BooleanField(
        default=False, help_text="Also your memories that a consolidation or a newer block version replaced"
    )
    include_archived = serializers.BooleanField(default=False, help_text="Also memories that nobody used for long")
    channel = serializers.ChoiceField(Channel.choices, required=False, help_text=_LISTENING_HELP)


class RecallOutput(serializers.Serializer[Any]):
    memories = ScoredMemoryOutput(many=True)
    tokensUsed = serializers.IntegerField(help_text="Tokens (o200k_base) of their words.")  # noqa: N815 (the specification's name)
    omitted = serializers.IntegerField(help_text="How many more would have been returned with more tokens.")
    notices = NoticeOutput(many=True)


def memory_recall(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """The best memories for a query."""
    found = recall.recall(
        principal,
        values["query"],
        max_tokens=values["max_tokens"],
        max_results=values["max_results"],
        channel=values.get("channel"),
        include_superseded=values["include_superseded"],
        include_archived=values["include_archived"],
    )
    return {
        "memories": [scored_json(one, principal.id) for one in found.memories],
        "tokensUsed": found.tokens_used,
        "omitted": found.omitted,
        "notices": [{"code": one.code, "detail": one.detail} for one in found.notices],
    }


class RethinkArguments(StrictSerializer):
    supersedes = serializers.ListField(
        child=serializers.IntegerField(min_value=0),
        allow_empty=False,
        max_length=1_000,
        help_text="Sequence numbers to consolidate",
    )
    new_understanding = TextField(text.MEMORY, help_text="The consolidated understanding")
    reason = TextField(text.REMARK, required=False, allow_null=True, help_text="Why consolidating")
    channel = serializers.ChoiceField(
        Channel.choices,
        required=False,
        help_text="Default: the channel of the memories, if it is one. It may not be a more open one.",
    )


class RethinkOutput(WrittenOutput):
    consolidationSeq = serializers.IntegerField(help_text="Its number on your chain.")  # noqa: N815 (the specification's name)
    supersededCount = serializers.IntegerField(help_text="How many memories it has the place of.")  # noqa: N815 (the specification's name)
    supersedes = serializers.ListField(child=serializers.IntegerField())


def memory_rethink(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Put one understanding in the place of several memories of the caller."""
    made = writing.rethink(
        values["supersedes"],
        values["new_understanding"],
        actor=principal,
        reason=values.get("reason") or "",
        channel=values.get("channel"),
    )
    return {
        "consolidationSeq": made.seq,
        "supersededCount": len(made.superseded),
        "supersedes": list(made.superseded),
        **_written_json(made),
    }


class LabelArguments(StrictSerializer):
    label = serializers.ChoiceField(_LABELS, help_text=_LABEL_HELP)  # type: ignore[assignment] # shadows Field.label
    channel = serializers.ChoiceField(Channel.choices, required=False, help_text=_LISTENING_HELP)


class BlockOutput(serializers.Serializer[Any]):
    memory = OwnMemoryOutput(allow_null=True, help_text="The present version; null if there is none yet.")


def block_get(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """The present version of a block of the caller."""
    found = reading.find_block(principal, values["label"], channel=values.get("channel"))
    return {"memory": None if found is None else own_memory_json(found)}


class BlockUpdateArguments(StrictSerializer):
    label = serializers.ChoiceField(_LABELS, help_text=_LABEL_HELP)  # type: ignore[assignment] # shadows Field.label
    content = TextField(text.MEMORY, help_text="New block content")
    is_core = serializers.BooleanField(
        required=False, help_text="Always inject into context. Default: true for persona and goals"
    )
    channel = serializers.ChoiceField(Channel.choices, required=False, help_text=_CHANNEL_HELP)
    sensitivity = serializers.ChoiceField(Sensitivity.choices, required=False)


class BlockUpdateOutput(WrittenOutput):
    seq = serializers.IntegerField(help_text="Its number on your chain.")
    version = serializers.IntegerField(help_text="The number of the version, from 1.")
    previous_block_seq = serializers.IntegerField(allow_null=True, help_text="The version before, which it replaces.")
    is_core = serializers.BooleanField()


def block_update(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Append the next version of a block of the caller."""
    made = writing.update_block(
        values["label"],
        values["content"],
        actor=principal,
        is_core=values.get("is_core"),
        channel=values.get("channel"),
        sensitivity=values.get("sensitivity"),
    )
    return {
        "seq": made.seq,
        "version": made.version,
        "previous_block_seq": made.previous_block_seq,
        "is_core": made.is_core,
        **_written_json(made),
    }


class HistoryArguments(LabelArguments):
    limit = serializers.IntegerField(min_value=1, max_value=200, default=20)
    cursor = serializers.CharField(required=False, help_text="next of the last answer, with the same other arguments.")


class HistoryOutput(serializers.Serializer[Any]):
    versions = OwnMemoryOutput(many=True)
    next = serializers.CharField(allow_null=True)


def block_history(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """The versions of a block of the caller, the newest first."""

    def fetch(before: tuple[int] | None, limit: int) -> list[dict[str, Any]]:
        rows = reading.block_history(
            principal,
            values["label"],
            channel=values.get("channel"),
            before=before[0] if before else None,
            limit=limit,
        )
        return [own_memory_json(row) for row in rows]

    asked = Asked.of_tool(principal, "block_history", values)
    versions, following = page_of_rows(fetch, asked, key=("seq",), scope="block-history", fields=[IntegerField()])
    deliver(principal, versions_of(versions), means=Means.HISTORY)
    return {"versions": versions, "next": following}


class CoreOutput(serializers.Serializer[Any]):
    memories = OwnMemoryOutput(many=True)
    tokensUsed = serializers.IntegerField(help_text="Tokens (o200k_base) of their words.")  # noqa: N815 (the specification's name)
    reserve = serializers.IntegerField(help_text="How many tokens are reserved for core memory in a prompt.")


def core_memories(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """The core memory of the caller."""
    found = reading.core_memories(principal)
    memories = [own_memory_json(one) for one in found]
    deliver(principal, versions_of(memories), means=Means.CORE)
    return {
        "memories": memories,
        "tokensUsed": sum(count([one.content for one in found])),
        "reserve": bootstrap.CORE_RESERVE,
    }


TOOLS = [
    Tool(
        name="memory_commit",
        title="Remember something",
        description="Commit important information to long-term memory. Use when you learn something worth remembering"
        " about the user, a decision, or important context.",
        example={"content": "Jack prefers answers in German", "importance": 7},
        arguments=CommitArguments,
        answer=CommitOutput,
        call=memory_commit,
        is_camel_case=True,
    ),
    Tool(
        name="memory_recall",
        title="Recall memories",
        description="Retrieve relevant memories for a topic. Use before tasks that might benefit from background"
        " context.",
        example={"query": "Which language does Jack prefer?", "max_results": 5},
        arguments=RecallArguments,
        answer=RecallOutput,
        call=memory_recall,
        is_read_only=True,
        enters_each_statement=True,
        is_camel_case=True,
    ),
    Tool(
        name="memory_rethink",
        title="Consolidate memories",
        description="Consolidate multiple memories into a clearer understanding. Use when you have fragmented or"
        " outdated memories that should be unified. The originals leave your answers and stay on record.",
        example={
            "supersedes": [5, 8],
            "new_understanding": "Jack writes German at work and English at home",
            "reason": "One note for his languages",
        },
        arguments=RethinkArguments,
        answer=RethinkOutput,
        call=memory_rethink,
        is_destructive=True,
        is_camel_case=True,
    ),
    Tool(
        name="block_get",
        title="Read a memory block",
        description="Read a memory block: what you keep about yourself (persona), the user (user_profile), your goals"
        " or key knowledge. Use before block_update, which replaces the whole block.",
        example={"label": "user_profile"},
        arguments=LabelArguments,
        answer=BlockOutput,
        call=block_get,
        is_read_only=True,
        is_camel_case=True,
    ),
    Tool(
        name="block_update",
        title="Update a memory block",
        description="Update a structured memory block (persona, user_profile, goals, knowledge). Use to maintain"
        " persistent context about yourself or the user. The content replaces the version before.",
        example={"label": "goals", "content": "Ship the invoice export by Friday", "is_core": True},
        arguments=BlockUpdateArguments,
        answer=BlockUpdateOutput,
        call=block_update,
        is_destructive=True,
        is_camel_case=True,
    ),
    Tool(
        name="block_history",
        title="Versions of a memory block",
        description="See earlier versions of a memory block, the newest first. Use when you want to know what changed.",
        example={"label": "goals", "limit": 5},
        arguments=HistoryArguments,
        answer=HistoryOutput,
        call=block_history,
        is_read_only=True,
    ),
    Tool(
        name="core_memories",
        title="Read core memory",
        description="Read all your core memory: the blocks that belong into every prompt. Use at the start of a session"
        " if nothing has put them there.",
        example={},
        arguments=NoArguments,
        answer=CoreOutput,
        call=core_memories,
        is_read_only=True,
        enters_each_statement=True,
    ),
]
