"""The results of tools that write an agent's own memory, and the help texts of their arguments."""

from typing import Any

from rest_framework import serializers

from governance.models import Channel, Sensitivity
from memory.api import shapes
from memory.api.curation import IMPORTANCE_HELP, SCORE_HELP
from memory.curation import importance
from memory.curation.writing import Written
from memory.models import Retention, Tier

CHANNEL_HELP = "Who may read it. Default: the most private channel of your key."
LISTENING_HELP = "Who will read it: returns only memory for this channel. Default: every channel of your key."


class WrittenOutput(serializers.Serializer[Any]):
    chunk_id = serializers.UUIDField(help_text="Its id as a memory, for propose_edit and create_capsule.")
    contentHash = serializers.CharField(help_text="SHA-256 of a random salt and the text, in hexadecimal.")  # noqa: N815 (the specification's name)
    importance = serializers.FloatField(help_text=IMPORTANCE_HELP)
    importance_score = serializers.FloatField(help_text=SCORE_HELP)
    retention = serializers.ChoiceField(Retention.choices, help_text="How long it is kept.")
    tier = serializers.ChoiceField(
        Tier.choices, help_text="The tier of its life cycle: task, session, longterm, archive."
    )
    channel = serializers.ChoiceField(Channel.choices)
    sensitivity = serializers.ChoiceField(Sensitivity.choices)
    ts = serializers.DateTimeField()
    redacted = serializers.ListField(child=serializers.CharField(), help_text="The kinds of secrets that were masked.")
    is_quarantined = serializers.BooleanField(
        help_text="True if readers do not get it: it repeats retracted text, or is based on hidden memory."
    )
    quarantine = shapes.QuarantineOutput(allow_null=True)
    approval_edit_id = serializers.UUIDField(
        allow_null=True, help_text="The edit that a person must approve before readers get it; see wait_for_edit."
    )


def written_json(made: Written) -> dict[str, Any]:
    """The fields of WrittenOutput."""
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
