"""What lies in the files of a stack."""

import os
from pathlib import Path


def files_with(home: Path, word: bytes) -> list[str]:
    """The files below `home` that hold a word, in whichever case."""
    files = [Path(folder) / name for folder, _, names in os.walk(home) for name in names]
    assert len(files) > 500
    return sorted(str(file.relative_to(home)) for file in files if word in _read(file).lower())


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:  # a running server has removed it meanwhile
        return b""
