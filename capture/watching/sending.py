"""The API of files, as the watcher uses it: one server, one key, and what each refusal means for what is sent."""

import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import httpx

from capture.client import Away, Failed, Problem
from capture.watching.chunks import Chunk, Chunks
from capture.watching.reading import Look, MarkdownFile
from capture.watching.roots import Root
from capture.watching.telling import logger

#: Seconds for a connection, and for an answer: a part of a large file takes the server a while.
CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 60.0
#: Files of one page of the listing.
PAGE = 200
#: Bytes above which a file is read once to count its chunks, and once more to send them.
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

    def __init__(self, url: str, key: str) -> None:
        self.url = url
        self._client = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
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
        return int(self._answer("POST", "files/deleted", body={"session_id": session_id, "file_path": path})["chunks"])

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


def send_version(files: Files, root: Root, relative: str, look: Look, *, compute_embedding: bool) -> dict[str, Any]:
    """Send the file as a new version, in parts; the last makes it current. Answers what the server said to that.

    Raises as `Files.listed`, and as `MarkdownFile.chunks`; then nothing of this version ever becomes current.
    """
    file = MarkdownFile(root, relative)
    chunks = file.chunks(look)
    counted: Chunks | list[Chunk] = list(chunks) if look.signature.size <= LARGE else chunks
    total, splits = 0, []
    for chunk in counted:
        total += 1
        if chunk.splits_sentence:
            splits.append(chunk.word_offset + chunk.words)
    redacted = sorted(chunks.redacted)
    if isinstance(counted, Chunks):
        logger.warning("Large file %s will create %d chunks", root.shown(relative), total)
        counted = file.chunks(look)
    _tell_of_splits(root.shown(relative), splits)
    version = {
        "version_id": str(uuid.uuid4()),
        "session_id": root.session_id,
        "file_path": relative,
        "file_hash": look.file_hash,
        "total_chunks": total,
        "redacted": redacted,
        "compute_embedding": compute_embedding,
    }
    answer: dict[str, Any] = {}
    first = 0
    for part, is_last in _parts(counted):
        body = {**version, "first_index": first, "chunks": [chunk.as_json() for chunk in part], "is_last": is_last}
        answer = files.store(body)
        if answer["status"] == "unchanged":
            break
        first += len(part)
    return answer


def _parts(chunks: Iterable[Chunk]) -> Iterator[tuple[list[Chunk], bool]]:
    """The chunks in parts that the server takes, and whether a part is the last, known when all was read."""
    part: list[Chunk] = []
    characters = 0
    for chunk in chunks:
        if part and (len(part) == CHUNKS_OF_A_PART or characters + len(chunk.text) > CHARACTERS_OF_A_PART):
            yield part, False
            part, characters = [], 0
        part.append(chunk)
        characters += len(chunk.text)
    yield part, True


def _tell_of_splits(where: str, words: Sequence[int]) -> None:
    if words:
        more = f" (and {len(words) - 1} more)" if len(words) > 1 else ""
        logger.warning("Chunk split mid-sentence at word %d%s of %s", words[0], more, where)
