"""The API of files, as the watcher uses it: one server, one key, and what each refusal means for what is sent."""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import httpx

from suture_client.client import Away, Failed, Problem
from suture_client.watching.reading import MarkdownFile, chunks_of
from suture_client.watching.roots import Root
from suture_client.watching.telling import logger

#: Seconds for a connection, and for an answer: a part of a large file takes the server a while.
CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 60.0
#: Files of one page of the listing.
PAGE = 200
#: Bytes above which the log says how many chunks a file has.
LARGE = 1_000_000
#: The most that one request holds.
CHUNKS_OF_A_PART = 500
CHARACTERS_OF_A_PART = 2_000_000
#: The server is there, but takes nothing now.
_LATER = frozenset((408, 425, 429, 502, 503, 504))


class Unavailable(Failed):
    """The server is away or takes nothing now: everything waits. `seconds` is what it asked for, if it did."""

    def __init__(self, message: str, seconds: float | None = None) -> None:
        super().__init__(message)
        self.seconds = seconds


class Unauthorized(Failed):
    """The server does not accept the key."""


class ServerFailed(Failed):
    """The server failed with this file (5xx). It is tried again later."""


class Rejected(Failed):
    """The server refuses this request for good (4xx)."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Listed:
    """A file that the server knows."""

    path: str
    file_hash: str
    is_deleted: bool


class Files:
    """The API of files of one server, for the owner of one key. May be used by several threads."""

    def __init__(self, url: str, key: str, transport: httpx.BaseTransport | None = None) -> None:
        """`transport` is for tests: what answers in the server's place."""
        self.url = url
        self._client = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS),
            transport=transport,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._client.close()

    def listed(self, session_id: str) -> Iterator[Listed]:
        """Every file of a session that the server knows. Raises Unavailable, Unauthorized, ServerFailed, Rejected."""
        cursor: str | None = None
        while True:
            query = {"session_id": session_id, "limit": str(PAGE)} | ({"cursor": cursor} if cursor else {})
            page = self._answer("GET", "files", params=query)
            for one in page["results"]:
                yield Listed(one["file_path"], one["file_hash"], bool(one["is_deleted"]))
            cursor = page.get("next")
            if not cursor:
                return

    def store(self, part: dict[str, Any]) -> dict[str, Any]:
        """Send a part of a version of a file. Raises as `listed`."""
        return self._answer("POST", "files", body=part)

    def mark_deleted(self, session_id: str, path: str) -> int:
        """Mark the chunks of a file as those of a deleted one; answers how many. Raises as `listed`."""
        try:
            answer = self._answer("POST", "files/deleted", body={"session_id": session_id, "file_path": path})
        except Rejected as error:
            if error.status == httpx.codes.NOT_FOUND:  # the server does not know the file any more
                return 0
            raise
        return int(answer["chunks"])

    def rename(self, session_id: str, path: str, new_path: str) -> int:
        """Give the chunks of a file its new path; answers how many. Raises as `listed`."""
        body = {"session_id": session_id, "file_path": path, "new_file_path": new_path}
        return int(self._answer("POST", "files/renamed", body=body)["chunks"])

    def _answer(self, method: str, path: str, body: Any = None, **request: Any) -> dict[str, Any]:
        if body is not None:
            request["content"] = json.dumps(body, ensure_ascii=False).encode()
            request["headers"] = {"Content-Type": "application/json"}
        try:
            response = self._client.request(method, f"/api/v1/{path}", **request)
        except httpx.TimeoutException:
            raise Unavailable(f"Suture does not answer at {self.url}.") from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise Unavailable(f"Suture cannot be reached at {self.url} ({error}).") from None
        try:
            content = response.json()
        except ValueError:
            content = None
        if response.is_success and isinstance(content, dict):
            return content
        raise _refusal(response, content, self.url)


def _refusal(response: httpx.Response, content: Any, url: str) -> Failed:
    if response.status_code in _LATER:
        return Unavailable(f"Suture takes nothing now at {url} (status {response.status_code}).", _seconds(response))
    if not isinstance(content, dict):
        if response.is_server_error:
            return ServerFailed(f"HTTP status {response.status_code}")
        return Rejected(
            str(Away(f"What answers at {url} is not Suture's API of files (status {response.status_code}).")),
            response.status_code,
        )
    message = str(Problem(response.status_code, content, response.headers))
    if response.status_code == httpx.codes.UNAUTHORIZED:
        return Unauthorized(message)
    if response.is_server_error:
        return ServerFailed(message)
    return Rejected(message, response.status_code)


def _seconds(response: httpx.Response) -> float | None:
    try:
        return max(0.0, float(response.headers["Retry-After"]))
    except (KeyError, ValueError):
        return None


def send_version(
    files: Files, root: Root, relative: str, file: MarkdownFile, *, compute_embedding: bool
) -> dict[str, Any]:
    """Send the file as a new version, in parts; the last makes it current. Answers what the server said to that.

    Raises as `Files.listed`; then nothing of this version ever becomes current.
    """
    found = chunks_of(file.text)
    where = root.shown(relative)
    if file.signature.size > LARGE:
        logger.warning("Large file %s will create %d chunks", where, len(found.chunks))
    if found.splits:
        more = f" (and {len(found.splits) - 1} more)" if len(found.splits) > 1 else ""
        logger.warning("Chunk split mid-sentence at word %d%s of %s", found.splits[0], more, where)
    version = {
        "version_id": str(uuid.uuid4()),
        "session_id": root.session_id,
        "file_path": relative,
        "file_hash": file.file_hash,
        "total_chunks": len(found.chunks),
        "redacted": sorted(found.redacted),
        "compute_embedding": compute_embedding,
    }
    answer: dict[str, Any] = {}
    first = 0
    for part in _parts(found.chunks):
        is_last = first + len(part) == len(found.chunks)
        answer = files.store({**version, "first_index": first, "chunks": part, "is_last": is_last})
        if answer["status"] == "unchanged":
            break
        first += len(part)
    return answer


def _parts(chunks: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The chunks in parts that the server takes, at least one."""
    part: list[dict[str, Any]] = []
    characters = 0
    for chunk in chunks:
        if part and (len(part) == CHUNKS_OF_A_PART or characters + len(chunk["text"]) > CHARACTERS_OF_A_PART):
            yield part
            part, characters = [], 0
        part.append(chunk)
        characters += len(chunk["text"])
    yield part
