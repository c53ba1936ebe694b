"""Who acts comes from a context that the database has verified: forged, replayed and copied ones are refused."""

import uuid

import psycopg
import pytest
from django.conf import settings
from django.db import Error, connection, connections, transaction

from governance.acting import gate
from governance.acting.credentials import NoTransactionError, OperatorCredential, PersonCredential, system
from governance.acting.principals import Principal
from governance.identity import identities

pytestmark = pytest.mark.django_db(transaction=True)

REFUSED = "not opened by a credential"


def context():
    """The context of the open transaction, as any SQL can read it."""
    return gate.rows("SELECT current_setting('suture.context', true) AS value", ())[0]["value"]


def set_context(value):
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('suture.context', %s, true)", [value])


def read_rows():
    return gate.rows("SELECT tenant_id FROM memory_event", ())


def read_under(value):
    """Read as the web's role under a context that somebody wrote."""
    with transaction.atomic():
        set_context(value)
        return read_rows()


def test_it_works(world):
    world.event()
    with gate.acting_as(world.alice_principal):
        assert {row["tenant_id"] for row in read_rows()} == {world.tenant_id}


def test_a_context_that_somebody_wrote_is_refused(world):
    world.event()
    payload = f"|context|{world.tenant_id}|human|{world.bob_principal.id}|bob|admin|private"
    for mac in ("0" * 64, "", "x" * 64):
        with pytest.raises(Error, match=REFUSED):
            read_under(mac + payload)


@pytest.mark.parametrize("change", ["agent", "tenant", "role", "channel"])
def test_a_context_of_which_a_word_was_changed_is_refused(world, elsewhere, change):
    with gate.acting_as(world.alice_principal):
        genuine = context()
        changed = {
            "agent": genuine.replace("|agent|", "|human|"),
            "tenant": genuine.replace(str(world.tenant_id), str(elsewhere.tenant_id)),
            "role": genuine.replace("|quarantine_reader|", "|admin|"),
            "channel": genuine + ",more",
        }[change]
        assert changed != genuine
        with pytest.raises(Error, match=REFUSED):
            read_under(changed)


def test_a_context_is_worth_nothing_in_the_next_transaction(world):
    world.event()
    with gate.acting_as(world.alice_principal):
        genuine = context()
        assert read_rows()
    with pytest.raises(Error, match=REFUSED):
        read_under(genuine)


def test_a_context_is_worth_nothing_in_another_backend(world):
    with gate.acting_as(world.alice_principal):
        genuine = context()
        named = connections["default"].settings_dict
        with psycopg.connect(
            host=named["HOST"], port=named["PORT"], user=named["USER"], password=named["PASSWORD"], dbname=named["NAME"]
        ) as other:
            other.execute("SELECT set_config('suture.context', %s, true)", [genuine])
            with pytest.raises(psycopg.Error, match=REFUSED):
                other.execute("SELECT count(*) FROM memory_event")


def test_a_token_is_worth_nothing_in_another_transaction(world):
    with transaction.atomic():
        token = PersonCredential(world.bob_principal.id).token()
    with pytest.raises(Error, match="not minted for this transaction"), transaction.atomic():
        gate.rows("SELECT * FROM enter_person(%s, %s)", [token, world.tenant_id])


def test_the_token_of_a_person_is_no_operators(world):
    with transaction.atomic():
        token = PersonCredential(world.bob_principal.id).token()
        with pytest.raises(Error, match="only the operator"), transaction.atomic():
            gate.rows(
                "SELECT * FROM enter_operator(%s, %s, 'system', %s, 'x')", [token, world.tenant_id, uuid.UUID(int=0)]
            )
        assert gate.rows("SELECT * FROM list_tenants(%s)", [token]) == []


@pytest.mark.parametrize(
    "call",
    [
        "mint_person('00000000-0000-0000-0000-000000000000', pg_backend_pid(), transaction_timestamp())",
        "mint_operator(pg_backend_pid(), transaction_timestamp())",
        "context_mac('x', pg_backend_pid(), transaction_timestamp())",
        "open_context('00000000-0000-0000-0000-000000000000', 'human', NULL, 'x', '{}', '{}', NULL)",
        "acting('00000000-0000-0000-0000-000000000000')",
        "(SELECT secret FROM governance_contextsecret)",
    ],
)
def test_the_web_cannot_make_its_own(world, call):
    with pytest.raises(Error, match="permission denied"), transaction.atomic():
        gate.rows(f"SELECT {call}", ())


@pytest.mark.parametrize("setting", ["SESSION_DATABASE_URL", "OPERATOR_DATABASE_URL"])
def test_who_mints_reads_no_table(world, setting):
    with psycopg.connect(getattr(settings, setting), dbname=connection.settings_dict["NAME"]) as minting:
        for table in ("governance_tenant", "governance_user", "memory_event", "governance_contextsecret"):
            with pytest.raises(psycopg.Error, match="permission denied"):
                minting.execute(f"SELECT count(*) FROM {table}")
            minting.rollback()


def test_a_person_acts_with_the_roles_that_they_hold_now(world):
    credential = PersonCredential(world.bob_principal.id)
    with transaction.atomic():
        rows = gate.rows("SELECT roles FROM enter_person(%s, %s)", [credential.token(), world.tenant_id])
    assert rows == [{"roles": ["reviewer"]}]


def test_a_person_without_a_role_does_not_enter(world, elsewhere):
    stranger = Principal(
        elsewhere.tenant_id, "human", world.bob_principal.id, "bob", credential=PersonCredential(world.bob_principal.id)
    )
    with pytest.raises(gate.ContextRefused), gate.acting_as(stranger):
        pass


def test_a_revoked_key_opens_nothing(world):
    prefix = world.keys["alice"].split("_")[1]
    with world.inside():
        identities.revoke_key(prefix, actor=system(world.tenant_id, "a test"))
    with pytest.raises(gate.ContextRefused), gate.acting_as(world.alice_principal):
        pass


def test_a_context_needs_a_transaction(world):
    with pytest.raises(NoTransactionError):
        gate.open_context(world.alice_principal)


def test_after_a_savepoint_is_rolled_back_the_actor_is_who_it_was(world):
    with gate.acting_as(world.alice_principal):
        savepoint = transaction.savepoint()
        gate.act_as(world.bob_principal)
        transaction.savepoint_rollback(savepoint)
        gate.act_as(world.alice_principal)
        assert "|agent|" in context()


def test_the_operator_works_for_an_agent(world):
    alice = world.alice_principal
    credential = OperatorCredential("a test", "agent", alice.id)
    with gate.acting_as(Principal(world.tenant_id, "agent", alice.id, alice.name, credential=credential)):
        assert f"|agent|{alice.id}|alice|" in context()


def test_a_job_changes_no_identity_and_records_nothing(world):
    with gate.job(world.tenant_id), pytest.raises(Error, match="can write"), transaction.atomic():
        gate.rows("SELECT * FROM record_summary(%s, '[]', '[]')", [world.tenant_id])


def test_a_person_does_not_do_a_jobs_work(world):
    with gate.acting_as(world.bob_principal), pytest.raises(Error, match="only a job"), transaction.atomic():
        gate.rows("SELECT expire_edit(%s, %s, 'x')", [world.tenant_id, uuid.uuid4()])
