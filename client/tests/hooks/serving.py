"""A fake of Suture's API that accepts captures, and can be slow, frozen or broken."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sut_12345678_key"
CONTEXT = "## Persona\nYou are kind."


#: The status of a request whose captures have all been refused, or all failed.
_ERRORS = {"refused": 400, "failed": 500}


class FakeApi(ThreadingHTTPServer):
    """Answers like the API. `captures` has the accepted captures by id, `requests` the path and body of every
    request."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.captures: dict[str, dict[str, Any]] = {}
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.versions: set[str | None] = set()
        #: The number of times each capture was sent.
        self.asked: dict[str, int] = {}
        #: The status of every answer, if it is an error, and the code of the problem.
        self.status, self.code = 0, "refused"
        #: Captures with one of these words are refused, cannot be stored now, or make every request fail.
        self.refuses, self.fails_over, self.crashes_over = "REFUSED", "FAILED", "POISON"
        #: Seconds for a request with one of these words.
        self.slow_over: dict[str, float] = {}
        #: Seconds before each answer, and between its bytes.
        self.delay = self.drip = 0.0
        self.is_chunked = False
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def contents(self) -> list[str]:
        return [capture["content"] for capture in self.captures.values()]

    def take(self, captures: list[dict[str, Any]]) -> tuple[int, list[dict[str, Any]]]:
        """Accept captures; return the status, and the answer to each."""
        time.sleep(max(self.slow_over.get(word, 0.0) for one in captures for word in ["", *one["content"].split()]))
        with self.lock:
            for capture in captures:
                self.asked[capture["id"]] = self.asked.get(capture["id"], 0) + 1
            if any(self.crashes_over in capture["content"] for capture in captures):
                return 500, []
            answers = [self._take(capture) for capture in captures]
            statuses = {one["status"] for one in answers}
            return next((code for status, code in _ERRORS.items() if statuses == {status}), 201), answers

    def _take(self, capture: dict[str, Any]) -> dict[str, Any]:
        if self.fails_over in capture["content"]:
            return {"status": "failed", "reason": "It cannot be embedded."}
        if self.refuses in capture["content"]:
            return {"status": "refused", "reason": "/content No."}
        self.captures.setdefault(capture["id"], capture)
        return {"status": "recorded", "reason": None}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FakeApi

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.removeprefix("/api/v1/")
        self.server.requests.append((path, body))
        self.server.versions.add(self.headers["X-Suture-Version"])
        answer: dict[str, Any] = {}
        status = 200
        if self.headers["Authorization"] != f"Bearer {KEY}":
            status = 401
        elif self.server.status:
            status = self.server.status
        elif path == "context/bootstrap":
            answer = {"system_prompt": CONTEXT}
        elif path == "captures" and "session_id" not in body:
            status = 400
        else:
            status, answers = self.server.take(body["captures"] if path == "captures/batch" else [body])
            answer = {"captures": answers} if path == "captures/batch" else answers[0] if answers else {}
        if status >= 400:
            answer = {
                "title": "Refused",
                "code": self.server.code,
                "detail": "It is refused.",
                "errors": [{"pointer": "/content", "detail": "No."}],
            }
        time.sleep(self.server.delay)
        self._answer(status, json.dumps(answer).encode())

    def _answer(self, status: int, answer: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if self.server.is_chunked:
            self.send_header("Transfer-Encoding", "chunked")
            answer = b"".join(b"%x\r\n%s\r\n" % (1, bytes([byte])) for byte in answer) + b"0\r\n\r\n"
        else:
            self.send_header("Content-Length", str(len(answer)))
        try:
            if not self.server.drip:
                self.end_headers()
                self.wfile.write(answer)
                return
            for byte in b"".join([*self._headers_buffer, b"\r\n", answer]):  # type: ignore[attr-defined]
                self.wfile.write(bytes([byte]))
                time.sleep(self.server.drip)
        except OSError:
            pass  # the client has disconnected

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving() -> Iterator[FakeApi]:
    """A server on a free port, until the end of the block."""
    server = FakeApi()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def frozen() -> Iterator[str]:
    """The address of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def away() -> str:
    """The address of a missing server."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return f"http://127.0.0.1:{listening.getsockname()[1]}"
