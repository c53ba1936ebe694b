"""What a request reads does not depend on how many tenants there are, nor on whether the planner's statistics know the
tenant. Rows and index entries are counted, not seconds."""

import os
from collections import Counter
from collections.abc import Iterator

import pytest
from django.db import connections

from bench import database, newcomer
from bench.loading import edit_part, load, record_part
from bench.newcomer import Answered
from bench.product import leave_database, use_database
from bench.tenants import LARGE, SMALL, Tenant, provision
from memory_project import environment
from tests import databases

CHUNKS, NEW_CHUNKS = 4000, 2000
#: The most rows and index entries that each request may read, in all tables together: what it answers, what it is made
#: of, and the samples of a search. A plan that reads a whole tenant reads 2,000 of each table.
MOST = {
    "newest events": 700,
    "events of a session": 700,
    "one event": 100,
    "newest chunks": 200,
    "chunks of a subject": 700,
    "chunks of a project": 300,
    "search, rare term": 150,
    "search, common term": 2600,
    "search, subject": 2200,
    "get 50 by id": 250,
    "timeline": 200,
    "context bundle": 4000,
    "newest edits": 2000,
    "record 1 event": 500,
    "record 100 events": 8000,
    "amend": 600,
}
WAYS = ["2 tenants", "2 tenants and a new one", "3 tenants", "3 tenants and 1,000 new ones", "1,003 tenants"]


class Tenants:
    """A database that grows tenant by tenant, as far as WAYS."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.reached = -1
        self.tenants: dict[str, Tenant] = {}

    def grow(self, way: str) -> None:
        """Let the database become what `way` says. It cannot become smaller again."""
        assert self.reached <= WAYS.index(way)
        while self.reached < WAYS.index(way):
            self.reached += 1
            (self._two, self._new, self._analyzed, self._idle, self._analyzed)[self.reached]()

    def _two(self) -> None:
        with database.owner(self.name, autocommit=True) as connection:
            for seed, (slug, chunks) in enumerate({LARGE: CHUNKS, SMALL: 50}.items()):
                self.tenants[slug] = provision(slug, connection)
                load(record_part, self.name, self.tenants[slug], seed, chunks)
                load(edit_part, self.name, self.tenants[slug], seed, chunks // 10)
                use_database(self.name)
        newcomer.analyze(self.name)

    def _new(self) -> None:
        self.tenants[newcomer.NEWCOMER] = newcomer.add_newcomer(self.name, NEW_CHUNKS)

    def _analyzed(self) -> None:
        newcomer.analyze(self.name)

    def _idle(self) -> None:
        newcomer.add_idle(self.name, self.tenants[SMALL])

    @property
    def measured(self) -> dict[str, Tenant]:
        """The tenants with memory worth a plan."""
        return {slug: tenant for slug, tenant in self.tenants.items() if slug != SMALL}


@pytest.fixture(scope="module")
def tenants(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[Tenants]:
    """Tenants in a database of their own, which the connections of this process use meanwhile."""
    name = f"suture_bench_test_plans_{os.getpid()}"
    before = {alias: connections[alias].settings_dict["NAME"] for alias in connections}
    with pytest.MonkeyPatch.context() as patch, django_db_blocker.unblock():  # type: ignore[attr-defined]
        for variable in environment.SERVER_VARIABLES:
            patch.setenv(variable, environment.server(variable))
        database.create(name, template=databases.TEMPLATE)
        try:
            use_database(name)
            with newcomer.not_analyzed_by_itself(name):
                yield Tenants(name)
        finally:
            leave_database()
            for alias, own in before.items():
                connections[alias].settings_dict["NAME"] = own
            database.drop(name)


@pytest.fixture(scope="module", params=WAYS)
def grown(request: pytest.FixtureRequest, tenants: Tenants) -> Tenants:
    """The tenants, as many as the parameter says."""
    tenants.grow(request.param)
    return tenants


def most_read(answered: Answered) -> dict[str, int]:
    """The three tables and indexes of which a request read the most."""
    return dict(Counter(answered.read).most_common(3))


def test_a_request_reads_what_it_answers_and_little_more(grown: Tenants) -> None:
    for slug, tenant in grown.measured.items():
        requests = newcomer.requests_of(grown.name, tenant)
        assert {request.name for request in requests} == MOST.keys()
        answered = {request.name: newcomer.settled(tenant, request) for request in requests}
        too_much = {name: most_read(one) for name, one in answered.items() if one.rows > MOST[name]}
        assert too_much == {}, slug
