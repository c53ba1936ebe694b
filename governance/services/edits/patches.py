"""What an edit changes, and which change each operation takes."""

import hashlib
import secrets
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import rfc8785

from governance.redaction import redact
from governance.refusals import Invalid


class PatchDoesNotFit(Invalid):
    """The patch does not fit the operation."""


@dataclass(frozen=True, slots=True)
class Patch:
    """What an edit changes; which fields an operation takes is `PATCH_FIELDS`."""

    text: str | None = None
    importance: Decimal | None = None
    importance_delta: Decimal | None = None
    channel: str | None = None
    edit_id: uuid.UUID | None = None

    def given(self) -> dict[str, Any]:
        """The fields that are set."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_texts(cls, given: Mapping[str, str]) -> "Patch":
        """The patch of the texts of its fields, as `given()` prints them."""
        readers: dict[str, Callable[[str], Any]] = {
            "importance": Decimal,
            "importance_delta": Decimal,
            "edit_id": uuid.UUID,
        }
        return cls(**{name: readers.get(name, str)(text) for name, text in given.items()})

    def without_secrets(self) -> "Patch":
        """The patch as it may be stored."""
        return self if self.text is None else replace(self, text=redact(self.text)[0])


#: For each operation the patch fields it takes; `+` needs at least one of them, `1` exactly one.
PATCH_FIELDS: dict[str, tuple[frozenset[str], str]] = {
    "retract": (frozenset(), ""),
    "quarantine": (frozenset(), ""),
    "amend": (frozenset({"text", "importance"}), "+"),
    "attenuate": (frozenset({"importance", "importance_delta"}), "1"),
    "block": (frozenset({"channel"}), "1"),
    "revert": (frozenset({"edit_id"}), "1"),
}


def check_patch(op: str, patch: Patch, pointer: str = "/patch") -> None:
    """Raises PatchDoesNotFit, naming the field, unless the patch is one that the operation takes."""
    taken, need = PATCH_FIELDS[op]
    given = patch.given()
    for name in given:
        if name not in taken:
            takes = " or ".join(sorted(taken)) or "no patch field"
            raise PatchDoesNotFit(f"{op} takes {takes}, not {name}.", pointer=f"{pointer}/{name}")
    wanted = " or ".join(sorted(taken))
    if need and not given:
        raise PatchDoesNotFit(f"{op} needs {wanted}.", pointer=pointer)
    if need == "1" and len(given) > 1:
        raise PatchDoesNotFit(f"{op} takes either {wanted}, not both.", pointer=pointer)
    if patch.text is not None and not patch.text.strip():
        raise PatchDoesNotFit("The new text must not be empty; retract removes a memory.", pointer=f"{pointer}/text")


def new_salt() -> bytes:
    """A salt for the content row of a patch's text."""
    return secrets.token_bytes(16)


def patch_hash(op: str, target_type: str, target_id: uuid.UUID, patch: Patch, salt: bytes) -> bytes:
    """SHA-256 over the RFC 8785 form of what is proposed: what a reviewer's verdict is tied to.

    A text is bound by the hash of its content row, over `salt` and text: this hash stays when the words are erased, and
    without the salt, which goes with them, it cannot be tried against guesses.
    """
    given = {name: str(value) for name, value in patch.given().items() if name != "text"}
    if patch.text is not None:
        given["text_sha256"] = hashlib.sha256(salt + patch.text.encode()).hexdigest()
    document: dict[str, Any] = {"op": op, "target_type": target_type, "target_id": str(target_id), "patch": given}
    return hashlib.sha256(rfc8785.dumps(document)).digest()
