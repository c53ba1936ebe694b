"""What holds the project together: SQL files and migrations, and guards."""

import re
import uuid
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connections
from django.db.migrations.loader import MigrationLoader

from governance import checks
from governance.acting import gate
from governance.admin.proposing import FORMS
from governance.database.sql_migrations import RunSQLFile
from governance.edits import OPERATIONS, db, targets
from governance.ledger import sealed_kinds
from governance.models import AppendOnlyModel, Edit
from governance.refusals import Invalid, from_database
from suture_verify.leaves import LeafForm
from tests import marking
from tests.catalog import descendants

ROOT = Path(__file__).resolve().parent.parent
APPS = ["governance", "memory", "capsules", "capture"]


def sql_files(kind):
    return {
        (app, path.name.removesuffix(f".{kind}.sql")) for app in APPS for path in (ROOT / app).glob(f"sql/*.{kind}.sql")
    }


@pytest.mark.pure
def test_every_sql_file_has_its_way_back():
    assert sql_files("up")
    assert sql_files("up") == sql_files("down")


@pytest.mark.pure
def test_every_sql_file_is_run_by_exactly_one_migration():
    run = [
        (operation.app, operation.name)
        for migration in MigrationLoader(None).disk_migrations.values()
        for operation in migration.operations
        if isinstance(operation, RunSQLFile)
    ]
    assert sorted(run) == sorted(sql_files("up"))


@pytest.mark.pure
def test_a_migration_has_the_number_of_its_sql_file():
    for (_, name), migration in MigrationLoader(None).disk_migrations.items():
        for operation in migration.operations:
            if isinstance(operation, RunSQLFile):
                assert operation.name[:4] == name[:4]


@pytest.mark.django_db
def test_the_models_have_no_change_without_a_migration():
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


@pytest.fixture
def empty_database(django_db_setup, django_db_blocker):
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


@pytest.mark.slow
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
    ours = {one for one in objects(empty_database) if re.search(r"\b(governance|memory|capsules)_", one[1])}
    assert ours == set()
    # the functions of its triggers are left by pgtrigger, which replaces them when it makes the triggers again
    left = {name for kind, name in objects(empty_database) - before if kind == "function" and "pgtrigger_" not in name}
    assert left == set()
    migrate()
    assert objects(empty_database) == made


@pytest.mark.pure
def test_every_append_only_model_declares_its_guards():
    models = [model for model in descendants(AppendOnlyModel) if not model._meta.abstract]
    assert len(models) >= 9
    assert checks.append_only_tables_declare_their_guards() == []


@pytest.mark.pure
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


@pytest.mark.pure
def test_the_apps_are_all_installed():
    assert set(APPS) <= set(settings.INSTALLED_APPS)


@pytest.mark.pure
def test_nothing_is_left_out_of_the_package():
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            folder = path.parent
            while folder != ROOT / app:
                assert (folder / "__init__.py").exists(), folder
                folder = folder.parent


# -- What governance knows of the apps above it: what they register, and nothing else.


@pytest.mark.pure
def test_governance_knows_no_word_and_no_module_of_another_app():
    files = [*(ROOT / "governance").rglob("*.py"), *(ROOT / "governance").rglob("*.sql")]
    files += (ROOT / "templates" / "admin" / "governance").rglob("*.html")
    assert len(files) > 150
    knowing = [
        str(path.relative_to(ROOT))
        for path in files
        if re.search(r"(?i)capsule|\brisks?\b|^\s*(from|import) memory\b", path.read_text(), re.MULTILINE)
    ]
    assert knowing == []


def test_every_registered_kind_has_its_functions_in_files_and_in_the_database(db):
    assert {"chunk", "decision", "capsule"} <= set(targets.names())
    assert checks.registered_kinds_have_their_functions() == []
    assert checks.the_database_has_the_functions_of_registered_kinds(databases=["default"]) == []


@pytest.mark.pure
def test_a_sealed_kind_whose_table_notes_nothing_is_found(monkeypatch):
    assert checks.sealed_tables_note_what_is_recorded() == []
    monkeypatch.setitem(
        sealed_kinds._kinds, "leaf", sealed_kinds.SealedKind("leaf", "governance_leaf", LeafForm("leaf/1"))
    )
    assert [error.id for error in checks.sealed_tables_note_what_is_recorded()] == ["governance.E003"]


def test_a_kind_without_its_functions_is_found(db, monkeypatch):
    class BlockTarget(targets.TargetKind):
        name = "memory_block"

    monkeypatch.setitem(targets._kinds, "memory_block", BlockTarget())
    found = checks.registered_kinds_have_their_functions()
    missing = [f"{prefix}memory_block" for prefix in targets.FUNCTIONS]
    assert [error.id for error in found] == ["governance.E002"] * len(missing)
    assert [error.msg.split()[4].rstrip(",") for error in found] == missing
    in_database = checks.the_database_has_the_functions_of_registered_kinds(databases=["default"])
    assert [warning.id for warning in in_database] == ["governance.W001"] * len(missing)


def test_the_database_refuses_an_edit_of_a_kind_that_no_app_has(world):
    message = "you cannot edit a memory_block"
    with pytest.raises(DatabaseError, match=message) as refused, gate.acting_as(world.bob_principal):
        db.record_edit(
            tenant=world.tenant_id,
            id=uuid.uuid4(),
            target_type="memory_block",
            target_id=uuid.uuid4(),
            sensitivity="none",
            op="retract",
            reason="a test",
            text=None,
            salt=None,
            importance=None,
            importance_delta=None,
            channel=None,
            reverts=None,
            patch_sha256=b"a" * 32,
        )
    assert type(from_database(refused.value)) is Invalid


@pytest.mark.pure
def test_every_operation_says_what_it_takes_and_does():
    assert set(OPERATIONS) == set(Edit.Op.values)
    assert set(FORMS) == set(Edit.Op.values) - {Edit.Op.REVERT}  # which a person proposes from the edit's own page


# -- What a test needs is on its mark.


@pytest.mark.pure
def test_every_test_that_asks_for_no_server_is_marked_pure(request):
    assert request.config.stash[marking.UNMARKED] == []


@pytest.mark.pure
@pytest.mark.parametrize(
    ("marks", "fixtures"),
    [({"pure", "django_db"}, []), ({"pure", "stack"}, []), ({"pure", "redis"}, []), ({"pure"}, ["db", "world"])],
)
def test_a_pure_test_that_asks_for_a_server_fails(marks, fixtures):
    item: Any = SimpleNamespace(fixturenames=fixtures, get_closest_marker=lambda name: name in marks)
    with pytest.raises(pytest.fail.Exception, match="marked pure"):
        marking.pytest_runtest_setup(item)


@pytest.mark.pure
def test_a_pure_test_that_asks_for_none_runs():
    item: Any = SimpleNamespace(fixturenames=["tmp_path"], get_closest_marker=lambda name: name == "pure")
    marking.pytest_runtest_setup(item)
