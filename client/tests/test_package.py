"""`suture-client` can be installed alone: what it needs, and that it starts with nothing else."""

import ast
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
import venv
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import suture_client

pytestmark = pytest.mark.pure

PACKAGE = Path(suture_client.__file__).parent
FOLDER = PACKAGE.parent
PROJECT = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
#: What every user installs, and what each extra adds.
NEEDED = {"click", "httpx", "ijson", "rich", "tomlkit"}
EXTRAS = {"mcp": {"mcp"}, "watch": {"watchfiles", "pathspec", "sentencex"}, "langgraph": {"langgraph-checkpoint"}}
#: Of the packages of extras, what modules import; and what they bring along.
OF_EXTRAS = {"mcp", "watchfiles", "pathspec", "sentencex", "langgraph", "langchain_core", "ormsgpack"}
#: How many distributions are in an environment that has only the client.
MOST = 15


def names(requirements: list[str]) -> set[str]:
    return {Requirement(text).name for text in requirements}


def test_it_needs_five_packages() -> None:
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

    assert {name: extra for extra in ("mcp", "watch") for name in EXTRAS[extra]} == NAMED


@pytest.mark.slow
def test_it_is_installed_in_an_empty_environment(tmp_path: Path) -> None:
    """Builds the wheel, and installs it from a package index."""
    # a build writes into the folder that it builds
    ignored = shutil.ignore_patterns("build", "*.egg-info", "tests", "__pycache__")
    source = shutil.copytree(FOLDER, tmp_path / "source", ignore=ignored)
    venv.create(tmp_path / "empty", with_pip=True)
    binaries = tmp_path / "empty" / "bin"
    pip = [str(binaries / "python"), "-m", "pip", "--disable-pip-version-check"]
    wheels = tmp_path / "wheels"
    subprocess.run([*pip, "wheel", "-q", "--no-deps", "-w", str(wheels), str(source)], check=True)
    (wheel,) = wheels.iterdir()

    def listed() -> set[str]:
        done = subprocess.run([*pip, "list", "--format", "json"], check=True, capture_output=True, text=True)
        return {one["name"] for one in json.loads(done.stdout)}

    def size() -> int:
        return sum(path.stat().st_size for path in (tmp_path / "empty").rglob("*") if path.is_file())

    packages, before, began = listed(), size(), time.monotonic()
    subprocess.run([*pip, "install", "-q", str(wheel)], check=True)
    seconds = time.monotonic() - began
    added = listed() - packages
    figures = f"{len(added)} distributions, {(size() - before) / 1e6:.1f} MB, {seconds:.1f} s"
    print(figures, *sorted(added))  # noqa: T201 - for a release (-s)
    assert "suture-client" in added
    assert len(added) <= MOST

    home = {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "SUTURE_URL": "http://127.0.0.1:9",
        "SUTURE_KEY": "sut_x",
    }
    suture = str(binaries / "suture")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([suture, *words], input="{}", capture_output=True, text=True, env=home, cwd=tmp_path)

    assert run("--version").stdout == f"suture {suture_client.__version__}\n"
    assert run("hook").returncode == 0
    assert run("install-hooks", "--agent", "opencode").returncode == 0  # whose plugin is a file of the package
    for command, extra in ((["mcp"], "mcp"), (["watch", "."], "watch")):
        assert f"pip install 'suture-client[{extra}]'" in run(*command).stderr
