"""The shapes of edits, shared by the views and the schema."""

from typing import Any

from rest_framework import serializers

from governance import edits
from governance import text as rules
from governance.acting.principals import Principal
from governance.edits import queries, targets
from governance.edits.targets import TargetState
from governance.faults import Faults
from governance.http.problems import type_of
from governance.inputs import ChoiceField, DecimalField, IdField, ListField, PatternField, StrictSerializer, TextField
from governance.models import Channel, Edit, EditState, Verdict
from governance.relations.audience_json import DEFAULT, AudienceField, AudienceInput, render
from governance.text import TextRule

AUDIENCE_HELP = (
    "for audience: who may read it, as for a new record: `principals`, `roles`, `relations`. `default`: everyone who"
    " may read the channel."
)


def text_list_field(one: targets.TextList, **options: Any) -> ListField:
    """The field for a list of short, non-blank texts."""
    return ListField(
        child=TextField(one.rule),
        required=False,
        max_length=one.items_at_most,
        **options,
    )


class TargetTypeField(ChoiceField):
    """A registered kind of target, evaluated when the field is used."""

    def __init__(self, **options: Any) -> None:
        super().__init__([(name, name) for name in targets.names()], **options)


class AskedTargetTypeField(TargetTypeField):
    """A kind of target in a proposal: the service refuses unregistered ones, proposal by proposal."""

    def read(self, value: Any, pointer: str, faults: Faults) -> Any:
        return value if isinstance(value, str) else super().read(value, pointer, faults)


class PatchInput(StrictSerializer):
    text = TextField(rules.AMENDED_TEXT, required=False, help_text="for amend: the complete new text")
    importance = DecimalField(
        5, 4, min_value=0, max_value=1, required=False, help_text="for amend and attenuate: the new importance"
    )
    importance_delta = DecimalField(
        5, 4, min_value=-1, max_value=1, required=False, help_text="for attenuate: what to add to the importance"
    )
    channel = ChoiceField(
        Channel.choices, required=False, help_text="for block: the channel in which readers no longer get it"
    )
    audience = AudienceField(allow_null=False, help_text=AUDIENCE_HELP)
    edit_id = IdField(required=False, help_text="for revert: the id of the edit to cancel")

    def get_fields(self) -> dict[str, Any]:
        """The fields above, and the lists that some kinds of target accept."""
        lists = {one.name: text_list_field(one, help_text=one.help_text) for one in targets.text_lists()}
        return {**super().get_fields(), **lists}


def digest_field(**options: Any) -> PatternField:
    """A SHA-256."""
    return PatternField(TextRule(64), "[0-9a-f]{64}", "a SHA-256 in hexadecimal", **options)


class EditInput(StrictSerializer):
    target_type = AskedTargetTypeField()
    target_id = IdField()
    op = ChoiceField(Edit.Op.choices)
    reason = TextField(rules.REASON)
    patch = PatchInput(required=False)


class NoticeOutput(serializers.Serializer[Any]):
    code = serializers.CharField()
    detail = serializers.CharField()


class OutcomeOutput(serializers.Serializer[Any]):
    edit_id = serializers.UUIDField()
    status = serializers.ChoiceField(EditState.Status.choices)
    applied_at = serializers.DateTimeField(required=False)
    approvals = serializers.IntegerField()
    approvals_required = serializers.IntegerField()
    waits_because = serializers.CharField(
        required=False, help_text="Why a pending edit waits, if not for the rule of its operation."
    )


class DecidedOnOutput(serializers.Serializer[Any]):
    patch_sha256 = serializers.CharField(help_text="Hash of the patch that was decided on.")
    target_state = serializers.CharField(help_text="State of the target that was decided on, before the edit.")


class VerdictOutcomeOutput(OutcomeOutput):
    decided_on = DecidedOnOutput()


BULK_MODES = [("all_or_nothing", "all or nothing"), ("each", "each separately")]


class BulkInput(StrictSerializer):
    edits = ListField(child=EditInput(), allow_empty=False, max_length=1000)
    mode = ChoiceField(BULK_MODES, default="all_or_nothing")


class BulkItemOutput(serializers.Serializer[Any]):
    index = serializers.IntegerField(help_text="The position of the proposal in the request, from 0.")
    edit_id = serializers.UUIDField(required=False)
    status = serializers.ChoiceField([*EditState.Status.choices, ("refused", "refused")])
    applied_at = serializers.DateTimeField(required=False)
    waits_because = serializers.CharField(required=False)
    refusal = serializers.CharField(required=False, help_text="Why it was refused, for people.")
    code = serializers.CharField(required=False, help_text="Why it was refused, for programs.")
    type = serializers.CharField(required=False, help_text="The problem type, as for a single proposal.")


