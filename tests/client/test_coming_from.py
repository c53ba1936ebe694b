"""docs/coming-from.md: each call of ours runs as it is, and so does each of LangGraph's store."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from suture_client.storing.langgraph import SutureStore

PAGE = (Path(__file__).parents[2] / "docs" / "coming-from.md").read_text(encoding="utf-8")


def calls(names: str) -> list[str]:
    """The calls of these objects in the tables, in the page's order."""
    rows = re.findall(r"^\|.*\|$", PAGE, re.MULTILINE)
    return [call for row in rows for call in re.findall(rf"`((?:{names})\.[^`]*\))`", row)]


def ran(call: str, names: dict[str, Any]) -> Any:
    found = eval(call, names)
    return list(found) if isinstance(found, Iterator) else found


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_its_calls_run(world: Any, live_server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUTURE_URL", live_server.url)
    monkeypatch.setenv("SUTURE_KEY", world.keys["alice"])
    (beginning,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(beginning, "docs/coming-from.md", "exec"), names)
    for number, call in enumerate(calls("ada|memory")):
        names["id"] = names["ada"].remember(f"Ada drinks tea, number {number}").id
        ran(call, names)
    names["memory"].close()
    with SutureStore() as store:
        answers = [ran(call, {"store": store}) for call in calls("store")]
    _, item, found, namespaces, _ = answers
    assert item.value == {"text": "oolong"}
    assert found == []
    assert namespaces == [("users", "ada")]
