"""What a reviewer sees about a target: its subject, where it came from and where it is used.

Governance knows no other app: each registers here what it can say about its kinds of target, and where it uses them.
"""

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from django.db.models import Q, QuerySet

from governance.acting.principals import Principal


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a target is about."""

    subject_type: str | None
    subject_id: str | None
    project_id: str | None


@dataclass(frozen=True, slots=True)
class About:
    """What to look for: whom or what targets are about. An empty field asks for nothing."""

    scope: str = ""
    subject_type: str = ""
    subject: str = ""
    project: str = ""

    def columns(self) -> dict[str, str]:
        """The conditions, by the columns that all kinds of target have."""
        named = {
            "scope": self.scope,
            "subject_type": self.subject_type,
            "subject_id": self.subject,
            "project_id": self.project,
        }
        return {column: value for column, value in named.items() if value}


@dataclass(frozen=True, slots=True)
class Moment:
    """One record on the timeline around a target; `text` is its effective text, None if readers get none."""

    at: datetime
    what: str
    text: str | None
    is_target: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a target came from: named facts, and what was recorded around it, in order of time."""

    facts: list[tuple[str, str]] = field(default_factory=list)
    around: list[Moment] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Use:
    """One place that holds a target or has handed it out. `address` is its page, where it has one."""

    what: str
    name: str
    at: datetime
    address: str = ""


class Source(Protocol):
    """What an app says about one kind of target, by its name in `Edit.target_type`."""

    name: str
    #: Whether ledger entries name its targets themselves, and not only edits of them.
    is_named_in_ledger: bool
    #: The scopes that its targets can have.
    scopes: tuple[str, ...]

    def subjects(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, Subject]:
        """Whom each of the targets is about. Called within the tenant."""

    def ids_about(self, principal: Principal, about: About) -> QuerySet[Any]:
        """The ids of the targets that are about what `about` names."""

    def origin(self, target_id: uuid.UUID) -> Origin:
        """Where a target came from. Called within the tenant on `review`."""


#: `uses(target_type, target_id, principal)`: where one app uses a target, newest first.
Uses = Callable[[str, uuid.UUID, Principal], Iterable[Use]]

#: Uses of one target on one page, of each app.
USES_AT_MOST = 20

#: `holders(record_id, principal)`: the ids of the records of one app by which the ledger's entries mean a record too,
#: such as those of what holds it.
Holders = Callable[[uuid.UUID, Principal], Iterable[uuid.UUID]]

_sources: dict[str, Source] = {}
_users: dict[str, Uses] = {}
_holders: dict[str, Holders] = {}


def register(source: Source) -> None:
    """Register `source` for its kind of target; called once by its app's `ready()`."""
    _sources[source.name] = source


def register_uses(app: str, uses: Uses) -> None:
    """Register the function that lists where `app` uses targets; called once by its `ready()`. `uses` answers
    USES_AT_MOST at most."""
    _users[app] = uses


def scopes() -> list[tuple[str, str]]:
    """The scopes that a target of any registered kind can have, as choices."""
    return [(scope, scope) for scope in dict.fromkeys(one for source in _sources.values() for one in source.scopes)]


def register_holders(app: str, holders: Holders) -> None:
    """Register the function that finds by which other records the ledger means a record; called once by its app's
    `ready()`. It is asked about what the apps registered before it found, too."""
    _holders[app] = holders


def subjects(wanted: Iterable[tuple[str, uuid.UUID]], principal: Principal) -> dict[uuid.UUID, Subject]:
    """Whom targets are about, one query a kind; those of unknown kinds are left out."""
    by_kind: dict[str, list[uuid.UUID]] = {}
    for name, target_id in wanted:
        by_kind.setdefault(name, []).append(target_id)
    found: dict[uuid.UUID, Subject] = {}
    for name, ids in by_kind.items():
        if name in _sources:
            found |= _sources[name].subjects(ids, principal)
    return found


def targets_about(principal: Principal, about: About) -> Q:
    """A condition on edits: their target is about what `about` names."""
    return Q(target_id__in=ids_about(principal, about))


def ids_about(principal: Principal, about: About) -> QuerySet[Any]:
    """The ids of all targets that are about what `about` names, whatever their kind."""
    first, *others = (source.ids_about(principal, about) for source in _sources.values())
    # Ids are UUIDs: one of another kind is no other target's. One list of ids lets the planner begin with them.
    return first.union(*others, all=True) if others else first


def named_in_ledger(principal: Principal, *, subject: str) -> list[QuerySet[Any]]:
    """The ids of the targets about that subject id that the ledger itself names, those of each kind."""
    return [
        source.ids_about(principal, About(subject=subject)) for source in _sources.values() if source.is_named_in_ledger
    ]


def origin_of(target_type: str, target_id: uuid.UUID) -> Origin:
    """Where a target came from; empty for a kind without a registered source. Called within the tenant on `review`."""
    source = _sources.get(target_type)
    return source.origin(target_id) if source else Origin()


def uses_of(target_type: str, target_id: uuid.UUID, principal: Principal) -> list[Use]:
    """Where a target is in use, newest first. Called within the tenant."""
    found = [use for uses in _users.values() for use in uses(target_type, target_id, principal)]
    return sorted(found, key=lambda use: use.at, reverse=True)


def with_holders(record_id: uuid.UUID, principal: Principal) -> set[uuid.UUID]:
    """The id and the ids of the records by which the ledger means it too. Called within the tenant."""
    found = {record_id}
    for holders in _holders.values():
        found.update(*[list(holders(one, principal)) for one in found])
    return found
