"""`suture-client` can be installed alone: its dependencies are sufficient."""

import ast
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import suture_client
from tests.wheels import EmptyEnvironment, build_wheel

pytestmark = pytest.mark.pure

PACKAGE = Path(suture_client.__file__).parent
FOLDER = PACKAGE.parent
PROJECT = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
#: The dependencies of every installation, and of each extra.
NEEDED = {"click", "httpx", "ijson", "tomlkit"}
EXTRAS = {
    "mcp": {"mcp"},
    "watch": {"watchfiles", "pathspec", "sentencex"},
    "goose": {"PyYAML"},
    "langgraph": {"langgraph-checkpoint"},
}
#: The packages of extras that modules import, and their own dependencies.
OF_EXTRAS = {"mcp", "anyio", "watchfiles", "pathspec", "sentencex", "yaml", "langgraph", "langchain_core", "ormsgpack"}
#: The number of distributions in an environment with only the client.
MOST = 11


def names(requirements: list[str]) -> set[str]:
    return {Requirement(text).name for text in requirements}


def test_it_needs_four_packages() -> None:
    assert names(PROJECT["dependencies"]) == NEEDED
    extras = PROJECT["optional-dependencies"]
    assert {name: names(extras[name]) for name in EXTRAS} == EXTRAS
    assert extras["all"] == [f"suture-client[{','.join(EXTRAS)}]"]
    assert extras.keys() == {*EXTRAS, "all"}


def test_the_installed_package_declares_the_same() -> None:
    installed = [Requirement(text) for text in distribution("suture-client").requires or ()]
    assert {one.name for one in installed if one.marker is None} == NEEDED
    assert distribution("suture-client").version == suture_client.__version__


def test_its_modules_import_nothing_else() -> None:
    # `_sha2` is of the standard library from Python 3.12 on
    known = {*sys.stdlib_module_names, "_sha2", *NEEDED, *OF_EXTRAS, "suture_client"}
    imported: dict[str, str] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0]: path.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported[(node.module or "").partition(".")[0]] = path.name
    assert {name: path for name, path in imported.items() if name not in known} == {}


def test_each_import_of_an_extra_names_it_where_it_is_missing() -> None:
    from suture_client.cli import EXTRAS as NAMED

    named = {name: extra for extra in ("mcp", "watch") for name in EXTRAS[extra]}
    assert {**named, "yaml": "goose"} == NAMED


@pytest.mark.slow
def test_it_is_installed_in_an_empty_environment(tmp_path: Path) -> None:
    """Builds the wheel, and installs it from a package index."""
    environment = EmptyEnvironment(tmp_path / "empty")
    installed = environment.install([build_wheel(FOLDER, tmp_path)])
    print(installed, *sorted(installed.distributions))  # noqa: T201 - for a release (-s)
    assert "suture-client" in installed.distributions
    assert len(installed.distributions) <= MOST

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return environment.run("suture", *words, SUTURE_URL="http://127.0.0.1:9", SUTURE_KEY="sut_x")

    assert run("--version").stdout == f"suture {suture_client.__version__}\n"
    assert run("hook").returncode == 0
    assert run("install-hooks", "--agent", "opencode").returncode == 0  # whose plugin is a file of the package
    for command, extra in ((["mcp"], "mcp"), (["watch", "."], "watch")):
        assert f"pip install 'suture-client[{extra}]'" in run(*command).stderr
