"""JSON of any size as a stream of records: an array, an object of arrays, or one object a line.

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

from suture_client.importing.items import NotUnderstood
from suture_client.importing.sources import Counted, Source

_BLOCK = 64 * 1024
#: How much of a first line is looked at to tell JSON lines from one JSON object.
_PEEK = 1024 * 1024
#: How deep a value may be nested.
_MOST_DEEP = 200
_BOM = b"\xef\xbb\xbf"
_DEEPER = {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}

Events = Iterator[tuple[str, Any]]


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
    cannot be parsed is answered with its place: one line of JSON lines, and everything after a record in other JSON.
    Raises BadSource.
    """
    with source.open() as raw:
        stream = io.BufferedReader(Counted(raw, on_read), _PEEK)
        if stream.peek(_PEEK).startswith(_BOM):
            stream.read(len(_BOM))
        if lines_only or _is_lines(stream.peek(_PEEK)):
            yield from _lines(stream, source.name)
            return
        place = "at the beginning"
        try:
            for record in _of_document(_events(stream), source.name, is_record):
                yield record
                place = "after " + record.place.removeprefix(f"{source.name}: ")
        except _Fault as fault:
            yield NotUnderstood(f"{source.name}: {place}", f"The JSON is broken here: {fault}.")


def _is_lines(head: bytes) -> bool:
    """Whether the first line is a JSON object by itself, and another line follows."""
    line, _, rest = head.lstrip().partition(b"\n")
    if not line.startswith(b"{") or not line.rstrip().endswith(b"}") or not rest.strip():
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        # A broken first line is still a line, if the next one is an object.
        return rest.lstrip().startswith(b"{")


class _Fault(Exception):  # noqa: N818 (it is caught here, and answered)
    """Why a document cannot be parsed any further."""


def _events(stream: BinaryIO) -> Events:
    """What the parser finds, one after another. Raises _Fault after the last event before the fault."""
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
            # The message goes on with the text around the fault.
            fault = re.split(r"\.?(?:\n|\\n)", str(error).partition("error: ")[2])[0] or str(error)
        except ValueError:
            fault = "A number has too many digits"
        yield from found
        found.clear()
    if fault:
        raise _Fault(fault)


def _value(events: Events, event: str, value: Any) -> Any:
    """The value that begins with this event."""
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
        if depth > _MOST_DEEP:
            raise _Fault("It is nested too deeply")
    return builder.value


def _elements(events: Events) -> Iterator[Any]:
    for event, value in events:
        if event == "end_array":
            return
        yield _value(events, event, value)


def _of_document(events: Events, name: str, is_record: Callable[[dict[str, Any]], bool]) -> Iterator[Record]:
    start, _ = next(events, ("", None))
    if start == "start_array":
        for number, value in enumerate(_elements(events), 1):
            yield Record(f"{name}: item {number}", "", value)
    elif start == "start_map":
        yield from _of_object(events, name, is_record)
    else:
        raise _Fault("Expecting an array or an object")
    for _ in events:  # to the end, where a fault may be
        pass


def _of_object(events: Events, name: str, is_record: Callable[[dict[str, Any]], bool]) -> Iterator[Record]:
    #: The fields of before the first array of objects, which tells that this is a container and not a record itself.
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


def _lines(stream: BinaryIO, name: str) -> Iterator[Record | NotUnderstood]:
    for number, line in enumerate(stream, 1):
        place = f"{name}: line {number}"
        if not line.strip():
            continue
        try:
            yield Record(place, "", json.loads(line.rstrip(b"\n"), parse_constant=str, strict=False))
        except UnicodeDecodeError as error:
            yield NotUnderstood(place, f"The line is not UTF-8: see byte {error.start + 1}.")
        except json.JSONDecodeError as error:
            yield NotUnderstood(f"{place}, column {error.colno}", f"The line is not JSON: {error.msg}.")
        except (RecursionError, ValueError):
            yield NotUnderstood(place, "The line is nested too deeply, or has a number of too many digits.")
