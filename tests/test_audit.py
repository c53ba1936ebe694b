"""`make check`'s audit of the installed packages: what it found, and what it could not know."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.pure


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit", Path(__file__).parents[1] / ".ci" / "audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def output(*dependencies: dict[str, object]) -> str:
    return json.dumps({"dependencies": dependencies, "fixes": []})


def known(name: str, *vulnerabilities: dict[str, object]) -> dict[str, object]:
    return {"name": name, "version": "1.0", "vulns": vulnerabilities}


def unknown(name: str) -> dict[str, object]:
    return {"name": name, "skip_reason": "Dependency not found on PyPI and could not be audited"}


def test_an_audit_that_knew_nothing_of_most_packages_has_not_passed(audit: ModuleType) -> None:
    said, code = audit.judge(output(known("django"), *(unknown(f"package-{number}") for number in range(83))), "")
    assert code == 0
    assert said.startswith("SKIPPED: pip-audit knew nothing of 83 of 84 packages (package-0, package-1,")
    assert said.endswith("and 73 more)")


def test_one_unknown_package_is_said_too(audit: ModuleType) -> None:
    said, _ = audit.judge(output(known("django"), unknown("ours")), "")
    assert said == "SKIPPED: pip-audit knew nothing of 1 of 2 packages (ours)"


def test_an_audit_of_every_package_passes(audit: ModuleType) -> None:
    assert audit.judge(output(known("django"), known("psycopg")), "") == (
        "passed: no known vulnerabilities in 2 packages",
        0,
    )


def test_a_vulnerability_fails_whatever_else_is_unknown(audit: ModuleType) -> None:
    said, code = audit.judge(output(known("old", {"id": "PYSEC-1", "fix_versions": ["1.1"]}), unknown("ours")), "")
    assert code == 1
    assert "old 1.0: PYSEC-1, fixed in 1.1" in said


@pytest.mark.parametrize("printed", ["", "no JSON", "[]", "{}"])
def test_an_audit_that_could_not_ask_is_skipped_with_its_reason(audit: ModuleType, printed: str) -> None:
    said, code = audit.judge(printed, "first\nConnectionError: no route\n")
    assert (said, code) == ("SKIPPED: pip-audit could not ask its service: ConnectionError: no route", 0)


def test_the_makefile_runs_it() -> None:
    makefile = (Path(__file__).parents[1] / "Makefile").read_text()
    assert "$(PY) .ci/audit.py" in makefile
    assert "pip_audit" not in makefile
