"""Differences between two states of the catalog, and the changes of a migration."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Marks an object or property that one side does not have.
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Difference:
    """An object of the catalog that differs from the signed one, with a description."""

    name: str
    detail: str
    #: The values that differ, as JSON; None if the object is missing.
    found: str | None
    expected: str | None


def differences(signed: Mapping[str, Any], found: Mapping[str, Any]) -> list[Difference]:
    """The differences between two catalogs, in order of object names."""
    differing = []
    for name in sorted(signed.keys() | found.keys()):
        wanted, present = signed.get(name), found.get(name)
        if wanted == present:
            continue
        if present is None:
            differing.append(Difference(name, f"the {name} is missing", None, _as_text(wanted)))
        elif wanted is None:
            detail = f"the {name} was added after the last migration"
            differing.append(Difference(name, detail, _as_text(present), None))
        else:
            differing.append(_changed(name, wanted, present))
    return differing


def _changed(name: str, wanted: Mapping[str, Any], present: Mapping[str, Any]) -> Difference:
    parts = []
    fields = sorted(field for field in wanted.keys() | present.keys() if wanted.get(field) != present.get(field))
    for field in fields:
        before, now = wanted.get(field), present.get(field)
        if isinstance(before, list) and isinstance(now, list):
            added, gone = sorted(set(now) - set(before)), sorted(set(before) - set(now))
            parts += [f"{field} also has {one}" for one in added] + [f"{field} lacks {one}" for one in gone]
        elif field in ("body", "definition"):
            parts.append(f"its {field} differs")
        else:
            parts.append(f"{field} is {_as_text(now)} instead of {_as_text(before)}")
    return Difference(
        name,
        f"the {name} was changed after the last migration: {'; '.join(parts)}",
        _as_text({field: present.get(field) for field in fields}),
        _as_text({field: wanted.get(field) for field in fields}),
    )


def _as_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def merge(signed: Any, before: Any, after: Any) -> Any:
    """The catalog to sign after a migration that changed `before` into `after`: the signed one with the migration's
    changes. Changes made by others before the migration remain differences."""
    if before == after:
        return signed
    if all(isinstance(state, dict) for state in (signed, before, after)):
        merged = {
            name: merge(*(state.get(name, _ABSENT) for state in (signed, before, after)))
            for name in signed.keys() | before.keys() | after.keys()
        }
        return {name: value for name, value in merged.items() if value is not _ABSENT}
    if all(isinstance(state, list) for state in (signed, before, after)):
        return sorted((set(signed) - (set(before) - set(after))) | (set(after) - set(before)))
    return after
