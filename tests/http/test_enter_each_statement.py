"""A read is one statement, or a few, each of which looks the key up, opens the context and answers."""

import pytest
from django.db import OperationalError, close_old_connections, connection, transaction
from django.test.utils import CaptureQueriesContext

from governance.acting import gate
from governance.acting.credentials import system
from governance.database import read_context
from governance.identity import identities
from governance.models import Agent
from memory.queries import db
from tests.ledger.breaking import kill_backend
from tests.owning import as_owner

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_vectors(settings):
    """Which model has embedded the tenant's memory is asked in a transaction, until one has all of it."""
    settings.EMBEDDING_PROVIDER = "off"


def reads(world):
    chunk = world.chunk("The harbour closes at nine")
    return {
        "search": lambda: world.alice.post("chunks/search", {"query": "harbour", "mode": "keyword"}),
        "list": lambda: world.alice.get("chunks?limit=5"),
        "get": lambda: world.alice.post("chunks/get", {"chunk_ids": [chunk]}),
        "timeline": lambda: world.alice.get(f"chunks/{chunk}/timeline"),
        "tool search_memory": lambda: world.alice.post("tools/search_memory", {"query": "harbour"}),
        "tool timeline": lambda: world.alice.post("tools/timeline", {"chunk_id": chunk}),
        "tool memory_recall": lambda: world.alice.post("tools/memory_recall", {"query": "harbour"}),
        "tool core_memories": lambda: world.alice.post("tools/core_memories", {}),
        "bootstrap": lambda: world.alice.post("context/bootstrap", {"query": "harbour"}),
    }


#: How many statements each read makes.
STATEMENTS = {
    "search": 1,
    "list": 1,
    "get": 1,
    "timeline": 1,
    "tool search_memory": 1,
    "tool timeline": 1,
    "tool memory_recall": 2,  # what matches, and what else the score is made of
    "tool core_memories": 1,
    "bootstrap": 3,  # core memory, and a recall
}


def revoke(world, name):
    with world.inside():
        identities.revoke_key(world.keys[name].split("_")[1], actor=system(world.tenant_id, "a test"))


def set_agent(world, **columns):
    with world.inside(), as_owner():
        Agent.objects.filter(tenant_id=world.tenant_id, slug="alice").update(**columns)


@pytest.mark.parametrize("name", STATEMENTS)
def test_each_statement_of_a_read_enters_by_itself(world, name):
    read = reads(world)[name]
    # an answer of no rows looks the key up again
    world.alice.ok("post", "tools/block_update", {"label": "persona", "content": "I am Alice", "is_core": True})
    assert read().status_code == 200
    with CaptureQueriesContext(connection) as asked:
        assert read().status_code == 200
    told = [one["sql"] for one in asked if "suture.context = ''" not in one["sql"]]
    assert len(told) == STATEMENTS[name], told
    assert all("enter(" in one for one in told)


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_key_that_was_revoked_since_the_last_read_is_refused(world, name):
    read = reads(world)[name]
    assert read().status_code == 200
    revoke(world, "alice")
    for _ in range(2):
        answer = read()
        assert answer.status_code == 401
        assert answer.json()["detail"] == "This API key has been revoked."


def test_who_has_no_key_any_more_hears_nothing_of_what_is_wrong_with_the_request(world):
    assert world.alice.post("chunks/search", {"query": 7}).status_code == 400
    revoke(world, "alice")
    assert world.alice.post("chunks/search", {"query": 7}).status_code == 401
    assert world.alice.get("chunks?unknown=1").status_code == 401
    assert world.alice.get("chunks/search").status_code == 401  # no such method


def test_an_unknown_key_is_refused(world):
    world.alice.key = "sut_nobody_nothing"
    for _ in range(2):
        assert world.alice.get("chunks").status_code == 401


