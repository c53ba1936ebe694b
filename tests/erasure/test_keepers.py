"""Every app that keeps words takes part in an erasure, in the database as in the purge."""

import pytest

from governance.acting import gate
from governance.edits import targets
from governance.erasure import keepers

pytestmark = pytest.mark.django_db


def functions(prefix):
    rows = gate.rows(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND starts_with(proname, %s)", [prefix]
    )
    return {row["proname"].removeprefix(prefix) for row in rows}


def test_every_app_with_functions_says_which_tables_to_rewrite():
    registered = {keeper.name for keeper in keepers.keepers()}
    assert functions("erasable_of_") | functions("erase_copies_of_") <= registered
    assert "memory" in functions("erasable_of_") & functions("erase_copies_of_")


def test_every_kind_of_target_tells_its_retention():
    assert functions("retention_of_") - {"target"} == set(targets._kinds)


def test_the_tables_exist():
    for table in keepers.tables():
        assert gate.rows("SELECT to_regclass(%s) IS NOT NULL AS there", [table]) == [{"there": True}]
