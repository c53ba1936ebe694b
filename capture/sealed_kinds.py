"""The records of captures that are sealed (governance/ledger/sealed_kinds.py), and their leaves."""

from capture.models import Capture, CaptureRemoval, FileVersion
from governance.ledger import sealed_kinds
from memory.leaf_forms import RECORDER, REMOVER
from suture_verify.leaves import Gathered, LeafForm, columns

CAPTURE = LeafForm(
    "capture/1",
    *columns("session_id source hook_type tool_name response_type response_id:uuid file_path word_offset:integer"),
)
CAPTURE_REMOVAL = LeafForm("capture_removal/1", *columns("chunk_id:uuid"), *REMOVER)
# A file may have 50,000 placements: the leaf contains one digest of them.
FILE_VERSION = LeafForm(
    "file_version/1",
    *columns("session_id file_path number:integer change file_hash total_chunks:integer placed_by:uuid"),
    *RECORDER,
    *columns("ts:moment"),
    Gathered(
        "memory_fileplacement",
        "version_id",
        "chunk_index",
        columns("id:uuid chunk_id:uuid chunk_index:integer word_offset:integer text_start:integer text_end:integer"),
    ),
)


def register() -> None:
    """Register the record of captures to be sealed."""
    sealed_kinds.register(
        sealed_kinds.SealedKind("capture", Capture._meta.db_table, CAPTURE),
        sealed_kinds.SealedKind("capture_removal", CaptureRemoval._meta.db_table, CAPTURE_REMOVAL),
        sealed_kinds.SealedKind("file_version", FileVersion._meta.db_table, FILE_VERSION),
    )
