"""Locks on the names of watched directories, kept in the client's state.

Two directories under one name would mark each other's files as deleted, and two watchers of one directory would store
files twice."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from suture_client.hooks import state
from suture_client.watching.output import logger, shown
from suture_client.watching.roots import Refused, Root


@contextmanager
def name_lock(root: Root, url: str) -> Iterator[None]:
    """Lock the root's name for the server at this address. Raises Refused if another process or directory has it."""
    try:
        directory = Path(state.path("watched"))
        directory.mkdir(mode=0o700, exist_ok=True)
        name = hashlib.sha256(f"{url} {root.name}".encode()).hexdigest()[:32]
        descriptor = state.open_private(str(directory / name), os.O_RDWR | os.O_CREAT)
    except OSError as error:
        logger.warning(
            "Cannot lock the name %s: %s. Do not watch another directory under this name.",
            root.name,
            error,
        )
        yield
        return
    with open(descriptor, "r+") as file:
        try:
            former = json.load(file)
        except ValueError:  # a new file
            former = {"path": str(root.path), "process": None}
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            by = f"{shown(former['path'])} by process {former['process']}"
            raise Refused(f"{root.name} is already being watched: {by}.") from None
        if former["path"] != str(root.path) and os.path.isdir(former["path"]):
            raise Refused(
                f"The name {root.name} belongs to {shown(former['path'])}, whose files would be marked as deleted. Give"
                f" {root.path} another name with --name."
            )
        file.seek(0)
        file.truncate()
        json.dump({"path": str(root.path), "process": os.getpid()}, file)
        file.flush()
        yield
