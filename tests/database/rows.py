"""Watching the rows that declared database functions answer."""

from functools import cache
from operator import attrgetter
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from governance.database.typed_calls import Function


def watch_rows() -> None:
    """From now on a value that does not have the type of its field is an AssertionError at the call."""
    plain = Function._run

    def run(self: Any, using: str, values: Any) -> Any:
        answer = plain(self, using, values)
        for one in answer if get_origin(self.answer) is list else [answer]:
            _check(self, one)
        return answer

    Function._run = run  # type: ignore[method-assign]


def _check(function: Any, one: Any) -> None:
    if not function.fields:
        assert _fits(one, _kinds(function.row)), f"{function.name} answered {one!r}"
    # with a refusal a row says nothing else
    elif not (getattr(one, "refusal", None) or getattr(one, "fault", None)):
        values_of, kinds = _fields(one.__class__)
        for value, kind in zip(values_of(one), kinds, strict=True):
            assert _fits(value, kind), f"{function.name} answered {value!r} in {one!r}"


@cache
def _fields(row: Any) -> tuple[Any, list[Any]]:
    hints = get_type_hints(row)
    # the first one twice: for a single name attrgetter answers no tuple
    names = [next(iter(hints)), *hints]
    return attrgetter(*names), [_kinds(hints[name]) for name in names]


def _kinds(hint: Any) -> tuple[tuple[type, ...], type | None]:
    """The types that a value may have, and of a list that of its elements."""
    allowed = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    elements = [get_args(one)[0] for one in allowed if get_origin(one) is list]
    plain = tuple(type(None) if one is None else get_origin(one) or one for one in allowed)
    return plain, elements[0] if elements else None


def _fits(value: Any, kind: tuple[tuple[type, ...], type | None]) -> bool:
    allowed, element = kind
    if not isinstance(value, allowed):
        return False
    return element is None or not isinstance(value, list) or all(isinstance(each, element) for each in value)
