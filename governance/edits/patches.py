"""What an edit changes, and which change each operation takes."""

import hashlib
import json
import secrets
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import rfc8785

from governance.models import Edit
from governance.redaction import redact
from governance.refusals import Invalid

#: What the words of a capsule's amend begin with: no text that is taken in holds this character.
_RECORD_SEPARATOR = "\x1e"
#: Of a capsule, and the characters of one.
MAX_RISKS, MAX_RISK = 100, 2_000


class PatchDoesNotFit(Invalid):
    """The patch does not fit the operation."""


@dataclass(frozen=True, slots=True)
class Patch:
    """What an edit changes; which fields an operation takes is `PATCH_FIELDS`."""

    text: str | None = None
    risks: Sequence[str] | None = None
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
        text = None if self.text is None else redact(self.text)[0]
        return replace(self, text=text, risks=_without_secrets(self.risks))

    def body(self, target_type: str) -> str | None:
        """What the one content row of the edit's words holds; None where it has none.

        The text; of a capsule a JSON object of `text`, `risks` or both, so that what is not in it stays as it is
        (docs/decisions/0007-amended-risks.md).
        """
        if target_type != Edit.TargetType.CAPSULE:
            return self.text
        words = {name: value for name in ("text", "risks") if (value := getattr(self, name)) is not None}
        if not words:
            return None
        return _RECORD_SEPARATOR + json.dumps(words, ensure_ascii=False, separators=(",", ":"))


def words_in(body: str | None, target_type: str) -> dict[str, Any]:
    """The `text` and the `risks` of a patch, as far as it has them, from the body of its content row."""
    if body is None:
        return {}
    if target_type == Edit.TargetType.CAPSULE and body.startswith(_RECORD_SEPARATOR):
        words: dict[str, Any] = json.loads(body[1:])
        return words
    # a capsule's amend from before it could name risks: it takes them away
    return {"text": body, "risks": []} if target_type == Edit.TargetType.CAPSULE else {"text": body}


def _without_secrets(risks: Sequence[str] | None) -> list[str] | None:
    return None if risks is None else [redact(risk)[0] for risk in risks]


#: For each operation the patch fields it takes; `+` needs at least one of them, `1` exactly one.
PATCH_FIELDS: dict[str, tuple[frozenset[str], str]] = {
    "retract": (frozenset(), ""),
    "quarantine": (frozenset(), ""),
    "amend": (frozenset({"text", "importance"}), "+"),
    "attenuate": (frozenset({"importance", "importance_delta"}), "1"),
    "block": (frozenset({"channel"}), "1"),
    "revert": (frozenset({"edit_id"}), "1"),
}


def check_patch(op: str, patch: Patch, pointer: str = "/patch", *, target_type: str = Edit.TargetType.CHUNK) -> None:
    """Raises PatchDoesNotFit, naming the field, unless the patch is one that the operation takes for such a target."""
    taken, need = PATCH_FIELDS[op]
    if op == Edit.Op.AMEND and target_type == Edit.TargetType.CAPSULE:
        taken |= {"risks"}  # a capsule alone has them
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
    """A salt for the content row of a patch's words."""
    return secrets.token_bytes(16)


def patch_hash(op: str, target_type: str, target_id: uuid.UUID, patch: Patch, salt: bytes) -> bytes:
    """SHA-256 over the RFC 8785 form of what is proposed: what a reviewer's verdict is tied to.

    Words are bound by the hash of their content row, over `salt` and body: this hash stays when the words are erased,
    and without the salt, which goes with them, it cannot be tried against guesses.
    """
    given = {name: str(value) for name, value in patch.given().items() if name not in ("text", "risks")}
    if (body := patch.body(target_type)) is not None:
        given["text_sha256"] = hashlib.sha256(salt + body.encode()).hexdigest()
    document: dict[str, Any] = {"op": op, "target_type": target_type, "target_id": str(target_id), "patch": given}
    return hashlib.sha256(rfc8785.dumps(document)).digest()
