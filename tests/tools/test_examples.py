"""The agent loops of `examples/`, with a model that is a script: it remembers, makes a mistake, and recalls."""

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from governance.tools import formats, registry

ROOT = Path(__file__).parents[2]
#: What the model asks for, turn by turn; then it says what the last tool answered.
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("memory_commit", {"content": "Ann has moved to Bern", "importance": 8}),
    ("memory_recall", {"qury": "Bern"}),
    ("memory_recall", {"query": "Where does Ann live? Bern?", "maxResults": 3}),
]


class _Model(http.server.BaseHTTPRequestHandler):
    """A service with a model: it asks for one tool after another, and refuses tools in a form that is not its own."""

    bodies: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.bodies.append(body)
        done = sum(message["role"] == "assistant" for message in body["messages"])
        answers = {"/v1/chat/completions": self.completion, "/v1/messages": self.message}
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
        assert self.headers["x-api-key"] == "key-of-the-model"
        assert body["tools"] == [formats.anthropic(tool) for tool in registry.all_tools()]
        if done == len(ASKED):
            (last,) = body["messages"][-1]["content"]
            return {"content": [{"type": "text", "text": last["content"]}]}
        name, arguments = ASKED[done]
        return {"content": [{"type": "tool_use", "id": f"call-{done}", "name": name, "input": arguments}]}

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


@pytest.mark.pure
@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_they_are_short(name: str) -> None:
    assert len((ROOT / "examples" / f"{name}_tools.py").read_text().splitlines()) < 60
