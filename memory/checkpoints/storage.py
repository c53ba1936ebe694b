"""The storage of checkpoint files: a local directory, or any service that Django has a storage for.

The server chooses the names: the tenant, a hash of the session, and the checkpoint. Names contain no text of callers.
"""

import errno
import hashlib
import logging
import os
import secrets
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from django.core.exceptions import SuspiciousFileOperation
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, Storage, storages

from memory.checkpoints.refusals import CheckpointDamaged, CheckpointStoreFailed

logger = logging.getLogger("suture.checkpoints")

#: The alias in settings.STORAGES.
ALIAS = "checkpoints"
SUFFIX = ".json.zst"
#: The suffix of an incomplete file.
_UNFINISHED = ".tmp"


class FileMissing(CheckpointDamaged):
    """The file of this checkpoint is missing. Nothing was restored: choose another checkpoint."""

    code = CheckpointDamaged.code
    title = CheckpointDamaged.title


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file in the store, of any origin."""

    path: str
    changed_at: datetime


class DirectoryStorage(FileSystemStorage):
    """A directory. A file appears atomically with its content, which is on the disk; its name is there after `sync`."""

    def _save(self, name: str, content: Any) -> str:
        target = self._real_path(name)
        self._make_directories(target.parent)
        unfinished = target.with_name(f".{target.name}.{secrets.token_hex(8)}{_UNFINISHED}")
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                for piece in content.chunks():
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            unfinished.rename(target)
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise
        return name

    def sync(self, names: Iterable[str]) -> None:
        """Make sure that the names of these files are on the disk."""
        for directory in {self._real_path(name).parent for name in names}:
            _sync_directory(directory)

    def _open(self, name: str, mode: str = "rb") -> Any:
        # From directory to directory, because to resolve the path takes longer than to read the file.
        *directories, file = name.split("/")
        if ".." in directories:
            raise SuspiciousFileOperation(f"{name} leads out of the directory of checkpoints")
        at = os.open(self.location, os.O_PATH | os.O_DIRECTORY)
        try:
            for directory in directories:
                below = os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = below
            return os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=at), mode)
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENOTDIR}:
                raise SuspiciousFileOperation(f"{name} leads out of the directory of checkpoints") from None
            raise
        finally:
            os.close(at)

    def _real_path(self, name: str) -> Path:
        """The path of a file; no part below the root may be a symbolic link. Raises SuspiciousFileOperation."""
        location = str(self.location)
        found = os.path.realpath(location) + self.path(name).removeprefix(location)
        directory = os.path.dirname(found)
        if os.path.realpath(directory) != directory:
            raise SuspiciousFileOperation(f"{name} leads out of the directory of checkpoints")
        return Path(found)

    def _make_directories(self, directory: Path) -> None:
        """Create the directory and its parents with the root's mode: if its group has rights there, it can delete files
        too."""
        root = Path(self.location).resolve()
        if not root.is_dir():
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
        mode = root.stat().st_mode & 0o7777
        made = root
        for part in directory.relative_to(root).parts:
            above, made = made, made / part
            try:
                made.mkdir(mode=0o700)
            except FileExistsError:
                continue
            made.chmod(mode)
            _sync_directory(above)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def path_of(tenant_id: uuid.UUID, session_id: str, checkpoint_id: uuid.UUID) -> str:
    """The path of a checkpoint's file, relative to the root."""
    session = hashlib.sha256(session_id.encode()).hexdigest()[:32]
    return f"{tenant_id}/{session}/{checkpoint_id}{SUFFIX}"


def checkpoint_of(path: str) -> uuid.UUID | None:
    """The checkpoint of this file name; None if the name has another form."""
    name = PurePosixPath(path).name
    with suppress(ValueError):
        if name.endswith(SUFFIX):
            return uuid.UUID(name.removesuffix(SUFFIX))
    return None


def write(path: str, content: bytes) -> None:
    """Store a file, durably after `settle`. Raises CheckpointStoreFailed."""
    try:
        stored = _store().save(path, ContentFile(content))
    except Exception as error:  # each store has errors of its own
        raise _failed("stored", path, error) from error
    if stored != path:
        delete(stored)
        raise _failed("stored", path, FileExistsError("there is a file of this name already"))


def settle(paths: Iterable[str]) -> None:
    """Make stored files durable. Raises CheckpointStoreFailed."""
    store = _store()
    if not isinstance(store, DirectoryStorage):
        return
    try:
        store.sync(paths)
    except Exception as error:
        raise _failed("stored", ", ".join(paths), error) from error


def read(path: str, size: int, sha256: bytes) -> bytes:
    """Read a file with this size and SHA-256. Raises CheckpointDamaged for any other file, FileMissing without one, and
    CheckpointStoreFailed."""
    try:
        with _store().open(path) as file:
            content: bytes = file.read(size + 1)
    except FileNotFoundError:
        logger.error("ALARM: the file of a checkpoint is missing: %s", path)  # noqa: TRY400 (the traceback is useless)
        raise FileMissing from None
    except (SuspiciousFileOperation, IsADirectoryError) as error:
        raise _damaged(path, error) from None
    except Exception as error:  # each store has errors of its own
        raise _failed("read", path, error) from error
    if len(content) != size or hashlib.sha256(content).digest() != sha256:
        raise _damaged(path, ValueError("its SHA-256 differs"))
    return content


def delete(path: str) -> None:
    """Delete a file if it exists. Raises CheckpointStoreFailed."""
    try:
        _store().delete(path)
    except FileNotFoundError:
        return
    except Exception as error:  # each store has errors of its own
        raise _failed("deleted", path, error) from error


def discard(path: str) -> None:
    """Delete a file without a row. If that fails, the sweeper deletes it later."""
    with suppress(CheckpointStoreFailed):
        delete(path)


def files_of(tenant_id: uuid.UUID) -> Iterator[StoredFile]:
    """All files below the tenant's directory, including incomplete ones. Raises CheckpointStoreFailed."""
    try:
        yield from _files_below(_store(), str(tenant_id))
    except FileNotFoundError:
        return
    except Exception as error:  # each store has errors of its own
        raise _failed("listed", str(tenant_id), error) from error


def _files_below(store: Storage, directory: str) -> Iterator[StoredFile]:
    directories, files = store.listdir(directory)
    for name in files:
        path = f"{directory}/{name}"
        with suppress(FileNotFoundError):  # just renamed or deleted
            yield StoredFile(path, store.get_modified_time(path))
    for name in directories:
        yield from _files_below(store, f"{directory}/{name}")


def _store() -> Storage:
    return storages[ALIAS]


def _failed(what: str, path: str, error: Exception) -> CheckpointStoreFailed:
    logger.error("a checkpoint could not be %s: %s: %s", what, path, error)
    return CheckpointStoreFailed()


def _damaged(path: str, error: Exception) -> CheckpointDamaged:
    logger.error("ALARM: the file of a checkpoint was changed or damaged: %s: %s", path, error)
    return CheckpointDamaged()
