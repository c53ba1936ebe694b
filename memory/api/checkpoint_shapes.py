"""The bodies and answers of running sessions and checkpoints."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from governance import text
from governance.body import AnyValue, Choice, Faults, Field, Integer, ListOf, Text, Truth, read_fields
from governance.http.serializers import StrictSerializer, serializer_of
from governance.text import TextRule
from memory.checkpoints import format, restoring
from memory.checkpoints.calls import Correction
from memory.checkpoints.format import State
from memory.checkpoints.members import Member
from memory.checkpoints.reading import Described, DescribedSession, DescribedShare
from memory.models import Checkpoint, RunningSession

#: The greatest whole number that every reader of JSON takes exactly.
MAX_TURN = 2**53 - 1
LABEL = TextRule(200)
SESSION_PARAMETER = OpenApiParameter(
    "session_id",
    {"type": "string", "minLength": 1, "maxLength": 200},
    OpenApiParameter.PATH,
    description="The session as its agent calls it, percent-encoded.",
)
#: The kinds that a client may ask for.
MANUAL_KINDS = [(one.value, one.label) for one in (Checkpoint.Kind.MANUAL, Checkpoint.Kind.EXCEPTION)]
_TURN = Integer(0, MAX_TURN)
_STATE = dict.fromkeys([*format.DEFAULTS, "depth", "format_version"], AnyValue(nullable=True))

CHECKPOINT_FIELDS: Mapping[str, Field] = {
    "turn": _TURN,
    "kind": Choice(
        MANUAL_KINDS,
        required=False,
        default=Checkpoint.Kind.MANUAL.value,
    ),
    "label": Text(LABEL, required=False, nullable=True),
    "is_pinned": Truth(),
}
TURN_FIELDS: Mapping[str, Field] = {
    "turn": Integer(0, MAX_TURN, required=True),
    "checkpoint_every": Integer(1, 1_000),
}


def read_body(members: Mapping[str, Member], fields: Mapping[str, Field]) -> tuple[dict[str, Any], State]:
    """The values of `fields`, and the state beside them. Raises Invalid with all faults, IncompatibleFormat and
    CheckpointTooLarge."""
    faults = Faults()
    values = read_fields({**fields, **_STATE}, {name: member.value for name, member in members.items()}, "", faults)
    state = format.read_state(members, faults)
    faults.raise_any()
    return {name: values[name] for name in fields}, state


_STATE_HELP = {
    "repl_state": "Every variable of the agent's REPL, by name.",
    "working_memory": "Any JSON.",
    "pending_operations": "What was begun and not finished: objects, each with an `id`, or its place is its id.",
    "trajectory_events": "What happened so far.",
    "cost_so_far": "A number of 0 or more.",
    "messages": "The conversation.",
    "metadata": "Whatever else the client keeps.",
    "depth": "How deep this agent runs: 0 for the main agent, more for a sub-agent.",
    "format_version": f'The version of this format, "{format.VERSION}" by default.',
}


def _state_fields() -> dict[str, serializers.Field[Any, Any, Any, Any]]:
    def help_of(name: str) -> dict[str, Any]:
        return {"help_text": _STATE_HELP[name], "required": False}

    anything = {name: serializers.JSONField(**help_of(name)) for name in ("working_memory",)}
    objects = {name: serializers.DictField(**help_of(name)) for name in ("repl_state", "metadata")}
    lists = {
        name: serializers.ListField(child=serializers.JSONField(), **help_of(name))
        for name in ("trajectory_events", "messages")
    }
    return {
        **objects,
        **anything,
        "pending_operations": serializers.ListField(child=serializers.DictField(), **help_of("pending_operations")),
        **lists,
        "cost_so_far": serializers.FloatField(min_value=0, **help_of("cost_so_far")),
        "depth": serializers.IntegerField(min_value=0, max_value=format.MAX_DEPTH_OF_AGENTS, **help_of("depth")),
        "format_version": serializers.CharField(max_length=9, **help_of("format_version")),
    }


CheckpointInput = serializer_of(
    "CheckpointInput",
    CHECKPOINT_FIELDS,
    doc="A checkpoint to make: the state of the agent, and what to call it.",
    help_texts={
        "turn": "By default the turn that the session is at.",
        "kind": "`exception` for a client that saves its state because it fails.",
        "is_pinned": "Whether it is exempt from pruning.",
    },
    further=_state_fields(),
)
TurnInput = serializer_of(
    "TurnInput",
    TURN_FIELDS,
    doc="A turn with the state after it, which may be left out where no checkpoint is due.",
    help_texts={"checkpoint_every": "From now on a checkpoint is made every so many turns."},
    further=_state_fields(),
)


class AgentStateOutput(serializers.Serializer[Any]):
    repl_state = serializers.DictField()
    working_memory = serializers.JSONField()
    pending_operations = serializers.ListField(child=serializers.DictField())
    trajectory_events = serializers.ListField(child=serializers.JSONField())
    cost_so_far = serializers.FloatField()
    messages = serializers.ListField(child=serializers.JSONField())
    metadata = serializers.DictField()
    depth = serializers.IntegerField()
    format_version = serializers.CharField()


class CheckpointOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    session_id = serializers.CharField()
    turn = serializers.IntegerField()
    depth = serializers.IntegerField()
    format_version = serializers.CharField()
    kind = serializers.ChoiceField(Checkpoint.Kind.choices)
    label = serializers.CharField(allow_null=True)  # type: ignore[assignment] # the field shadows Field.label
    size = serializers.IntegerField(help_text="Of the JSON, in bytes.")
    stored_size = serializers.IntegerField(help_text="Of the file, in bytes.")
    sha256 = serializers.CharField(help_text="Of the file, in hexadecimal.")
    path = serializers.CharField(help_text="Of the file, below the root of checkpoints.")
    is_pinned = serializers.BooleanField()
    agent = serializers.CharField(help_text="Who made it.")
    created_at = serializers.DateTimeField()


class OneCheckpointOutput(CheckpointOutput):
    state = AgentStateOutput(required=False, help_text="With `include_state=true`.")


class ReportedTurnOutput(serializers.Serializer[Any]):
    session_id = serializers.CharField()
    turn = serializers.IntegerField()
    depth = serializers.IntegerField()
    checkpoint = CheckpointOutput(allow_null=True, help_text="What was made of this turn.")
    next_checkpoint_turn = serializers.IntegerField(help_text="At this turn the state must be sent.")


class OperationOutput(serializers.Serializer[Any]):
    id = serializers.CharField()
    operation = serializers.DictField(help_text="As it was given.")
    is_done = serializers.BooleanField()
    done_at = serializers.DateTimeField(allow_null=True)


class CorrectionOutput(serializers.Serializer[Any]):
    chunk_id = serializers.UUIDField()
    version_then = serializers.IntegerField(help_text="How many edits were applied to it then.")
    version_now = serializers.IntegerField()
    change = serializers.ChoiceField(
        [
            (one, one.capitalize())
            for one in (
                "amended",
                "retracted",
                "quarantined",
                "blocked",
                "erased",
                "superseded",
                "attenuated",
                "expired",
            )
        ]
    )


class RestoredOutput(CheckpointOutput):
    state = AgentStateOutput()
    pending_operations = OperationOutput(many=True)
    corrections = CorrectionOutput(
        many=True, help_text="Memories in the state that have changed since: get them again before you use them."
    )


class RunningSessionOutput(serializers.Serializer[Any]):
    session_id = serializers.CharField()
    agent = serializers.CharField(help_text="The agent that owns it.")
    turn = serializers.IntegerField(help_text="Of the main agent.")
    status = serializers.ChoiceField(RunningSession.Status.choices)
    resumed_from = serializers.UUIDField(allow_null=True)
    resumed_at = serializers.DateTimeField(allow_null=True)
    shared_with = serializers.ListField(
        child=serializers.CharField(), help_text="The agents that it is offered to, as far as the caller may know."
    )
    checkpoint_every = serializers.IntegerField()
    keep = serializers.IntegerField(help_text="How many checkpoints of each depth are kept, pinned ones beside them.")


SESSION_FIELDS: Mapping[str, Field] = {"keep": Integer(1, 10_000), "checkpoint_every": Integer(1, 1_000)}
SessionInput = serializer_of(
    "RunningSessionInput", SESSION_FIELDS, doc="What to change of a session; the rest stays.", help_texts={}
)
SHARE_FIELDS: Mapping[str, Field] = {
    "agents": ListOf(Text(text.NAME), 100),
    "may_continue": Truth(),
}
ShareInput = serializer_of(
    "SessionSharesInput",
    SHARE_FIELDS,
    doc="The agents that a session is offered to from now on; none ends its sharing.",
    help_texts={"may_continue": "Whether they may report its turns too."},
)


class ShareOutput(serializers.Serializer[Any]):
    agent = serializers.CharField()
    may_continue = serializers.BooleanField()
    offered_at = serializers.DateTimeField()
    taken_at = serializers.DateTimeField(allow_null=True, help_text="When the agent first used it.")


class SharesOutput(serializers.Serializer[Any]):
    results = ShareOutput(many=True)


PATH_FIELDS: Mapping[str, Field] = {"path": Text(TextRule(500))}
PathInput = serializer_of(
    "CheckpointPathInput",
    PATH_FIELDS,
    doc="A checkpoint by its file.",
    help_texts={"path": "As its description names it."},
)
PIN_FIELDS: Mapping[str, Field] = {"is_pinned": Truth(required=True)}
PinInput = serializer_of("PinInput", PIN_FIELDS, doc="Whether to keep a checkpoint from being pruned.", help_texts={})
DONE_FIELDS: Mapping[str, Field] = {"note": Text(text.REMARK, required=False, default="")}
DoneInput = serializer_of("OperationDoneInput", DONE_FIELDS, doc="An operation that is done.", help_texts={})


class DoneOutput(serializers.Serializer[Any]):
    id = serializers.CharField()
    is_done = serializers.BooleanField()
    done_at = serializers.DateTimeField()


class DeletedCheckpointsOutput(serializers.Serializer[Any]):
    deleted = serializers.IntegerField()


class EmptyInput(StrictSerializer):
    """Nothing."""


def described_json(one: Described) -> dict[str, Any]:
    """A checkpoint without its state."""
    return {name: getattr(one, name) for name in Described.__slots__}


def session_json(one: DescribedSession) -> dict[str, Any]:
    """A running session."""
    return {name: getattr(one, name) for name in DescribedSession.__slots__}


def shares_json(shares: Sequence[DescribedShare]) -> dict[str, Any]:
    """The agents that a session is offered to."""
    return {"results": [asdict(one) for one in shares]}


def restored_json(one: restoring.Restored) -> dict[str, Any]:
    """A restored checkpoint, all but its state."""
    return {
        **described_json(one.described),
        "pending_operations": [
            {"id": each.id, "operation": each.operation, "is_done": each.done_at is not None, "done_at": each.done_at}
            for each in one.operations
        ],
        "corrections": [{name: getattr(each, name) for name in Correction.__slots__} for each in one.corrections],
    }
