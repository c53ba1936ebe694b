"""A small server with the API that imports use."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Api:
    """The server's items, its requests, and its configured faults."""

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.requests: list[tuple[str, int]] = []
        #: Answers given before anything else is looked at: a status each.
        self.failures: list[int] = []
        #: Why the server refuses an item; None if it takes it.
        self.refuses: Callable[[dict[str, Any]], str | None] = lambda item: None
        #: The server fails over a batch with such an item.
        self.breaks: Callable[[dict[str, Any]], bool] = lambda item: False
        self.url = ""

    def texts(self) -> list[str]:
        """The words of all items, as they came."""
        return [one["content"] if isinstance(one["content"], str) else one["content"].get("text", "") for one in self]

    def __iter__(self) -> Any:
        return iter(self.items.values())

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The status and the answer to a batch."""
        if self.failures:
            status = self.failures.pop(0)
            return status, {"title": "Failed", "status": status, "detail": "as the test wants it"}
        endpoint = path.removeprefix("/api/v1/").removesuffix("/batch")
        items = body[endpoint]
        self.requests.append((endpoint, len(items)))
        if any(self.breaks(item) for item in items):
            return 500, {"title": "Internal Server Error", "status": 500, "detail": "The server failed."}
        errors = [
            {"pointer": f"#/{endpoint}/{number}/content/text", "index": number, "detail": reason}
            for number, item in enumerate(items)
            if (reason := self.refuses(item))
        ]
        if errors:
            return 400, {"title": "Bad Request", "status": 400, "detail": "Refused.", "errors": errors}
        for number, item in enumerate(items):
            known = self.items.get(item["id"])
            if known is not None and (known["session_id"], known["content"]) != (item["session_id"], item["content"]):
                fault = {"pointer": f"#/{endpoint}/{number}/id", "index": number, "detail": "The id of another event."}
                return 409, {"title": "Conflict", "status": 409, "detail": fault["detail"], "errors": [fault]}
        answers = []
        for item in items:
            outcome = "already_recorded" if item["id"] in self.items else "recorded"
            self.items.setdefault(item["id"], item)
            answers.append({"event_id": item["id"], "status": outcome})
        return 201, {endpoint: answers}


def serve(api: Api) -> ThreadingHTTPServer:
    """Start the server at `api.url`. Shut it down at the end."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = api.answer(self.path, body)
            if self.headers["Authorization"] != "Bearer sut_test_key":
                status, answer = 401, {"title": "Unauthorized", "status": 401, "detail": "This key is not known."}
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    api.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    return server
