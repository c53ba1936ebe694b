"""A database of its own that grows from two tenants to a thousand, known to the planner's statistics and not."""

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.db import connections
from psycopg import sql

from bench.corpus import Corpus
from governance import edits
from governance.acting import credentials, gate
from governance.acting.credentials import OperatorCredential
from governance.acting.principals import Principal
from governance.identity import identities
from governance.models import Agent
from memory.drafts import EventDraft
from memory.models import EffectiveChunk
from memory.services import completing, recording
from memory_project import environment
from memory_project.stack import roles
from tests import databases

CHUNKS, NEW_CHUNKS, SMALL_CHUNKS = 4000, 2000, 50
IDLE_TENANTS, IDLE_CHUNKS = 1000, 3
WAYS = ["2 tenants", "2 tenants and a new one", "3 tenants", "3 tenants and 1,000 new ones", "1,003 tenants"]
#: Edits of an agent in one call. More than `agent_edits_per_hour` would wait for approval.
AT_ONCE = 20
LARGE, SMALL, NEWCOMER = "large", "small", "newcomer"
AGENT, REVIEWER = "bench-agent", "bench-reviewer"


@dataclass(frozen=True, slots=True)
class Tenant:
    """A tenant, and the agent that records and edits in it."""

    id: uuid.UUID
    agent_id: uuid.UUID

    @property
    def agent(self) -> Principal:
        """Who acts."""
        credential = OperatorCredential("a test", "agent", self.agent_id)
        return Principal(tenant_id=self.id, kind="agent", id=self.agent_id, name=AGENT, credential=credential)


