"""Compare identities and rights with the entries of the ledger."""

from collections import defaultdict
from collections.abc import Callable
from typing import Protocol

from governance.identity.proving.accounts import Accounts
from governance.identity.proving.actors import Actors
from governance.identity.proving.agents import Agents
from governance.identity.proving.audiences import Implied, Rules, Usersets
from governance.identity.proving.invitations import Invitations
from governance.identity.proving.keys import Keys
from governance.identity.proving.policy import Policy
from governance.identity.proving.roles import Roles
from governance.identity.proving.settings import Settings
from governance.ledger.comparisons import Comparison, ProvenEntry


class Part(Protocol):
    """The rows of one kind, as entries of some types leave them."""

    @property
    def TYPES(self) -> tuple[str, ...]:  # noqa: N802 (a constant of the classes)
        """The types of entries that it applies."""

    def take(self, proven: ProvenEntry) -> None:
        """Apply one entry of TYPES. Raises KeyError and similar errors for an entry that does not match its type."""

    def compare(self, comparison: Comparison) -> None:
        """Report each row that the entries do not prove."""


PARTS: tuple[Callable[[], Part], ...] = (
    *(Settings, Agents, Keys, Accounts, Roles, Invitations, Policy, Actors),
    *(Implied, Rules, Usersets),
)


def compare_authority(comparison: Comparison) -> None:
    """Replay the entries about identities and rights, and report each row that they do not prove."""
    parts = [part() for part in PARTS]
    following: dict[str, list[Part]] = defaultdict(list)
    for part in parts:
        for type in part.TYPES:
            following[type].append(part)
    for proven in comparison.entries(tuple(following)):
        for part in following[proven.entry.type]:
            try:
                part.take(proven)
            except (KeyError, TypeError, ValueError, AttributeError):
                # The server signs no such entry, so its signature is already a finding. Ignore it here.
                continue
    for part in parts:
        part.compare(comparison)