def test_a_channel_that_an_agent_lost_since_its_last_read_is_closed_at_once(world):
    world.chunk("Said in the team", channel="team")
    assert [one["text"] for one in world.alice.ok("get", "chunks")["results"]] == ["Said in the team"]
    set_agent(world, channels=["private"])
    assert world.alice.ok("get", "chunks")["results"] == []
    assert world.alice.get("chunks?channel=team").status_code == 403
    set_agent(world, channels=["private", "team"])
    assert len(world.alice.ok("get", "chunks?channel=team")["results"]) == 1


def test_an_agent_that_was_switched_off_is_refused(world):
    assert world.alice.get("chunks").status_code == 200
    set_agent(world, is_active=False)
    assert world.alice.get("chunks").status_code == 401


def test_an_empty_answer_is_verified_too(world):
    assert world.alice.ok("post", "chunks/search", {"query": "nothing", "mode": "keyword"})["chunks"] == []
    revoke(world, "alice")
    assert world.alice.post("chunks/search", {"query": "nothing", "mode": "keyword"}).status_code == 401


def test_a_repeated_idempotency_key_of_a_search_is_checked_in_a_transaction(world):
    world.chunk("The harbour closes at nine")
    body = {"query": "harbour", "mode": "keyword"}
    for _ in range(2):
        (found,) = world.alice.ok("post", "chunks/search", body, **{"Idempotency-Key": "one"})["chunks"]
        assert found["text"] == "The harbour closes at nine"
    other = world.alice.post("chunks/search", {"query": "other"}, **{"Idempotency-Key": "one"})
    assert other.status_code == 409


def test_another_statement_in_such_a_request_is_an_error(world, elsewhere):
    gate.recognise(world.keys["alice"])
    try:
        with pytest.raises(RuntimeError, match=r"gate\.entered"):
            connection.cursor()
        with gate.entered(), connection.cursor() as cursor:
            cursor.execute("SELECT context_tenant()")
            assert cursor.fetchone() == (world.tenant_id,)
        with pytest.raises(read_context.StatementWithoutContextError):
            db.names_words(tenant=elsewhere.tenant_id, query="harbour")
    finally:
        read_context.end()


@pytest.mark.django_db(transaction=True)
def test_the_context_ends_with_the_statement(world):
    chunk = world.chunk("The harbour closes at nine")
    assert world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})["chunks"][0]["text"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT context_tenant(), nullif(current_setting('suture.context', true), '')")
        assert cursor.fetchone() == (None, None)


@pytest.mark.django_db(transaction=True)
def test_a_read_leaves_nobody_noted_as_acting(world):
    """Else the next request of the same person on this connection, in the admin, would open no context."""
    for _ in range(2):
        assert world.bob.ok("post", "chunks/search", {"query": "nothing", "mode": "keyword"})["chunks"] == []
        assert gate.acting_in() is None
    assert world.bob.request("options", "chunks").status_code == 200
    assert gate.acting_in() is None
    with transaction.atomic():
        gate.act_as(world.bob_principal)
        with connection.cursor() as cursor:
            cursor.execute("SELECT context_tenant()")
            assert cursor.fetchone() == (world.tenant_id,)


def test_options_of_such_a_view_are_answered_to_a_key_that_is_good_now(world):
    assert world.alice.get("chunks").status_code == 200
    assert world.alice.request("options", "chunks").status_code == 200
    revoke(world, "alice")
    assert world.alice.request("options", "chunks").status_code == 401


@pytest.mark.django_db(transaction=True)
def test_a_database_that_fails_is_asked_nothing_else(world):
    assert world.alice.get("chunks").status_code == 200
    asked = []

    def fail(run, sql, params, many, context):
        asked.append(sql)
        raise OperationalError("the server closed the connection")

    with connection.execute_wrapper(fail):
        answer = world.alice.get("chunks")
    assert (answer.status_code, answer.headers["Retry-After"], len(asked)) == (503, "5", 1)


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_the_server_closed_between_two_reads_is_replaced(world):
    assert world.alice.get("chunks").status_code == 200
    kill_backend(connection.connection.info.backend_pid)
    close_old_connections()  # as Django does when a request begins; the client of tests does not
    assert world.alice.get("chunks").status_code == 200
