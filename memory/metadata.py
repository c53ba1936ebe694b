"""Conditions of metadata, as PostgreSQL's JSON path language evaluates them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from governance.faults import Faults

#: The operators, and how the path language writes those that compare.
COMPARISONS = {"eq": "==", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
OPERATORS = (*COMPARISONS, "in", "exists")
MAX_CONDITIONS, MAX_VALUES = 20, 100
_SCALARS = (str, int, float, bool, type(None))


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of metadata for tenant_metadata: all of it, and the part that the index can look up, if there is any.
    Neither tells tenants apart by itself: every path begins with the tenant."""

    all: str
    equals: str | None


def condition(tenant_id: UUID, where: Mapping[str, Any], pointer: str = "/where") -> Condition | None:
    """The condition that metadata fulfil `where`: `{"topic": "food", "age": {"gte": 3}}`; a dot addresses a nested
    member, and a list fulfils what one of its elements does. None without conditions.

    Raises Invalid with the place of each unknown operator and each value that cannot be compared.
    """
    faults = Faults()
    every: list[str] = []
    equals: list[str] = []
    for name, wanted in where.items():
        place = f"{pointer}/{name}"
        path = ".".join(["$", *(json.dumps(part) for part in (str(tenant_id), *name.split(".")))])
        for operator, value in (wanted if isinstance(wanted, dict) else {"eq": wanted}).items():
            said = _one(path, operator, value, f"{place}/{operator}" if isinstance(wanted, dict) else place, faults)
            every.append(said)
            if operator in ("eq", "in"):
                equals.append(said)
        if wanted == {}:
            faults.add(place, f"Name at least one operator: {', '.join(OPERATORS)}.")
    if len(every) > MAX_CONDITIONS:
        faults.add(pointer, f"At most {MAX_CONDITIONS} conditions are allowed.")
    faults.raise_any()
    return Condition(" && ".join(every), " && ".join(equals) or None) if every else None


def _one(path: str, operator: str, value: Any, pointer: str, faults: Faults) -> str:
    """One condition in the path language."""
    if operator in COMPARISONS:
        _require_scalar(value, pointer, faults)
        return f"{path} {COMPARISONS[operator]} {json.dumps(value)}"
    if operator == "in":
        if not isinstance(value, list) or not 0 < len(value) <= MAX_VALUES:
            faults.add(pointer, f"Send a list of 1 to {MAX_VALUES} values.")
            return ""
        for index, one in enumerate(value):
            _require_scalar(one, f"{pointer}/{index}", faults)
        return f"({' || '.join(f'{path} == {json.dumps(one)}' for one in value)})"
    if operator == "exists":
        if not isinstance(value, bool):
            faults.add(pointer, "Must be true or false.")
        return f"exists({path})" if value else f"!(exists({path}))"
    faults.add(pointer, f"There is no operator {operator}. The operators are {', '.join(OPERATORS)}.")
    return ""


def _require_scalar(value: Any, pointer: str, faults: Faults) -> None:
    if not isinstance(value, _SCALARS):
        faults.add(pointer, "Compare with a text, a number, true, false or null.")
