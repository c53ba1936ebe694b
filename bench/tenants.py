"""The two tenants of a generated database: the large one that is measured, and a small one beside it."""

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg

from bench import database
from bench.product import AGENT

if TYPE_CHECKING:
    from governance.identity.principals import Principal

LARGE, SMALL = "bench-large", "bench-small"
REVIEWER = "bench-reviewer"


@dataclass(frozen=True, slots=True)
class Tenant:
    """A provisioned tenant and who acts in it."""

    id: uuid.UUID
    agent_id: uuid.UUID
    reviewer_id: uuid.UUID

    @property
    def agent(self) -> "Principal":
        from governance.identity.principals import Principal

        return Principal(tenant_id=self.id, kind="agent", id=self.agent_id, name=AGENT)


def provision(slug: str, connection: psycopg.Connection) -> Tenant:
    """Make a tenant with the bench's agent and reviewer, by the product's own service."""
    from governance.identity import identities

    identities.provision(slug, agents=[(AGENT, [])], people=[(REVIEWER, "reviewer")])
    return _find(slug, connection)


def tenant_of(name: str, slug: str) -> Tenant:
    """A generated tenant of the database `name`."""
    with database.owner(name) as connection:
        return _find(slug, connection)


def _find(slug: str, connection: psycopg.Connection) -> Tenant:
    found = connection.execute(
        "SELECT t.id, a.id, u.id FROM governance_tenant t JOIN governance_agent a ON a.tenant_id = t.id,"
        " governance_user u WHERE t.slug = %s AND a.slug = %s AND u.username = %s",
        [slug, AGENT, REVIEWER],
    ).fetchall()
    return Tenant(*found[0])