class BulkOutput(serializers.Serializer[Any]):
    batch_id = serializers.UUIDField()
    edits = BulkItemOutput(many=True)


class PreviewInput(StrictSerializer):
    target_type = AskedTargetTypeField()
    target_id = IdField()
    op = ChoiceField(Edit.Op.choices)
    patch = PatchInput(required=False)
    channel = ChoiceField(Channel.choices, required=False)


class SideOutput(serializers.Serializer[Any]):
    text = serializers.CharField(allow_null=True, help_text="null if no answer returns the target")
    importance = serializers.FloatField()
    is_retracted = serializers.BooleanField()
    is_quarantined = serializers.BooleanField()
    blocked_channels = serializers.ListField(child=serializers.CharField())
    edits_applied = serializers.IntegerField(help_text="number of edits in effect")

    def get_fields(self) -> dict[str, Any]:
        """The fields above, and the lists that some kinds of target have."""
        lists = {
            one.name: serializers.ListField(child=serializers.CharField(), required=False)
            for one in targets.text_lists()
        }
        return {**super().get_fields(), **lists}


class HearersOutput(serializers.Serializer[Any]):
    """The principals that hear only one of two audiences."""

    principals = serializers.ListField(child=serializers.CharField(), help_text="At most 100.")
    count = serializers.IntegerField()


class ReadersChangeOutput(serializers.Serializer[Any]):
    added = AudienceInput(help_text="What only the new audience names.")
    removed = AudienceInput(help_text="What only the present audience names.")
    gain = HearersOutput(help_text="Principals with relations, or named, that get the memory now with the edit only.")
    lose = HearersOutput(
        help_text="Principals with relations, or named, that get the memory now without the edit only."
    )
    received_by = serializers.ListField(
        child=serializers.CharField(), help_text="Agents and people who have received the memory already."
    )


class PreviewOutput(serializers.Serializer[Any]):
    before = SideOutput()
    after = SideOutput()
    effect = serializers.CharField()
    no_longer_found_by = serializers.ListField(child=serializers.CharField())
    newly_found_by = serializers.ListField(child=serializers.CharField())
    approvals_required = serializers.IntegerField()
    readers = ReadersChangeOutput(
        required=False, help_text="If the audience changes, and the caller has a role in the tenant."
    )


class ReasonInput(StrictSerializer):
    reason = TextField(rules.REASON)


class OptionalReasonInput(StrictSerializer):
    reason = TextField(rules.REMARK, required=False)


class VerdictOutput(serializers.Serializer[Any]):
    decision = serializers.ChoiceField(Verdict.Decision.choices)
    decider_kind = serializers.ChoiceField(Verdict.DeciderKind.choices)
    decider = serializers.CharField()
    decided_at = serializers.DateTimeField()
    reason = serializers.CharField()


class EditOutput(serializers.Serializer[Any]):
    edit_id = serializers.UUIDField()
    ts = serializers.DateTimeField()
    target_type = TargetTypeField()
    target_id = serializers.UUIDField()
    op = serializers.ChoiceField(Edit.Op.choices)
    reason = serializers.CharField()
    proposed_by = serializers.ChoiceField(Edit.ProposerKind.choices)
    proposer = serializers.CharField()
    approved_by = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(EditState.Status.choices)
    patch = PatchInput()
    withheld = serializers.CharField(
        allow_null=True,
        help_text="Why the answer leaves out the text of the patch: its target is hidden from the caller.",
    )
    patch_sha256 = serializers.CharField()
    batch_id = serializers.UUIDField(allow_null=True)
    policy = serializers.CharField()
    approvals = serializers.IntegerField()
    approvals_required = serializers.IntegerField()
    applied_at = serializers.DateTimeField(allow_null=True)
    verdicts = VerdictOutput(many=True)


class OneEditOutput(EditOutput):
    target_state = serializers.CharField(help_text="The state of the target, to send with a verdict.")


class VerdictInput(StrictSerializer):
    reason = TextField(rules.REMARK, required=False)
    patch_sha256 = digest_field(
        required=False,
        help_text="Hash of the patch that you reviewed. The verdict is refused if the edit has a different patch."
        " Required under the `strict` policy.",
    )
    target_state = digest_field(
        required=False,
        help_text="State of the target that you reviewed. The verdict is refused if the target has changed."
        " Required under the `strict` policy.",
    )