class Tenants:
    """A database that grows tenant by tenant, as far as WAYS. `fill` gives each measured tenant more than chunks and
    edits."""

    def __init__(self, name: str, fill: Callable[[Tenant], None] | None = None) -> None:
        self.name = name
        self._fill = fill
        self.reached = -1
        self.tenants: dict[str, Tenant] = {}

    def grow(self, way: str) -> None:
        """Let the database become what `way` says. It cannot become smaller again."""
        assert self.reached <= WAYS.index(way)
        while self.reached < WAYS.index(way):
            self.reached += 1
            (self._two, self._new, self._analyzed, self._idle, self._analyzed)[self.reached]()

    def _two(self) -> None:
        self._add(SMALL, SMALL_CHUNKS)
        self._add(LARGE, CHUNKS)
        self._analyzed()

    def _new(self) -> None:
        self._add(NEWCOMER, NEW_CHUNKS)
        with owner(self.name) as connection:
            # index entries of rows before their vectors came would be counted as read; statistics stay as they are
            connection.execute("VACUUM (ANALYZE false) memory_effectivechunk")

    def _add(self, slug: str, chunks: int) -> None:
        identities.provision(slug, agents=[(AGENT, [])], people=[(REVIEWER, "reviewer")])
        tenant_id = gate.tenants()[slug]
        with gate.tenant(tenant_id):
            tenant = self.tenants[slug] = Tenant(tenant_id, Agent.objects.get(tenant_id=tenant_id, slug=AGENT).id)
        bodies = list(Corpus(slug, chunks).history())
        for first in range(0, chunks, 1000):
            drafts = EventDraft.from_bodies(bodies[first : first + 1000], [""] * len(bodies[first : first + 1000]))
            with gate.acting_as(tenant.agent):
                recording.record_events(drafts, actor=tenant.agent)
        with gate.tenant(tenant_id):
            heard = EffectiveChunk.objects.filter(tenant_id=tenant_id, sensitivity__in=["none", "low"])
            targets = list(heard.order_by("id").values_list("id", flat=True)[: chunks // 10])
        proposals = [
            edits.Proposal("chunk", target, "amend", "generated", edits.Patch(text=f"Corrected to number {number}."))
            for number, target in enumerate(targets)
        ]
        for first in range(0, len(proposals), AT_ONCE):
            with gate.acting_as(tenant.agent):
                edits.propose_edits(proposals[first : first + AT_ONCE], actor=tenant.agent)
            with owner(self.name) as connection:
                # plans made for empty tables would last, and read for every edit all that the tables hold by then
                connection.execute("ANALYZE governance_edit, governance_editstate, memory_removedvalue")
        completing.complete_contexts()
        if self._fill is not None and slug != SMALL:
            self._fill(tenant)

    def _analyzed(self) -> None:
        """Statistics are up to date, and what requests that were rolled back have left is removed."""
        with owner(self.name) as connection:
            connection.execute("VACUUM (ANALYZE)")

    def _idle(self) -> None:
        """1,000 tenants with some chunks each, copied from the small one."""
        # the words and events are those of the chunks
        chosen = (
            "SELECT id, content_id, event_id FROM memory_chunk WHERE tenant_id = %(pattern)s ORDER BY id LIMIT %(most)s"
        )
        values: dict[str, Any] = {"pattern": self.tenants[SMALL].id, "most": IDLE_CHUNKS}
        copied = {
            "governance_content": "content_id",
            "memory_event": "event_id",
            "memory_chunk": "id",
            "memory_effectivechunk": "id",
        }
        with owner(self.name) as connection:
            connection.execute(
                "INSERT INTO governance_tenant SELECT (jsonb_populate_record(t, jsonb_build_object("
                "'id', gen_random_uuid(), 'slug', 'idle-' || n))).* FROM governance_tenant t, generate_series(1, %s) n"
                " WHERE t.id = %s",
                [IDLE_TENANTS, values["pattern"]],
            )
        with gate.acting_as(self.tenants[SMALL].agent, using="owner"), connections["owner"].cursor() as cursor:
            cursor.execute("SET LOCAL ROLE suture_gate")
            for table, key in copied.items():
                cursor.execute(
                    "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
                    " AND NOT attisdropped AND attname <> 'tenant_id'",
                    [table],
                )
                columns = [row[0] for row in cursor.fetchall()]
                cursor.execute(
                    f"INSERT INTO {table} (tenant_id, {', '.join(columns)})"
                    f" SELECT t.id, {', '.join(f'x.{column}' for column in columns)}"
                    f" FROM governance_tenant t, {table} x WHERE t.slug LIKE 'idle-%%' AND x.tenant_id = %(pattern)s"
                    f" AND x.id IN (SELECT {key} FROM ({chosen}) k)",
                    values,
                )

    @property
    def measured(self) -> dict[str, Tenant]:
        """The tenants with memory worth a plan."""
        return {slug: tenant for slug, tenant in self.tenants.items() if slug != SMALL}


@contextmanager
def growing(
    blocker: pytest.FixtureRequest, suffix: str, fill: Callable[[Tenant], None] | None = None
) -> Iterator[Tenants]:
    """Tenants in a database that the connections of this process use within the block."""
    name = f"growing_{suffix}_{os.getpid()}"
    before = {alias: connections[alias].settings_dict["NAME"] for alias in connections}
    with blocker.unblock():  # type: ignore[attr-defined] # no public type
        _create(name)
        leave_database()
        try:
            for alias in connections:
                connections[alias].settings_dict["NAME"] = name
            _let_nothing_be_analyzed_by_itself(name)
            yield Tenants(name, fill)
        finally:
            leave_database()
            for alias, own in before.items():
                connections[alias].settings_dict["NAME"] = own
            _drop(name)


def leave_database() -> None:
    """Close the connections, so that the database can be copied or dropped."""
    connections.close_all()
    credentials.close_connections()


def url_of(name: str) -> str:
    """The owner's URL of a database of the tests' server."""
    return urlunsplit(urlsplit(environment.server("DATABASE_OWNER_URL"))._replace(path=f"/{name}"))


def owner(name: str) -> psycopg.Connection:
    """A connection of the owner."""
    return psycopg.connect(url_of(name), autocommit=True)


def _create(name: str) -> None:
    """Copy the tests' template."""
    _drop(name)
    with psycopg.connect(environment.server("DATABASE_OWNER_URL"), autocommit=True) as connection:
        database = sql.Identifier(name)
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(database, sql.Identifier(databases.TEMPLATE))
        )
        connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(database))
        connection.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, roles.CONNECTING))


def _drop(name: str) -> None:
    with psycopg.connect(environment.server("DATABASE_OWNER_URL"), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))


def _let_nothing_be_analyzed_by_itself(name: str) -> None:
    with owner(name) as connection:
        tables = connection.execute("SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'public'").fetchall()
        for (table,) in tables:
            connection.execute(sql.SQL("ALTER TABLE {} SET (autovacuum_enabled = off)").format(sql.Identifier(table)))
