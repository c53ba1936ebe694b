"""JSON of any size as a stream of records: an array, an object of arrays, or one object a line.

Only one record is in memory at a time. The parser is that of the standard library, which is fed with as much text as a
value needs: it is as fast as reading the whole file, and it knows the line of a fault.
"""

import codecs
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from capture.importing.items import NotUnderstood
from capture.importing.sources import Counted, Source

#: Characters that one value may have, and bytes of one line. What is longer is reported.
MAX_VALUE = 256 * 1024 * 1024
MAX_LINE = 64 * 1024 * 1024
_CHUNK = 256 * 1024
#: How much of a first line is looked at to tell JSON lines from one JSON object.
_PEEK = 1024 * 1024
#: An error this close to the end of the text may be one of the missing rest: `tru`, or half of `\\u00e9`.
_NEAR_END = 16
_BOM = b"\xef\xbb\xbf"
_SPACE = " \t\n\r"


@dataclass(frozen=True, slots=True)
class Record:
    """A value of the source, and where it stands."""

    place: str
    #: The field of the outermost object that it comes from; "" in an array and in a file of JSON lines.
    field: str
    value: Any


def records(
    source: Source,
    *,
    on_read: Callable[[int], object] = lambda size: None,
    is_record: Callable[[dict[str, Any]], bool] = lambda value: False,
    lines_only: bool = False,
) -> Iterator[Record | NotUnderstood]:
    """The records of a source, as they stand in it.

    The elements of an outermost array; of an outermost object, the elements of each array of objects in it and each
    other value; of JSON lines, the lines. An object that stands alone is one record where `is_record` says so. What
    cannot be parsed is answered with its line: one line of JSON lines, and everything from there on in other JSON.
    Raises BadSource.
    """
    with source.open() as raw:
        stream = _Bytes(Counted(raw, on_read))
        start = stream.first()
        if lines_only or (start == b"{" and stream.is_lines()):
            yield from _lines(stream, source.name)
            return
        text = _Text(stream)
        try:
            if start == b"{":
                yield from _of_object(text, source.name, is_record)
            elif start == b"[":
                yield from _of_array(text, source.name)
            else:
                text.fail("Expecting an array or an object")
            text.expect_end()
        except _Fault as fault:
            yield NotUnderstood(f"{source.name}: {fault.place}", f"The JSON is broken here: {fault}.")


class _Bytes:
    """A stream of bytes whose beginning can be looked at."""

    def __init__(self, stream: Counted) -> None:
        self._stream = stream
        self._ahead = b""

    def read(self, size: int = _CHUNK) -> bytes:
        """The next bytes, about `size` of them; none at the end."""
        if self._ahead:
            given, self._ahead = self._ahead, b""
            return given
        return self._stream.read(size) or b""

    def first(self) -> bytes:
        """The first byte that is no white space. Drops a byte order mark."""
        self._ahead = (self._stream.read(_CHUNK) or b"").removeprefix(_BOM)
        while not self._ahead.strip() and (more := self._stream.read(_CHUNK)):
            self._ahead += more
        return self._ahead.lstrip()[:1]

    def is_lines(self) -> bool:
        """Whether the first line is a JSON object by itself, and another line follows."""
        ahead = self._ahead.lstrip()
        while (b"\n" not in ahead or not ahead.partition(b"\n")[2].strip()) and len(ahead) < _PEEK:
            if not (more := self._stream.read(_CHUNK)):
                break
            self._ahead += more
            ahead += more
        line, _, rest = ahead.partition(b"\n")
        if not rest.strip() or not line.rstrip().endswith(b"}"):
            return False
        try:
            return isinstance(json.loads(line), dict)
        except (ValueError, RecursionError):
            # A broken first line is still a line, if the next one is an object.
            return rest.lstrip().startswith(b"{")


class _Fault(Exception):  # noqa: N818 (it is caught here, and answered)
    def __init__(self, place: str, reason: str) -> None:
        self.place = place
        super().__init__(reason)


