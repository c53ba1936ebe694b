"""The functions of the database: each defined once, in a file of its name, and the database has what the file says."""

from difflib import unified_diff
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connections

from governance.acting import gate
from governance.database import functions

SNAPSHOT = Path(__file__).resolve().parent.parent / "snapshots" / "functions.txt"
APPS = ("governance", "memory", "capsules", "capture")


def described():
    """A line for every function of ours: owner, rights, properties, and a digest of its parameters with their
    defaults, its answer, its language and its body."""
    rows = gate.rows(
        """SELECT concat_ws('; ', p.oid::regprocedure, 'owner ' || pg_get_userbyid(p.proowner),
            (SELECT 'EXECUTE to ' || string_agg(g.name, ', ' ORDER BY g.name)
             FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x, LATERAL
                (SELECT CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(x.grantee) END AS name) g),
            CASE p.provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END,
            CASE WHEN p.prosecdef THEN 'security definer' ELSE 'security invoker' END,
            array_to_string(p.proconfig, ', '),
            CASE WHEN p.procost <> 100 THEN 'cost ' || p.procost END,
            CASE WHEN p.prorows NOT IN (0, 1000) THEN 'rows ' || p.prorows END,
            CASE p.proparallel WHEN 's' THEN 'parallel safe' WHEN 'r' THEN 'parallel restricted' END,
            CASE WHEN p.proleakproof THEN 'leakproof' END,
            CASE WHEN p.proisstrict THEN 'strict' END,
            'sha256 ' || encode(sha256(convert_to(concat_ws(E'\\n', pg_get_function_arguments(p.oid),
                pg_get_function_result(p.oid), l.lanname, p.prosrc), 'UTF8')), 'hex')) AS line
        FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
        WHERE p.pronamespace = 'public'::regnamespace AND p.proname !~ '^pgtrigger_'
          AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')""",
        (),
    )
    return sorted(row["line"] for row in rows)


@pytest.mark.django_db
def test_the_functions_of_a_migrated_database_are_those_of_the_snapshot(pytestconfig):
    """After a wanted change: `make test ARGS="tests/database --renew-snapshots"`, and read the difference."""
    found = described()
    if pytestconfig.getoption("--renew-snapshots"):
        SNAPSHOT.write_text("".join(f"{line}\n" for line in found))
    kept = SNAPSHOT.read_text().splitlines()
    difference = list(unified_diff(kept, found, "snapshot", "database", n=0, lineterm=""))
    assert not difference, "\n".join(difference)


@pytest.mark.django_db
def test_no_function_stands_twice():
    names = gate.rows(
        "SELECT proname, count(*) FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace"
        " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')"
        " GROUP BY 1 HAVING count(*) > 1",
        (),
    )
    assert names == []
    files = [name for app in APPS for name in functions.definitions(app)]
    assert len(files) == len(set(files))


@pytest.mark.pure
def test_a_function_comes_after_those_that_its_sql_calls():
    wanted = {name: one for app in APPS for name, one in functions.definitions(app).items()}
    order = [one.name for one in functions.in_order(wanted)]
    assert sorted(order) == sorted(wanted)
    assert order.index("why_hidden") < order.index("why_chunk_hidden") < order.index("is_seen")


@pytest.mark.pure
def test_a_file_that_defines_another_function_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "sql" / "functions"
    folder.mkdir(parents=True)
    (folder / "first.sql").write_text("CREATE OR REPLACE FUNCTION second() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;")
    monkeypatch.setattr(apps.get_app_config("capsules"), "path", str(tmp_path))
    with pytest.raises(functions.MisplacedFunctionError, match="first"):
        functions.definitions("capsules")


def text_of(body, *, parameters="p_number int", answer="int", grants="suture_app"):
    return (
        f"-- executable by: {grants}\n"
        f"CREATE OR REPLACE FUNCTION a_test({parameters}) RETURNS {answer} LANGUAGE sql IMMUTABLE AS $$ {body} $$;\n"
    )


@pytest.fixture
def applied(transactional_db, monkeypatch):
    """`applied(text)` applies the files with that text for the function a_test besides; None takes the file away."""
    real = functions.definitions

    def apply(text):
        def definitions(app):
            more = {"a_test": functions.Definition("capsules", "a_test", text)} if app == "capsules" and text else {}
            return real(app) | more

        monkeypatch.setattr(functions, "definitions", definitions)
        return functions.apply_functions(connections["owner"])

    yield apply
    apply(None)


def now(sql="SELECT a_test(1)"):
    return next(iter(gate.rows(sql, ())[0].values()))


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
class TestApply:
    def test_a_function_with_the_rights_of_the_gate_has_the_usual_search_path_unless_it_sets_another(self, applied):
        for given, settings in (
            ("", None),
            (" SECURITY DEFINER", ["search_path=pg_catalog, public, pg_temp"]),
            (" SECURITY DEFINER SET work_mem = '1MB'", ["search_path=pg_catalog, public, pg_temp", "work_mem=1MB"]),
            (" SECURITY DEFINER SET search_path = pg_catalog", ["search_path=pg_catalog"]),
        ):
            applied(text_of("SELECT 1").replace(" IMMUTABLE", f" IMMUTABLE{given}"))
            assert now("SELECT proconfig FROM pg_proc WHERE proname = 'a_test'") == settings

    def test_only_a_file_that_changed_is_run(self, applied):
        assert applied(text_of("SELECT 1")) == ["a_test"]
        assert applied(text_of("SELECT 1")) == []
        assert applied(text_of("SELECT 2")) == ["a_test"]
        assert now() == 2

    def test_a_function_whose_file_is_gone_is_dropped(self, applied):
        applied(text_of("SELECT 1"))
        assert applied(None) == ["a_test"]
        assert now("SELECT to_regproc('a_test')") is None

    def test_other_parameters_replace_the_function(self, applied):
        applied(text_of("SELECT 1"))
        applied(text_of("SELECT 2", parameters="p_number int, p_more int DEFAULT 0"))
        assert now("SELECT count(*) FROM pg_proc WHERE proname = 'a_test'") == 1
        assert now() == 2

    def test_another_answer_replaces_the_function(self, applied):
        applied(text_of("SELECT 1"))
        applied(text_of("SELECT 'two'", answer="text"))
        assert now() == "two"

    def test_a_grant_that_the_file_no_longer_has_is_revoked(self, applied):
        applied(text_of("SELECT 1", grants="suture_app, suture_review"))
        applied(text_of("SELECT 1", grants="suture_app"))
        assert now("SELECT has_function_privilege('suture_review', 'a_test(int)', 'EXECUTE')") is False
        assert now("SELECT has_function_privilege('suture_app', 'a_test(int)', 'EXECUTE')") is True

    def test_a_broken_file_changes_nothing(self, applied):
        applied(text_of("SELECT 1"))
        with pytest.raises(Exception, match="no_such_thing"):
            applied(text_of("SELECT no_such_thing"))
        assert now() == 1
        assert now("SELECT has_schema_privilege('suture_gate', 'public', 'CREATE')") is False

    def test_migrate_applies_them(self, applied, capsys):
        with connections["owner"].cursor() as cursor:
            cursor.execute("SET ROLE suture_gate")
            cursor.execute("COMMENT ON FUNCTION new_id IS 'suture:governance:0'")
            cursor.execute("RESET ROLE")
        call_command("migrate", verbosity=1, interactive=False)
        assert "Functions created, replaced or dropped: 1" in capsys.readouterr().out
