"""CI chooses the tests of a change by its paths."""

import importlib.util

import pytest

from tests.wheels import ROOT

pytestmark = pytest.mark.pure

_spec = importlib.util.spec_from_file_location("affected_tests", ROOT / ".ci" / "affected_tests.py")
assert _spec is not None
assert _spec.loader is not None
affected = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(affected)


def test_a_change_of_the_client_needs_its_tests_and_the_smoke_tests():
    chosen = affected.selected(["client/suture_client/http.py", "docs/capture.md"])
    assert "client/tests tests/client" in chosen
    assert "test_fresh_stack.py" in chosen
    assert "verifier/tests" not in chosen


@pytest.mark.parametrize("paths", [[], ["README.md"], ["client/x.py", "memory/apps.py"], ["pyproject.toml"]])
def test_any_other_change_needs_all_tests(paths):
    assert affected.selected(paths) == ""


def test_the_chosen_tests_exist():
    for tests in (*affected.PACKAGES.values(), affected.SMOKE):
        assert [test for test in tests if not (ROOT / test).exists()] == []
