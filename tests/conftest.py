"""One tenant a test, and three people: alice (an agent, the author), bob (a reviewer), charlie (of another tenant)."""

import gc
import secrets
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.core.management.commands import flush
from django.core.signals import request_started
from django.db import connection, connections
from django.test import TransactionTestCase
from django.test.utils import override_settings
from django.utils import timezone
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]

from governance.acting import gate
from governance.identity import identities
from governance.ledger import fingerprints
from governance.ledger.entry_types import NUMBER, Chains, EntryType, Field, Presence, Shape, register
from governance.models import SharedSecret, first_id_of
from memory.embedding import queries
from tests import databases, owning
from tests import world as worlds
from tests.database.rows import watch_rows
from tests.factories import CapsuleFactory, SummaryFactory
from tests.world import Api, World, make_world

#: The entries that tests append by themselves.
ENTRY_OF_TESTS = EntryType(
    "test",
    "Test",
    "a test appends it",
    (
        Field("number", NUMBER, "which one it is", Presence.OPTIONAL),
        Field("writer", NUMBER, "whose it is", Presence.OPTIONAL),
        Field("x", Shape("anything", lambda value: True), "what JSON may not be able to say", Presence.OPTIONAL),
    ),
    chains=Chains.EVERY,
)


@pytest.fixture(scope="session", autouse=True)
def entry_of_tests() -> None:
    """Allow the entries that tests append by themselves."""
    register(ENTRY_OF_TESTS)


def pytest_collection_finish() -> None:
    """Keep what was imported and collected out of the garbage collector, which otherwise walks it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None,
    django_db_blocker: Any,
    django_db_keepdb: bool,
    django_db_createdb: bool,
    django_db_modify_db_settings: None,
    passwords_hash_fast: None,
    testrun_uid: str,
) -> Iterator[None]:
    """pytest-django's own fixture asks only for the aliases that a test names: with a mirrored default it would create
    nothing and run in the real database."""
    with django_db_blocker.unblock():
        created = databases.create(testrun_uid, furnish, keep=django_db_keepdb and not django_db_createdb)
        worlds.make_standing_worlds()
        connection.close()
    yield
    if not django_db_keepdb:
        with django_db_blocker.unblock():
            databases.delete(created)


@pytest.fixture(scope="session", autouse=True)
def rows_as_declared() -> None:
    """Every row that a database function answers has the types of its fields, None only where they have it: what the
    catalog does not tell (tests/database/test_calls.py)."""
    watch_rows()


def furnish() -> None:
    """Give the database a tenant with memory and statistics of it, as any that is in use has. Plans made for empty
    tables are kept for as long as tests roll back, and walk whatever a test writes: a batch of 1,000 edits took five
    times as long as it does."""
    owning.install()
    # no migration made what was just installed
    fingerprints.sign({}, accepts=True)
    world = make_world()
    events = [world.draft(f"The quick brown fox {number}") for number in range(300)]
    recorded = world.alice.ok("post", "events/batch", {"events": events})["events"]
    for one in recorded[:30]:
        world.edit(one["chunk_ids"][0], "retract")
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT relid::regclass FROM pg_stat_user_tables WHERE pg_relation_size(relid) > 0")
        cursor.execute("ANALYZE " + ", ".join(table for (table,) in cursor.fetchall()))


@pytest.fixture(scope="session", autouse=True)
def connections_stay_open() -> Iterator[None]:
    """Django closes every connection after a committing test. A new session compiles every function and loads every
    catalog again: a third of what a short test costs."""

    def reset(*_: Any) -> bool:
        databases.reset_sessions()
        return False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_should_reload_connections", reset)
        yield


@pytest.fixture(scope="session", autouse=True)
def static_files_are_found_once() -> Iterator[None]:
    """Every client of a test loads the middleware, and WhiteNoise then looks at each static file: without this, a
    third of what the tests take."""
    find = WhiteNoiseMiddleware.add_files_from_finders
    found: dict[str, Any] = {}

    def find_once(self: WhiteNoiseMiddleware) -> None:
        if not found:
            find(self)
            found.update(self.files)
        self.files.update(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", find_once)
        yield


@pytest.fixture(autouse=True)
def each_request_starts_without_a_tenant() -> Iterator[None]:
    """Inside a test's transaction SET LOCAL outlives a request, which in production it cannot: without this, a view
    that forgets to authenticate would pass its tests."""

    def leave(**_: Any) -> None:
        if connection.in_atomic_block and not connection.needs_rollback:
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL suture.context = ''")
                connection.acting = None  # type: ignore[attr-defined] # of our own backend

    request_started.connect(leave, weak=False)
    yield
    request_started.disconnect(leave)


@pytest.fixture(autouse=True)
def jobs_go_through_the_tests_own_tenants() -> Iterator[None]:
    """What is done tenant by tenant is not done in those that other tests have committed: the keys of some are gone,
    the record of some is broken, and there are the more of them the later a test runs."""
    listed = gate.tenants
    # By the time in their ids, since tests make tenants in every way there is: in the admin, in other processes.
    first = first_id_of(timezone.now())

    def tenants(*credentials: Any) -> dict[str, uuid.UUID]:
        found = listed(*credentials).items()
        return {slug: one for slug, one in found if one >= first or one in worlds.of_this_test}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gate, "tenants", tenants)
        yield
    worlds.of_this_test.clear()


@pytest.fixture(autouse=True)
def each_test_asks_its_own_questions() -> Iterator[None]:
    """A process remembers questions and the tenants that are embedded, and tests share tenants."""
    yield
    queries.forget()


def world_for_test(name: str, policy: str = "standard") -> World:
    """A tenant that nobody has written to: a standing one where the test is rolled back, else a fresh one."""
    return worlds.standing_world(name) if connection.in_atomic_block else make_world(policy)


@pytest.fixture
def world(db: None) -> World:
    """The test's tenant. Works in rollback tests and, marked `django_db(transaction=True)`, in committing ones."""
    return world_for_test("world")


