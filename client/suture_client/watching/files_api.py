"""The API of files, as the watcher uses it."""

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
from suture_client.watching.output import logger
from suture_client.watching.reading import MarkdownFile, chunks_of
from suture_client.watching.roots import Root

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


@dataclass(frozen=True, slots=True)
class Listed:
    """A file that the server knows."""

    path: str
    file_hash: str
    is_deleted: bool


class Files:
    """The API of files of one server, for the owner of one key. May be used by several threads."""

    def __init__(
        self, url: str, key: str, *, pauses: Sequence[float] = (), transport: httpx.BaseTransport | None = None
    ) -> None:
        """`pauses` and `transport` are those of `Api`."""
        timeout = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
        self._api = Api(url, key, timeout=timeout, pauses=pauses, transport=transport)

    @property
    def url(self) -> str:
        """Where the server is."""
        return self._api.url

    def __enter__(self) -> Self:
        self._api.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._api.close()

    def listed(self, session_id: str) -> Iterator[Listed]:
        """Every file of a session that the server knows. Raises Problem, Away."""
        cursor: str | None = None
        while True:
            page = self._api.get("files", session_id=session_id, limit=PAGE, cursor=cursor)
            for one in page["results"]:
                yield Listed(one["file_path"], one["file_hash"], bool(one["is_deleted"]))
            cursor = page.get("next")
            if not cursor:
                return

    def store(self, part: dict[str, Any]) -> dict[str, Any]:
        """Send a part of a version of a file. Raises as `listed`."""
        return self._post("files", body=part)

    def mark_deleted(self, session_id: str, path: str) -> int:
        """Mark the chunks of a file as those of a deleted one; answers how many. Raises as `listed`."""
        try:
            answer = self._post("files", "deleted", body={"session_id": session_id, "file_path": path})
        except Problem as problem:
            if problem.status == HTTPStatus.NOT_FOUND:  # the server does not know the file any more
                return 0
            raise
        return int(answer["chunks"])

    def rename(self, session_id: str, path: str, new_path: str) -> int:
        """Give the chunks of a file its new path; answers how many. Raises as `listed`."""
        body = {"session_id": session_id, "file_path": path, "new_file_path": new_path}
        return int(self._post("files", "renamed", body=body)["chunks"])

    def _post(self, *path: str, body: Any) -> dict[str, Any]:
        return self._api.send("POST", *path, body=json.dumps(body, ensure_ascii=False))


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
