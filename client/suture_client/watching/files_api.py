"""Client for the API of files."""

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self

import httpx

from suture_client.errors import Problem
from suture_client.http import Api
from suture_client.watching.markdown_files import MarkdownFile, chunks_of
from suture_client.watching.output import logger
from suture_client.watching.roots import Root

#: Timeouts in seconds for connecting and for an answer. The server needs a while for a part of a large file.
CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 60.0
#: Files on one page of the listing.
PAGE = 200
#: Size in bytes above which a file's number of chunks is logged.
LARGE = 1_000_000
#: The limits of one request.
MAX_PART_CHUNKS = 500
MAX_PART_CHARACTERS = 2_000_000


@dataclass(frozen=True, slots=True)
class Listed:
    """A file that the server knows."""

    path: str
    file_hash: str
    is_deleted: bool


class Files:
    """The API of files on one server, with one key. Thread-safe."""

    def __init__(
        self, url: str, key: str, *, pauses: Sequence[float] = (), transport: httpx.BaseTransport | None = None
    ) -> None:
        """`pauses` and `transport`: see `Api`."""
        timeout = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
        self._api = Api(url, key, timeout=timeout, pauses=pauses, transport=transport)

    @property
    def url(self) -> str:
        """The server's address."""
        return self._api.url

    def __enter__(self) -> Self:
        self._api.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._api.close()

    def listed(self, session_id: str) -> Iterator[Listed]:
        """List all files of a session on the server. Raises Problem, Away."""
        cursor: str | None = None
        while True:
            page = self._api.get("files", session_id=session_id, limit=PAGE, cursor=cursor)
            for one in page["results"]:
                yield Listed(one["file_path"], one["file_hash"], bool(one["is_deleted"]))
            cursor = page.get("next")
            if not cursor:
                return

    def store(self, part: dict[str, Any]) -> dict[str, Any]:
        """Send a part of a file version. Raises as `listed`."""
        return self._post("files", body=part)

    def mark_deleted(self, session_id: str, path: str) -> int:
        """Mark the chunks of a file as deleted, and return their number. Raises as `listed`."""
        try:
            answer = self._post("files", "deleted", body={"session_id": session_id, "file_path": path})
        except Problem as problem:
            if problem.status == HTTPStatus.NOT_FOUND:  # the server no longer knows the file
                return 0
            raise
        return int(answer["chunks"])

    def rename(self, session_id: str, path: str, new_path: str) -> int:
        """Change the path of a file's chunks, and return their number. Raises as `listed`."""
        body = {"session_id": session_id, "file_path": path, "new_file_path": new_path}
        return int(self._post("files", "renamed", body=body)["chunks"])

    def _post(self, *path: str, body: Any) -> dict[str, Any]:
        return self._api.send("POST", *path, body=json.dumps(body, ensure_ascii=False))


def send_version(
    files: Files, root: Root, relative: str, file: MarkdownFile, *, compute_embedding: bool
) -> dict[str, Any]:
    """Send the file as a new version, in parts. The last part makes it current. Returns the server's answer to it.

    Raises as `Files.listed`. The version then never becomes current.
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
    """Split the chunks into parts that the server accepts, at least one."""
    part: list[dict[str, Any]] = []
    characters = 0
    for chunk in chunks:
        if part and (len(part) == MAX_PART_CHUNKS or characters + len(chunk["text"]) > MAX_PART_CHARACTERS):
            yield part
            part, characters = [], 0
        part.append(chunk)
        characters += len(chunk["text"])
    yield part
