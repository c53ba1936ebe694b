"""The client's configuration file: where the server is and the key, for hooks that an agent starts."""

import os
from pathlib import Path

import tomlkit

from suture_client.errors import Failed
from suture_client.hooks import state
from suture_client.installing.editing import naming_file, toml_document
from suture_client.installing.files import PRIVATE, File


class ClientConfig:
    """`config.toml`, of which only its owner may read. Raises Failed, with line and column, if it is not TOML."""

    def __init__(self) -> None:
        self.path = Path(state.config_path())
        self._file = File(self.path)
        with naming_file(self._file):
            self._content = toml_document(self._file.text)

    @property
    def repository(self) -> Path | None:
        """The git work tree that the file is in."""
        return self._file.repository

    def value(self, name: str) -> str:
        """A text of the file; "" if it has none."""
        found = self._content.get(name)
        return str(found) if isinstance(found, str) else ""

    def set(self, values: dict[str, str]) -> bool:
        """Write the values; comments and other settings stay. Answers whether anything changed. Raises Failed."""
        self._content.update(values)
        changed = tomlkit.dumps(self._content)
        if changed == self._file.text:
            return False
        # no copy: it would keep a key that was replaced
        self._file.write(changed, PRIVATE, keep_copy=False)
        return True

    def make_private(self) -> None:
        """Take the file's rights from everybody but its owner. Raises Failed."""
        try:
            if self.path.exists() and self.path.stat().st_mode & 0o077:
                os.chmod(self.path, PRIVATE)
        except OSError as error:
            raise Failed(f"{self.path} cannot be made private: {error.strerror}.") from None
