"""The agent loops of `examples/`, with a model that is a script: it remembers, makes a mistake, and recalls."""

import asyncio
import http.server
import json
import os
import re
import runpy
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from governance.tools import formats, registry
from suture_client import AsyncMemory

ROOT = Path(__file__).parents[2]
#: What the model asks for, turn by turn; then it says what the last tool answered.
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("memory_commit", {"content": "Ann has moved to Bern", "importance": 8}),
    ("memory_recall", {"qury": "Bern"}),
    ("memory_recall", {"query": "Where does Ann live? Bern?", "maxResults": 3}),
]
#: The same, with the tools of suture-client.
SCOPED: list[tuple[str, dict[str, Any]]] = [
    ("remember", {"content": "Ann has moved to Bern", "importance": 8}),
    ("recall", {"qury": "Bern"}),
    ("recall", {"query": "Where does Ann live? Bern?"}),
]
SHORT_NAMES = ["remember", "recall", "correct", "forget"]


class _Model(http.server.BaseHTTPRequestHandler):
    """A service with a model: it asks for one tool after another, and refuses tools in a form that is not its own."""

    bodies: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.bodies.append(body)
        said_before = body.get("messages") or body["input"]
        done = sum(one.get("role") == "assistant" or one.get("type") == "function_call" for one in said_before)
        answers = {
            "/v1/chat/completions": self.completion,
            "/v1/messages": self.message,
            "/v1/responses": self.response,
        }
        said = json.dumps(answers[self.path](body, done)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def completion(self, body: dict[str, Any], done: int) -> dict[str, Any]:
        assert self.headers["Authorization"] == "Bearer key-of-the-model"
        assert body["tools"] == [formats.openai(tool) for tool in registry.all_tools()]
        if done == len(ASKED):
            said = {"role": "assistant", "content": body["messages"][-1]["content"]}
        else:
            name, arguments = ASKED[done]
            function = {"name": name, "arguments": json.dumps(arguments)}
            called = {"id": f"call-{done}", "type": "function", "function": function}
            said = {"role": "assistant", "content": None, "tool_calls": [called]}
        return {"choices": [{"message": said}]}

    def message(self, body: dict[str, Any], done: int) -> dict[str, Any]:
        # Anthropic's package sends it as OpenAI's does.
        assert "key-of-the-model" in (self.headers["x-api-key"] or self.headers["Authorization"])
        asked = ASKED
        if len(body["tools"]) == len(SHORT_NAMES):
            assert [tool["name"] for tool in body["tools"]] == SHORT_NAMES
            asked = SCOPED
        else:
            assert body["tools"] == [formats.anthropic(tool) for tool in registry.all_tools()]
        if done == len(asked):
            (last,) = body["messages"][-1]["content"]
            return {"content": [{"type": "text", "text": last["content"]}]}
        name, arguments = asked[done]
        return {"content": [{"type": "tool_use", "id": f"call-{done}", "name": name, "input": arguments}]}

    def response(self, body: dict[str, Any], done: int) -> dict[str, Any]:
        assert self.headers["Authorization"] == "Bearer key-of-the-model"
        assert [tool["name"] for tool in body["tools"]] == SHORT_NAMES
        answer = {"id": f"r-{done}", "object": "response", "model": body["model"], "created_at": 0, "error": None}
        if done == len(SCOPED):
            text = {"type": "output_text", "text": body["input"][-1]["output"], "annotations": []}
            said = {"type": "message", "id": f"m-{done}", "role": "assistant", "status": "completed", "content": [text]}
            return {**answer, "output": [said]}
        name, arguments = SCOPED[done]
        called = {"type": "function_call", "call_id": f"call-{done}", "name": name, "arguments": json.dumps(arguments)}
        return {**answer, "output": [called]}

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def model() -> Iterator[str]:
    """The address of the model."""
    _Model.bodies.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Model) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("name", "path"), [("openai", "/v1"), ("anthropic", "")])
