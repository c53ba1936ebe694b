"""Filters of a search: what the server looks up, and what all of it means.

The server knows an item's labels: those members of its value that are a number, a boolean or a short text.
"""

import json
import operator
from collections.abc import Callable, Mapping
from typing import Any

#: Maximum number of characters of a label that is a text, and of all labels of an item as JSON.
_MAX_LABEL, _MAX_LABELS = 100, 15_000
#: Maximum number of conditions of a request.
_MAX_CONDITIONS = 20
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def labels_of(value: Mapping[str, Any]) -> dict[str, Any]:
    """The labels of an item: the first ones, if it has very many."""
    found: dict[str, Any] = {}
    size = 0
    for name, one in value.items():
        if isinstance(name, str) and _is_label(one):
            size += len(json.dumps({name: one}))
            if size > _MAX_LABELS:
                break
            found[name] = one
    return found


def where_of(filter: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The part of a filter that the server can look up: each item that fulfils the filter fulfils it."""
    where: dict[str, dict[str, Any]] = {}
    for name, wanted in filter.items():
        if "." in name:  # to the server, a member of a member
            continue
        conditions = wanted if _is_operators(wanted) else {"$eq": wanted}
        known = {
            which[1:]: one
            for which, one in conditions.items()
            if (which == "$eq" or which in _COMPARISONS) and _is_label(one)
        }
        if known and sum(map(len, where.values())) + len(known) <= _MAX_CONDITIONS:
            where[name] = known
    return where


def fulfils(value: Any, wanted: Any) -> bool:
    """Whether a value is as a filter wants it. A dict is a filter of members, or has operators such as $gt. Numbers are
    compared with numbers, and texts with texts. Raises ValueError for an unknown operator."""
    if _is_operators(wanted):
        return all(_compares(value, which, one) for which, one in wanted.items())
    if isinstance(wanted, Mapping):
        return isinstance(value, Mapping) and all(fulfils(value.get(name), one) for name, one in wanted.items())
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(wanted)
            and all(fulfils(one, like) for one, like in zip(value, wanted, strict=True))
        )
    return bool(value == wanted)


def _compares(value: Any, which: str, wanted: Any) -> bool:
    if which == "$eq":
        return bool(value == wanted)
    if which == "$ne":
        return bool(value != wanted)
    if which not in _COMPARISONS:
        raise ValueError(f"Unsupported operator: {which}. Use $eq, $ne, {', '.join(_COMPARISONS)}.")
    alike = any(isinstance(value, kind) and isinstance(wanted, kind) for kind in (str, int | float))
    return alike and _COMPARISONS[which](value, wanted)


def _is_operators(wanted: Any) -> bool:
    return isinstance(wanted, Mapping) and any(str(name).startswith("$") for name in wanted)


def _is_label(value: Any) -> bool:
    return isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) <= _MAX_LABEL)
