"""The HTTP server of a witness (C2SP tlog-witness): `POST /add-checkpoint`, and GET for the last cosigned notes."""

import logging
import re
import socket
import threading
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from suture_verify.notes import SignedNote
from suture_verify.witness.store import Store, Unusable
from suture_verify.witness.witness import Witness
from suture_verify.witnessing import SIZE_TYPE, Refusal, SizeMismatch, parse_request

logger = logging.getLogger("suture.witness")

#: More than any request needs: 63 hashes, and a note with many signatures.
MAX_BYTES = 64 * 1024
MAX_CONNECTIONS = 64
#: The longest silence and the longest duration of a connection in seconds.
TIMEOUT = 10.0
MAX_DURATION = 60.0

_NOTE_PATH = re.compile(r"/notes/([0-9a-f]{64})")


class Server(ThreadingHTTPServer):
    """A witness's server. Connections beyond MAX_CONNECTIONS are closed immediately."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], witness: Witness, store: Store) -> None:
        """Listen at `address`. Raises OSError."""
        self.witness, self.store = witness, store
        self._free = threading.BoundedSemaphore(MAX_CONNECTIONS)
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        # limits clients that send a byte at a time
        end = threading.Timer(MAX_DURATION, _end, [request])
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that closed the connection early."""
        logger.debug("a connection ended early", exc_info=True)


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    timeout = TIMEOUT
    server_version = "suture-witness"
    sys_version = ""

    def do_POST(self) -> None:
        if self.path != "/add-checkpoint":
            self._answer(HTTPStatus.NOT_FOUND, "Not found. The address is /add-checkpoint.\n")
            return
        length = self.headers.get("Content-Length") or ""
        if not length.isdecimal() or int(length) > MAX_BYTES:
            self.close_connection = True  # because the body is not read
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE if length.isdecimal() else HTTPStatus.LENGTH_REQUIRED
            self._answer(status, f"A request needs a Content-Length of at most {MAX_BYTES}.\n")
            return
        try:
            request = parse_request(self.rfile.read(int(length)).decode())
            cosignature = self.server.witness.add(request)
        except UnicodeDecodeError:
            self._answer(HTTPStatus.BAD_REQUEST, "The body is not UTF-8.\n")
        except SizeMismatch as other:
            self._answer(other.status, other.reason, SIZE_TYPE)
        except Refusal as refusal:
            logger.warning("refused with %d: %s", refusal.status, refusal.reason)
            self._answer(refusal.status, f"{refusal.reason}\n")
        except (Unusable, OSError):
            logger.exception("the note could not be read or written")
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, "The witness is temporarily unavailable.\n")
        else:
            head = request.note.tree_head
            logger.info("cosigned %s: %d rows, entry %d", head.origin, head.size, head.seq)
            self._answer(HTTPStatus.OK, SignedNote(head, (cosignature,)).signature_lines)

    def do_GET(self) -> None:
        found = _NOTE_PATH.fullmatch(self.path)
        file = self.server.store.file_of(found[1]) if found else None
        try:
            text = file.read_text(encoding="utf-8") if file else None
        except OSError:
            text = None
        if text is None:
            self._answer(HTTPStatus.NOT_FOUND, "Not found. Notes are at /notes/<SHA-256 of the origin>.\n")
        else:
            self._answer(HTTPStatus.OK, text)

    def _answer(self, status: int, text: str, kind: str = "text/plain; charset=utf-8") -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the answers are already logged."""
