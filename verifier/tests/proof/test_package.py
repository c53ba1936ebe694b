"""`suture-verify` can be installed alone: its dependencies are sufficient."""

import ast
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from suture_verify import cli
from tests.proof.verifiers import ROOT, VECTORS
from tests.wheels import EmptyEnvironment, build_wheel

pytestmark = pytest.mark.pure

PACKAGE = ROOT / "verifier"
#: The most distributions in a fresh environment after the installation, including pip and setuptools.
INSTALLED = {"suture-verify", "cryptography", "rfc8785", "click", "cffi", "pycparser", "typing-extensions"}


def test_it_needs_three_packages():
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    declared = {Requirement(text).name for text in project["dependencies"]}
    assert declared == {"click", "cryptography", "rfc8785"}
    assert {Requirement(text).name for text in distribution("suture-verify").requires or ()} == declared


def test_its_modules_import_nothing_else():
    known = {*sys.stdlib_module_names, "suture_verify", "click", "cryptography", "rfc8785"}
    imported = set()
    for path in Path(cli.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add((node.module or "").partition(".")[0])
    assert imported - known == set()


@pytest.mark.slow
def test_it_verifies_an_export_in_an_empty_environment(tmp_path):
    """Builds the wheel, and installs it from a package index."""
    environment = EmptyEnvironment(tmp_path / "empty")
    installed = environment.install([build_wheel(PACKAGE, tmp_path)])
    assert installed.distributions <= INSTALLED
    done = environment.run("suture-verify", "export", str(VECTORS / "whole.jsonl"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "The ledger is intact." in done.stdout
