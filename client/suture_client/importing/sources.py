"""The files of an import: a file, the entries of a zip file, the files of a directory, or standard input."""

import io
import os
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from suture_client.importing.items import BadSource

STANDARD_INPUT = "-"
_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
#: Bytes that are checked to detect text.
_HEAD = 64 * 1024
#: Limits against zip bombs: the total size in bytes of the unpacked files, and the compression ratio of each. JSON
#: usually has a ratio of 5 to 30, a zip bomb of 1,000.
MAX_UNPACKED = 16 * 1024**3
MAX_RATIO = 200


@dataclass(frozen=True, slots=True)
class Source:
    """One file to read, which can be opened more than once (standard input: once)."""

    #: The name in reports.
    name: str
    #: In bytes; 0 if unknown.
    size: int
    opener: Callable[[], BinaryIO]
    path: Path | None = None
    can_reopen: bool = True

    def open(self) -> BinaryIO:
        """Open a stream of its bytes. Raises BadSource."""
        try:
            return self.opener()
        except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
            raise BadSource(f"{self.name} cannot be read: {_reason(error)}.") from None


def sources_of(path: str, *, wanted: Callable[[str], bool], wants: str, takes_directory: bool) -> list[Source]:
    """Find the files of a path, in the order of their names. Raises BadSource.

    `wanted` selects the files of a directory or a zip file by name; `wants` describes them in messages.
    """
    if path == STANDARD_INPUT:
        return [Source("standard input", 0, lambda: cast("BinaryIO", sys.stdin.buffer), can_reopen=False)]
    found = Path(path)
    if not found.exists():
        raise BadSource(f"There is no file {path}.")
    if found.is_dir():
        if not takes_directory:
            raise BadSource(f"{path} is a directory. Name the file: {wants}.")
        return _directory_sources(found, wanted, wants)
    if not found.is_file():
        raise BadSource(f"{path} is neither a file nor a directory.")
    if zipfile.is_zipfile(found):
        return _zip_sources(found, wanted, wants)
    return [file_source(found)]


def file_source(path: Path, name: str = "") -> Source:
    """Return one file as a source."""
    return Source(name or str(path), path.stat().st_size, lambda: path.open("rb"), path)


def check_text(source: Source) -> None:
    """Check the start of a file. Raises BadSource if it is empty or not UTF-8."""
    if not source.can_reopen:
        return
    with source.open() as stream:
        head = stream.read(_HEAD)
    if not head.strip(b"\xef\xbb\xbf \t\r\n") and len(head) < _HEAD:
        raise BadSource(f"{source.name} is empty.")
    if encoding := _BOMS.get(head[:2]):
        raise BadSource(f"{source.name} is {encoding}. Convert it to UTF-8.")
    if b"\0" in head:
        raise BadSource(f"{source.name} is a binary file, not text.")
    try:
        # The head may end inside a character.
        head[:-4].decode("utf-8") if len(head) == _HEAD else head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 8:
            raise BadSource(f"{source.name} is not UTF-8: see byte {error.start}.") from None


class CountingStream(io.RawIOBase):
    """A stream that reports how many bytes were read."""

    def __init__(self, stream: BinaryIO, on_read: Callable[[int], object]) -> None:
        self._stream, self._on_read = stream, on_read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # type: ignore[override] # RawIOBase takes any buffer
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._on_read(len(data))
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def _directory_sources(directory: Path, wanted: Callable[[str], bool], wants: str) -> list[Source]:
    found = sorted(_walk(directory, wanted))
    if not found:
        raise BadSource(f"{directory} has nothing to import: expected {wants}.")
    return [file_source(path, str(path)) for path in found]


def _walk(directory: Path, wanted: Callable[[str], bool]) -> Iterator[Path]:
    for root, directories, names in os.walk(directory):
        directories[:] = [name for name in directories if not name.startswith(".")]
        for name in names:
            path = Path(root, name)
            # A link may lead outside the directory, and a FIFO would never end.
            if wanted(name) and path.is_file() and not path.is_symlink():
                yield path


def _zip_sources(path: Path, wanted: Callable[[str], bool], wants: str) -> list[Source]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if not one.is_dir() and wanted(one.filename.split("/")[-1])]
    except (OSError, zipfile.BadZipFile) as error:
        raise BadSource(f"{path} cannot be read as a zip file: {_reason(error)}.") from None
    if not members:
        raise BadSource(f"The zip file {path} has nothing to import: expected {wants}.")
    unpack = "If you trust it, unpack it and import the files."
    for one in members:
        if one.file_size > max(MAX_RATIO * one.compress_size, _HEAD):
            times = one.file_size // max(one.compress_size, 1)
            raise BadSource(f"{path}:{one.filename} would unpack to {times} times its size. {unpack}")
    if (unpacked := sum(one.file_size for one in members)) > MAX_UNPACKED:
        raise BadSource(f"{path} would unpack to {unpacked:,} bytes, more than {MAX_UNPACKED:,}. {unpack}")

    def opener(name: str) -> Callable[[], BinaryIO]:
        return lambda: cast("BinaryIO", zipfile.ZipFile(path).open(name))

    return [
        Source(f"{path}:{one.filename}", one.file_size, opener(one.filename))
        for one in sorted(members, key=lambda one: one.filename)
    ]


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).rstrip(".")