@pytest.fixture
def strict_world(db: None) -> World:
    """A tenant under the `strict` policy."""
    return world_for_test("strict_world", "strict")


@pytest.fixture
def elsewhere(db: None) -> World:
    """Another tenant, charlie's: its alice is charlie."""
    return world_for_test("elsewhere")


@pytest.fixture
def charlie(elsewhere: World) -> Api:
    """An agent of another tenant, who must see nothing here."""
    return elsewhere.alice


@pytest.fixture
def nobody() -> Callable[..., Any]:
    """A caller without a key."""
    return Api(None).request


@pytest.fixture
def new_world(db: None) -> Callable[..., World]:
    """`new_world("open")` is another tenant, under that policy."""
    return make_world


@pytest.fixture
def noted(world: World) -> Callable[..., str]:
    """`noted("a text", 0.9)` is the id of a chunk of that importance, which a summary alone may be given."""

    def note(text: str, importance: float = 0.5, **fields: Any) -> str:
        body = SummaryFactory(text=text, importance=importance, **fields)
        return str(world.alice.ok("post", "chunks/summary", body)["chunk_id"])

    return note


@pytest.fixture
def agent_in(world: World) -> Callable[..., Api]:
    """`agent_in("public")` is an agent of the test's tenant whose key speaks in those channels only."""

    def make(*channels: str) -> Api:
        name = f"agent-{secrets.token_hex(4)}"
        made = identities.provision(world.slug, agents=[(name, channels)], quarantine_readers=[name])
        return Api(made.agents[name]["key"])

    return make


@pytest.fixture
def at_once() -> Callable[..., list[Any]]:
    """`at_once(call, call)` runs each in a thread of its own, all starting together; answers what each returned, or
    the exception that it raised. For tests marked `django_db(transaction=True)`."""

    def run(*calls: Callable[[], Any]) -> list[Any]:
        barrier = threading.Barrier(len(calls))

        def one(call: Callable[[], Any]) -> Any:
            try:
                barrier.wait(timeout=60)
                return call()
            except Exception as error:
                return error
            finally:
                connections.close_all()

        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(one, calls))

    return run


@pytest.fixture
def noted_secrets(transactional_db: None) -> Iterator[None]:
    """What the database knows of the secrets of nodes is after the test what it was before. For tests marked
    `django_db(transaction=True, databases=["default", "owner", "review"])`."""
    secrets = SharedSecret.objects.using("owner")
    before = list(secrets.all())
    yield
    secrets.all().delete()
    secrets.bulk_create(before)


@pytest.fixture(scope="session", autouse=True)
def nothing_is_flushed() -> Iterator[None]:
    """A committing test that names the owner's connection would have its database truncated, which the append-only
    guards refuse. Every test has a tenant of its own: nothing needs to be cleared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush.Command, "handle", lambda *_, **__: None)
        yield


@pytest.fixture
def owner(transactional_db: None) -> Callable[..., list[dict[str, Any]]]:
    """`owner(sql, params)` answers rows as the owner of the tables. For tests marked
    `django_db(transaction=True, databases=["default", "owner", "review"])`, within `world.inside("owner")`."""
    return lambda sql, params=(), using="owner": gate.rows(sql, params, using)


@pytest.fixture(scope="session", autouse=True)
def passwords_hash_fast() -> Iterator[None]:
    """Three people a test at a million rounds each would be most of the suite's time."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture
def given(world: World) -> Callable[[str], Api]:
    """`given("agent-bob")` is an agent of the test's tenant known by that name, the same at every call."""
    known: dict[str, Api] = {"alice": world.alice}

    def find(name: str) -> Api:
        if name not in known:
            made = identities.provision(world.slug, agents=[(name, [])], quarantine_readers=[name])
            known[name] = Api(made.agents[name]["key"])
        return known[name]

    return find


@pytest.fixture
def handed(world: World, given: Callable[[str], Api]) -> Callable[..., str]:
    """`handed([chunk], to=["agent-bob"])` is the id of a capsule about Jack that alice hands to bob."""

    def hand(chunks: list[str], to: Sequence[str] = ("agent-bob",), *, by: Api | None = None, **fields: Any) -> str:
        for name in to:
            given(name)
        body = CapsuleFactory(**{"audience_agent_ids": list(to), "items": {"chunks": chunks}, **fields})
        return str((by or world.alice).ok("post", "capsules", body)["capsule_id"])

    return hand


@pytest.fixture
def expiring(world: World, owner: Callable[..., list[dict[str, Any]]]) -> Callable[..., None]:
    """`expiring(capsule, timedelta(days=-2))` lets a capsule expire that long from now. For tests marked
    `django_db(transaction=True, databases=["default", "owner", "review"])`."""

    def move(capsule_id: str, within: timedelta) -> None:
        with world.inside("owner"):
            owner(
                "UPDATE capsules_effectivecapsule SET expires_at = clock_timestamp() + %s"
                " WHERE tenant_id = %s AND id = %s RETURNING id",
                [within, world.tenant_id, capsule_id],
            )

    return move


@pytest.fixture(scope="session")
def serving() -> Iterator[Any]:
    """One running Suture for all tests that need one of this process: a `tests.mcp_server.serving.Serving`."""
    # imported here: it takes a second that most runs of a few tests would wait for in vain
    from tests.mcp_server.serving import started

    with started() as one:
        yield one
