"""What holds the project together: SQL files and migrations, guards, and the entry that every change leaves."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django_otp.plugins.otp_totp.models import TOTPDevice

import capsules.services
import governance.services
from capsules.services import handover
from governance import checks, gate
from governance.models import Agent, AppendOnlyModel, Entry, User
from governance.services import edits, erasures, identities, people, policies
from governance.sql_migrations import RunSQLFile

ROOT = Path(__file__).resolve().parent.parent
APPS = ["governance", "memory", "capsules", "capture"]


def sql_files(kind):
    return {
        (app, path.name.removesuffix(f".{kind}.sql")) for app in APPS for path in (ROOT / app).glob(f"sql/*.{kind}.sql")
    }


def test_every_sql_file_has_its_way_back():
    assert sql_files("up")
    assert sql_files("up") == sql_files("down")


def test_every_sql_file_is_run_by_exactly_one_migration():
    run = [
        (operation.app, operation.name)
        for migration in MigrationLoader(None).disk_migrations.values()
        for operation in migration.operations
        if isinstance(operation, RunSQLFile)
    ]
    assert sorted(run) == sorted(sql_files("up"))


def test_a_migration_has_the_number_of_its_sql_file():
    for (_, name), migration in MigrationLoader(None).disk_migrations.items():
        for operation in migration.operations:
            if isinstance(operation, RunSQLFile):
                assert operation.name == name


@pytest.mark.django_db
def test_the_models_have_no_change_without_a_migration():
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


@pytest.fixture
def empty_database(django_db_blocker):
    """The owner's connection to a database of this test's own, with nothing in it."""
    connection = connections["owner"]
    name = connection.settings_dict["NAME"]
    scratch = f"{name}_zero"
    with django_db_blocker.unblock():
        connection.close()
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{scratch}"')
            cursor.execute(f'CREATE DATABASE "{scratch}"')
        connection.settings_dict["NAME"] = scratch
        try:
            yield connection
        finally:
            connection.close()
            connection.settings_dict["NAME"] = name
            with connection._nodb_cursor() as cursor:
                cursor.execute(f'DROP DATABASE "{scratch}"')


def objects(connection):
    """Everything of ours in a database: tables, functions, triggers, policies, constraints, indexes."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT 'relation', relname || ' ' || relkind::text FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE 'django_migrations%'
            UNION ALL SELECT 'function', p.oid::regprocedure::text || md5(p.prosrc) FROM pg_proc p
                WHERE p.pronamespace = 'public'::regnamespace
            UNION ALL SELECT 'trigger', tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text FROM pg_trigger
                WHERE NOT tgisinternal
            UNION ALL SELECT 'policy', tablename || ' ' || policyname FROM pg_policies
            UNION ALL SELECT 'constraint', conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
                FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid <> 0
                AND conrelid::regclass::text <> 'django_migrations'"""
        )
        extensions = (
            "SELECT objid::regprocedure::text FROM pg_depend WHERE deptype = 'e' AND classid = 'pg_proc'::regclass"
        )
        found = set(cursor.fetchall())
        cursor.execute(extensions)
        of_extensions = {name for (name,) in cursor.fetchall()}
    return {
        (kind, name)
        for kind, name in found
        if not (kind == "function" and any(name.startswith(function) for function in of_extensions))
    }


def test_every_migration_has_its_way_back(empty_database):
    """Forward, to nothing, and forward again: the same database."""
    before = objects(empty_database)

    def migrate(*target):
        call_command("migrate", *target, database="owner", verbosity=0, interactive=False)

    migrate()
    made = objects(empty_database)
    assert len(made) > 100
    for app in [*reversed([app for app in APPS if (ROOT / app / "migrations").exists()])]:
        migrate(app, "zero")
    ours = {one for one in objects(empty_database) if re.search(r"\b(governance|memory|capsules|capture)_", one[1])}
    assert ours == set()
    # the functions of its triggers are left by pgtrigger, which replaces them when it makes the triggers again
    left = {name for kind, name in objects(empty_database) - before if kind == "function" and "pgtrigger_" not in name}
    assert left == set()
    migrate()
    assert objects(empty_database) == made


def descendants(model):
    return [child for direct in model.__subclasses__() for child in (direct, *descendants(direct))]


def test_every_append_only_model_declares_its_guards():
    models = [model for model in descendants(AppendOnlyModel) if not model._meta.abstract]
    assert len(models) >= 9
    assert checks.append_only_tables_declare_their_guards() == []


def test_a_child_that_forgets_its_guards_is_found():
    """The check itself finds what it is for: a Meta that does not inherit."""

    class Forgetful(AppendOnlyModel):
        class Meta:
            app_label = "governance"
            abstract = False

    try:
        assert [error.id for error in checks.append_only_tables_declare_their_guards()] == ["governance.E001"]
    finally:
        del apps.all_models["governance"]["forgetful"]
        # the check walks the subclasses, of which this would stay one
        Forgetful._meta.abstract = True
        apps.clear_cache()


def test_the_apps_are_all_installed():
    assert set(APPS) <= set(settings.INSTALLED_APPS)


def test_nothing_is_left_out_of_the_package():
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            folder = path.parent
            while folder != ROOT / app:
                assert (folder / "__init__.py").exists(), folder
                folder = folder.parent


# -- Every change of state leaves its entry.


def services():
    """Every public function of governance.services and capsules.services that acts for somebody."""
    found = {}
    packages = [
        *pkgutil.walk_packages(governance.services.__path__, "governance.services."),
        *pkgutil.walk_packages(capsules.services.__path__, "capsules.services."),
    ]
    for info in packages:
        module = importlib.import_module(info.name)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if (
                function.__module__ == info.name
                and not name.startswith("_")
                and "actor" in inspect.signature(function).parameters
            ):
                found[name] = function
    return found


#: Function -> the entries that it appends. None: it changes nothing, leaves a row of the access log at most, is the
#: ledger itself, or writes into the ledger of the tenant that it makes (tests/admin/test_make_tenant.py).
ENTRIES = {
    "propose_edit": ["edit.proposed", "edit.approved"],
    "propose_edits": ["edits.proposed"],
    "revert_edit": ["edit.proposed", "edit.approved"],
    "decide_edit": ["edit.approved"],
    "approve_edit": ["edit.approved"],
    "reject_edit": ["edit.rejected"],
    "withdraw_edit": ["edit.withdrawn"],
    "preview_edit": None,
    "issue_key": ["key.issued"],
    "revoke_key": ["key.revoked"],
    "rotate_key": ["key.revoked", "key.issued"],
    "create_agent": ["agent.created"],
    "deactivate_agent": ["agent.deactivated"],
    "activate_agent": ["agent.activated"],
    "add_person": ["person.added", "role.granted"],
    "grant_role": ["role.granted"],
    "withdraw_role": ["role.withdrawn"],
    "remove_person": ["role.withdrawn", "key.revoked", "person.removed"],
    "deactivate_person": ["person.deactivated"],
    "activate_person": ["person.activated"],
    "give_one_time_password": ["person.password_given"],
    "switch_off_second_factor": ["person.second_factor_off"],
    "make_tenant": None,
    "change_tenant": ["tenant.changed"],
    "note_entered": ["tenant.entered"],
    "use_preset": ["policy.changed"],
    "propose_change": ["policy.proposed", "policy.changed"],
    "decide_change": ["policy.changed"],
    "propose_erasure": ["erasure.proposed"],
    "approve_erasure": ["erasure.approved", "redaction", "erasure.executed"],
    "reject_erasure": ["erasure.rejected"],
    "withdraw_erasure": ["erasure.withdrawn"],
    "create_capsule": ["capsule.created"],
    "forward_capsule": ["capsule.forwarded"],
    "revoke_capsule": ["capsule.revoked", "capsule.revoked"],
    "record": None,
    "record_all": None,
    "log": None,
    "require_reader": None,
    "export": None,
    "inclusion": None,
    "consistency": None,
    "last_checkpoint": None,
}


def test_every_service_that_acts_for_somebody_is_in_the_table():
    assert set(services()) == set(ENTRIES)


def test_every_change_of_state_appends_exactly_its_entries(new_world):
    world, strict = new_world(), new_world("strict")
    chunk = world.chunk()
    alice, bob = world.alice_principal, world.bob_principal
    admin = dataclasses.replace(bob, roles=frozenset({"admin"}))
    superuser = dataclasses.replace(bob, is_superuser=True)
    User.objects.create_superuser(f"boss-{world.slug}")
    ann = User.objects.get(username=world.ann_name)
    TOTPDevice.objects.create(user=ann, name="a test")

    def waiting(of=world):
        return of.edit(of.chunk(), "retract", by=of.alice)["edit_id"]

    def edit(**fields):
        values = {"target_type": "chunk", "target_id": uuid.UUID(chunk), "op": "quarantine", "reason": "a test"}
        return {**values, "patch": edits.Patch(), **fields}

    def waiting_change():
        made = policies.propose_change(
            actor=dataclasses.replace(strict.bob_principal, roles=frozenset({"admin"})), preset="open", reason="a test"
        )
        return made.id

    applied = world.edit(chunk, "quarantine")["edit_id"]
    a_key, other_key = (world.keys[name].split("_")[1] for name in ("alice", "bob"))
    another_admin = dataclasses.replace(strict.bob_principal, id=uuid.uuid4(), roles=frozenset({"admin"}))
    prepared = {
        "decide_edit": waiting(),
        "approve_edit": waiting(),
        "reject_edit": waiting(),
        "withdraw_edit": waiting(),
    }
    with strict.inside():
        prepared["decide_change"] = waiting_change()
    made = identities.provision(world.slug, people=[(f"{name}-{world.slug}", "admin") for name in ("carol", "dave")])
    with world.inside():
        carol, dave = (gate.authenticate(person["key"]) for person in made.users.values())
    to_erase = erasures.Named("event", uuid.UUID(world.event("to be erased")["event_id"]))
    with world.inside():
        waiting_erasures = [erasures.propose_erasure(to_erase, actor=carol, reason="a test").id for _ in range(3)]

    handed: dict[str, Any] = {"scope": "user", "subject_type": "user", "subject_id": "jack", "audience": ["alice"]}
    handed |= {"actor": alice, "items": {"chunks": [uuid.UUID(world.chunk())]}}
    with world.inside():
        capsule = handover.create_capsule(**handed, may_forward=True).capsule_id

    calls = {
        "create_capsule": lambda: handover.create_capsule(**handed),
        "forward_capsule": lambda: handover.forward_capsule(capsule, actor=alice, audience=["alice"]),
        "revoke_capsule": lambda: handover.revoke_capsule(capsule, actor=alice),
        "propose_edit": lambda: edits.propose_edit(actor=bob, **edit()),
        "propose_edits": lambda: edits.propose_edits([edits.Proposal(**edit())] * 2, actor=bob),
        "revert_edit": lambda: edits.revert_edit(uuid.UUID(applied), actor=bob, reason="a test"),
        "decide_edit": lambda: edits.decide_edit(uuid.UUID(prepared["decide_edit"]), actor=bob, decision="approved"),
        "approve_edit": lambda: edits.approve_edit(uuid.UUID(prepared["approve_edit"]), actor=bob),
        "reject_edit": lambda: edits.reject_edit(uuid.UUID(prepared["reject_edit"]), actor=bob, reason="no"),
        "withdraw_edit": lambda: edits.withdraw_edit(uuid.UUID(prepared["withdraw_edit"]), actor=alice),
        "issue_key": lambda: identities.issue_key(actor=admin, agent=Agent.objects.get(slug="alice")),
        "revoke_key": lambda: identities.revoke_key(a_key, actor=admin),
        "rotate_key": lambda: identities.rotate_key(other_key, actor=admin),
        "create_agent": lambda: identities.create_agent("carol", [], actor=admin),
        "deactivate_agent": lambda: identities.deactivate_agent(Agent.objects.get(slug="carol"), actor=admin),
        "activate_agent": lambda: identities.activate_agent(Agent.objects.get(slug="carol"), actor=admin),
        "add_person": lambda: people.add_person(f"dora-{world.slug}", ["auditor"], is_known=False, actor=admin),
        "grant_role": lambda: people.grant_role(ann, "admin", actor=admin),
        "withdraw_role": lambda: people.withdraw_role(ann, "reviewer", actor=admin),
        "remove_person": lambda: identities.remove_person(
            User.objects.get(username=world.bob_name.replace("bob", "auditor")), actor=admin
        ),
        "give_one_time_password": lambda: people.give_one_time_password(ann, actor=admin),
        "switch_off_second_factor": lambda: people.switch_off_second_factor(ann, actor=admin),
        "deactivate_person": lambda: people.deactivate_person(ann, actor=superuser),
        "activate_person": lambda: people.activate_person(ann, actor=superuser),
        "change_tenant": lambda: identities.change_tenant(pending_edit_days=7, actor=admin),
        "note_entered": lambda: identities.note_entered(actor=bob),
        "use_preset": lambda: policies.use_preset(world.tenant_id, "open", actor=bob),
        "propose_change": lambda: policies.propose_change(actor=admin, preset="standard", reason="a test"),
        "propose_erasure": lambda: erasures.propose_erasure(to_erase, actor=carol, reason="a test"),
        "reject_erasure": lambda: erasures.reject_erasure(waiting_erasures[0], actor=dave, reason="no"),
        "withdraw_erasure": lambda: erasures.withdraw_erasure(waiting_erasures[1], actor=carol),
        "approve_erasure": lambda: erasures.approve_erasure(waiting_erasures[2], actor=dave),
        "decide_change": lambda: policies.decide_change(prepared["decide_change"], actor=another_admin, apply=True),
    }
    assert set(calls) == {name for name, expected in ENTRIES.items() if expected is not None}
    for name, call in calls.items():
        of = strict if name == "decide_change" else world
        with of.inside():
            before = Entry.objects.filter(tenant_id=of.tenant_id).count()
            call()
            entries = Entry.objects.filter(tenant_id=of.tenant_id).order_by("seq")[before:]
            assert [entry.type for entry in entries] == ENTRIES[name], name
