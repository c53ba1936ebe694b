"""Request and response bodies of captured memory."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from capture.models import Capture
from governance import text as rules
from governance.api.shapes import NoticeOutput, digest_field
from governance.faults import Faults
from governance.inputs import (
    BooleanField,
    ChoiceField,
    DecimalField,
    IdField,
    IntegerField,
    JSONField,
    ListField,
    PastField,
    StrictSerializer,
    TextField,
)
from governance.models import Channel, Sensitivity
from governance.refusals import Fault, Invalid
from governance.relations.audience_json import AudienceField
from memory import event_body
from memory.event_body import SENSITIVITY_HELP, check_updates, key_field, retention_field, updates_field
from memory.event_content import id_field
from memory.models import Scope

MAX_FILE_CHUNKS = 1_000
CHANNEL_HELP = "Default: the agent's default channel: `private`, else the first that its key allows."
IMPORTANCE_HELP = "From 0 to 1. Default: by source, 0.3 for hooks, 0.5 for prompts and responses, 0.6 for files."


class SessionRequired(Invalid):
    """session_id is required for memory capture"""


def require_session(body: Any, pointer: str = "") -> None:
    """Raise SessionRequired for a body without a session."""
    given = body.get("session_id") if isinstance(body, Mapping) else ""
    if given is None or (isinstance(given, str) and not given.strip() and isinstance(body, Mapping)):
        detail = str(SessionRequired.__doc__)
        place = f"{pointer}/session_id"
        raise SessionRequired(detail, errors=[Fault(pointer=place, detail=detail, code=SessionRequired.code)])


class SourceInput(StrictSerializer):
    type = ChoiceField(
        [(Capture.Source.HOOK, Capture.Source.HOOK), (Capture.Source.RESPONSE, Capture.Source.RESPONSE)],
        help_text="Files are sent to `POST /files`.",
    )
    hook_type = ChoiceField(
        Capture.HookType.choices, required=False, help_text="The hook: required for a HookDescription."
    )
    tool_name = id_field(required=False, allow_null=True, help_text="The tool that the hook refers to.")
    response_type = ChoiceField(
        Capture.ResponseType.choices, required=False, help_text="Required for a ClaudeResponse."
    )

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Allow only the fields of the type, and require its mandatory field."""
        is_hook = values["type"] == Capture.Source.HOOK
        needed, others = ("hook_type", ("response_type",)) if is_hook else ("response_type", ("hook_type", "tool_name"))
        for name in others:
            if values.get(name) is not None:
                faults.add(f"{pointer}/{name}", f"A {values['type']} has no {name}.")
        if values.get(needed) is None:
            faults.add(f"{pointer}/{needed}", "This field is required.")


class _CapturedInput(StrictSerializer):
    session_id = id_field()
    channel = ChoiceField(Channel.choices, required=False, allow_null=True, help_text=CHANNEL_HELP)
    sensitivity = ChoiceField(Sensitivity.choices, required=False, allow_null=True, help_text=SENSITIVITY_HELP)
    audience = AudienceField()
    retention = retention_field()
    importance = DecimalField(
        5, 4, min_value=0, max_value=1, required=False, allow_null=True, help_text=IMPORTANCE_HELP
    )
    tags = ListField(child=id_field(), default=list, max_length=event_body.MAX_ITEMS)
    project_id = id_field(required=False, allow_null=True)
    redacted = ListField(
        child=id_field(),
        default=list,
        max_length=event_body.MAX_ITEMS,
        help_text="The kinds of secrets that the client masked before it sent this.",
    )
    compute_embedding = BooleanField(
        default=True,
        help_text="Whether all thirteen embeddings are made before it is stored. If false, search finds it by its"
        " words only.",
    )


