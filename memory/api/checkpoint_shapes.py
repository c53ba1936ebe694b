"""Request and response bodies of running sessions and checkpoints."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from governance import text
from governance.faults import Faults
from governance.inputs import (
    BooleanField,
    ChoiceField,
    DictField,
    FloatField,
    IdField,
    IntegerField,
    JSONField,
    ListField,
    PatternField,
    StrictSerializer,
    TextField,
)
from governance.text import TextRule
from memory.checkpoints import format, restoring
from memory.checkpoints.db import Correction, Described
from memory.checkpoints.format import State
from memory.checkpoints.json_members import Member, members_of
from memory.checkpoints.queries import DescribedSession, DescribedShare
from memory.checkpoints.saving import Wanted
from memory.models import Checkpoint, RunningSession

#: The largest integer that every JSON reader represents exactly.
MAX_TURN = 2**53 - 1
LABEL = TextRule(200)
#: The most checkpoints to create, and to delete, in one request.
MAX_BATCH, MAX_DELETED = 100, 10_000
SESSION_PARAMETER = OpenApiParameter(
    "session_id",
    {"type": "string", "minLength": 1, "maxLength": 200},
    OpenApiParameter.PATH,
    description="The agent's name for the session, percent-encoded.",
)
#: The kinds that a client may request.
MANUAL_KINDS = [(one.value, one.label) for one in (Checkpoint.Kind.MANUAL, Checkpoint.Kind.EXCEPTION)]


class StateFields(StrictSerializer):
    """The state of an agent, with its identification. `memory.checkpoints.format` reads it."""

    repl_state = DictField(required=False, help_text="Every variable of the agent's REPL, by name.")
    metadata = DictField(required=False, help_text="Anything else that the client saves.")
    working_memory = JSONField(required=False, allow_null=True, help_text="Any JSON.")
    pending_operations = ListField(
        child=DictField(),
        required=False,
        help_text="Unfinished operations: objects with an `id`; without one, the index is the id.",
    )
    trajectory_events = ListField(child=JSONField(), required=False, help_text="What happened so far.")
    messages = ListField(child=JSONField(), required=False, help_text="The conversation.")
    cost_so_far = FloatField(min_value=0, required=False, help_text="A number of 0 or more.")
    depth = IntegerField(
        min_value=0,
        max_value=format.MAX_DEPTH_OF_AGENTS,
        required=False,
        help_text="The agent's depth: 0 for the main agent, higher for a sub-agent.",
    )
    format_version = PatternField(
        TextRule(9),
        r"[0-9]{1,4}\.[0-9]{1,4}",
        f'two numbers separated by a dot, such as "{format.VERSION}"',
        required=False,
        help_text=f'The version of this format, "{format.VERSION}" by default.',
    )

    @classmethod
    def with_state(cls, members: Mapping[str, Member]) -> tuple[dict[str, Any], State]:
        """The values of the fields, and the state. Raises Invalid with all errors, IncompatibleFormat and
        CheckpointTooLarge."""
        return cls.of(values_of(members)), format.read_state(members)

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Require that operations have different ids."""
        format.check_operations(values.get("pending_operations", []), pointer, faults)


class CheckpointInput(StateFields):
    """A checkpoint to create: the state of the agent, and its label."""

    turn = IntegerField(
        min_value=0, max_value=MAX_TURN, required=False, help_text="Default: the current turn of the session."
    )
    kind = ChoiceField(
        MANUAL_KINDS,
        default=Checkpoint.Kind.MANUAL.value,
        help_text="`exception` if the client saves its state because of a failure.",
    )
    label = TextField(LABEL, required=False, allow_null=True)  # type: ignore[assignment] # shadows Field.label
    is_pinned = BooleanField(default=False, help_text="Whether it is exempt from pruning.")

    @classmethod
    def wanted(cls, members: Mapping[str, Member]) -> dict[str, Wanted]:
        """The checkpoint of a body, at its place. Raises as `with_state`."""
        values, state = cls.with_state(members)
        return {"": _wanted(values, state)}


class CheckpointBatchInput(StrictSerializer):
    """Checkpoints to create, in their order: all or none."""

    checkpoints = ListField(child=CheckpointInput(), max_length=MAX_BATCH, allow_empty=False)

    @classmethod
    def wanted(cls, members: Mapping[str, Member]) -> dict[str, Wanted]:
        """The checkpoints of a body, by their places. Raises Invalid with all errors, IncompatibleFormat and
        CheckpointTooLarge."""
        read = cls.of(values_of(members))["checkpoints"]
        given = members["checkpoints"].value
        places = [f"/checkpoints/{index}" for index in range(len(read))]
        return {
            place: _wanted(values, format.read_state(members_of(one), place))
            for place, values, one in zip(places, read, given, strict=True)
        }


def _wanted(values: Mapping[str, Any], state: State) -> Wanted:
    return Wanted(state, values.get("turn"), values["kind"], values.get("label"), values["is_pinned"])


class ListedCheckpointsInput(StrictSerializer):
    """Checkpoints of a session, by their ids."""

    ids = ListField(child=IdField(), max_length=MAX_DELETED)