class _Text:
    """The text of a JSON document, of which only the part that is being parsed is in memory."""

    def __init__(self, stream: _Bytes) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._json = json.JSONDecoder(parse_constant=str, strict=False)
        self._text, self._at, self._is_whole = "", 0, False
        #: Where the text in memory begins.
        self._line, self._column = 1, 1

    def next(self) -> str:
        """The next character that is no white space, which stays; "" at the end. Raises _Fault."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def take(self, *wanted: str) -> str:
        """Take the next character, which must be one of `wanted`. Raises _Fault."""
        found = self.next()
        if not found or found not in wanted:
            self.fail("Expecting " + " or ".join(map(repr, wanted)) if found else "The file ends within a value")
        self._at += 1
        return found

    def value(self) -> Any:
        """Take the next value. Raises _Fault."""
        if not self.next():
            self.fail("The file ends within a value")
        while True:
            try:
                found, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._may_go_on(error) and self._fill():
                    continue
                if error.msg.startswith("Unterminated string") or not self._text[error.pos :].strip():
                    self._at = len(self._text)
                    self.fail("The file ends within a value")
                self._at = error.pos
                self.fail(error.msg)
            except RecursionError:
                self.fail("It is nested too deeply")
            except ValueError:
                self.fail("A number has too many digits")
            # A number at the end of the text may go on.
            if end < len(self._text) or not self._fill():
                self._at = end
                return found

    def expect_end(self) -> None:
        """Raises _Fault if anything follows."""
        if self.next():
            self.fail("The document is over, and something follows")

    def fail(self, reason: str) -> None:
        """Raise _Fault, with where the text is."""
        self._drop()
        raise _Fault(f"line {self._line}, column {self._column}", reason)

    def _may_go_on(self, error: json.JSONDecodeError) -> bool:
        return error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - _NEAR_END

    def _fill(self) -> bool:
        """Read as much again as there is. Whether there was any more. Raises _Fault."""
        if self._is_whole:
            return False
        self._drop()
        if len(self._text) > MAX_VALUE:
            self.fail(f"A value has more than {MAX_VALUE} characters")
        wanted = max(_CHUNK, len(self._text))
        try:
            while wanted > 0 and (more := self._stream.read(wanted)):
                self._text += self._decoder.decode(more)
                wanted -= len(more)
            if wanted > 0:
                self._is_whole = True
                self._text += self._decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            self._text += error.object[: error.start].decode()
            self._at = len(self._text)
            self.fail("The text is not UTF-8")
        return True

    def _drop(self) -> None:
        """Forget the text that was taken."""
        gone = self._text[: self._at]
        if newlines := gone.count("\n"):
            self._line += newlines
            self._column = len(gone) - gone.rindex("\n")
        else:
            self._column += len(gone)
        self._text, self._at = self._text[self._at :], 0


def _elements(text: _Text) -> Iterator[Any]:
    text.take("[")
    if text.next() == "]":
        text.take("]")
        return
    while True:
        yield text.value()
        if text.take(",", "]") == "]":
            return


def _of_array(text: _Text, name: str) -> Iterator[Record]:
    for number, value in enumerate(_elements(text), 1):
        yield Record(f"{name}: item {number}", "", value)


def _of_object(text: _Text, name: str, is_record: Callable[[dict[str, Any]], bool]) -> Iterator[Record]:
    #: The fields of before the first array of objects, which tells that this is a container and not a record itself.
    whole: dict[str, Any] = {}
    is_container = False
    text.take("{")
    while text.next() == '"':
        field = text.value()
        text.take(":")
        if text.next() != "[":
            whole[field] = text.value()
            if is_container:
                yield from _kept(name, whole)
        else:
            for number, value in enumerate(_elements(text), 1):
                if not is_container and not isinstance(value, dict):
                    whole.setdefault(field, []).append(value)
                    continue
                if not is_container:
                    is_container = True
                    yield from _kept(name, whole)
                yield Record(f"{name}: {field} {number}", field, value)
        if text.take(",", "}") == "}":
            break
    else:
        text.take("}")
    if not is_container and is_record(whole):
        yield Record(f"{name}: item 1", "", whole)
    else:
        yield from _kept(name, whole)


def _kept(name: str, whole: dict[str, Any]) -> Iterator[Record]:
    for field, value in whole.items():
        yield Record(f"{name}: {field}", field, value)
    whole.clear()


def _lines(stream: _Bytes, name: str) -> Iterator[Record | NotUnderstood]:
    for number, line in enumerate(_split(stream), 1):
        place = f"{name}: line {number}"
        if line is None:
            yield NotUnderstood(place, f"The line is longer than {MAX_LINE} bytes.")
            continue
        if not line.strip():
            continue
        try:
            yield Record(place, "", json.loads(line, parse_constant=str, strict=False))
        except UnicodeDecodeError as error:
            yield NotUnderstood(place, f"The line is not UTF-8: see byte {error.start + 1}.")
        except json.JSONDecodeError as error:
            yield NotUnderstood(f"{place}, column {error.colno}", f"The line is not JSON: {error.msg}.")
        except (RecursionError, ValueError):
            yield NotUnderstood(place, "The line is nested too deeply, or has a number of too many digits.")


def _split(stream: _Bytes) -> Iterator[bytes | None]:
    """The lines without their ends; None for one that is too long."""
    buffer = bytearray()
    is_too_long = False
    searched = 0
    while more := stream.read():
        buffer += more
        while (end := buffer.find(b"\n", searched)) >= 0:
            yield None if is_too_long else bytes(buffer[:end])
            is_too_long = False
            del buffer[: end + 1]
            searched = 0
        searched = len(buffer)
        if searched > MAX_LINE:
            buffer.clear()
            is_too_long, searched = True, 0
    if is_too_long or buffer:
        yield None if is_too_long else bytes(buffer)
