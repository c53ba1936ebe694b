"""Reads JSON of any size as a stream of records: an array, an object of arrays, or one object per line.

Only one record is in memory at a time.
"""

import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, BinaryIO

import ijson

from suture_client.importing.items import NotParsed
from suture_client.importing.sources import CountingStream, Source

_BLOCK = 64 * 1024
#: Bytes of the first line that are checked to tell JSON lines from one JSON object.
_PEEK = 1024 * 1024
#: The deepest nesting of a value.
_MAX_DEPTH = 200
_BOM = b"\xef\xbb\xbf"
_DEEPER = {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}

Events = Iterator[tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class Record:
    """A value of the source, and its position."""

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
) -> Iterator[Record | NotParsed]:
    """Yield the records of a source in their order.

    Records are the elements of an outermost array, the lines of JSON lines, and in an outermost object the elements of
    each array of objects and each other value. A single object is one record if `is_record` returns true for it. Parts
    that cannot be parsed are yielded with their position: one line of JSON lines, or everything after a record in other
    JSON.
    Raises BadSource.
    """
    with source.open() as raw:
        stream = io.BufferedReader(CountingStream(raw, on_read), _PEEK)
        if stream.peek(_PEEK).startswith(_BOM):
            stream.read(len(_BOM))
        if lines_only or _is_lines(stream.peek(_PEEK)):
            yield from _lines(stream, source.name)
            return
        place = "at the beginning"
        try:
            for record in _document_records(_events(stream), source.name, is_record):
                yield record
                place = "after " + record.place.removeprefix(f"{source.name}: ")
        except _Fault as fault:
            yield NotParsed(f"{source.name}: {place}", f"The JSON is broken here: {fault}.")


def _is_lines(head: bytes) -> bool:
    """Return whether the first line is a complete JSON object and another line follows."""
    line, _, rest = head.lstrip().partition(b"\n")
    if not line.startswith(b"{") or not line.rstrip().endswith(b"}") or not rest.strip():
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        # A broken first line is still a line, if the next one is an object.
        return rest.lstrip().startswith(b"{")


class _Fault(Exception):  # noqa: N818 (caught in this module)
    """A document cannot be parsed any further; the message gives the reason."""


def _events(stream: BinaryIO) -> Events:
    """Yield the parser's events. Raises _Fault after the last event before the fault."""
    found = ijson.sendable_list()
    parser = ijson.basic_parse_coro(found)
    fault = ""
    is_over = False
    while not (fault or is_over):
        block = stream.read(_BLOCK)
        is_over = not block
        try:
            if is_over:
                parser.close()
            else:
                parser.send(block)
        except ijson.JSONError as error:
            # The rest of the message quotes the text around the fault.
            fault = re.split(r"\.?(?:\n|\\n)", str(error).partition("error: ")[2])[0] or str(error)
        except ValueError:
            fault = "A number has too many digits"
        yield from found
        found.clear()
    if fault:
        raise _Fault(fault)


def _value(events: Events, event: str, value: Any) -> Any:
    """Build the value that starts with this event."""
    if event == "number":
        return float(value) if isinstance(value, Decimal) else value
    if event not in _DEEPER:
        return value
    builder = ijson.ObjectBuilder()
    builder.event(event, value)
    depth = 1
    while depth:
        event, value = next(events)
        builder.event(event, float(value) if isinstance(value, Decimal) else value)
        depth += _DEEPER.get(event, 0)
        if depth > _MAX_DEPTH:
            raise _Fault("It is nested too deeply")
    return builder.value


def _elements(events: Events) -> Iterator[Any]:
    for event, value in events:
        if event == "end_array":
            return
        yield _value(events, event, value)


def _document_records(events: Events, name: str, is_record: Callable[[dict[str, Any]], bool]) -> Iterator[Record]:
    start, _ = next(events, ("", None))
    if start == "start_array":
        for number, value in enumerate(_elements(events), 1):
            yield Record(f"{name}: item {number}", "", value)
    elif start == "start_map":
        yield from _object_records(events, name, is_record)
    else:
        raise _Fault("Expecting an array or an object")
    for _ in events:  # to the end, where a fault may be
        pass


def _object_records(events: Events, name: str, is_record: Callable[[dict[str, Any]], bool]) -> Iterator[Record]:
    #: The fields before the first array of objects, which shows that this is a container and not a record.
    whole: dict[str, Any] = {}
    is_container = False
    for event, field in events:
        if event == "end_map":
            break
        start, first = next(events)
        if start != "start_array":
            whole[field] = _value(events, start, first)
            if is_container:
                yield from _kept(name, whole)
            continue
        for number, value in enumerate(_elements(events), 1):
            if not is_container and not isinstance(value, dict):
                whole.setdefault(field, []).append(value)
                continue
            if not is_container:
                is_container = True
                yield from _kept(name, whole)
            yield Record(f"{name}: {field} {number}", field, value)
    if not is_container and is_record(whole):
        yield Record(f"{name}: item 1", "", whole)
    else:
        yield from _kept(name, whole)


def _kept(name: str, whole: dict[str, Any]) -> Iterator[Record]:
    for field, value in whole.items():
        yield Record(f"{name}: {field}", field, value)
    whole.clear()


def _lines(stream: BinaryIO, name: str) -> Iterator[Record | NotParsed]:
    for number, line in enumerate(stream, 1):
        place = f"{name}: line {number}"
        if not line.strip():
            continue
        try:
            yield Record(place, "", json.loads(line.rstrip(b"\n"), parse_constant=str, strict=False))
        except UnicodeDecodeError as error:
            yield NotParsed(place, f"The line is not UTF-8: see byte {error.start + 1}.")
        except json.JSONDecodeError as error:
            yield NotParsed(f"{place}, column {error.colno}", f"The line is not JSON: {error.msg}.")
        except (RecursionError, ValueError):
            yield NotParsed(place, "The line is nested too deeply, or has a number of too many digits.")
