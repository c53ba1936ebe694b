"""docs/errors.md names every code of a refusal, and the exceptions of the client by their statuses."""

import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

import capsules
import capture
import governance
import memory
import suture_client
from governance.http.statuses import STATUS
from governance.refusals import Refusal
from suture_client.errors import problem_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
#: Those that no refusal has: of the web server, and of Django REST framework.
OTHERS = {
    "body-too-slow": 408,
    "busy": 503,
    "length-required": 411,
    "method-not-allowed": 405,
    "too-many-requests": 429,
    "unsupported-client-version": 400,
    "unsupported-media-type": 415,
    "internal-server-error": 500,
    "bad-request": 400,
}


def subclasses(kind: type[Refusal]) -> Iterator[type[Refusal]]:
    for one in kind.__subclasses__():
        yield one
        yield from subclasses(one)


def codes() -> dict[int, list[str]]:
    """The codes by status: those of all refusals but the admin site's."""
    for app in (governance, memory, capsules, capture):
        for found in pkgutil.walk_packages(app.__path__, f"{app.__name__}."):
            if not re.search(r"\.(migrations|management|admin)\b", found.name):
                importlib.import_module(found.name)
    by_status: dict[int, set[str]] = defaultdict(set)
    for kind in subclasses(Refusal):
        if re.match(r"(governance|memory|capsules|capture)\.(?!admin)", kind.__module__) and kind.__name__[0] != "_":
            status = next(STATUS[parent] for parent in kind.__mro__ if parent in STATUS)
            by_status[int(status)].add(kind.code)
    for code, other in OTHERS.items():
        by_status[other].add(code)
    return {status: sorted(found) for status, found in sorted(by_status.items())}


@pytest.mark.pure
def test_it_lists_every_code() -> None:
    lines = [f"- **{status}**: {', '.join(f'`{code}`' for code in found)}" for status, found in codes().items()]
    assert re.findall(r"^- \*\*\d+\*\*: .*$", PAGE, re.MULTILINE) == lines


@pytest.mark.pure
def test_every_code_that_it_explains_exists() -> None:
    table = PAGE.partition("## What to do")[2].partition("\n## ")[0]
    named = {
        code for cell in re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE) for code in re.findall("`(.*?)`", cell)
    }
    assert named <= {code for found in codes().values() for code in found}
    assert len(named) > 30


@pytest.mark.pure
def test_its_exceptions_are_those_of_the_statuses() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([0-9][^|]*) \|", PAGE, re.MULTILINE)
    assert len(rows) == 7
    for name, statuses in rows:
        for status in map(int, re.findall(r"\d+", statuses)):
            assert isinstance(problem_of(status, {}, {}), getattr(suture_client, name)), status


@pytest.mark.pure
def test_the_codes_of_no_refusal_are_those_of_the_source() -> None:
    web = "".join(one.read_text(encoding="utf-8") for one in (ROOT / "memory_project" / "web").glob("*.py"))
    for code, status in OTHERS.items():
        # a problem without a code has that of its status
        assert f'"{code}"' in web or code == HTTPStatus(status).name.lower().replace("_", "-")


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_its_program_runs(
    world: Any, live_server: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SUTURE_URL", live_server.url)
    monkeypatch.setenv("SUTURE_KEY", world.keys["alice"])
    ((program, shown),) = re.findall(r"```python\n(.*?)```\n```\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(program, "docs/errors.md", "exec"), {})
    assert capsys.readouterr().out == shown
