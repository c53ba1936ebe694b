"""Edits JSON with comments and trailing commas in place. All other text stays unchanged."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

#: The deepest nesting of objects and arrays.
_MAX_DEPTH = 200

#: A member's name, or an item's index.
Step = str | int

_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")


class Malformed(Exception):  # noqa: N818 (the message is for people)
    """The text is invalid; the message gives line and column (from 1) and the reason."""

    def __init__(self, text: str, at: int, reason: str) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - (text.rfind("\n", 0, at) + 1) + 1
        self.reason = reason
        super().__init__(f"line {self.line}, column {self.column}: {reason}")


@dataclass
class Node:
    """A value and its position: text[start:end]. Objects and arrays also have their content, with positions."""

    start: int
    end: int = 0
    value: Any = None
    members: dict[str, "Node"] = field(default_factory=dict)
    items: list["Node"] = field(default_factory=list)
    #: The span of each member, from its name to the end of its value, or of each item.
    spans: list[tuple[int, int]] = field(default_factory=list)
    has_trailing_comma: bool = False


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def document(self) -> Node:
        self._skip()
        node = self._value(0)
        self._skip()
        if self.at < len(self.text):
            raise self._error("nothing may follow the value")
        return node

    def _error(self, reason: str) -> Malformed:
        return Malformed(self.text, self.at, reason)

    def _skip(self) -> None:
        self.at = _after_blank(self.text, self.at)

    def _is(self, character: str) -> bool:
        if self.text.startswith(character, self.at):
            self.at += 1
            return True
        return False

    def _value(self, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise self._error("nested too deeply")
        if self._is("{"):
            return self._object(depth)
        if self._is("["):
            return self._array(depth)
        match = _STRING.match(self.text, self.at) or _SCALAR.match(self.text, self.at)
        if match is None:
            found = self.text[self.at : self.at + 1]
            raise self._error(f"expected a value, found {found!r}" if found else "the file ends too early")
        self.at = match.end()
        return Node(match.start(), match.end(), json.loads(match[0]))

    def _object(self, depth: int) -> Node:
        node = Node(self.at - 1, value={})
        for start in self._items(node, "}"):
            name = _STRING.match(self.text, self.at)
            if name is None:
                raise self._error("expected a name in double quotes")
            self.at = name.end()
            self._skip()
            if not self._is(":"):
                raise self._error("expected a colon")
            self._skip()
            member = self._value(depth + 1)
            key = json.loads(name[0])
            node.members[key] = member
            node.value[key] = member.value
            node.spans.append((start, self.at))
        return node

    def _array(self, depth: int) -> Node:
        node = Node(self.at - 1, value=[])
        for start in self._items(node, "]"):
            item = self._value(depth + 1)
            node.items.append(item)
            node.value.append(item.value)
            node.spans.append((start, self.at))
        return node

    def _items(self, node: Node, closing: str) -> Iterator[int]:
        """Yield the start of each item. The caller reads the item."""
        while True:
            self._skip()
            if self._is(closing):
                node.end = self.at
                return
            if node.spans and not node.has_trailing_comma:
                raise self._error(f"expected a comma or {closing!r}")
            node.has_trailing_comma = False
            yield self.at
            self._skip()
            node.has_trailing_comma = self._is(",")


def parse(text: str) -> Node:
    """Parse the text. Raises Malformed."""
    return _Parser(text).document()


def put(text: str, path: Sequence[Step], value: Any) -> str:
    """Return the text with `value` at the path. Missing objects on the way are created. If the path has an object, only
    the members that `value` has are changed. Raises Malformed."""
    node = parse(text)
    for depth, step in enumerate(path):
        below = _below(node, step)
        if below is None:
            if isinstance(step, int) or not isinstance(node.value, dict):
                wanted = "an array with more items" if isinstance(step, int) else "an object"
                raise Malformed(text, node.start, f"{_position(path[:depth])} must be {wanted}")
            for outer in reversed(path[depth + 1 :]):
                value = {outer: value}
            return _insert(text, node, value, step)
        node = below
    if node.value == value:
        return text
    if isinstance(value, Mapping) and isinstance(node.value, dict):
        for name, below in value.items():
            text = put(text, [*path, name], below)
        return text
    return text[: node.start] + _written(value, _indent_at(text, node.start), text) + text[node.end :]


def append(text: str, path: Sequence[Step], item: Any) -> str:
    """Return the text with the item at the end of the array at the path, which is created if it is missing. Raises
    Malformed."""
    node = _find(text, path)
    if node is None:
        return put(text, path, [item])
    if not isinstance(node.value, list):
        raise Malformed(text, node.start, f"{_position(path)} must be an array")
    return _insert(text, node, item)


def remove(text: str, path: Sequence[Step]) -> str:
    """Return the text without the member or item at the path, if it exists. Comments stay. Raises Malformed."""
    node = _find(text, path[:-1])
    gone = _below(node, path[-1]) if node is not None else None
    if node is None or gone is None:
        return text
    index = next(i for i, span in enumerate(node.spans) if span[1] == gone.end)
    start, end = node.spans[index]
    after = _after_blank(text, end)
    if text.startswith(",", after):
        end = after + 1
    elif index:
        # the last member: remove the comma before it, but keep a comment between them
        comma = _after_blank(text, node.spans[index - 1][1])
        text = text[:comma] + text[comma + 1 :]
        start, end = start - 1, end - 1
    line = text.rfind("\n", 0, start) + 1
    following = re.compile(r"[ \t]*\r?\n").match(text, end)
    if following and not text[line:start].strip():
        return text[:line] + text[following.end() :]
    return text[:start] + text[end:]


def _find(text: str, path: Sequence[Step]) -> Node | None:
    node: Node | None = parse(text)
    for step in path:
        node = _below(node, step) if node is not None else None
    return node


def _below(node: Node, step: Step) -> Node | None:
    if isinstance(step, int):
        return node.items[step] if step < len(node.items) else None
    return node.members.get(step)


def _position(path: Sequence[Step]) -> str:
    return ".".join(str(step) for step in path) or "the file"


def _after_blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _insert(text: str, node: Node, value: Any, name: str | None = None) -> str:
    """Return the text with a new last member of an object, or without a name, a new last item of an array."""
    newline = _newline(text)
    outer = _indent_at(text, node.start)
    inner = outer + _unit(text)
    closing = node.end - 1
    body = text[: len(text[:closing].rstrip())]
    if node.spans and not node.has_trailing_comma:
        last = node.spans[-1][1]
        body = body[:last] + "," + body[last:]
    written = _written(value, inner, text)
    if name is not None:
        written = f"{json.dumps(name, ensure_ascii=False)}: {written}"
    return body + newline + inner + written + newline + outer + text[closing:]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return the indentation of one level of the text."""
    found = re.search(r"^([ \t]+)\"", text, re.MULTILINE)
    return found[1] if found else "  "


def _written(value: Any, indent: str, text: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (_newline(text) + indent).join(lines)
