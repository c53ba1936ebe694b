"""Adds Suture to the text of a client's configuration."""

import copy
from collections.abc import Mapping
from functools import reduce
from typing import Any

import tomlkit

from suture_client.errors import Failed
from suture_client.installing import jsonc
from suture_client.installing.editing import json_object, parse_errors, toml_document
from suture_client.installing.mcp.clients import INPUT_ID, JSON, TOML, TRANSPORT_FIELDS, YAML, Client


def with_server(client: Client, text: str, name: str, entry: Mapping[str, Any]) -> str:
    """Return the text with the server. Everything else stays, including other fields of the server's entry. Raises
    Failed, with line and column, if the text does not have the client's format."""
    edit, read = {JSON: (_in_json, json_object), TOML: (_in_toml, _read_toml), YAML: (_in_yaml, _read_yaml)}[
        client.format
    ]
    with parse_errors():
        changed = edit(client, text, name, entry)
    if _others(client, read(text), name) != _others(client, read(changed), name):
        raise Failed("the file is written in a way that cannot be changed without changing other entries")
    return changed


def _others(client: Client, content: dict[str, Any], name: str) -> dict[str, Any]:
    """Return everything except the server and the containers that were created for it."""
    rest = copy.deepcopy(content)
    servers: Any = reduce(lambda found, field: found.get(field) or {}, _section(client, rest), rest)
    servers.pop(name, None)
    rest["inputs"] = [item for item in rest.get("inputs", []) if not _is_input(item)]
    return {field: value for field, value in rest.items() if value not in ({}, [], None)}


def _section(client: Client, content: Mapping[str, Any]) -> tuple[str, ...]:
    """The place of the servers in a file. A server of that name has a type; a section has none."""
    found: Any = content
    for field in client.newer_section:
        found = found.get(field) if isinstance(found, Mapping) else None
    is_newer = client.newer_section and isinstance(found, Mapping) and not isinstance(found.get("type"), str)
    return client.newer_section if is_newer else (client.section,)


def _is_input(item: Any) -> bool:
    return isinstance(item, dict) and item.get("id") == INPUT_ID


def _read_toml(text: str) -> dict[str, Any]:
    return toml_document(text).unwrap()


def _in_json(client: Client, text: str, name: str, entry: Mapping[str, Any]) -> str:
    text = text if text.strip() else "{}\n"
    section = _section(client, json_object(text))
    for field in TRANSPORT_FIELDS:
        if field not in entry:
            text = jsonc.remove(text, [*section, name, field])
    for field, value in entry.items():
        text = jsonc.put(text, [*section, name, field], value)
    inputs = json_object(text).get("inputs", [])
    if f"input:{INPUT_ID}" in str(entry) and not (isinstance(inputs, list) and any(map(_is_input, inputs))):
        asked = {"type": "promptString", "id": INPUT_ID, "description": "API key of Suture", "password": True}
        text = jsonc.append(text, ["inputs"], asked)
    return text


def _in_toml(client: Client, text: str, name: str, entry: Mapping[str, Any]) -> str:
    document = toml_document(text)
    before = document.unwrap()
    servers = document.setdefault(client.section, tomlkit.table(is_super_table=True))
    if not isinstance(servers, dict):
        raise Failed(f"{client.section} must be a table")
    server = servers.setdefault(name, tomlkit.table())
    if not isinstance(server, dict):
        raise Failed(f"{client.section}.{name} must be a table")
    for field in TRANSPORT_FIELDS:
        if field in server and field not in entry:
            del server[field]
    for field, value in entry.items():
        if isinstance(value, Mapping) and isinstance(server.get(field), dict):
            server[field].update(value)
        elif server.get(field) != value:
            server[field] = _inline(value) if isinstance(value, Mapping) else value
    return text if document.unwrap() == before else tomlkit.dumps(document)


def _inline(value: Mapping[str, Any]) -> Any:
    table = tomlkit.inline_table()
    table.update(value)
    return table


def _in_yaml(client: Client, text: str, name: str, entry: Mapping[str, Any]) -> str:
    # an extra: only goose needs it
    from suture_client.installing import yaml_files

    servers = yaml_files.read(text).get(client.section) or {}
    before = servers.get(name) or {} if isinstance(servers, Mapping) else {}
    if not isinstance(before, Mapping):
        raise Failed(f"{client.section}.{name} must be a mapping")
    kept = {field: value for field, value in before.items() if field not in TRANSPORT_FIELDS}
    after = {**kept, **entry}
    return text if after == before else yaml_files.put(text, client.section, name, after)


def _read_yaml(text: str) -> dict[str, Any]:
    from suture_client.installing import yaml_files

    return yaml_files.read(text)
