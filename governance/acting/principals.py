"""Principals: the actor in a tenant, always from a credential, never from a request's body."""

import re
import uuid
from dataclasses import dataclass, field
from typing import Protocol

from governance.models import Channel
from governance.refusals import Forbidden, Invalid, register_constraint

#: Roles that may propose and decide edits and record memory. An auditor reads everything and changes nothing.
WRITING_ROLES = frozenset({"reviewer", "admin"})
#: Roles that read the proposals of others.
READING_ROLES = frozenset({"reviewer", "auditor", "admin"})
#: The role of an agent that an admin has allowed to read quarantined memory.
QUARANTINE_READER = "quarantine_reader"
ASK_FOR_QUARANTINE = "Leave out include_quarantined, or ask an admin of the tenant to allow the agent to read it."

#: The order in which a default channel is chosen: the one with the smallest audience first.
CHOSEN_FIRST = (Channel.PRIVATE, Channel.AGENT, Channel.TEAM, Channel.PUBLIC)

OPEN_CHANNELS = (Channel.PRIVATE, Channel.TEAM)
RESTRICTED = ("none", "low")
CONFIDENTIAL = ("none", "low", "high")


class ChannelNotAllowed(Forbidden):
    """This key may not use that channel."""


class QuarantineNotAllowed(Forbidden):
    """This agent may not read quarantined memory."""


class ManagedByAdmins(Forbidden):
    """Only an admin of the tenant can manage its agents, keys, roles and settings."""


class MayNotSpeakFor(Forbidden):
    """This key may not speak for that principal. Ask an admin of the tenant for a key that may."""


class MalformedPrincipal(Invalid):
    """A principal or an object has the form type:id, such as patient:ada: a type of lower-case letters, digits and
    underscores (at most 50 characters), and an id of 1 to 200 printable characters without # and |, which does not
    begin or end with a space."""


register_constraint("may_not_speak_for", MayNotSpeakFor)
register_constraint("malformed_principal", MalformedPrincipal)
register_constraint("quarantine_not_allowed", QuarantineNotAllowed)


class Credential(Protocol):
    """Lets a principal act in a transaction of the database."""

    def open(self, tenant_id: uuid.UUID, using: str) -> bool:
        """Open the principal's context in the open transaction of the connection `using`; False if it is refused."""
        ...


#: The form of a principal and of an object; is_principal() in the database has the last word.
PRINCIPAL = re.compile(r"[a-z][a-z0-9_]{0,49}:(?!\s|\*$)[^#|\x00-\x1f\x7f]{1,200}(?<!\s)")
RELATION = re.compile(r"[a-z][a-z0-9_]{0,49}")


def is_principal(name: str) -> bool:
    """Whether `name` is `type:id`."""
    return PRINCIPAL.fullmatch(name) is not None and name.isprintable()


def is_relation(name: str) -> bool:
    """Whether `name` is the name of a relation or of a type; is_relation() in the database has the last word."""
    return RELATION.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Principal:
    """An agent, a human user with roles in the tenant, or the operator at the command line (`system`)."""

    tenant_id: uuid.UUID
    kind: str  # agent, human, system
    id: uuid.UUID
    name: str
    channels: tuple[str, ...] = tuple(Channel.values)
    roles: frozenset[str] = field(default_factory=frozenset)
    tenant_slug: str = ""
    #: Whether they logged in to the admin as a superuser, who manages accounts and tenants of the whole server, but
    #: needs a role to act in a tenant. A key is never a superuser's.
    is_superuser: bool = False

    #: The session that the caller named for this request (the header X-Session-Id). It is unverified: uses of memory
    #: are counted by it, but it grants no right.
    session_id: str | None = field(default=None, compare=False)

    #: The principal on whose behalf an agent asks (the header X-On-Behalf-Of), `type:id`; empty: nobody. Its key was
    #: allowed to speak for it. The rights of the key's owner stay the same.
    on_behalf_of: str = ""
    #: Whether each request with this key must name a principal.
    must_speak_for: bool = False

    #: Opens their context in a transaction.
    credential: Credential | None = field(default=None, repr=False, compare=False)

    #: For DRF's IsAuthenticated.
    is_authenticated = True

    @property
    def may_write(self) -> bool:
        return self.kind in {"agent", "system"} or bool(self.roles & WRITING_ROLES)

    @property
    def may_decide(self) -> bool:
        """Agents never approve."""
        return self.kind == "human" and bool(self.roles & WRITING_ROLES)

    @property
    def may_manage(self) -> bool:
        """Only admins and the operator manage agents, keys, roles and settings."""
        return self.kind == "system" or (self.kind == "human" and "admin" in self.roles)

    @property
    def reads_quarantined(self) -> bool:
        """Whether they may request quarantined memory; reader_including() in the database has the last word."""
        return self.kind != "agent" or QUARANTINE_READER in self.roles

    @property
    def reads_all_edits(self) -> bool:
        return self.kind == "system" or bool(self.roles & READING_ROLES)

    def require_manager(self) -> None:
        """Raises ManagedByAdmins for a principal who does not manage the tenant."""
        if not self.may_manage:
            raise ManagedByAdmins

    def require_channel(self, channel: str, pointer: str = "/channel") -> None:
        """Raises ChannelNotAllowed, naming the place, for a channel that the key does not allow."""
        if channel not in self.channels:
            raise ChannelNotAllowed(pointer=pointer)

    def require_quarantine_reader(self) -> None:
        """Raises QuarantineNotAllowed for an agent that no admin has allowed to read quarantined memory."""
        if not self.reads_quarantined:
            raise QuarantineNotAllowed(f"Agent {self.name} may not read quarantined memory. {ASK_FOR_QUARANTINE}")

    def default_channel(self) -> str:
        """The channel of records that name none: the first of CHOSEN_FIRST that the key allows. Raises
        ChannelNotAllowed for a key that allows none."""
        for channel in CHOSEN_FIRST:
            if channel in self.channels:
                return channel.value
        raise ChannelNotAllowed(pointer="/channel")

    def as_json(self) -> dict[str, str]:
        """The actor as the ledger names it."""
        named = {"kind": self.kind, "id": str(self.id), "name": self.name}
        return {**named, "on_behalf_of": self.on_behalf_of} if self.on_behalf_of else named


def sensitivities_for(listening: tuple[str, ...]) -> tuple[str, ...]:
    """The sensitivities that one of these channels may hear: private and team also hear `high`; none hears `secret`."""
    return CONFIDENTIAL if any(channel in OPEN_CHANNELS for channel in listening) else RESTRICTED
