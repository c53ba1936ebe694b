"""Which directory a name stands for, kept in the client's state: two directories under one name would take turns in
marking each other's files as deleted, and so would two watchers of one directory in storing them twice."""

import fcntl
import hashlib
import json
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from capture.hooks import state
from capture.watching.roots import Refused, Root
from capture.watching.telling import logger, shown


class Claims:
    """The names that this process holds, until it ends."""

    def __init__(self, url: str) -> None:
        self._server = url
        self._held: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        while self._held:
            os.close(self._held.pop())

    def claim(self, root: Root) -> None:
        """Hold the root's name on this server. Raises Refused where another process or another directory has it."""
        try:
            directory = Path(state.path("watched"))
            directory.mkdir(mode=0o700, exist_ok=True)
            name = hashlib.sha256(f"{self._server} {root.name}".encode()).hexdigest()[:32]
            descriptor = state.open_private(str(directory / name), os.O_RDWR | os.O_CREAT)
        except OSError as error:
            logger.warning(
                "Which directory is watched as %s cannot be kept: %s. Do not watch another one under this name.",
                root.name,
                error,
            )
            return
        self._held.append(descriptor)
        content = os.read(descriptor, 65536)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refused(f"{root.name} is being watched already: {_of(content)}.") from None
        former = _path(content)
        if former and former != str(root.path) and os.path.isdir(former):
            raise Refused(
                f"The name {root.name} stands for {shown(former)}, whose files would be marked as deleted. Give"
                f" {root.path} another name with --name."
            )
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"path": str(root.path), "process": os.getpid()}).encode(), 0)


def _path(content: bytes) -> str:
    try:
        return str(json.loads(content)["path"])
    except (ValueError, KeyError, TypeError):
        return ""


def _of(content: bytes) -> str:
    try:
        found = json.loads(content)
        return f"{shown(str(found['path']))} by process {found['process']}"
    except (ValueError, KeyError, TypeError):
        return "by another process"
