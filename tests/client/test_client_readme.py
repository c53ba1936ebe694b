"""The programs in client/README.md run as they are, in one after the other, on a server."""

import re
from pathlib import Path
from typing import Any

import pytest

from suture_client import Memory

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "client" / "README.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_its_programs_run(
    world: Any, live_server: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SUTURE_URL", live_server.url)
    monkeypatch.setenv("SUTURE_KEY", world.keys["alice"])
    printed: list[list[str]] = []
    names: dict[str, Any] = {}
    for block in blocks("python"):
        exec(compile(block, "client/README.md", "exec"), names)
        if isinstance(memory := names.get("memory"), Memory):
            memory.close()
        printed.append(capsys.readouterr().out.splitlines())
    ten_lines, with_asyncio, errors, tools, testing = printed
    assert ten_lines == ["Ada drinks coffee", "applied"]
    assert with_asyncio == ["['Ada drinks oolong']", "['Ada drinks oolong']"]
    assert errors == ["no-such-memory"]
    assert [hit.text for hit in names["hits"]] == ["Ada drinks oolong"]
    assert "Ada drinks oolong" in names["prompt"]
    assert names["prompt"].ids
    assert [tool["name"] for tool in names["tools"]] == ["remember", "recall"]
    assert '"seq":1' in names["answer"]
    assert (tools, testing) == ([], [])
    names["test_my_agent_remembers"]()


@pytest.mark.pure
def test_a_program_without_an_end_is_valid() -> None:
    (block,) = blocks("python no-run")
    compile(block, "client/README.md", "exec")


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_the_ten_lines_of_the_first_page_run(world: Any, live_server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUTURE_URL", live_server.url)
    monkeypatch.setenv("SUTURE_KEY", world.keys["alice"])
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(program, "README.md", "exec"), names)
    assert [hit.text for hit in names["hits"]] == ["Ada drinks oolong"]
    assert names["prompt"].ids
    assert list(names["ada"].memories()) == []
    names["memory"].close()
