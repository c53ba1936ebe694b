"""A fake server that implements the contract of `POST /files`, and nothing else of Suture."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx


class FileServer:
    """Stores files by session and path. Tests read `files` and `requests`, and set `refuse` and `is_away`."""

    def __init__(self) -> None:
        #: (session, path) -> {"file_hash", "chunks": [...], "is_deleted", "version_id"}
        self.files: dict[tuple[str, str], dict[str, Any]] = {}
        self.staged: dict[str, dict[int, Any]] = {}
        #: Every request: its method and path, and its body.
        self.requests: list[tuple[str, Any]] = []
        #: Answers a status and a body to a request, or None to let it pass.
        self.refuse: Any = lambda what, body: None
        self.is_away = False
        #: Held while a request is answered, and notified afterwards.
        self.answered = threading.Condition()
        #: Of one that is served: a request has come; requests are answered.
        self.asked, self.thawed = threading.Event(), threading.Event()
        self.thawed.set()
        self.page = 1_000
        self.url = "http://suture"

    def transport(self) -> httpx.MockTransport:
        """Answers the requests of a client in this process."""

        def handle(request: httpx.Request) -> httpx.Response:
            if self.is_away:
                raise httpx.ConnectError("Connection refused")
            body = json.loads(request.content) if request.content else None
            key = request.headers["Authorization"]
            with self.answered:
                status, answer = self.answer(request.method, str(request.url.raw_path, "ascii"), body, key)
            return httpx.Response(status, json=answer, headers=answer.get("headers"))

        return httpx.MockTransport(handle)

    def texts(self, session: str, path: str) -> list[str]:
        """The chunks of a file that is not deleted."""
        return [chunk["text"] for chunk in self.file(session, path)["chunks"]]

    def file(self, session: str, path: str) -> dict[str, Any]:
        found = self.files[session, path]
        assert not found["is_deleted"], f"{path} is deleted"
        return found

    def paths(self, session: str) -> set[str]:
        """The files of a session that are not deleted."""
        return {path for (one, path), file in self.files.items() if one == session and not file["is_deleted"]}

    def sent(self, what: str) -> list[Any]:
        """The bodies of the requests of one kind."""
        return [body for kind, body in self.requests if kind == what]

    def answer(self, method: str, target: str, body: Any, key: str) -> tuple[int, Any]:
        parts = urlsplit(target)
        what = f"{method} {parts.path.removeprefix('/api/v1')}"
        self.requests.append((what, body))
        if key != "Bearer sut_12345678_right":
            return 401, {"title": "Unauthorized", "status": 401, "detail": "The API key is not valid."}
        refused: tuple[int, Any] | None = self.refuse(what, body)
        if refused is not None:
            return refused
        match what:
            case "GET /files":
                return 200, self._listed({name: values[0] for name, values in parse_qs(parts.query).items()})
            case "POST /files":
                return self._store(body)
            case "POST /files/deleted":
                return self._change(body, lambda file: file.update(is_deleted=True))
            case "POST /files/renamed":
                return self._change(body, lambda file: self._move(body, file))
        return 404, {"title": "Not found", "status": 404}

    def _listed(self, query: dict[str, str]) -> Any:
        found = [
            {"session_id": session, "file_path": path, **file, "total_chunks": len(file["chunks"]), "chunks": None}
            for (session, path), file in sorted(self.files.items())
            if session == query["session_id"]
        ]
        first = int(query.get("cursor", 0))
        size = min(self.page, int(query.get("limit", 100)))
        more = first + size < len(found)
        return {"results": found[first : first + size], "next": str(first + size) if more else None}

    def _store(self, body: Any) -> tuple[int, Any]:
        place = body["session_id"], body["file_path"]
        version = body["version_id"]
        current = self.files.get(place)
        if current and current["file_hash"] == body["file_hash"] and not current["is_deleted"]:
            return 200, self._answer(version, "unchanged", body)
        staged = self.staged.setdefault(version, {})
        for number, chunk in enumerate(body["chunks"], body["first_index"]):
            assert len(chunk["text"]) <= 1_000_000
            staged[number] = chunk
        if not body["is_last"]:
            return 201, self._answer(version, "stored", body)
        if sorted(staged) != list(range(body["total_chunks"])):
            return 400, {"title": "Invalid", "status": 400, "detail": "Some chunks are missing."}
        chunks = [staged[number] for number in sorted(staged)]
        before = [chunk["text"] for chunk in current["chunks"]] if current else []
        kept = len({chunk["text"] for chunk in chunks} & set(before))
        self.files[place] = {
            "file_hash": body["file_hash"], "chunks": chunks, "is_deleted": False, "version_id": version,
            "redacted": body["redacted"], "compute_embedding": body["compute_embedding"],
        }  # fmt: skip
        return 201, {
            **self._answer(version, "current", body),
            "added": len(chunks) - kept, "kept": kept, "superseded": len(before) - kept,
        }  # fmt: skip

    def _answer(self, version: str, status: str, body: Any) -> dict[str, Any]:
        counts = {"added": 0, "kept": 0, "superseded": 0}
        return {"version_id": version, "status": status, "total_chunks": body["total_chunks"], **counts}

    def _change(self, body: Any, change: Any) -> tuple[int, Any]:
        file = self.files.get((body["session_id"], body["file_path"]))
        if file is None:
            return 404, {"title": "Not found", "status": 404, "detail": "No such file."}
        change(file)
        return 200, {"chunks": len(file["chunks"])}

    def _move(self, body: Any, file: Any) -> None:
        del self.files[body["session_id"], body["file_path"]]
        self.files[body["session_id"], body["new_file_path"]] = {**file, "is_deleted": False}


KEY = "sut_12345678_right"


@contextmanager
def served(files: FileServer) -> Iterator[FileServer]:
    """Answer requests of other processes at `files.url`, until the end of the block."""
    connections: list[socket.socket] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 65536  # one packet an answer

        def setup(self) -> None:
            connections.append(self.request)
            super().setup()

        def do_GET(self) -> None:
            self._read_and_send()

        def do_POST(self) -> None:
            self._read_and_send()

        def _read_and_send(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            files.asked.set()
            files.thawed.wait()
            body = json.loads(raw) if raw else None
            with files.answered:
                status, body = files.answer(self.command, self.path, body, self.headers.get("Authorization", ""))
                files.answered.notify_all()
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json" if status < 400 else "application/problem+json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            return

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, request: Any, client_address: Any) -> None:
            return

    server = Server(("127.0.0.1", 0), Handler)
    files.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield files
    finally:
        files.thawed.set()
        server.shutdown()
        server.server_close()
        thread.join()
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
