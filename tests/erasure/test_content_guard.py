"""No other way destroys words: every role, every setting, every call that is not an approved erasure is refused."""

import uuid

import pytest
from django.db import Error, connections, transaction

from governance.acting import gate
from governance.acting.credentials import system

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

DELETE = "DELETE FROM governance_content WHERE tenant_id = %s"


@pytest.fixture
def attempt(world):
    """`attempt(using, *statements)` runs them in one transaction within the tenant; the last must fail. Answers why."""

    def run(using, *statements):
        *before, last = statements
        with transaction.atomic(using), connections[using].cursor() as cursor:
            gate.act_as(system(world.tenant_id, "a test"), using)
            for statement, *parameters in before:
                cursor.execute(statement, parameters)
            with pytest.raises(Error) as caught, transaction.atomic(using):
                cursor.execute(last[0], last[1:])
            transaction.set_rollback(True, using)
        return str(caught.value)

    return run


@pytest.fixture
def kept(world, owner):
    """Whether every word is there yet."""

    def count():
        with world.inside("owner"):
            return owner("SELECT count(*) AS n FROM governance_content WHERE tenant_id = %s", [world.tenant_id])[0]["n"]

    world.event("Jon likes tea")
    before = count()
    assert before
    yield
    assert count() == before


@pytest.mark.parametrize("using", ["default", "review"])
def test_the_web_and_the_reviewer_have_no_right_to_delete(world, kept, attempt, using):
    assert "permission denied" in attempt(using, (DELETE, world.tenant_id)) or using == "review"


@pytest.mark.parametrize(
    "setting",
    [
        "SELECT 1",
        "SELECT set_config('pgtrigger.ignore', '{governance_content:append_only}', true)",
        "SELECT set_config('suture.erasure', 'approved', true)",
        "SET LOCAL row_security = off",
        "SET LOCAL search_path = pg_temp, public",
    ],
)
def test_the_owner_is_refused_whatever_the_session_says(world, kept, attempt, setting):
    assert "append-only" in attempt("owner", (setting,), (DELETE, world.tenant_id))


def test_the_owner_in_the_gates_role_is_refused_without_an_approved_erasure(world, kept, attempt):
    assert "append-only" in attempt("owner", ("SET LOCAL ROLE suture_gate",), (DELETE, world.tenant_id))


def test_a_pending_a_rejected_and_an_executed_erasure_open_nothing(world, admins, kept, attempt):
    event = world.event("Ann likes tea")
    executed = admins.erase(by="event", id=event["event_id"])["erasure_id"]
    other = world.event("Jim likes tea")["event_id"]
    rejected, pending = (admins.propose(by="event", id=other) for _ in range(2))
    admins.dave.ok("post", f"erasures/{rejected}/reject", {"reason": "no"})
    for erasure in (executed, rejected, pending, str(uuid.uuid4())):
        answer = attempt(
            "owner",
            ("SET LOCAL ROLE suture_gate",),
            ("SELECT * FROM erase_content(%s, %s)", world.tenant_id, erasure),
        )
        assert "only an approved erasure can delete content" in answer
    for erasure in (executed, rejected, pending):  # even with the row named
        answer = attempt(
            "owner",
            ("SET LOCAL ROLE suture_gate",),
            (
                "INSERT INTO governance_erasureitem (tenant_id, id, erasure_id, kind, record_id, content_id, sha256)"
                " SELECT tenant_id, new_id(), %s, 'event', id, id, sha256 FROM governance_content WHERE tenant_id = %s",
                erasure,
                world.tenant_id,
            ),
            (DELETE, world.tenant_id),
        )
        assert "append-only" in answer
    admins.carol.ok("post", f"erasures/{pending}/withdraw", {})
    admins.erase(by="event", id=other)


def test_the_app_cannot_call_the_deletion_itself(world, admins, kept, attempt):
    event = world.event("Ann likes tea")["event_id"]
    erasure = admins.propose(by="event", id=event)
    answer = attempt("default", ("SELECT * FROM erase_content(%s, %s)", world.tenant_id, erasure))
    assert "permission denied" in answer
    admins.dave.ok("post", f"erasures/{erasure}/approve", {})


def test_an_erasure_of_another_tenant_erases_nothing_here(world, elsewhere, elsewhere_admins, kept, attempt):
    erasure = elsewhere_admins.propose(by="event", id=elsewhere.event("Ann likes tea")["event_id"])
    for tenant in (world.tenant_id, elsewhere.tenant_id):
        attempt(
            "default",
            ("SELECT * FROM decide_erasure(%s, %s, 'approved', %s, '')", tenant, erasure, uuid.uuid4()),
        )
    assert elsewhere.found("tea") == ["Ann likes tea"]


def test_words_are_never_changed_either(world, kept, attempt):
    for using, before in (("owner", "SELECT 1"), ("owner", "SET LOCAL ROLE suture_gate"), ("default", "SELECT 1")):
        assert attempt(using, (before,), ("UPDATE governance_content SET body = ''",))
        assert attempt(using, (before,), ("TRUNCATE governance_content",))


def test_the_guard_is_always_on():
    rows = gate.rows(
        "SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'governance_content'::regclass AND NOT tgisinternal",
        (),
    )
    assert len(rows) == 2
    assert {row["tgenabled"] for row in rows} == {"A"}
