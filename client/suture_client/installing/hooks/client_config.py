"""The client's configuration file, with the server's address and the key for hooks."""

import os
from collections.abc import Iterable
from pathlib import Path

import tomlkit

from suture_client.errors import Failed
from suture_client.hooks import state
from suture_client.installing.editing import naming_file, toml_document
from suture_client.installing.files import PRIVATE, File


class ClientConfig:
    """`config.toml`, readable only by its owner. Raises Failed, with line and column, if it is not TOML."""

    def __init__(self) -> None:
        self.path = Path(state.config_path())
        self._file = File(self.path)
        with naming_file(self._file):
            self._content = toml_document(self._file.text)

    @property
    def repository(self) -> Path | None:
        """The git work tree that contains the file."""
        return self._file.repository

    def value(self, name: str) -> str:
        """Return a string from the file; "" if it has none."""
        found = self._content.get(name)
        return str(found) if isinstance(found, str) else ""

    def set(self, values: dict[str, str]) -> bool:
        """Write the values, and keep comments and other settings. Returns whether anything changed. Raises Failed."""
        self._content.update(values)
        return self._write()

    def ignore_tools(self, globs: Iterable[str]) -> bool:
        """Add globs to `[capture] ignore_tools`. Returns whether anything changed. Raises Failed."""
        section = self._content.setdefault("capture", tomlkit.table())
        listed = section.setdefault("ignore_tools", []) if isinstance(section, dict) else None
        if not isinstance(listed, list):
            raise Failed(f"{self.path}: [capture] ignore_tools must be a list of strings.")
        listed.extend(glob for glob in globs if glob not in listed)
        return self._write()

    def _write(self) -> bool:
        changed = tomlkit.dumps(self._content)
        if changed == self._file.text:
            return False
        # no backup: it would contain the old key
        self._file.write(changed, PRIVATE, keep_copy=False)
        return True

    def make_private(self) -> None:
        """Remove all permissions except the owner's. Raises Failed."""
        try:
            if self.path.exists() and self.path.stat().st_mode & 0o077:
                os.chmod(self.path, PRIVATE)
        except OSError as error:
            raise Failed(f"{self.path} cannot be made private: {error.strerror}.") from None
