"""The sources of captured chunks, versions of files, and deleted captures.

The tables keep the names from when these models belonged to memory.
"""

from django.db import models
from django.db.models import Q

from governance.models import AppendOnlyModel, SealedModel


class Capture(SealedModel):
    """The source of a captured chunk, with the chunk's id. Written by the gate functions `record_captures` and
    `record_file_part`."""

    class Source(models.TextChoices):
        HOOK = "HookDescription"
        RESPONSE = "ClaudeResponse"
        FILE = "MDFileChunk"

    class HookType(models.TextChoices):
        SESSION_START = "SessionStart"
        USER_PROMPT_SUBMIT = "UserPromptSubmit"
        PRE_TOOL_USE = "PreToolUse"
        POST_TOOL_USE = "PostToolUse"
        STOP = "Stop"
        SUBAGENT_STOP = "SubagentStop"
        SESSION_END = "SessionEnd"

    class ResponseType(models.TextChoices):
        STOP = "stop"
        SUBAGENT_STOP = "subagent_stop"
        SESSION_END = "session_end"

    session_id = models.TextField()
    source = models.TextField(choices=Source.choices)
    hook_type = models.TextField(null=True, choices=HookType.choices)
    tool_name = models.TextField(null=True)
    response_type = models.TextField(null=True, choices=ResponseType.choices)
    response_id = models.UUIDField(null=True)  # shared by the chunks of one response
    file_path = models.TextField(null=True)  # the first path of a file's chunk; later versions may move it
    word_offset = models.IntegerField()  # the number of its first word, counted from 0, in the original text

    class Meta(SealedModel.Meta):
        db_table = "memory_capture"
        indexes = [
            # find_by_session and find_by_source, newest first: ids are in order of time
            models.Index(fields=["tenant", "session_id", "-id"], name="capture_session"),
            models.Index(fields=["tenant", "source", "-id"], name="capture_source"),
            models.Index(
                fields=["tenant", "response_id"], name="capture_response", condition=Q(response_id__isnull=False)
            ),
            models.Index(fields=["tenant", "file_path", "-id"], name="capture_file", condition=Q(source="MDFileChunk")),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(source="HookDescription", hook_type__isnull=False, response_type__isnull=True)
                | Q(source="ClaudeResponse", response_type__isnull=False, response_id__isnull=False)
                | Q(source="MDFileChunk", file_path__isnull=False, response_type__isnull=True),
                name="capture_source_known",
            ),
            models.CheckConstraint(
                condition=Q(hook_type__isnull=True)
                | Q(
                    source="HookDescription",
                    hook_type__in=[
                        "SessionStart",
                        "UserPromptSubmit",
                        "PreToolUse",
                        "PostToolUse",
                        "Stop",
                        "SubagentStop",
                        "SessionEnd",
                    ],
                ),
                name="capture_hook_type_known",
            ),
            models.CheckConstraint(
                condition=Q(response_type__isnull=True)
                | Q(source="ClaudeResponse", response_type__in=["stop", "subagent_stop", "session_end"]),
                name="capture_response_type_known",
            ),
            models.CheckConstraint(condition=Q(word_offset__gte=0), name="capture_word_offset_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.source} in {self.session_id}"


class CaptureRemoval(SealedModel):
    """The deletion of a captured chunk: it is superseded, and its record stays."""

    chunk_id = models.UUIDField()
    remover_kind = models.TextField()
    removed_by = models.UUIDField()
    remover = models.TextField()
    removed_at = models.DateTimeField()

    class Meta(SealedModel.Meta):
        db_table = "memory_captureremoval"
        constraints = [models.UniqueConstraint(fields=["tenant", "chunk_id"], name="capture_removed_once")]

    def __str__(self) -> str:
        return f"removal of {self.chunk_id}"


class FileVersion(SealedModel):
    """A state of a captured file. The version with the highest number for its recorder, session and path is current;
    `placed_by` is the version whose placements apply (its own, or those of the version that was renamed or deleted),
    NULL if no chunks are left."""

    class Change(models.TextChoices):
        CONTENT = "content"  # it has placements of its own
        RENAMED = "renamed"  # the same chunks, moved here from another path
        MOVED = "moved"  # the chunks moved to another path
        DELETED = "deleted"  # the file was deleted; its chunks are kept and marked
        REMOVED = "removed"  # its chunks were deleted

    session_id = models.TextField()
    file_path = models.TextField()
    number = models.IntegerField()  # from 1
    change = models.TextField(choices=Change.choices)
    file_hash = models.TextField(null=True)  # SHA-256 of the file's bytes, in hexadecimal
    total_chunks = models.IntegerField()
    placed_by = models.UUIDField(null=True)
    recorder_kind = models.TextField()
    recorded_by = models.UUIDField()
    recorder = models.TextField()
    ts = models.DateTimeField()

    class Meta(SealedModel.Meta):
        db_table = "memory_fileversion"
        indexes = [
            # the versions to which a placement applies
            models.Index(fields=["tenant", "placed_by"], name="file_version_placed_by"),
            # DELETE /captures by path, in any session
            models.Index(fields=["tenant", "file_path"], name="file_version_path"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "recorded_by", "session_id", "file_path", "number"], name="file_version_number"
            ),
            models.CheckConstraint(
                condition=Q(change__in=["content", "renamed", "deleted"], placed_by__isnull=False)
                | Q(change__in=["moved", "removed"], placed_by__isnull=True, total_chunks=0),
                name="file_version_change_known",
            ),
            models.CheckConstraint(condition=Q(number__gte=1, total_chunks__gte=0), name="file_version_counts"),
        ]

    def __str__(self) -> str:
        return f"version {self.number} of {self.file_path}"


class FilePlacement(AppendOnlyModel):
    """The position of a chunk in a version of a file: the characters [text_start, text_end) of the file's text.
    Neighbours overlap if one ends after the next begins."""

    version_id = models.UUIDField()
    chunk_id = models.UUIDField()
    chunk_index = models.IntegerField()
    word_offset = models.IntegerField()
    text_start = models.IntegerField()
    text_end = models.IntegerField()

    class Meta(AppendOnlyModel.Meta):
        db_table = "memory_fileplacement"
        indexes = [models.Index(fields=["tenant", "chunk_id"], name="file_placement_chunk")]
        constraints = [
            models.UniqueConstraint(fields=["tenant", "version_id", "chunk_index"], name="file_placement_index"),
            models.CheckConstraint(
                condition=Q(
                    chunk_index__gte=0, word_offset__gte=0, text_start__gte=0, text_end__gt=models.F("text_start")
                ),
                name="file_placement_span_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"chunk {self.chunk_index} of version {self.version_id}"
