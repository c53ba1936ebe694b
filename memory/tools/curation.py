"""The tools by which agents keep, recall and consolidate their own memory (docs/self-editing-memory.md)."""

from decimal import Decimal
from typing import Any

from rest_framework import serializers

from governance import text
from governance.acting.principals import Principal
from governance.api.shapes import NoticeOutput
from governance.faults import Faults
from governance.inputs import (
    BooleanField,
    ChoiceField,
    FloatField,
    IntegerField,
    ListField,
    StrictSerializer,
    TextField,
)
from governance.models import Channel, Sensitivity
from governance.relations.audience_json import AudienceArgument
from governance.tools.declaration import Tool
from memory.api.curation import ScoredMemoryOutput, scored_json
from memory.api.shapes import also_from_field
from memory.curation import importance, recall, writing
from memory.curation.writing import About
from memory.event_content import id_field
from memory.models import Retention
from memory.tools.written import CHANNEL_HELP, LISTENING_HELP, WrittenOutput, written_json

_RETENTION_HELP = (
    "How long to keep it: ephemeral (a day, or expires_in_hours), relationship (the default), committed (forever: it"
    " cannot be erased)."
)


class CommitArguments(StrictSerializer):
    content = TextField(text.MEMORY, help_text="What to remember")
    importance = FloatField(
        min_value=importance.LOWEST, max_value=importance.HIGHEST, default=5, help_text="1-10 importance score"
    )
    retention = ChoiceField(Retention.choices, required=False, help_text=_RETENTION_HELP)
    tier = ChoiceField(Retention.choices, required=False, help_text="Another name of retention.")
    expires_in_hours = FloatField(
        min_value=0.001,
        max_value=writing.MAX_EXPIRY_HOURS,
        required=False,
        help_text="When ephemeral memory expires.",
    )
    subject_type = id_field(required=False, help_text="What it is about, such as user.")
    subject_id = id_field(required=False, help_text="The id of the subject, such as jack.")
    project_id = id_field(required=False)
    session_id = id_field(required=False, help_text="The session in which you learned it.")
    tags = ListField(child=id_field(), required=False, max_length=50)
    channel = ChoiceField(Channel.choices, required=False, help_text=CHANNEL_HELP)
    sensitivity = ChoiceField(Sensitivity.choices, required=False)
    audience = AudienceArgument()

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Require a single retention, under either name."""
        tier = values.pop("tier", None)
        if tier is not None and values.setdefault("retention", tier) != tier:
            faults.add(f"{pointer}/tier", "tier and retention contradict each other. Send only one of them.")
        retention = values.setdefault("retention", Retention.RELATIONSHIP)
        if "expires_in_hours" in values and retention != Retention.EPHEMERAL:
            faults.add(
                f"{pointer}/expires_in_hours",
                "Only memory with the retention ephemeral expires. Set it, or omit this.",
            )


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
    return {"seq": made.seq, **written_json(made), "expires_at": made.expires_at}


class RecallArguments(StrictSerializer):
    query = TextField(text.QUERY, help_text="What to search for")
    max_results = IntegerField(min_value=1, max_value=100, default=10, help_text="Maximum memories to return")
    max_tokens = IntegerField(
        min_value=1, max_value=100_000, default=2_000, help_text="Maximum tokens of all their text"
    )
    include_superseded = BooleanField(
        default=False, help_text="Include your memories that a consolidation or a newer block version replaced"
    )
    include_archived = BooleanField(default=False, help_text="Include memories that nobody used for a long time")
    channel = ChoiceField(Channel.choices, required=False, help_text=LISTENING_HELP)
    also_from = also_from_field()


class RecallOutput(serializers.Serializer[Any]):
    memories = ScoredMemoryOutput(many=True)
    tokensUsed = serializers.IntegerField(help_text="Tokens (o200k_base) of their text.")  # noqa: N815 (the specification's name)
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
        also_from=values["also_from"],
    )
    return {
        "memories": [scored_json(one, principal.id) for one in found.memories],
        "tokensUsed": found.tokens_used,
        "omitted": found.omitted,
        "notices": [{"code": one.code, "detail": one.detail} for one in found.notices],
    }


class RethinkArguments(StrictSerializer):
    supersedes = ListField(
        child=IntegerField(min_value=0),
        allow_empty=False,
        max_length=1_000,
        help_text="Sequence numbers to consolidate",
    )
    new_understanding = TextField(text.MEMORY, help_text="The consolidated understanding")
    reason = TextField(text.REMARK, required=False, allow_null=True, help_text="Why consolidating")
    channel = ChoiceField(
        Channel.choices,
        required=False,
        help_text="Default: the channel of the memories, if they share one. It may not be a more open one.",
    )


class RethinkOutput(WrittenOutput):
    consolidationSeq = serializers.IntegerField(help_text="Its number on your chain.")  # noqa: N815 (the specification's name)
    supersededCount = serializers.IntegerField(help_text="How many memories it supersedes.")  # noqa: N815 (the specification's name)
    supersedes = serializers.ListField(child=serializers.IntegerField())


def memory_rethink(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Replace several memories of the caller by one consolidation."""
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
        **written_json(made),
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
        is_basic=True,
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
        is_basic=True,
        is_read_only=True,
        enters_each_statement=True,
        is_camel_case=True,
    ),
    Tool(
        name="memory_rethink",
        title="Consolidate memories",
        description="Consolidate multiple memories into a clearer understanding. Use when you have fragmented or"
        " outdated memories that should be unified. Answers then return the consolidation instead of the originals,"
        " which stay on record.",
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
]
