"""The tools for the blocks of an agent's own memory, and for its core memory (docs/self-editing-memory.md)."""

from collections.abc import Sequence
from typing import Any

from django.db import models
from rest_framework import serializers

from governance import text
from governance.acting.principals import Principal
from governance.http.pagination import PageRequest, page_of_rows
from governance.inputs import BooleanField, CharField, ChoiceField, IntegerField, StrictSerializer, TextField
from governance.models import Channel, Edit, Sensitivity
from governance.tokens import count
from governance.tools.budget import max_tokens_field
from governance.tools.declaration import NoArguments, Tool
from memory.api.curation import OwnMemoryOutput, own_memory_json
from memory.context import bootstrap
from memory.curation import queries, writing
from memory.curation.db import OwnMemory
from memory.models import AgentMemory
from memory.tools.written import CHANNEL_HELP, LISTENING_HELP, WrittenOutput, written_json
from memory.usage.deliveries import deliver, versions_of
from memory.usage.means import Means

_LABELS = AgentMemory.BlockLabel.choices
_LABEL_HELP = "persona, user_profile, goals or knowledge"


class LabelArguments(StrictSerializer):
    label = ChoiceField(_LABELS, help_text=_LABEL_HELP)  # type: ignore[assignment] # shadows Field.label
    channel = ChoiceField(Channel.choices, required=False, help_text=LISTENING_HELP)


class AmendmentOutput(serializers.Serializer[Any]):
    edit_id = serializers.UUIDField()
    amender_kind = serializers.ChoiceField(Edit.ProposerKind.choices)
    amender = serializers.CharField()
    amended_at = serializers.DateTimeField()
    is_confirmed = serializers.BooleanField(
        help_text="false if another agent amended it, and neither you nor a person has confirmed it. To confirm or"
        " correct it, write the block again."
    )


_AMENDMENT: tuple[str, ...] = tuple(AmendmentOutput().fields)


class VersionOutput(OwnMemoryOutput):
    recorder = serializers.CharField(help_text="Who recorded this version.")
    amendments = AmendmentOutput(many=True, help_text="Who amended its text since, oldest first.")


class BlockOutput(serializers.Serializer[Any]):
    memory = VersionOutput(allow_null=True, help_text="The current version; null if there is none yet.")


def block_get(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Return the current version of a block of the caller."""
    found = queries.find_block(principal, values["label"], channel=values.get("channel"))
    return {"memory": None if found is None else _versions_json(principal, [found])[0]}


def _versions_json(principal: Principal, rows: Sequence[OwnMemory]) -> list[dict[str, Any]]:
    made = queries.amendments(principal, rows)
    return [
        {
            **own_memory_json(row),
            "recorder": principal.name,
            "amendments": [{name: getattr(one, name) for name in _AMENDMENT} for one in made.get(row.chunk_id, ())],
        }
        for row in rows
    ]


class BlockUpdateArguments(StrictSerializer):
    label = ChoiceField(_LABELS, help_text=_LABEL_HELP)  # type: ignore[assignment] # shadows Field.label
    content = TextField(text.MEMORY, help_text="New block content")
    is_core = BooleanField(required=False, help_text="Always inject into context. Default: true for persona and goals")
    channel = ChoiceField(Channel.choices, required=False, help_text=CHANNEL_HELP)
    sensitivity = ChoiceField(Sensitivity.choices, required=False)


class BlockUpdateOutput(WrittenOutput):
    seq = serializers.IntegerField(help_text="Its number on your chain.")
    version = serializers.IntegerField(help_text="The number of the version, from 1.")
    previous_block_seq = serializers.IntegerField(allow_null=True, help_text="The previous version, which it replaces.")
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
        **written_json(made),
    }


class HistoryArguments(LabelArguments):
    limit = IntegerField(min_value=1, max_value=200, default=20)
    max_tokens = max_tokens_field()
    cursor = CharField(required=False, help_text="next of the previous result, with the same other arguments.")


class HistoryOutput(serializers.Serializer[Any]):
    versions = VersionOutput(many=True)
    next = serializers.CharField(allow_null=True)


def block_history(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Return the versions of a block of the caller, newest first."""

    def fetch(before: tuple[int] | None, limit: int) -> list[dict[str, Any]]:
        rows = queries.block_history(
            principal,
            values["label"],
            channel=values.get("channel"),
            before=before[0] if before else None,
            limit=limit,
        )
        return _versions_json(principal, rows)

    asked = PageRequest.of_tool(principal, "block_history", values)
    versions, following = page_of_rows(
        fetch, asked, key=("seq",), scope="block-history", fields=[models.IntegerField()]
    )
    deliver(principal, versions_of(versions), means=Means.HISTORY)
    return {"versions": versions, "next": following}


class CoreOutput(serializers.Serializer[Any]):
    memories = OwnMemoryOutput(many=True)
    tokensUsed = serializers.IntegerField(help_text="Tokens (o200k_base) of their text.")  # noqa: N815 (the specification's name)
    reserve = serializers.IntegerField(help_text="How many tokens are reserved for core memory in a prompt.")


def core_memories(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """Return the core memory of the caller."""
    found = queries.core_memories(principal)
    memories = [own_memory_json(one) for one in found]
    deliver(principal, versions_of(memories), means=Means.CORE)
    return {
        "memories": memories,
        "tokensUsed": sum(count([one.content for one in found])),
        "reserve": bootstrap.CORE_RESERVE,
    }


TOOLS = [
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
        " persistent context about yourself or the user. The content replaces the previous version.",
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
        description="See earlier versions of a memory block, newest first, and who amended them. Use when you want to"
        " know what changed.",
        example={"label": "goals", "limit": 5},
        arguments=HistoryArguments,
        answer=HistoryOutput,
        call=block_history,
        read_on="To read a version in full, call block_history with a smaller limit or a larger max_tokens.",
        is_read_only=True,
    ),
    Tool(
        name="core_memories",
        title="Read core memory",
        description="Read all your core memory: the blocks that belong in every prompt. Use at the start of a session"
        " if they are not in the prompt yet.",
        example={},
        arguments=NoArguments,
        answer=CoreOutput,
        call=core_memories,
        is_read_only=True,
        enters_each_statement=True,
    ),
]
