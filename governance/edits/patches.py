"""Patches: the change that an edit makes, and the fields that each operation accepts."""

import hashlib
import json
import secrets
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import rfc8785

from governance.acting.principals import is_principal
from governance.edits import targets
from governance.edits.operations import OPERATIONS
from governance.refusals import Conflict, Invalid, register_constraint
from governance.relations.audience_json import needs_subject
from governance.relations.refusals import AudienceNeedsSubject
from suture_client.text.masking import mask


class PatchDoesNotFit(Invalid):
    """The patch does not fit the operation."""


class AudienceUnchanged(Conflict):
    """The memory already has this audience. Nothing was changed."""


register_constraint("audience_unchanged", AudienceUnchanged)
_NO_SUBJECT = (
    "The audience refers to the subject of the memory, which has none. Name principals, roles and relations to other"
    " objects instead."
)


@dataclass(frozen=True, slots=True)
class Patch:
    """The change that an edit makes; `OPERATIONS` lists the fields of each operation. `lists` are the other fields of a
    kind of target, by name (`TargetKind.text_lists`). `audience` are usersets, sorted, as AudienceField reads
    them; empty for the default."""

    text: str | None = None
    importance: Decimal | None = None
    importance_delta: Decimal | None = None
    channel: str | None = None
    audience: tuple[str, ...] | None = None
    edit_id: uuid.UUID | None = None
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Patch":
        """The patch of these fields, including lists, by name."""
        own = {name: value for name, value in given.items() if name in cls.__slots__}
        return cls(**own, lists={name: value for name, value in given.items() if name not in own})

    def given(self) -> dict[str, Any]:
        """The fields that are set."""
        values = {name: getattr(self, name) for name in self.__slots__ if name != "lists"}
        return {name: value for name, value in {**values, **self.lists}.items() if value is not None}

    def texts(self) -> dict[str, str]:
        """The fields that are set, as texts: what `from_texts` reads."""
        return {name: json.dumps(value) if name == "audience" else str(value) for name, value in self.given().items()}

    @classmethod
    def from_texts(cls, given: Mapping[str, str]) -> "Patch":
        """The patch of the texts of its fields; it has no lists."""
        readers: dict[str, Callable[[str], Any]] = {
            "importance": Decimal,
            "importance_delta": Decimal,
            "edit_id": uuid.UUID,
            "audience": lambda text: tuple(json.loads(text)),
        }
        return cls(**{name: readers.get(name, str)(text) for name, text in given.items()})

    def without_secrets(self) -> "Patch":
        """The patch as it may be stored."""
        text = None if self.text is None else mask(self.text)[0]
        lists = {name: [mask(one)[0] for one in items] for name, items in self.lists.items()}
        return replace(self, text=text, lists=lists)

    def about(self, subject: str, pointer: str = "/patch") -> "Patch":
        """The patch for a target about `subject`, `type:id` or empty, with it in an audience that is relative to it.

        Raises AudienceNeedsSubject.
        """
        if self.audience is None or not needs_subject(self.audience):
            return self
        if not is_principal(subject):
            raise AudienceNeedsSubject(_NO_SUBJECT, pointer=f"{pointer}/audience")
        whole = (subject if one == "#" else f"{subject}{one}" if one.startswith("#") else one for one in self.audience)
        return replace(self, audience=tuple(sorted(set(whole))))

    def body(self, target_type: str) -> str | None:
        """The body of the edit's content row; None if the edit has no text."""
        fields = {**({} if self.text is None else {"text": self.text}), **self.lists}
        return targets.kind_of(target_type).body_of(fields)


def words_in(body: str | None, target_type: str) -> dict[str, Any]:
    """The text and the lists of a patch, from the body of its content row."""
    if body is None:
        return {}
    return targets.kind_of(target_type).fields_in(body) if targets.is_known(target_type) else {"text": body}


def check_patch(op: str, patch: Patch, pointer: str = "/patch", *, target_type: str) -> None:
    """Check that the operation accepts the patch for such a target. Raises PatchDoesNotFit, or Invalid for its text,
    naming the field; UnknownTargetType."""
    taken, need = OPERATIONS[op].takes, OPERATIONS[op].needs
    if "text" in taken:
        taken |= {one.name for one in targets.kind_of(target_type).text_lists}
    if "audience" in taken and not targets.kind_of(target_type).has_audience:
        raise PatchDoesNotFit(f"A {target_type} has no audience of its own.", pointer=f"{pointer}/audience")
    given = patch.given()
    for name in given:
        if name not in taken:
            takes = " or ".join(sorted(taken)) or "no patch field"
            raise PatchDoesNotFit(f"The operation {op} accepts {takes}, not {name}.", pointer=f"{pointer}/{name}")
    wanted = " or ".join(sorted(taken))
    if need and not given:
        raise PatchDoesNotFit(f"The operation {op} needs {wanted}.", pointer=pointer)
    if need == "1" and len(given) > 1:
        raise PatchDoesNotFit(f"The operation {op} accepts either {wanted}, not both.", pointer=pointer)
    if patch.text is not None or patch.lists:
        _check_words(patch, pointer, targets.kind_of(target_type))


def _check_words(patch: Patch, pointer: str, kind: targets.TargetKind) -> None:
    if patch.text is not None:
        if not patch.text.strip():
            raise PatchDoesNotFit(
                "The new text must not be empty. To remove a memory, use the operation retract.",
                pointer=f"{pointer}/text",
            )
        kind.amended.require(patch.text, f"{pointer}/text")
    for one in kind.text_lists:
        one.require(patch.lists.get(one.name) or (), f"{pointer}/{one.name}")


def new_salt() -> bytes:
    """A salt for the content row of a patch's words."""
    return secrets.token_bytes(16)


def patch_hash(op: str, target_type: str, target_id: uuid.UUID, patch: Patch, salt: bytes) -> bytes:
    """SHA-256 over the RFC 8785 form of the proposal. A reviewer's verdict is bound to it.

    Text is included as the hash of its content row, over `salt` and body. This hash stays when the text is erased.
    Guesses cannot be tested against it, because the salt is deleted with the text.
    """
    words = {"text", *patch.lists}
    given: dict[str, Any] = {name: str(value) for name, value in patch.given().items() if name not in words}
    if patch.audience is not None:
        given["audience"] = list(patch.audience)
    if (body := patch.body(target_type)) is not None:
        given["text_sha256"] = hashlib.sha256(salt + body.encode()).hexdigest()
    document: dict[str, Any] = {"op": op, "target_type": target_type, "target_id": str(target_id), "patch": given}
    return hashlib.sha256(rfc8785.dumps(document)).digest()
