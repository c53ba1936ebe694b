"""Says who can read a chunk and why, and what a principal can read about a subject and why not. For people."""

import uuid
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from governance.acting.principals import MalformedPrincipal, Principal, is_principal
from governance.refusals import Fault, Forbidden, NotFound, register_constraint
from memory.audiences import db

#: At most so many principals of each userset.
AT_MOST = 100


class ShownToPeople(Forbidden):
    """Only people with a role in the tenant can see who reads what."""


class NoSuchChunk(NotFound):
    """This chunk does not exist."""


register_constraint("shown_to_people", ShownToPeople)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a principal hears an audience: it has the `userset`, by a `relation` that may end."""

    principal: str
    userset: str
    relation: str | None
    valid_until: datetime | None


@dataclass(frozen=True, slots=True)
class Readers:
    """The audiences of a chunk, each with its usersets and with the principals that hear it; a reader must hear each.
    Without one, everyone who may read the channel reads it."""

    audiences: list[tuple[list[str], list[Reason]]]

    @property
    def names(self) -> list[str]:
        """The principals that hear every audience, of those that are listed."""
        heard = [{reason.principal for reason in reasons} for _, reasons in self.audiences]
        return sorted(set.intersection(*heard)) if heard else []


def readers_of(chunk_id: uuid.UUID, *, tenant_id: uuid.UUID) -> Readers:
    """Who can read a chunk now, and why. Raises ShownToPeople, NoSuchChunk."""
    rows = db.readers_of_chunk(tenant=tenant_id, chunk=chunk_id, limit=AT_MOST)
    if not rows:
        raise NoSuchChunk
    usersets: defaultdict[int, list[str]] = defaultdict(list)
    reasons: defaultdict[int, list[Reason]] = defaultdict(list)
    for row in rows:
        if row.place is None or row.userset is None:
            continue
        if row.userset not in usersets[row.place]:
            usersets[row.place].append(row.userset)
        if row.principal is not None:
            reasons[row.place].append(Reason(row.principal, row.userset, row.relation, row.valid_until))
    return Readers([(usersets[place], reasons[place]) for place in sorted(usersets)])


def readable_about(
    named: str,
    subject_type: str,
    subject_id: str,
    *,
    principal: Principal,
    before: tuple[datetime, uuid.UUID] | None,
    limit: int,
) -> list[db.ReadableRow]:
    """The newest chunks about a subject before `before`: what an agent with a key of every channel reads on behalf of
    the principal `named`, and why it does not read the others. Raises ShownToPeople, MalformedPrincipal."""
    if not is_principal(named):
        fault = Fault(parameter="principal", detail=MalformedPrincipal().detail, code=MalformedPrincipal.code)
        raise MalformedPrincipal(errors=[fault])
    return db.readable_about(
        tenant=principal.tenant_id,
        principal=named,
        subject_type=subject_type,
        subject_id=subject_id,
        before_ts=before and before[0],
        before_id=before and before[1],
        limit=limit,
    )
