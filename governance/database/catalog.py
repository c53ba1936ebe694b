"""Read everything that guards the record from the database's catalog: functions, triggers, row security, rights, roles.

It is read by plain SELECTs on `pg_catalog` (`governance/sql/catalog/`). These use a few functions of the server, which
print expressions and parse access lists; the result includes these functions, so that a replaced one is detected. Oids
are replaced by names and lists are sorted, so that the result is the same on every machine.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

#: The properties of an object by readable name: owner, grants, definition.
Properties = dict[str, Any]
#: Objects by name, such as `policy tenant on governance_content`.
Objects = dict[str, Properties]

#: Roles of the server whose members bypass table privileges or can leave the database.
POWERFUL = {
    "pg_execute_server_program",
    "pg_read_all_data",
    "pg_read_server_files",
    "pg_write_all_data",
    "pg_write_server_files",
}

_STATEMENTS = Path(__file__).resolve().parents[1] / "sql" / "catalog"

_ENABLED = {"O": "on", "D": "off", "R": "for replication only", "A": "always"}
_KINDS = {"r": "table", "p": "table", "f": "foreign table", "v": "view", "m": "materialized view", "S": "sequence"}
_COMMANDS = {"r": "SELECT", "a": "INSERT", "w": "UPDATE", "d": "DELETE", "*": "ALL"}
_DEFAULT_KINDS = {"r": "tables", "S": "sequences", "f": "functions", "T": "types", "n": "schemas", "L": "large objects"}
_OF_FUNCTIONS = (
    *("language", "kind", "security definer", "leakproof", "strict", "volatility", "parallel"),
    *("arguments", "result"),
)
_OF_ROLES = (
    *("superuser", "passes row security", "creates roles", "creates databases", "replication", "logs in"),
    *("inherits", "connections at most", "valid until"),
)


def read(cursor: Any) -> Objects:
    """Every object that guards the record, by name; `cursor` is one of an open transaction."""
    cursor.execute("SELECT pg_catalog.current_setting('search_path')")
    ((path,),) = cursor.fetchall()
    # With this path, all names outside pg_catalog are printed with their schema.
    cursor.execute("SET LOCAL search_path TO pg_catalog")
    found = _Reading(cursor).objects()
    cursor.execute("SELECT pg_catalog.set_config('search_path', %s, true)", [path])
    return dict(sorted(found.items()))


class _Reading:
    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor
        #: Names of roles by oid; 0 is everybody.
        self._roles: dict[int, str] = {
            0: "PUBLIC",
            **dict(self._answer("SELECT r.oid::int8, r.rolname::text FROM pg_catalog.pg_roles r")),
        }
        self._settings: dict[int, list[str]] = {}
        for role, is_here, settings in self._rows("settings"):
            self._settings.setdefault(role, []).extend(f"{one}{' (here)' if is_here else ''}" for one in settings)

    def objects(self) -> Objects:
        return {
            **self._relations(),
            **self._policies(),
            **self._triggers(),
            **self._functions(),
            **self._constraints(),
            **self._rules(),
            **self._event_triggers(),
            **self._database(),
            **self._role_objects(),
            **self._memberships(),
        }

    def _answer(self, sql: str) -> list[tuple[Any, ...]]:
        self._cursor.execute(sql)
        rows: list[tuple[Any, ...]] = self._cursor.fetchall()
        return rows

    def _rows(self, name: str) -> list[tuple[Any, ...]]:
        return self._answer((_STATEMENTS / f"{name}.sql").read_text())

    def _named(self, grants: Iterable[str]) -> list[str]:
        """Grants, each `oid privilege`, with role names instead of oids."""
        parts = (grant.partition(" ") for grant in grants)
        return sorted(f"{privilege} to {self._role(int(oid))}" for oid, _, privilege in parts)

    def _role(self, oid: int) -> str:
        return self._roles.get(oid, "a missing role")

    def _relations(self) -> Objects:
        found: Objects = {}
        names = {}
        for oid, name, kind, owner, is_secured, is_forced, options, grants, definition in self._rows("relations"):
            names[oid] = f"{_KINDS[kind]} {name}"
            properties: Properties = {"owner": self._role(owner), "grants": self._named(grants)}
            if kind != "S":
                properties |= {"columns": [], "options": sorted(options)}
            if kind in "rp":
                properties |= {"row security": is_secured, "forced row security": is_forced}
            if definition is not None:
                properties["definition"] = _hash_of(definition)
            found[names[oid]] = properties
        for oid, column, grants in self._rows("columns"):
            if oid in names:  # not an extension's
                found[names[oid]]["columns"].append(column)
                found[names[oid]]["grants"] += self._named(grants)
        for properties in found.values():
            properties["grants"].sort()
            properties.get("columns", []).sort()
        for schema, child, table in self._rows("children"):
            found[f"child {schema}.{child} of {table}"] = {}
        return found

    def _policies(self) -> Objects:
        return {
            f"policy {name} on {table}": {
                "permissive": is_permissive,
                "command": _COMMANDS[command],
                "roles": sorted(map(self._role, roles)),
                "using": using,
                "check": check,
            }
            for name, table, is_permissive, command, roles, using, check in self._rows("policies")
        }

    def _triggers(self) -> Objects:
        found: Objects = {}
        for name, table, enabled, constraint, function, definition in self._rows("triggers"):
            properties: Properties = {"enabled": _ENABLED[enabled]}
            if definition is None:
                found[f"trigger {function} of {constraint} on {table}"] = properties
            else:
                found[f"trigger {name} on {table}"] = {**properties, "definition": definition}
        return found

    def _functions(self) -> Objects:
        found: Objects = {}
        for schema, name, types, owner, settings, grants, body, *others in self._rows("functions"):
            place = "" if schema == "public" else f"{schema}."
            found[f"function {place}{name}({types})"] = {
                "owner": self._role(owner),
                "grants": self._named(grants),
                "settings": sorted(settings),
                "body": _hash_of(body),
                **dict(zip(_OF_FUNCTIONS, others, strict=True)),
            }
        for name, types, language, body, grants in self._rows("built_in"):
            properties = {"language": language, "body": body, "grants": self._named(grants)}
            found[f"function pg_catalog.{name}({types})"] = properties
        return found

    def _constraints(self) -> Objects:
        found: Objects = {
            f"constraint {name} on {table}": {"definition": definition, "validated": is_validated}
            for name, table, definition, is_validated in self._rows("constraints")
        }
        for name, definition, is_valid in self._rows("indexes"):
            found[f"unique index {name}"] = {"definition": definition, "valid": is_valid}
        return found

    def _rules(self) -> Objects:
        return {
            f"rule {name} on {table}": {"enabled": _ENABLED[enabled], "definition": definition}
            for name, table, enabled, definition in self._rows("rules")
        }

    def _event_triggers(self) -> Objects:
        return {
            f"event trigger {name}": {
                "owner": self._role(owner),
                "event": event,
                "enabled": _ENABLED[enabled],
                "function": function,
                "tags": sorted(tags),
            }
            for name, owner, event, enabled, function, tags in self._rows("event_triggers")
        }

    def _database(self) -> Objects:
        ((owner, grants),) = self._rows("database")
        settings = sorted(self._settings.get(0, []))
        found: Objects = {"database": {"owner": self._role(owner), "grants": self._named(grants), "settings": settings}}
        for name, owner, grants in self._rows("schemas"):
            found[f"schema {name}"] = {"owner": self._role(owner), "grants": self._named(grants)}
        for role, kind, schema, grants in self._rows("default_rights"):
            place = f" in {schema}" if schema else ""
            name = f"default rights on {_DEFAULT_KINDS.get(kind, kind)} of {self._role(role)}{place}"
            found[name] = {"grants": self._named(grants)}
        return found

    def _role_objects(self) -> Objects:
        return {
            f"role {name}": {
                **dict(zip(_OF_ROLES, attributes, strict=True)),
                "settings": sorted(self._settings.get(oid, [])),
            }
            for name, *attributes, oid in self._rows("roles")
        }

    def _memberships(self) -> Objects:
        """Memberships in our roles, of our roles, and in roles with powers over the server."""
        found: Objects = {}
        for role, member, is_admin, inherits, may_set in self._rows("memberships"):
            names = self._role(role), self._role(member)
            if any(name.startswith("suture_") for name in names) or names[0] in POWERFUL:
                granted = {"admin": is_admin, "inherits": inherits, "may set role": may_set}
                found[f"membership of {names[1]} in {names[0]}"] = granted
        return found


def _hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
