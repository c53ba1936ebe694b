"""What differs between two states of the catalog, and what a migration has made of one."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Where one side has no such object or property.
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Difference:
    """One object of the catalog that is not what was signed, in words."""

    name: str
    detail: str
    #: The values that differ, as JSON; None where the object is not there.
    found: str | None
    expected: str | None


def differences(signed: Mapping[str, Any], found: Mapping[str, Any]) -> list[Difference]:
    """What differs between two catalogs, in order of the names of objects."""
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
            parts += [f"{field} has {one} besides" for one in added] + [f"{field} lacks {one}" for one in gone]
        elif field in ("body", "definition"):
            parts.append(f"its {field} is another")
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
    """What has to be signed after a migration that found `before` and left `after`: what was signed, with the changes
    that the migration made. What somebody else changed before it began stays a difference."""
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
