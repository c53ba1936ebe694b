"""The content of a checkpoint, and its file format.

The file is one compressed JSON object: a first line that identifies the checkpoint, and one line for each field of the
state. No line contains a line break, so a state can be returned without parsing it.
"""

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
import zstandard

from governance import text
from governance.faults import Faults
from governance.refusals import json_pointer
from memory.checkpoints.json_members import MAX_BYTES, MIB, Member
from memory.checkpoints.refusals import CheckpointDamaged, CheckpointTooLarge, IncompatibleFormat

#: The version that this server writes. It reads every version with the same first number.
VERSION = "1.0"
MAX_DEPTH_OF_AGENTS = 64
#: Level 1: on text it takes a quarter of zlib's time, for files of the same size.
_LEVEL = 1
#: Maximum size of the first line, beyond the state.
_HEAD = MIB

#: Each field of a state and its default, as JSON.
DEFAULTS: Mapping[str, bytes] = {
    "repl_state": b"{}",
    "working_memory": b"{}",
    "pending_operations": b"[]",
    "trajectory_events": b"[]",
    "cost_so_far": b"0",
    "messages": b"[]",
    "metadata": b"{}",
}
#: The fields that identify a state. A body with only these has no state.
ABOUT = frozenset({"depth", "format_version"})
FIELDS = frozenset(DEFAULTS) | ABOUT


@dataclass(frozen=True, slots=True)
class State:
    """The state of a running agent: the JSON of each of its fields, in the order of DEFAULTS."""

    depth: int
    format_version: str
    fields: Mapping[str, bytes]
    #: Whether any field was given besides those that identify the state.
    is_given: bool = True

    @property
    def size(self) -> int:
        """The size of the JSON in bytes."""
        return sum(map(len, self.fields.values()))

    def digest(self) -> bytes:
        """SHA-256 of the state: equal for equal reports of a turn."""
        found = hashlib.sha256(f"{self.depth}\n{self.format_version}\n".encode())
        for name, value in self.fields.items():
            found.update(name.encode() + b"\n" + value + b"\n")
        return found.digest()


@dataclass(frozen=True, slots=True)
class Encoded:
    """A stored file."""

    content: bytes
    size: int
    sha256: bytes


def read_state(members: Mapping[str, Member], pointer: str | None = None) -> State:
    """Return the state in the members of a validated object, with defaults for absent fields. `pointer` is its place in
    a list. Raises IncompatibleFormat and CheckpointTooLarge."""
    version = members["format_version"].value if "format_version" in members else VERSION
    require_compatible(version, pointer)
    major, minor = map(int, version.split("."))
    fields = {name: members[name].json if name in members else default for name, default in DEFAULTS.items()}
    state = State(
        members["depth"].value if "depth" in members else 0,
        f"{major}.{minor}",
        fields,
        is_given=not fields.keys().isdisjoint(members),
    )
    if state.size > MAX_BYTES:
        raise CheckpointTooLarge(pointer=pointer)
    return state


def require_compatible(version: str, pointer: str | None = None) -> None:
    """Raise IncompatibleFormat, with both versions, if this server does not read `version`."""
    if version.partition(".")[0].lstrip("0") != VERSION.partition(".")[0]:
        raise IncompatibleFormat(
            f"The state has the format version {version}, but this server reads {VERSION.partition('.')[0]}.x"
            f" ({VERSION}). Use a server that reads {version}, or convert the state.",
            pointer=pointer,
        )


def operation_id(place: int, operation: Mapping[str, Any]) -> str:
    """The id of a pending operation: its `id`, or its index in the list."""
    return str(operation.get("id", place))


def check_operations(operations: list[dict[str, Any]], place_of_state: str, faults: Faults) -> None:
    """Add an error for each operation whose id is malformed or duplicate."""
    known: dict[str, int] = {}
    for place, operation in enumerate(operations):
        pointer = place_of_state + json_pointer(["pending_operations", place])
        given = operation.get("id", "0")
        if not isinstance(given, str | int) or isinstance(given, bool):
            faults.add(f"{pointer}/id", "Must be a string or an integer.")
        elif fault := text.IDENTIFIER.fault_in(str(given)):
            faults.add(f"{pointer}/id", fault)
        elif (name := operation_id(place, operation)) in known:
            faults.add(pointer, f"Operation {known[name]} of the list has the same id, {name!r}.")
        else:
            known[name] = place


def encode(state: State, *, id: uuid.UUID, tenant_id: uuid.UUID, session_id: str, turn: int) -> Encoded:
    """The file of a state. Raises CheckpointTooLarge."""
    head = {
        "format_version": state.format_version,
        "id": str(id),
        "tenant_id": str(tenant_id),
        "session_id": session_id,
        "turn": turn,
        "depth": state.depth,
    }
    lines = [orjson.dumps(head)[:-1]]
    lines += [b'"' + name.encode() + b'":' + value for name, value in state.fields.items()]
    written = b",\n".join(lines) + b"}"
    if len(written) > MAX_BYTES + _HEAD:
        raise CheckpointTooLarge
    content = zstandard.ZstdCompressor(level=_LEVEL, write_content_size=True).compress(written)
    return Encoded(content, len(written), hashlib.sha256(content).digest())


def decode(content: bytes, *, id: uuid.UUID, tenant_id: uuid.UUID, size: int, version: str) -> State:
    """Return the state in a file that was stored for this checkpoint. Raises CheckpointDamaged for any other file, and
    IncompatibleFormat."""
    require_compatible(version)
    try:
        # never more than the recorded size, whatever the file claims
        if zstandard.frame_content_size(content) != size or size > MAX_BYTES + _HEAD:
            raise CheckpointDamaged
        written = zstandard.ZstdDecompressor().decompress(content, max_output_size=size, allow_extra_data=False)
        first, *lines = written.removesuffix(b"}").split(b",\n")
        head = orjson.loads(first + b"}")
        fields = {name: _field(name, line) for name, line in zip(DEFAULTS, lines, strict=True)}
    except (zstandard.ZstdError, orjson.JSONDecodeError, ValueError):
        raise CheckpointDamaged from None
    is_ours = head.get("id") == str(id) and head.get("tenant_id") == str(tenant_id)
    if not is_ours or len(written) != size:
        raise CheckpointDamaged
    return State(head["depth"], head["format_version"], fields)


def _field(name: str, line: bytes) -> bytes:
    """The JSON of a field in its line. Raises ValueError for the line of another field."""
    start = b'"%s":' % name.encode()
    if not line.startswith(start):
        raise ValueError("another field")
    return line[len(start) :]
