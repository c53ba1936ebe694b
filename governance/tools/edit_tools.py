"""The tools with which an agent corrects memory. None of them decides an edit: people do."""

from collections.abc import Mapping, Sequence
from typing import Any

from rest_framework import serializers

from governance import text
from governance.acting.principals import Principal
from governance.api import edits, shapes
from governance.edits import NoSuchEdit, queries
from governance.http.pagination import PageRequest, page_shape
from governance.inputs import CharField, ChoiceField, IdField, IntegerField, StrictSerializer, TextField
from governance.models import Edit, EditState
from governance.relations.audience_json import AudienceArgument
from governance.tools import registry
from governance.tools.budget import max_tokens_field
from governance.tools.declaration import Tool

_CHUNK = "0198c0de-0000-7000-8000-000000000001"


#: Other tools call a memory so.
_TARGET: Mapping[str, Sequence[str]] = {"target_id": ("chunk_id", "chunk_ids", "items")}


class _PatchArguments(shapes.PatchInput):
    audience = AudienceArgument(allow_null=False, help_text=shapes.AUDIENCE_HELP)


class _EditArguments(StrictSerializer):
    also_named = _TARGET

    target_id = IdField(help_text="The id of the memory, such as a chunk_id.")
    op = ChoiceField(
        Edit.Op.choices,
        help_text="amend: correct the text. attenuate: change the importance. retract: remove it from all answers."
        " quarantine: hold it back as doubtful. block: hide it in one channel. audience: say who may read it. revert:"
        " cancel an applied edit.",
    )
    patch = _PatchArguments(required=False, help_text="The change. Leave it out for retract and quarantine.")
    target_type = shapes.AskedTargetTypeField(default="chunk", help_text="The type of the target.")


class PreviewArguments(_EditArguments):
    max_tokens = max_tokens_field()


class ProposalArguments(_EditArguments):
    reason = TextField(text.REASON, help_text="Why, for the people who decide. The ledger records it.")


class ListArguments(StrictSerializer):
    also_named = _TARGET

    status = ChoiceField(EditState.Status.choices, required=False)
    target_id = IdField(required=False, help_text="Only edits of this memory.")
    limit = IntegerField(min_value=1, max_value=200, default=20)
    max_tokens = max_tokens_field()
    cursor = CharField(required=False, help_text="next of the last answer, with the same other arguments.")


def listed(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """The list of `GET /edits`."""
    found = queries.visible_edits(principal)
    if "status" in values:
        found = found.filter(state__status=values["status"])
    if "target_id" in values:
        found = found.filter(target_id=values["target_id"])
    return edits.listed_json(principal, found, PageRequest.of_tool(principal, "list_edits", values))


class WaitArguments(StrictSerializer):
    edit_id = IdField(help_text="An edit that you proposed.")
    timeout_seconds = IntegerField(min_value=0, max_value=30, default=20)


class WaitOutput(serializers.Serializer[Any]):
    edit_id = serializers.UUIDField()
    status = serializers.ChoiceField(EditState.Status.choices)
    is_decided = serializers.BooleanField(help_text="False after a timeout. Call the tool again, or continue.")
    applied_at = serializers.DateTimeField(allow_null=True, help_text="null unless it is in effect.")
    approvals = serializers.IntegerField()
    approvals_required = serializers.IntegerField()
    verdicts = shapes.VerdictOutput(many=True, help_text="Who decided, and why.")


def standing(principal: Principal, values: dict[str, Any]) -> dict[str, Any]:
    """The current status of an edit. Raises NoSuchEdit."""
    edit = queries.visible_edits(principal).filter(id=values["edit_id"]).first()
    if edit is None:
        raise NoSuchEdit(pointer="/edit_id")
    return {
        "edit_id": edit.id,
        "status": edit.state.status,
        "is_decided": edit.state.status != EditState.Status.PENDING,
        "applied_at": edit.state.applied_at,
        "approvals": edit.state.approvals,
        "approvals_required": edit.approvals_required,
        "verdicts": shapes.verdicts_json(edit),
    }


PROPOSE_EDIT = Tool(
    name="propose_edit",
    title="Correct a memory",
    description="Propose to correct or remove wrong memory. The original stays on record. The answer's status is"
    " approved (it is in effect) or pending (a person decides: see wait_for_edit).",
    example={
        "target_id": _CHUNK,
        "op": "amend",
        "patch": {"text": "Ann lives in Bern"},
        "reason": "She moved in May",
    },
    arguments=ProposalArguments,
    answer=shapes.OutcomeOutput,
    call=edits.proposed_json,
    is_basic=True,
    is_destructive=True,
)
PREVIEW_EDIT = Tool(
    name="preview_edit",
    title="Preview an edit",
    description="See what an edit would change, before you propose it: the memory before and after, and whether people"
    " must approve it. Records nothing.",
    example={"target_id": _CHUNK, "op": "retract"},
    arguments=PreviewArguments,
    answer=shapes.PreviewOutput,
    call=edits.previewed_json,
    read_on="To read them in full, call preview_edit with a larger max_tokens.",
    is_read_only=True,
)
LIST_EDITS = Tool(
    name="list_edits",
    title="List edits",
    description="List the edits that you proposed with their status, newest first, and the reasons of the deciders.",
    example={"status": "pending"},
    arguments=ListArguments,
    answer=page_shape("EditPage", shapes.EditOutput),
    call=listed,
    read_on="To read an edit in full, call list_edits with its target_id, limit 1 and a larger max_tokens.",
    is_read_only=True,
)
WAIT_FOR_EDIT = Tool(
    name="wait_for_edit",
    title="Wait for a decision",
    description="Wait until people have decided a pending edit that you proposed, or until the timeout. Use it when"
    " your next step depends on the decision.",
    example={"edit_id": "0198c0de-0000-7000-8000-000000000003", "timeout_seconds": 20},
    arguments=WaitArguments,
    answer=WaitOutput,
    call=standing,
    is_read_only=True,
    wait=lambda arguments, answer: 0 if answer["is_decided"] else arguments["timeout_seconds"],
)


def register() -> None:
    """Register the tools of edits."""
    registry.register(PROPOSE_EDIT, PREVIEW_EDIT, LIST_EDITS, WAIT_FOR_EDIT)
