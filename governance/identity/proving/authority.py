"""Comparing who may do what with the entries of the ledger."""

from collections import defaultdict
from collections.abc import Callable
from typing import Protocol

from governance.identity.proving.accounts import Accounts
from governance.identity.proving.actors import Actors
from governance.identity.proving.agents import Agents
from governance.identity.proving.invitations import Invitations
from governance.identity.proving.keys import Keys
from governance.identity.proving.policy import Policy
from governance.identity.proving.roles import Roles
from governance.identity.proving.settings import Settings
from governance.ledger.comparisons import Comparison, ProvenEntry


class Part(Protocol):
    """Rows of one kind, as the entries of some types leave them."""

    @property
    def TYPES(self) -> tuple[str, ...]:  # noqa: N802 (a constant of the classes)
        """The types of entries that it follows."""

    def take(self, proven: ProvenEntry) -> None:
        """Follow one entry of TYPES. Raises KeyError and its like for one that is not as its type declares."""

    def compare(self, comparison: Comparison) -> None:
        """Report each row that does not follow from the entries."""


PARTS: tuple[Callable[[], Part], ...] = (Settings, Agents, Keys, Accounts, Roles, Invitations, Policy, Actors)


def compare_authority(comparison: Comparison) -> None:
    """Replay the entries about authority, and report each right that does not follow from them."""
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
                # The server signs no such entry, so its signature is a finding. It proves nothing here.
                continue
    for part in parts:
        part.compare(comparison)
