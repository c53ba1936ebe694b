"""Request and response bodies of capsules, shared by the views and the schema."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rest_framework import serializers

from capsules import limits
from capsules.models import EffectiveCapsule
from capsules.services import handover
from capsules.targets import RISKS
from governance.api.shapes import text_list_field
from governance.inputs import BooleanField, ChoiceField, IdField, IntegerField, ListField, StrictSerializer, TextField
from governance.models import Channel
from memory.event_content import id_field
from memory.models import EffectiveDecision, Scope

#: Why the note and the risks are not shown. The last two: a capsule that the caller forwarded and may no longer read.
WORDS_WITHHELD = [(reason, reason) for reason in ("erased", "sensitivity", "blocked", "revoked", "expired")]


def _ids() -> ListField:
    return ListField(child=IdField(), required=False, max_length=handover.MAX_ITEMS)


class ItemsInput(StrictSerializer):
    stands_for = "chunks"

    chunks = _ids()
    decisions = _ids()
    artifacts = _ids()


class _AudienceInput(StrictSerializer):
    also_named: ClassVar[Mapping[str, Sequence[str]]] = {"items": ("chunk_ids", "chunk_id")}

    audience_agent_ids = ListField(
        child=id_field(),
        allow_empty=False,
        max_length=handover.MAX_AUDIENCE,
        help_text="The recipients: active agents of the tenant, by name (slug) or id.",
    )
    may_forward = BooleanField(default=False, help_text="Whether the audience may forward the capsule.")


class CapsuleInput(_AudienceInput):
    subject_type = id_field(help_text="The type of the subject, such as user.")
    subject_id = id_field(help_text="The id of the subject.")
    scope = ChoiceField(Scope.choices)
    project_id = id_field(required=False, allow_null=True)
    items = ItemsInput(help_text="Ids of the memories to hand over: at least 1, at most 500.")
    ttl_days = IntegerField(
        min_value=1,
        max_value=handover.MAX_TTL_DAYS,
        default=handover.DEFAULT_TTL_DAYS,
        help_text="Days until it expires.",
    )
    risks = text_list_field(RISKS, help_text="Risks that the audience should know.")
    note = TextField(
        limits.NOTE, required=False, allow_null=True, help_text="What the audience should know, in your words."
    )
    channel = ChoiceField(
        Channel.choices,
        required=False,
        help_text="The channel in which you must be able to read the items. Default: every channel of the key.",
    )


class ForwardInput(_AudienceInput):
    items = ItemsInput(required=False, help_text="The items to forward (default: all).")
    ttl_days = IntegerField(
        min_value=1,
        max_value=handover.MAX_TTL_DAYS,
        required=False,
        help_text="The new capsule never expires later than the original.",
    )


class NewCapsuleOutput(serializers.Serializer[Any]):
    capsule_id = serializers.UUIDField()
    status = serializers.ChoiceField(EffectiveCapsule.Status.choices)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    item_count = serializers.IntegerField()
    audience_count = serializers.IntegerField()


class RevokedOutput(serializers.Serializer[Any]):
    capsule_id = serializers.UUIDField()
    status = serializers.ChoiceField([("revoked", "revoked")])
    revoked_at = serializers.DateTimeField()
    forwarded_revoked = serializers.IntegerField(
        help_text="The number of forwarded capsules that were revoked with it."
    )


class _CapsuleOutput(serializers.Serializer[Any]):
    capsule_id = serializers.UUIDField()
    status = serializers.ChoiceField(EffectiveCapsule.Status.choices)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    scope = serializers.ChoiceField(Scope.choices)
    subject_type = serializers.CharField()
    subject_id = serializers.CharField()
    project_id = serializers.CharField(allow_null=True)
    author = serializers.CharField()
    author_agent_id = serializers.CharField(
        help_text="The same as `author`: the slug of an agent, or the username of a person."
    )
    forwards_id = serializers.UUIDField(allow_null=True)
    may_forward = serializers.BooleanField()
    item_count = serializers.IntegerField()
    audience_count = serializers.IntegerField()
    importance = serializers.FloatField()
    is_quarantined = serializers.BooleanField()
    edits_applied = serializers.IntegerField()
    revoked_at = serializers.DateTimeField(allow_null=True)
    warned_at = serializers.DateTimeField(allow_null=True)
    withheld = serializers.ChoiceField(
        WORDS_WITHHELD,
        allow_null=True,
        help_text="Why the note and the risks are not shown.",
    )
    note = serializers.CharField(allow_null=True)
    risks = serializers.ListField(child=serializers.CharField())


class CapsuleItemIdsOutput(serializers.Serializer[Any]):
    chunks = serializers.ListField(child=serializers.UUIDField())
    decisions = serializers.ListField(child=serializers.UUIDField())
    artifacts = serializers.ListField(child=serializers.UUIDField())


def _audience() -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField(), help_text="The slugs of its recipients, at most 100.")


class ListedCapsuleOutput(_CapsuleOutput):
    audience_agent_ids = _audience()
    items = CapsuleItemIdsOutput()


class _ItemOutput(serializers.Serializer[Any]):
    """An item as the reader may see it now: if it is `withheld`, only its id."""

    id = serializers.UUIDField()
    withheld = serializers.CharField(required=False, help_text="Why its other fields are not shown.")
    text = serializers.CharField(required=False, allow_null=True)
    ts = serializers.DateTimeField(required=False, allow_null=True)
    edits_applied = serializers.IntegerField(required=False)
    event_id = serializers.UUIDField(required=False, allow_null=True)
    session_id = serializers.CharField(required=False, allow_null=True)
    scope = serializers.ChoiceField(Scope.choices, required=False, allow_null=True)
    subject_type = serializers.CharField(required=False, allow_null=True)
    subject_id = serializers.CharField(required=False, allow_null=True)
    project_id = serializers.CharField(required=False, allow_null=True)
    channel = serializers.ChoiceField(Channel.choices, required=False, allow_null=True)


class CapsuleChunkOutput(_ItemOutput):
    chunk_id = serializers.UUIDField()
    importance = serializers.FloatField(required=False, allow_null=True)
    is_quarantined = serializers.BooleanField(required=False, allow_null=True)


class CapsuleDecisionOutput(_ItemOutput):
    decision_id = serializers.UUIDField()
    decision = serializers.CharField(required=False, allow_null=True)
    rationale = serializers.ListField(child=serializers.CharField(), required=False)
    constraints = serializers.ListField(child=serializers.CharField(), required=False)
    alternatives = serializers.ListField(child=serializers.CharField(), required=False)
    status = serializers.ChoiceField(EffectiveDecision.Status.choices, required=False, allow_null=True)
    importance = serializers.FloatField(required=False, allow_null=True)
    is_quarantined = serializers.BooleanField(required=False, allow_null=True)


class CapsuleArtifactOutput(_ItemOutput):
    artifact_id = serializers.UUIDField()
    name = serializers.CharField(required=False, allow_null=True)
    media_type = serializers.CharField(required=False, allow_null=True)
    data: Any = serializers.CharField(required=False, allow_null=True, help_text="The bytes, in base64.")


class CapsuleItemsOutput(serializers.Serializer[Any]):
    chunks = CapsuleChunkOutput(many=True)
    decisions = CapsuleDecisionOutput(many=True)
    artifacts = CapsuleArtifactOutput(many=True)


class CustodyOutput(serializers.Serializer[Any]):
    capsule_id = serializers.UUIDField()
    author = serializers.CharField(help_text="Who handed over the capsule.")
    given_at = serializers.DateTimeField()
    audience = serializers.ListField(child=serializers.CharField(), help_text="Its recipients, at most 100 names.")
    audience_count = serializers.IntegerField()


class CapsuleOutput(_CapsuleOutput):
    items = CapsuleItemsOutput(
        help_text="Each item as you may see it now, or the reason why it is `withheld`. Its id is in `id`, and also in"
        " `chunk_id`, `decision_id` or `artifact_id`."
    )
    audience_agent_ids = _audience()
    audience = serializers.ListField(child=serializers.CharField(), help_text="The same as `audience_agent_ids`.")
    custody = CustodyOutput(many=True, help_text="Who handed it to whom: the original first, this capsule last.")


class WarningOutput(serializers.Serializer[Any]):
    capsule_id = serializers.UUIDField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    warned_at = serializers.DateTimeField(allow_null=True)
    scope = serializers.ChoiceField(Scope.choices)
    subject_type = serializers.CharField()
    subject_id = serializers.CharField()
    project_id = serializers.CharField(allow_null=True)


class ReaderOutput(serializers.Serializer[Any]):
    actor_kind = serializers.CharField()
    actor = serializers.CharField()
    direct = serializers.IntegerField()
    acb = serializers.IntegerField()
    last_accessed_at = serializers.DateTimeField()


class UsageOutput(serializers.Serializer[Any]):
    capsule_id = serializers.UUIDField()
    access_count = serializers.IntegerField()
    direct = serializers.IntegerField(help_text="How often it was read by its id.")
    acb = serializers.IntegerField(help_text="How often a context bundle contained it.")
    last_accessed_at = serializers.DateTimeField(allow_null=True)
    refused_count = serializers.IntegerField()
    reader_count = serializers.IntegerField()
    readers = ReaderOutput(many=True, help_text="The last 100 readers.")
