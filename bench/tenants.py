"""The tenants of a generated database: the huge one that is measured, and others beside it."""

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg

from bench import database
from bench.product import AGENT

if TYPE_CHECKING:
    from governance.identity.principals import Principal

#: The huge one, a hundredth of it, and one as small that is made when everything else is there and statistics are made.
LARGE, SMALL, NEWEST = "bench-large", "bench-small", "bench-newest"
#: What they are called in tables.
KINDS = {"huge": LARGE, "small": SMALL, "newest": NEWEST}
#: What the names of the tenants beyond the third begin with.
OTHERS = "bench-other"
REVIEWER = "bench-reviewer"


@dataclass(frozen=True, slots=True)
class Tenant:
    """A provisioned tenant and who acts in it."""

    id: uuid.UUID
    agent_id: uuid.UUID
    reviewer_id: uuid.UUID

    @property
    def agent(self) -> "Principal":
        from governance.identity.credentials import OperatorCredential
        from governance.identity.principals import Principal

        credential = OperatorCredential("bench", "agent", self.agent_id)
        return Principal(tenant_id=self.id, kind="agent", id=self.agent_id, name=AGENT, credential=credential)

    def issue_key(self) -> str:
        """A new key of the agent, where the product uses the tenant's database."""
        from governance import gate
        from governance.identity import identities
        from governance.identity.credentials import system
        from governance.models import Agent

        with gate.tenant(self.id):
            agent = Agent.objects.get(tenant_id=self.id, id=self.agent_id)
            key: str = identities.issue_key(actor=system(self.id, "bench"), agent=agent)
            return key

    def enter(self, connection: psycopg.Connection, kind: str = "agent") -> None:
        """Let the agent of the bench, or a job, act for the rest of the open transaction of this connection."""
        name = connection.info.dbname
        bound = connection.execute("SELECT pg_backend_pid(), transaction_timestamp()").fetchall()[0]
        with psycopg.connect(database.url("DATABASE_OPERATOR_URL", name), autocommit=True) as minting:
            (token,) = minting.execute("SELECT mint_operator(%s, %s)", bound).fetchall()[0]
        connection.execute("SELECT enter_operator(%s, %s, %s, %s, 'bench')", [token, self.id, kind, self.agent_id])


def provision(slug: str, connection: psycopg.Connection) -> Tenant:
    """Create a tenant with the bench's agent and reviewer, by the product's own service."""
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
