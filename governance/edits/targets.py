"""The kinds of target of edits. Governance imports no other app: each registers its kinds here, in its `ready()`.

A kind `<name>` also has SQL functions, which the database finds by name (FUNCTIONS describes each). A system check
compares them with this registry.
"""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar, Self

from governance.acting.principals import Principal
from governance.edits import db
from governance.refusals import Invalid, NotFound, register_constraint
from governance.text import AMENDED_TEXT, TextRule

#: The SQL functions that every kind must have, without the suffix of its name.
FUNCTIONS = {
    "state_of_": "(tenant, id, lock): a hash of the reviewed state; with lock it locks the rows that a refold changes",
    "preview_of_": "(tenant, id, one more edit): the result of the fold with this edit",
    "refold_": "(tenant, id): updates its projection from its fold",
    "authorship_of_": "(tenant, id): its recorder, the records of its memory, and whether others depend on it",
    "retention_of_": "(tenant, id): whether an erasure may delete its text",
}
#: Its optional functions.
OPTIONAL_FUNCTIONS = {
    "check_edit_of_": "(tenant, edit): raises if its app refuses a proposed edit",
    "follow_edit_of_": "(tenant, edit): applies further consequences of an edit that took effect, after the refold",
    "own_audience_of_": "(tenant, id, one more edit): the numbers of its audience with this edit, without its sources'",
}


class UnknownTargetType(Invalid):
    """You cannot edit targets of this type."""


class NoSuchTarget(NotFound):
    """There is no such target in this tenant."""


register_constraint("no_such_target", NoSuchTarget)


@dataclass(frozen=True, slots=True)
class TargetState:
    """The state of a target: who may read it, and what a reviewer sees. A kind with more fields than a text has a
    subclass."""

    id: uuid.UUID
    sensitivity: str
    edits_applied: int
    summary: str = ""
    text: str | None = None
    importance: str | None = None
    is_retracted: bool = False
    is_quarantined: bool = False
    blocked_channels: tuple[str, ...] = ()
    is_superseded: bool = False  # replaced by another record of its memory
    #: The numbers of its audiences, of which a reader must hear each; empty for the default.
    audience: tuple[int, ...] = ()
    subject: str = ""  # type:id
    hidden: str = ""  # why the finder does not get its text, in any channel
    found_by: frozenset[str] = frozenset()  # the search words that find it

    @property
    def words(self) -> str | None:
        """All fields as one text; None if it was erased."""
        return self.text

    @property
    def fields(self) -> dict[str, Any]:
        """The content by patch field; always includes `text`."""
        return {"text": self.text}

    @property
    def is_in_no_answer(self) -> bool:
        """Whether no answer returns it."""
        return self.is_retracted or self.is_superseded

    def without_words(self) -> Self:
        """The state without text, for readers who may not read it."""
        return replace(self, text=None, found_by=frozenset())


@dataclass(frozen=True, slots=True)
class TextList:
    """An additional patch field for amends of one kind of target: a list of short, non-blank texts."""

    name: str
    item: str  # the name of one item
    items_at_most: int
    rule: TextRule  # of one item
    help_text: str

    def require(self, items: Sequence[str], pointer: str) -> None:
        """Raises Invalid, naming the place, for too many items or an invalid one."""
        if len(items) > self.items_at_most:
            raise Invalid(f"Ensure this field has no more than {self.items_at_most} elements.", pointer=pointer)
        for index, item in enumerate(items):
            self.rule.require(item, f"{pointer}/{index}")


class TargetKind:
    """One kind of target, by its name in `Edit.target_type`. An app subclasses this and registers an instance."""

    name: ClassVar[str]
    #: The label of the text in a form.
    text_label: ClassVar[str] = "New text"
    text_help: ClassVar[str] = ""
    #: What operations are called here, if they have other names than for memory.
    op_names: ClassVar[Mapping[str, str]] = {}
    #: The rule for the new text of an amend.
    amended: ClassVar[TextRule] = AMENDED_TEXT
    #: Whether its targets have an audience: then it has own_audience_of_<name>.
    has_audience: ClassVar[bool] = False
    #: The fields of an amend, in addition to `text` and `importance`.
    text_lists: ClassVar[tuple[TextList, ...]] = ()

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        """The current states of those that exist in `principal`'s tenant, without text. Called within the tenant."""
        raise NotImplementedError

    def may_read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> bool:
        """Whether `principal` may read the target, including its text, in `channel`."""
        raise NotImplementedError

    def may_hear(self, sensitivity: str, principal: Principal, channel: str | None) -> bool:
        """Whether `principal` may read memory of that sensitivity in `channel`."""
        raise NotImplementedError

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        """The target with its effective text, for the reviewer's page. Called within the tenant on `review`."""
        raise NotImplementedError

    def state(self, fields: Mapping[str, Any], **facts: Any) -> TargetState:
        """The state of a target with the content `fields`; `facts` are the other attributes."""
        return TargetState(text=fields.get("text"), **facts)

    def body_of(self, fields: Mapping[str, Any]) -> str | None:
        """The body of the content row of an amend to `fields`; None if it changes no text."""
        return fields.get("text")

    def fields_in(self, body: str) -> dict[str, Any]:
        """The content fields of an amend, from the body of its content row."""
        return {"text": body}

    def made_by(self, recorder: str, since: datetime, principal: Principal, limit: int) -> list[uuid.UUID]:
        """The ids, at most `limit`, of targets that `recorder`, an agent or person, has recorded since a time and that
        are not retracted or quarantined. Empty for a kind that is derived from events, since it follows their chunks.
        """
        return []

    def received_by(self, target_id: uuid.UUID) -> list[str]:
        """Who has received the target, each once. Called within the tenant."""
        return []

    def state_of(self, target_id: uuid.UUID, principal: Principal, *, lock: bool) -> str:
        """The result of the SQL function `state_of_<name>`; see the function below."""
        raise NotImplementedError

    def cut(self, texts: Sequence[Any], principal: Principal) -> list[Any] | None:
        """The texts of an edit, or nested lists of texts, without what its app keeps out of all records; None if it
        keeps nothing out of them. Called before anything is locked."""
        return None


