"""Changes a user's configuration file atomically, with a backup."""

import difflib
import glob
import os
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from suture_client.errors import Failed

#: File modes: readable only by the owner, and for files in repositories.
PRIVATE, SHARED = 0o600, 0o644

_BOM = "\ufeff"


class File:
    """A configuration file as it was read. Symbolic links are followed, so their target is changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._real = Path(os.path.realpath(path))
        if self._real.exists() and not self._real.is_file():
            # Reading a FIFO or a device may never end.
            raise Failed(f"{path} is not a regular file. Nothing was changed.")
        try:
            self._bytes: bytes | None = self._real.read_bytes()
        except FileNotFoundError:
            self._bytes = None
        except OSError as error:
            raise Failed(f"{path} cannot be read: {error.strerror}. Nothing was changed.") from None
        try:
            text = (self._bytes or b"").decode("utf-8")
        except UnicodeDecodeError as error:
            line = (self._bytes or b"").count(b"\n", 0, error.start) + 1
            raise Failed(f"{path}, line {line}: the file is not UTF-8. Nothing was changed.") from None
        self._mark = _BOM if text.startswith(_BOM) else ""
        self.text = text.removeprefix(_BOM)

    @property
    def exists(self) -> bool:
        """Whether the file existed."""
        return self._bytes is not None

    @property
    def repository(self) -> Path | None:
        """The git work tree that contains the file."""
        return next((parent for parent in self._real.parents if (parent / ".git").exists()), None)

    @property
    def backups(self) -> list[Path]:
        """The backups beside the file, newest first."""
        return sorted(self._real.parent.glob(f"{glob.escape(self._real.name)}.*.bak"), reverse=True)

    def difference(self, text: str) -> str:
        """Return the change as a unified diff."""
        before = self.text.splitlines() if self.exists else []
        name = str(self.path)
        return "\n".join(difflib.unified_diff(before, text.splitlines(), name, name, lineterm=""))

    def write(self, text: str, mode: int, *, keep_copy: bool = True) -> Path | None:
        """Replace the file atomically, and return the path of the backup; None if there is none.

        A new file gets `mode`; an existing one keeps its mode. Raises Failed, and then the file is unchanged.
        """
        try:
            self._real.parent.mkdir(parents=True, exist_ok=True)
            backup = self._back_up() if keep_copy else None
            if self.exists:
                mode = self._real.stat().st_mode & 0o7777
            self._replace((self._mark + text).encode(), mode)
        except OSError as error:
            raise Failed(f"{self.path} cannot be written: {error.strerror}. Nothing was changed.") from None
        return backup

    def delete(self) -> None:
        """Delete the file. Raises Failed, and then it is unchanged."""
        try:
            if self._now() != self._bytes:
                raise Failed(f"{self.path} was changed by another program in the meantime. Run the command again.")
            self._real.unlink()
        except OSError as error:
            raise Failed(f"{self.path} cannot be deleted: {error.strerror}. Nothing was changed.") from None

    def _now(self) -> bytes | None:
        return self._real.read_bytes() if self._real.exists() else None

    def _back_up(self) -> Path | None:
        if not self.exists:
            return None
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S.%f")
        backup = self._real.with_name(f"{self._real.name}.{stamp}.bak")
        shutil.copy2(self._real, backup)
        return backup

    def _replace(self, content: bytes, mode: int) -> None:
        descriptor, name = tempfile.mkstemp(dir=self._real.parent, prefix=f".{self._real.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, mode)
            if self._now() != self._bytes:
                raise Failed(f"{self.path} was changed by another program in the meantime. Run the command again.")
            os.replace(name, self._real)
        except BaseException:
            os.unlink(name)
            raise