class RejectionInput(VerdictInput):
    reason = TextField(rules.REASON)


def outcome_json(outcome: edits.Outcome) -> dict[str, Any]:
    """An outcome for the API; `applied_at` only if it is applied."""
    answer = {
        "edit_id": outcome.edit_id,
        "status": outcome.status,
        "approvals": outcome.approvals,
        "approvals_required": outcome.approvals_required,
    }
    if outcome.applied_at is not None:
        answer["applied_at"] = outcome.applied_at
    if outcome.waits_because:
        answer["waits_because"] = outcome.waits_because
    if outcome.target_state is not None:
        answer["decided_on"] = {"patch_sha256": outcome.patch_sha256, "target_state": outcome.target_state}
    return answer


def bulk_json(batch: edits.BatchOutcome) -> dict[str, Any]:
    """A batch for the API."""
    items = []
    for index, item in enumerate(batch.items):
        if item.outcome is not None:
            items.append({"index": index, **outcome_json(item.outcome)})
        elif item.refusal is not None:
            why = {"refusal": item.refusal.detail, "code": item.refusal.code, "type": type_of(item.refusal.code)}
            items.append({"index": index, "status": "refused", **why})
    return {"batch_id": batch.batch_id, "edits": items}


def preview_json(preview: edits.Preview) -> dict[str, Any]:
    """A preview for the API."""
    answer = {
        "before": _side_json(preview.before),
        "after": _side_json(preview.after),
        "effect": preview.effect,
        "no_longer_found_by": preview.no_longer_found_by,
        "newly_found_by": preview.newly_found_by,
        "approvals_required": preview.approvals_required,
    }
    if (readers := preview.readers) is not None:
        answer["readers"] = {
            "added": render(readers.added),
            "removed": render(readers.removed),
            "gain": {"principals": readers.gaining, "count": readers.gain},
            "lose": {"principals": readers.losing, "count": readers.lose},
            "received_by": readers.received_by,
        }
    return answer


def _side_json(side: TargetState) -> dict[str, Any]:
    return {
        "text": None,
        **{name: value for name, value in side.fields.items() if value is not None},
        "importance": float(side.importance or 0),
        "is_retracted": side.is_retracted,
        "is_quarantined": side.is_quarantined,
        "blocked_channels": list(side.blocked_channels),
        "edits_applied": side.edits_applied,
    }


def edits_json(rows: list[Edit], principal: Principal) -> list[dict[str, Any]]:
    """Edits for the API, as `principal` may see them."""
    withheld = queries.withheld_texts(rows, principal)
    bodies = queries.read_texts([row for row in rows if row.id not in withheld], principal)
    audiences = queries.read_audiences(rows)
    return [_edit_json(row, bodies.get(row.id), withheld.get(row.id), audiences.get(row.id)) for row in rows]


def _edit_json(edit: Edit, body: str | None, withheld: str | None, audience: list[str] | None) -> dict[str, Any]:
    patch: dict[str, Any] = {
        **edits.words_in(body, edit.target_type),
        "importance": None if edit.importance is None else float(edit.importance),
        "importance_delta": None if edit.importance_delta is None else float(edit.importance_delta),
        "channel": edit.channel,
        "audience": None if audience is None else render(audience) or DEFAULT,
        "edit_id": edit.reverts_id,
    }
    return {
        "edit_id": edit.id,
        "ts": edit.created_at,
        "target_type": edit.target_type,
        "target_id": edit.target_id,
        "op": edit.op,
        "reason": edit.reason,
        "proposed_by": edit.proposer_kind,
        "proposer": edit.proposer,
        "approved_by": edit.state.approved_by,
        "status": edit.state.status,
        "patch": {name: value for name, value in patch.items() if value is not None},
        "withheld": withheld,
        "patch_sha256": bytes(edit.patch_sha256).hex(),
        "batch_id": edit.batch_id,
        "policy": edit.policy,
        "approvals": edit.state.approvals,
        "approvals_required": edit.approvals_required,
        "applied_at": edit.state.applied_at,
        "verdicts": verdicts_json(edit),
    }


def verdicts_json(edit: Edit) -> list[dict[str, Any]]:
    """The verdicts on an edit, oldest first."""
    return [
        {
            "decision": verdict.decision,
            "decider_kind": verdict.decider_kind,
            "decider": verdict.decider,
            "decided_at": verdict.decided_at,
            "reason": verdict.reason,
        }
        for verdict in sorted(edit.verdicts.all(), key=lambda verdict: verdict.decided_at)
    ]