_kinds: dict[str, TargetKind] = {}


def register(kind: TargetKind) -> None:
    """Make `kind` a target of edits; called once by its app's `ready()`."""
    _kinds[kind.name] = kind


def names() -> list[str]:
    """The names of all kinds, in order of their registration."""
    return list(_kinds)


def text_lists() -> list[TextList]:
    """The fields of amends of all kinds, in addition to `text` and `importance`."""
    return [one for kind in _kinds.values() for one in kind.text_lists]


def op_name(op: str, name: str) -> str:
    """What people call an operation on targets of this kind, such as `retract`."""
    return _kinds[name].op_names.get(op, op) if name in _kinds else op


def is_known(name: str) -> bool:
    """Whether targets of this kind can be edited here."""
    return name in _kinds


def kind_of(name: str, pointer: str = "/target_type") -> TargetKind:
    """The registered kind. Raises UnknownTargetType, naming the place."""
    try:
        return _kinds[name]
    except KeyError:
        raise UnknownTargetType(
            f"You cannot edit a {name}. You can edit these types of target: {', '.join(sorted(_kinds))}.",
            pointer=pointer,
        ) from None


def find_many(
    wanted: Sequence[tuple[str, uuid.UUID]], principal: Principal
) -> dict[tuple[str, uuid.UUID], TargetState]:
    """The current states of the existing targets, with one query per kind. Raises UnknownTargetType."""
    by_kind: dict[str, list[uuid.UUID]] = {}
    for name, target_id in wanted:
        by_kind.setdefault(name, []).append(target_id)
    return {
        (name, target_id): state
        for name, ids in by_kind.items()
        for target_id, state in kind_of(name).find_many(ids, principal).items()
    }


def made_by(recorder: str, since: datetime, principal: Principal, *, limit: int) -> list[tuple[str, uuid.UUID]]:
    """The targets of every kind that `recorder` has recorded since a time, at most `limit`, as pairs of kind and id."""
    return [
        (name, target_id)
        for name, kind in _kinds.items()
        for target_id in kind.made_by(recorder, since, principal, limit)
    ][:limit]


def cut(edits: Sequence[tuple[str, Any]], principal: Principal) -> list[Any]:
    """The texts of edits, each with its kind of target, as their apps let them be recorded (TargetKind.cut)."""
    kept = [texts for _, texts in edits]
    for name in {name for name, _ in edits}:
        places = [place for place, (other, _) in enumerate(edits) if other == name]
        for place, texts in zip(
            places, kind_of(name).cut([kept[place] for place in places], principal) or (), strict=False
        ):
            kept[place] = texts
    return kept


def find(target_type: str, target_id: uuid.UUID, principal: Principal) -> TargetState:
    """The current state of a target. Raises UnknownTargetType, NoSuchTarget."""
    state = find_many([(target_type, target_id)], principal).get((target_type, target_id))
    if state is None:
        raise NoSuchTarget(f"There is no {target_type} {target_id}.", pointer="/target_id")
    return state


def preview(
    target_type: str, target_id: uuid.UUID, edit: Mapping[str, Any], principal: Principal, using: str = "default"
) -> tuple[TargetState, TargetState] | None:
    """The target now, and with `edit` applied last; None if there is no such target. `edit` has fields of the SQL type
    applied_edit. The caller must check whether `principal` may read the text.

    Raises UnknownTargetType. Called within the tenant.
    """
    kind = kind_of(target_type)
    found = db.preview_edit.on(using)(
        tenant=principal.tenant_id, target_type=target_type, target=target_id, edit=json.dumps(edit, default=str)
    )
    if not found:
        return None
    before, after = (
        kind.state(
            json.loads(row.words),
            id=target_id,
            sensitivity=row.sensitivity,
            edits_applied=row.edits_applied,
            importance=str(row.importance),
            is_retracted=row.is_retracted,
            is_quarantined=row.is_quarantined,
            blocked_channels=tuple(row.blocked_channels),
            is_superseded=row.is_superseded,
            audience=tuple(row.audience or ()),
            found_by=frozenset(row.found_by),
        )
        for row in found
    )
    return before, after


def state_of(target_type: str, target_id: uuid.UUID, principal: Principal, *, lock: bool = False) -> str:
    """The hash of the target's state, which a verdict may include to name the reviewed state. With `lock` the state
    cannot change before the end of the transaction."""
    return kind_of(target_type).state_of(target_id, principal, lock=lock)
