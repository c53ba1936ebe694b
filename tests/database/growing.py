"""A database of its own that grows from two tenants to a thousand, known to the planner's statistics and not."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import connections

from bench import database, newcomer
from bench.loading import edit_part, load, record_part
from bench.product import leave_database, use_database
from bench.tenants import LARGE, SMALL, Tenant, provision
from memory_project import environment
from tests import databases

CHUNKS, NEW_CHUNKS = 4000, 2000
WAYS = ["2 tenants", "2 tenants and a new one", "3 tenants", "3 tenants and 1,000 new ones", "1,003 tenants"]


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
        with database.owner(self.name, autocommit=True) as connection:
            for seed, (slug, chunks) in enumerate({LARGE: CHUNKS, SMALL: 50}.items()):
                self.tenants[slug] = provision(slug, connection)
                load(record_part, self.name, self.tenants[slug], seed, chunks)
                load(edit_part, self.name, self.tenants[slug], seed, chunks // 10)
                use_database(self.name)
        self._give_more(LARGE)
        newcomer.analyze(self.name)

    def _new(self) -> None:
        self.tenants[newcomer.NEWCOMER] = newcomer.add_newcomer(self.name, NEW_CHUNKS)
        use_database(self.name)
        self._give_more(newcomer.NEWCOMER)

    def _give_more(self, slug: str) -> None:
        if self._fill is not None:
            self._fill(self.tenants[slug])

    def _analyzed(self) -> None:
        newcomer.analyze(self.name)

    def _idle(self) -> None:
        newcomer.add_idle(self.name, self.tenants[SMALL])

    @property
    def measured(self) -> dict[str, Tenant]:
        """The tenants with memory worth a plan."""
        return {slug: tenant for slug, tenant in self.tenants.items() if slug != SMALL}


@contextmanager
def growing(
    blocker: pytest.FixtureRequest, suffix: str, fill: Callable[[Tenant], None] | None = None
) -> Iterator[Tenants]:
    """Tenants in a database that the connections of this process use within the block."""
    name = f"suture_bench_test_{suffix}_{os.getpid()}"
    before = {alias: connections[alias].settings_dict["NAME"] for alias in connections}
    with pytest.MonkeyPatch.context() as patch, blocker.unblock():  # type: ignore[attr-defined]
        for variable in environment.SERVER_VARIABLES:
            patch.setenv(variable, environment.server(variable))
        database.create(name, template=databases.TEMPLATE)
        try:
            use_database(name)
            with newcomer.not_analyzed_by_itself(name):
                yield Tenants(name, fill)
        finally:
            leave_database()
            for alias, own in before.items():
                connections[alias].settings_dict["NAME"] = own
            database.drop(name)