class TurnInput(StateFields):
    """A turn and the state after it; the state is optional if no checkpoint is due."""

    turn = IntegerField(min_value=0, max_value=MAX_TURN)
    checkpoint_every = IntegerField(
        min_value=1,
        max_value=1_000,
        required=False,
        help_text="From now on, the number of turns between checkpoints.",
    )


class AgentStateOutput(serializers.Serializer[Any]):
    repl_state = serializers.DictField()
    working_memory = serializers.JSONField(help_text="Any JSON.")
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
    size = serializers.IntegerField(help_text="Size of the JSON in bytes.")
    stored_size = serializers.IntegerField(help_text="Size of the file in bytes.")
    sha256 = serializers.CharField(help_text="SHA-256 of the file in hexadecimal.")
    path = serializers.CharField(help_text="Path of the file, relative to the root of checkpoints.")
    is_pinned = serializers.BooleanField()
    agent = serializers.CharField(help_text="The agent that created it.")
    created_at = serializers.DateTimeField()


class OneCheckpointOutput(CheckpointOutput):
    state = AgentStateOutput(required=False, help_text="With `include_state=true`.")


class CreatedCheckpointsOutput(serializers.Serializer[Any]):
    checkpoints = CheckpointOutput(many=True, help_text="In the order of the request.")


class ReportedTurnOutput(serializers.Serializer[Any]):
    session_id = serializers.CharField()
    turn = serializers.IntegerField()
    depth = serializers.IntegerField()
    checkpoint = CheckpointOutput(allow_null=True, help_text="The checkpoint of this turn, if one was made.")
    next_checkpoint_turn = serializers.IntegerField(help_text="The turn at which the state must be sent.")


class OperationOutput(serializers.Serializer[Any]):
    id = serializers.CharField()
    operation = serializers.DictField(help_text="The operation as it was sent.")
    is_done = serializers.BooleanField()
    done_at = serializers.DateTimeField(allow_null=True)


class CorrectionOutput(serializers.Serializer[Any]):
    chunk_id = serializers.UUIDField()
    version_then = serializers.IntegerField(help_text="How many edits had been applied to it then.")
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
                "audience",
                "expired",
            )
        ]
    )


class RestoredOutput(CheckpointOutput):
    state = AgentStateOutput()
    pending_operations = OperationOutput(many=True)
    corrections = CorrectionOutput(
        many=True, help_text="Memories in the state that have changed since then: get them again before you use them."
    )


class RunningSessionOutput(serializers.Serializer[Any]):
    session_id = serializers.CharField()
    agent = serializers.CharField(help_text="The agent that owns it.")
    turn = serializers.IntegerField(help_text="The turn of the main agent.")
    status = serializers.ChoiceField(RunningSession.Status.choices)
    resumed_from = serializers.UUIDField(allow_null=True)
    resumed_at = serializers.DateTimeField(allow_null=True)
    shared_with = serializers.ListField(
        child=serializers.CharField(), help_text="The agents that it is offered to, if the caller may see them."
    )
    checkpoint_every = serializers.IntegerField()
    keep = serializers.IntegerField(help_text="How many checkpoints of each depth are kept, besides pinned ones.")


class RunningSessionInput(StrictSerializer):
    """Changes to a session; omitted fields stay."""

    keep = IntegerField(min_value=1, max_value=10_000, required=False)
    checkpoint_every = IntegerField(min_value=1, max_value=1_000, required=False)


class SessionSharesInput(StrictSerializer):
    """The agents that a session is offered to from now on; an empty list ends sharing."""

    agents = ListField(child=TextField(text.NAME), max_length=100)
    may_continue = BooleanField(default=False, help_text="Whether they may report its turns too.")


class ShareOutput(serializers.Serializer[Any]):
    agent = serializers.CharField()
    may_continue = serializers.BooleanField()
    offered_at = serializers.DateTimeField()
    taken_at = serializers.DateTimeField(allow_null=True, help_text="When the agent first used it.")


class SharesOutput(serializers.Serializer[Any]):
    results = ShareOutput(many=True)


class CheckpointPathInput(StrictSerializer):
    """A checkpoint, by its file."""

    path = TextField(TextRule(500), help_text="The `path` of the checkpoint.")


class PinInput(StrictSerializer):
    """Whether to exempt a checkpoint from pruning."""

    is_pinned = BooleanField()


class OperationDoneInput(StrictSerializer):
    """An operation that is done."""

    note = TextField(text.REMARK, default="")


class DoneOutput(serializers.Serializer[Any]):
    id = serializers.CharField()
    is_done = serializers.BooleanField()
    done_at = serializers.DateTimeField()


class DeletedCheckpointsOutput(serializers.Serializer[Any]):
    deleted = serializers.IntegerField()


class EmptyInput(StrictSerializer):
    """Nothing."""


def values_of(members: Mapping[str, Member]) -> dict[str, Any]:
    """The object with these members."""
    return {name: member.value for name, member in members.items()}


def described_json(one: Described) -> dict[str, Any]:
    """A checkpoint without its state."""
    return {name: getattr(one, name) for name in Described.__slots__} | {"sha256": bytes(one.sha256).hex()}


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