def test_an_agent_keeps_its_memory(world: Any, live_server: Any, model: str, name: str, path: str) -> None:
    block = {"label": "user_profile", "content": "Ann is a dentist", "isCore": True}
    world.alice.ok("post", "tools/block_update", block)
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / f"{name}_tools.py", "I have moved to Bern."],
        env={
            **os.environ,
            "SUTURE_URL": live_server.url,
            "SUTURE_KEY": world.keys["alice"],
            f"{name.upper()}_BASE_URL": model + path,
            f"{name.upper()}_API_KEY": "key-of-the-model",
            "NO_PROXY": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["memories"][0]["content"] == "Ann has moved to Bern"
    assert world.found("Bern") == ["Ann has moved to Bern"]
    # It began with what it knew, and a refused call was an answer that says what to do.
    first = _Model.bodies[0]
    assert "Ann is a dentist" in (first.get("system") or first["messages"][0]["content"])
    assert "Did you mean query?" in json.dumps(_Model.bodies[2]["messages"])


def printed_by(example: str, *arguments: str, **variables: str) -> str:
    """What an example prints."""
    return printed([str(ROOT / "examples" / f"{example}.py"), *arguments], {**os.environ, **variables})


def printed(arguments: list[str], environment: dict[str, str]) -> str:
    """What Python prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**environment, "NO_PROXY": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("example", ["openai_responses", "openai_agents"])
def test_an_agent_of_the_responses_api_keeps_its_memory(world: Any, live_server: Any, model: str, example: str) -> None:
    given = {"SUTURE_URL": live_server.url, "SUTURE_KEY": world.keys["alice"]}
    of_model = {"OPENAI_BASE_URL": f"{model}/v1", "OPENAI_API_KEY": "key-of-the-model"}
    answer = printed_by(example, "I have moved to Bern.", **given, **of_model)
    assert "Ann has moved to Bern" in answer
    assert "Did you mean query?" in json.dumps(_Model.bodies[2]["input"])
    (kept,) = world.alice.ok("get", "memories?subject_type=user&subject_id=ada")["results"]
    assert kept["text"] == "Ann has moved to Bern"


@pytest.mark.django_db(transaction=True)
def test_a_graph_of_langgraph_hears_of_a_correction(world: Any, live_server: Any) -> None:
    given = {"SUTURE_URL": live_server.url, "SUTURE_KEY": world.keys["alice"]}
    said = printed_by("langgraph_store", "Ada drinks oolong", **given).splitlines()
    assert said == ["Ada drinks oolong", "Ada drinks coffee"]


@pytest.mark.django_db(transaction=True)
def test_the_page_about_langgraph_runs(
    world: Any, live_server: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SUTURE_URL", live_server.url)
    monkeypatch.setenv("SUTURE_KEY", world.keys["alice"])
    page = (ROOT / "docs" / "langgraph.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(block, "docs/langgraph.md", "exec"), {"__name__": "page"})
    (shown,) = re.findall(r"\n```\n(A.*?)```", page, re.DOTALL)
    assert capsys.readouterr().out == shown


@pytest.mark.django_db(transaction=True)
def test_an_agent_of_pydantic_ai_keeps_its_memory(world: Any, live_server: Any) -> None:
    # imported here: it takes a second
    from pydantic_ai import messages
    from pydantic_ai.models import function

    example = runpy.run_path(str(ROOT / "examples" / "pydantic_ai_tools.py"))

    def model(history: list[Any], info: Any) -> Any:
        assert {tool.name for tool in info.function_tools} == {"remember", "recall", "correct", "forget"}
        done = sum(one.kind == "response" for one in history)
        if done == len(SCOPED):
            return messages.ModelResponse([messages.TextPart(history[-1].parts[-1].content)])
        return messages.ModelResponse([messages.ToolCallPart(*SCOPED[done])])

    async def ask() -> str:
        async with AsyncMemory(live_server.url, world.keys["alice"]) as memory:
            said = await example["answer"](memory.about("user:ada"), function.FunctionModel(model), "I have moved.")
            return str(said)

    assert "Ann has moved to Bern" in asyncio.run(ask())


@pytest.mark.django_db(transaction=True)
def test_the_quickstarts_run(world: Any, live_server: Any, model: str, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "quickstarts.md").read_text(encoding="utf-8")
    plain, *of_models = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    # no other variable, because the models' packages read many
    environment = {"HOME": str(tmp_path), "SUTURE_URL": live_server.url, "SUTURE_KEY": world.keys["alice"]}
    lines = printed(["-c", plain], environment).splitlines()
    for line in ("['Ada drinks oolong']", "> Ada drinks coffee"):
        assert f"\n{line}\n" in page
        assert line in lines
    for name, path in (("OPENAI", "/v1"), ("ANTHROPIC", "")):
        environment |= {f"{name}_BASE_URL": model + path, f"{name}_API_KEY": "key-of-the-model"}
    assert len(of_models) == 3
    for block in of_models:
        _Model.bodies.clear()
        *_, kept = printed(["-c", block], environment).splitlines()
        assert kept.startswith("['Ann has moved to Bern', ")
        assert len(_Model.bodies) == len(SCOPED) + 1


@pytest.mark.pure
@pytest.mark.parametrize(
    "name",
    ["openai_tools", "anthropic_tools", "openai_responses", "openai_agents", "langgraph_store", "pydantic_ai_tools"],
)
def test_they_are_short(name: str) -> None:
    assert len((ROOT / "examples" / f"{name}.py").read_text().splitlines()) < 61
