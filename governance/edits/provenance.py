"""The subject, origin and uses of a target, for reviewers.

Governance imports no other app: each registers here sources for its kinds of target, and where it uses them.
"""

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from django.db.models import Q, QuerySet

from governance.acting.principals import Principal
from governance.models import Edit


@dataclass(frozen=True, slots=True)
class Subject:
    """The person or thing that a target is about."""

    subject_type: str | None
    subject_id: str | None
    project_id: str | None


@dataclass(frozen=True, slots=True)
class About:
    """Search conditions on the subject of targets. An empty field matches everything."""

    scope: str = ""
    subject_type: str = ""
    subject: str = ""
    project: str = ""

    def columns(self) -> dict[str, str]:
        """The conditions, by column; all kinds of target have these columns."""
        named = {
            "scope": self.scope,
            "subject_type": self.subject_type,
            "subject_id": self.subject,
            "project_id": self.project,
        }
        return {column: value for column, value in named.items() if value}


@dataclass(frozen=True, slots=True)
class Moment:
    """One record on the timeline around a target; `text` is its effective text, None if no reader gets it."""

    at: datetime
    what: str
    text: str | None
    is_target: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a target: named facts, and the records around it in order of time."""

    facts: list[tuple[str, str]] = field(default_factory=list)
    around: list[Moment] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Use:
    """One place that contains or has delivered a target. `address` is its page, if any."""

    what: str
    name: str
    at: datetime
    address: str = ""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """How many other records say what an edit takes out of one; at least so many if `is_cut`. `ways` are the pages that
    change all of them, each with its label."""

    count: int
    is_cut: bool
    ways: list[tuple[str, str]]


class Source(Protocol):
    """An app's information about one kind of target, by its name in `Edit.target_type`."""

    name: str
    #: Whether ledger entries name its targets themselves, and not only edits of them.
    is_named_in_ledger: bool
    #: The scopes that its targets can have.
    scopes: tuple[str, ...]

    def subjects(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, Subject]:
        """The subject of each target. Called within the tenant."""

    def ids_about(self, principal: Principal, about: About) -> QuerySet[Any]:
        """The ids of the targets that match `about`."""

    def origin(self, target_id: uuid.UUID) -> Origin:
        """The origin of a target. Called within the tenant on `review`."""


#: `uses(target_type, target_id, principal)`: the places where an app uses a target, newest first.
Uses = Callable[[str, uuid.UUID, Principal], Iterable[Use]]

#: Uses of a target per app and page.
USES_AT_MOST = 20

#: `find(edit, words, principal)`: the other records that say `words`, which `edit` takes out of its target; None if
#: there are none.
FindElsewhere = Callable[[Edit, str, Principal], Elsewhere | None]

#: `holders(record_id, principal)`: the ids of an app's other records under which ledger entries refer to a record, such
#: as its containers.
Holders = Callable[[uuid.UUID, Principal], Iterable[uuid.UUID]]

_sources: dict[str, Source] = {}
_users: dict[str, Uses] = {}
_elsewhere: dict[str, FindElsewhere] = {}
_holders: dict[str, Holders] = {}


def register(source: Source) -> None:
    """Register `source` for its kind of target; called once by its app's `ready()`."""
    _sources[source.name] = source


def register_uses(app: str, uses: Uses) -> None:
    """Register the function that lists where `app` uses targets; called once by its `ready()`. `uses` returns at most
    USES_AT_MOST."""
    _users[app] = uses


def register_elsewhere(name: str, find: FindElsewhere) -> None:
    """Register the function that finds what else says the words of a target of this kind; called once by its app's
    `ready()`."""
    _elsewhere[name] = find


def scopes() -> list[tuple[str, str]]:
    """The scopes that a target of any registered kind can have, as choices."""
    return [(scope, scope) for scope in dict.fromkeys(one for source in _sources.values() for one in source.scopes)]


def register_holders(app: str, holders: Holders) -> None:
    """Register the function that finds the other records under which the ledger refers to a record; called once by its
    app's `ready()`. It is also called for the records that the apps registered before it have found."""
    _holders[app] = holders


def subjects(wanted: Iterable[tuple[str, uuid.UUID]], principal: Principal) -> dict[uuid.UUID, Subject]:
    """The subjects of targets, with one query per kind; unknown kinds are skipped."""
    by_kind: dict[str, list[uuid.UUID]] = {}
    for name, target_id in wanted:
        by_kind.setdefault(name, []).append(target_id)
    found: dict[uuid.UUID, Subject] = {}
    for name, ids in by_kind.items():
        if name in _sources:
            found |= _sources[name].subjects(ids, principal)
    return found


def targets_about(principal: Principal, about: About) -> Q:
    """A condition on edits: their target matches `about`."""
    return Q(target_id__in=ids_about(principal, about))


def ids_about(principal: Principal, about: About) -> QuerySet[Any]:
    """The ids of all targets of any kind that match `about`."""
    first, *others = (source.ids_about(principal, about) for source in _sources.values())
    # UUIDs are unique across kinds. A single list of ids lets the planner start with them.
    return first.union(*others, all=True) if others else first


def named_in_ledger(principal: Principal, *, subject: str) -> list[QuerySet[Any]]:
    """The ids, per kind, of the targets about this subject id that the ledger names directly."""
    return [
        source.ids_about(principal, About(subject=subject)) for source in _sources.values() if source.is_named_in_ledger
    ]


def origin_of(target_type: str, target_id: uuid.UUID) -> Origin:
    """The origin of a target; empty for a kind without a registered source. Called within the tenant on `review`."""
    source = _sources.get(target_type)
    return source.origin(target_id) if source else Origin()


def uses_of(target_type: str, target_id: uuid.UUID, principal: Principal) -> list[Use]:
    """The uses of a target, newest first. Called within the tenant."""
    found = [use for uses in _users.values() for use in uses(target_type, target_id, principal)]
    return sorted(found, key=lambda use: use.at, reverse=True)


def elsewhere(edit: Edit, words: str, principal: Principal) -> Elsewhere | None:
    """The other records that say `words`, which `edit` takes out of its target; None if there are none, or for a kind
    without a registered function. Called within the tenant."""
    find = _elsewhere.get(edit.target_type)
    return find(edit, words, principal) if find and words else None


def with_holders(record_id: uuid.UUID, principal: Principal) -> set[uuid.UUID]:
    """The id, and those of the other records under which the ledger refers to it. Called within the tenant."""
    found = {record_id}
    for holders in _holders.values():
        found.update(*[list(holders(one, principal)) for one in found])
    return found
