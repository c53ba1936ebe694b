"""The first requests that a web process answers: a program for the environment of such a process. It takes the keys of
an agent and a reviewer, and on its standard input the id of a chunk. It prints, for each kind of request, the statuses
and milliseconds of the first and the second one, the modules that the first imported, and the files that it opened."""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

AGENT, REVIEWER = sys.argv[1:]
opened: list[str] = []

JACK = {"subject_type": "user", "subject_id": "jack-doe-123"}
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "first", "version": "1"},
}


class Web:
    """The application of one web process, running."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def start(self) -> None:
        self._events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        started = asyncio.Event()

        async def send(message: dict[str, Any]) -> None:
            assert message["type"] != "lifespan.startup.failed", message
            started.set()

        self._running = asyncio.create_task(self.application({"type": "lifespan"}, self._events.get, send))
        await self._events.put({"type": "lifespan.startup"})
        await started.wait()

    async def stop(self) -> None:
        await self._events.put({"type": "lifespan.shutdown"})
        await self._running

    async def ask(self, method: str, path: str, body: Any, key: str) -> tuple[int, bytes]:
        """The status and the content of an answer."""
        content = b"" if body is None else json.dumps(body).encode()
        headers = {"host": "localhost", "content-length": str(len(content))}
        if body is not None:
            headers["content-type"] = "application/json"
        if key:
            headers["authorization"] = f"Bearer {key}"
        if path == "/mcp":
            headers["accept"] = "application/json, text/event-stream"
        messages = iter([{"type": "http.request", "body": content, "more_body": False}])
        status, pieces = 0, []

        async def receive() -> dict[str, Any]:
            if (message := next(messages, None)) is not None:
                return message
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: dict[str, Any]) -> None:
            nonlocal status
            status = message.get("status", status)
            pieces.append(message.get("body", b""))

        raw_path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": raw_path,
            "raw_path": raw_path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "server": ("localhost", 80),
            "client": ("127.0.0.1", 1),
        }
        await self.application(scope, receive, send)
        return status, b"".join(pieces)


def requests(chunk: str) -> Iterator[tuple[str, str, str, Any, str]]:
    """Each kind: its name, method, path, body and key."""
    said = {"session_id": "first", "channel": "private", "actor_type": "agent", "actor_id": "alice", "kind": "message"}
    yield "live", "GET", "/healthz", None, ""
    yield "ready", "GET", "/readyz", None, ""
    yield "login page", "GET", "/admin/login/", None, ""
    secret = "Deploy. The password: hunter2hunter2. The second sentence, in Berlin, since 3 May 2024."
    yield "record with a secret", "POST", "/api/v1/events", {**said, "content": {"text": secret, **JACK}}, AGENT
    for name, text in (("a long text", "Jack likes tea. " * 300), ("another writing", "यह एक वाक्य है। " * 100)):
        yield f"record {name}", "POST", "/api/v1/events", {**said, "content": {"text": text}}, AGENT
    source = {"type": "HookDescription", "hook_type": "PreToolUse", "tool_name": "Read"}
    captured = {"session_id": "first", "content": "Reading file config.yaml", "source": source}
    yield "capture", "POST", "/api/v1/captures", captured, AGENT
    for mode in ("keyword", "semantic", "hybrid"):
        query = {"query": f"Where did Jack say what he likes in {mode}?", "mode": mode}
        yield f"search {mode}", "POST", "/api/v1/chunks/search", query, AGENT
    yield "list", "GET", "/api/v1/chunks?limit=50", None, AGENT
    yield "get", "POST", "/api/v1/chunks/get", {"chunk_ids": [chunk]}, AGENT
    yield "timeline", "GET", f"/api/v1/chunks/{chunk}/timeline", None, AGENT
    bundle = {"session_id": "first", "channel": "private", "query": "What does Jack like?", "max_tokens": 2000}
    yield "bundle", "POST", "/api/v1/acb/build", bundle, AGENT
    yield "bootstrap", "POST", "/api/v1/context/bootstrap", {"max_tokens": 1000, "session_id": "first"}, AGENT
    change = {"target_type": "chunk", "target_id": chunk, "op": "amend", "patch": {"text": "Tea."}}
    yield "preview", "POST", "/api/v1/edits/preview", change, REVIEWER
    amend = {**change, "reason": "a test"}
    yield "amend", "POST", "/api/v1/edits", amend, REVIEWER
    handed = {**JACK, "scope": "user", "audience_agent_ids": ["alice"], "items": {"chunks": [chunk]}}
    yield "capsule", "POST", "/api/v1/capsules", handed, AGENT
    yield "checkpoint", "POST", "/api/v1/sessions/first/checkpoints", {"turn": 1, "messages": ["x" * 9999]}, AGENT
    yield "tools", "GET", "/api/v1/tools?format=mcp", None, AGENT
    yield "not found", "GET", "/api/v1/nothing", None, AGENT
    yield "refused body", "POST", "/api/v1/events", {"text": 1}, AGENT
    yield "no key", "GET", "/api/v1/chunks", None, ""
    yield "mcp begins", "POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}, AGENT
    yield "mcp lists", "POST", "/mcp", {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, AGENT
    call = {"name": "search_memory", "arguments": {"query": "tea"}}
    yield "mcp calls", "POST", "/mcp", {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call}, AGENT


async def main(application: Any, chunk: str) -> dict[str, Any]:
    web = Web(application)
    await web.start()
    found: dict[str, Any] = {}
    for kind, method, path, body, key in requests(chunk):
        before = set(sys.modules)
        opened.clear()
        statuses, milliseconds = [], []
        for attempt in range(2):
            began = time.perf_counter()
            status, content = await web.ask(method, path, body, key)
            milliseconds.append(round((time.perf_counter() - began) * 1000, 1))
            statuses.append(status)
            if attempt == 0:
                files = sorted(set(opened))
        found[kind] = {
            "statuses": statuses,
            "imported": sorted(set(sys.modules) - before),
            "opened": files,
            "milliseconds": milliseconds,
            "said": content.decode(errors="replace")[:300] if statuses[0] >= 400 else "",
        }
    await web.stop()
    return found


def note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str):
        opened.append(arguments[0])


if __name__ == "__main__":
    chunk = sys.stdin.readline().strip()
    began = time.perf_counter()
    from memory_project.asgi import application

    start = time.perf_counter() - began
    sys.addaudithook(note)
    found = asyncio.run(main(application, chunk))
    sys.stdout.write(json.dumps({"start": start, "kinds": found}) + "\n")