class CaptureInput(_CapturedInput):
    id = IdField(
        required=False,
        allow_null=True,
        help_text="The id of the event, a UUID that you choose. If you send it again, it is recorded once.",
    )
    source = SourceInput()  # type: ignore[assignment] # the field shadows Field.source
    content = TextField(
        rules.EVENT_TEXT, help_text="The hook's description, or the response. If it is empty, nothing is recorded."
    )
    ts = PastField(
        required=False,
        allow_null=True,
        help_text="When it happened (default: now). Up to a minute ahead counts as now; later is refused.",
    )
    refs = ListField(child=TextField(rules.REFERENCE), default=list, max_length=event_body.MAX_ITEMS)
    scope = ChoiceField(Scope.choices, required=False, allow_null=True)
    subject_type = id_field(required=False, allow_null=True)
    subject_id = id_field(required=False, allow_null=True)
    updates = updates_field()
    key = key_field()

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Require at most one way to say what the capture updates."""
        check_updates(values, pointer, faults)


class CaptureBatchInput(StrictSerializer):
    captures = ListField(child=CaptureInput(), allow_empty=False, max_length=event_body.MAX_BATCH)


class CaptureBatch(StrictSerializer):
    """The same, without reading the captures."""

    captures = ListField(child=JSONField(), allow_empty=False, max_length=event_body.MAX_BATCH)


@extend_schema_field({"type": "object", "additionalProperties": {"type": "integer"}})
class CountsField(serializers.DictField):
    """Counts by kind."""


class CapturedOutput(serializers.Serializer[Any]):
    event_id = serializers.UUIDField(allow_null=True)
    status = serializers.ChoiceField(
        ["recorded", "already_recorded", "skipped", "refused", "failed"],
        help_text="`already_recorded`: it had been recorded before with this id. `skipped`: it has no text. In a batch"
        " also `refused`: sending it again does not help; and `failed`: send it again.",
    )
    reason = serializers.CharField(allow_null=True, help_text="Why it was not recorded.")
    ts = serializers.DateTimeField(allow_null=True)
    chunk_ids = serializers.ListField(child=serializers.UUIDField())
    response_id = serializers.UUIDField(allow_null=True, help_text="Shared by the chunks of one response.")
    redacted = CountsField(help_text="The number of secrets that the server masked, by kind.")
    superseded_chunk_ids = serializers.ListField(
        child=serializers.UUIDField(), help_text="The earlier chunks that it updates, by `updates` or `key`."
    )
    quarantined_chunk_ids = serializers.ListField(child=serializers.UUIDField())
    notices = NoticeOutput(many=True, help_text="What you should know: that your clock is ahead (`clock_ahead`).")


class CapturedBatchOutput(serializers.Serializer[Any]):
    captures = CapturedOutput(many=True)


class DeleteInput(StrictSerializer):
    chunk_ids = ListField(child=IdField(), required=False, allow_empty=False, max_length=200)
    file_path = TextField(rules.REFERENCE, required=False)
    session_id = id_field(required=False, allow_null=True, help_text="Only the file of this session.")

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Require either chunks or a file."""
        if ("chunk_ids" in values) == ("file_path" in values):
            faults.add(f"{pointer}/chunk_ids", "Send either chunk_ids or file_path.")
        elif "chunk_ids" in values and values.get("session_id") is not None:
            faults.add(f"{pointer}/session_id", "session_id needs file_path.")


class DeletedOutput(serializers.Serializer[Any]):
    deleted = serializers.IntegerField(help_text="The number of deleted chunks. Their record stays.")


class ChunkMetadataOutput(serializers.Serializer[Any]):
    file_path = serializers.CharField(allow_null=True)
    chunk_index = serializers.IntegerField()
    total_chunks = serializers.IntegerField()
    word_offset = serializers.IntegerField(help_text="The number of its first word in the text, counted from 0.")
    file_hash = serializers.CharField(allow_null=True, help_text="SHA-256 of the file, in hexadecimal.")


class SourceOutput(serializers.Serializer[Any]):
    type = serializers.ChoiceField(Capture.Source.choices)
    hook_type = serializers.ChoiceField(Capture.HookType.choices, required=False)
    tool_name = serializers.CharField(required=False, allow_null=True)
    response_type = serializers.ChoiceField(Capture.ResponseType.choices, required=False)
    file_path = serializers.CharField(required=False)


class MemoryOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField(help_text="The id of the chunk.")
    event_id = serializers.UUIDField(allow_null=True)
    content = serializers.CharField(help_text="Its effective text.")
    source = SourceOutput()  # type: ignore[assignment] # the field shadows Field.source
    created_at = serializers.DateTimeField()
    session_id = serializers.CharField()
    chunk_metadata = ChunkMetadataOutput(
        allow_null=True, help_text="For a file, or a text that was split into several chunks; else null."
    )
    importance = serializers.FloatField()
    access_count = serializers.IntegerField(
        help_text="How often it was delivered to agents. A job updates it within seconds."
    )
    last_accessed = serializers.DateTimeField(allow_null=True)
    confidence = serializers.FloatField(help_text="Confidence in the memory, from 0 to 1 (docs/promotion.md).")
    response_id = serializers.UUIDField(allow_null=True)
    file_deleted_at = serializers.DateTimeField(
        allow_null=True, help_text="When its file was deleted; its memory is kept."
    )
    is_superseded = serializers.BooleanField(
        help_text="It was deleted, or a later version of its file does not contain it."
    )
    edits_applied = serializers.IntegerField()
    channel = serializers.ChoiceField(Channel.choices)
    sensitivity = serializers.ChoiceField(Sensitivity.choices)
    retention = serializers.CharField()
    tier = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    recorder = serializers.CharField()


class OneMemoryOutput(MemoryOutput):
    embedding_model = serializers.CharField(
        required=False, help_text="With `include_embeddings`: the model of E1. Compare only vectors of one model."
    )
    teleological_array = serializers.DictField(
        required=False,
        help_text="With `include_embeddings`: its value in each space, E1 to E13. Dense vectors are lists; sparse ones"
        " are weights by dimension; E12 has a vector for each token. Stored values are quantised.",
    )


class FileChunkInput(StrictSerializer):
    text = TextField(rules.STATEMENT, help_text="The text of the chunk, with secrets masked.")
    word_offset = IntegerField(min_value=0, max_value=2**31 - 1)
    start = IntegerField(min_value=0, max_value=2**31 - 1, help_text="The position of its first character in the file.")
    end = IntegerField(min_value=1, max_value=2**31 - 1, help_text="The position after its last character.")

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        """Require a chunk that is not empty."""
        if values["end"] <= values["start"]:
            faults.add(f"{pointer}/end", "This must be greater than start.")


class FilePartInput(_CapturedInput):
    version_id = IdField(help_text="A UUID that you choose, the same in all parts of a version.")
    file_path = TextField(rules.REFERENCE, help_text="The path from the watched root, with slashes.")
    file_hash = digest_field(help_text="SHA-256 of the file's bytes, in hexadecimal.")
    total_chunks = IntegerField(min_value=0, max_value=10_000_000)
    first_index = IntegerField(min_value=0, max_value=10_000_000, default=0)
    chunks = ListField(child=FileChunkInput(), allow_empty=True, max_length=MAX_FILE_CHUNKS)
    is_last = BooleanField(
        help_text="True makes the version current and supersedes chunks that only the previous version has."
    )
    renamed_from = TextField(
        rules.REFERENCE, required=False, allow_null=True, help_text="The previous path of the file."
    )


class StoredPartOutput(serializers.Serializer[Any]):
    version_id = serializers.UUIDField()
    status = serializers.ChoiceField(
        ["stored", "current", "unchanged"],
        help_text="`stored`: nothing is visible before the last part. `unchanged`: the current version has this hash.",
    )
    total_chunks = serializers.IntegerField()
    added = serializers.IntegerField()
    kept = serializers.IntegerField()
    superseded = serializers.IntegerField()
    redacted = CountsField()
    quarantined_chunk_ids = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="New chunks that readers do not get: they repeat text that was retracted, or that was corrected in"
        " the previous version.",
    )


class FileInput(StrictSerializer):
    session_id = id_field()
    file_path = TextField(rules.REFERENCE)


class RenameInput(FileInput):
    new_file_path = TextField(rules.REFERENCE)


class FileChunksOutput(serializers.Serializer[Any]):
    chunks = serializers.IntegerField(help_text="The number of chunks of the file.")


class FileOutput(serializers.Serializer[Any]):
    session_id = serializers.CharField()
    file_path = serializers.CharField()
    version_id = serializers.UUIDField()
    number = serializers.IntegerField(help_text="The number of the version, from 1.")
    change = serializers.CharField(
        help_text="content, renamed, deleted (the file was deleted), or removed (from memory)."
    )
    file_hash = serializers.CharField(allow_null=True)
    total_chunks = serializers.IntegerField()
    is_deleted = serializers.BooleanField()
    ts = serializers.DateTimeField()
