"""Resources: memory blocks, capsules and single memories, read over the REST API."""

import json
import re
from collections.abc import Mapping
from typing import Any

from mcp import MCPError
from mcp.types import (
    INVALID_PARAMS,
    Annotations,
    ListResourcesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from suture_client.http import AsyncApi
from suture_client.text.invisible import drop_invisible_in

BLOCKS = {
    "persona": ("Who I am", "The agent's knowledge about itself."),
    "user_profile": ("About the user", "The agent's knowledge about the user."),
    "goals": ("Current goals", "The goals the agent is working towards."),
    "knowledge": ("Key knowledge", "Facts the agent always needs."),
}

_MARKDOWN, _JSON = "text/markdown", "application/json"

TEMPLATES = [
    ResourceTemplate(
        uri_template="suture://blocks/{label}",
        name="block",
        title="Memory block",
        description=f"The newest version of a memory block: {', '.join(BLOCKS)}. Empty if it has not been written yet.",
        mime_type=_MARKDOWN,
    ),
    ResourceTemplate(
        uri_template="suture://capsules/{capsule_id}",
        name="capsule",
        title="Capsule",
        description="A capsule that was shared with you, with the items that you may see now.",
        mime_type=_JSON,
    ),
    ResourceTemplate(
        uri_template="suture://memories/{chunk_id}",
        name="memory",
        title="Memory",
        description="One memory by its chunk_id, in the format of search results.",
        mime_type=_JSON,
    ),
    ResourceTemplate(
        uri_template="suture://edits/{edit_id}",
        name="edit",
        title="Edit",
        description="An edit that you proposed, with the verdicts on it.",
        mime_type=_JSON,
    ),
]

_URI = re.compile(r"suture://(?P<kind>blocks|capsules|memories|edits)/(?P<which>[A-Za-z0-9_-]+)")


async def list_resources(rest: AsyncApi, cursor: str | None) -> ListResourcesResult:
    """List the blocks, then the capsules that the caller may read, newest first. Raises Failed."""
    page = await rest.get("capsules", **({"cursor": cursor} if cursor else {}))
    blocks = [] if cursor else [_block(label) for label in BLOCKS]
    return ListResourcesResult(
        resources=[*blocks, *(_capsule(item) for item in page["results"])], next_cursor=page["next"]
    )


def _block(label: str) -> Resource:
    title, description = BLOCKS[label]
    return Resource(
        uri=f"suture://blocks/{label}",
        name=label,
        title=title,
        description=description,
        mime_type=_MARKDOWN,
        annotations=Annotations(audience=["assistant"], priority=1.0),
    )


def _capsule(capsule: Mapping[str, Any]) -> Resource:
    about = " ".join(str(capsule[name]) for name in ("subject_type", "subject_id") if capsule.get(name))
    return Resource(
        uri=f"suture://capsules/{capsule['capsule_id']}",
        name=f"capsule {capsule['capsule_id']}",
        title=f"Capsule about {about}" if about else "Capsule",
        description=f"Memory that was shared with you, until {capsule.get('expires_at')}.",
        mime_type=_JSON,
    )


async def read_resource(rest: AsyncApi, uri: str) -> ReadResourceResult:
    """Read a resource. Raises MCPError if it does not exist, Failed."""
    match = _URI.fullmatch(uri)
    if match is None:
        patterns = ", ".join(template.uri_template for template in TEMPLATES)
        raise MCPError(INVALID_PARAMS, f"There is no resource {uri}. Resources are {patterns}.", {"uri": uri})
    mime_type, text, meta = await _READERS[match["kind"]](rest, uri, match["which"])
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=mime_type, text=text, _meta=meta)])


_Content = tuple[str, str, dict[str, Any] | None]


async def _read_block(rest: AsyncApi, uri: str, label: str) -> _Content:
    if label not in BLOCKS:
        raise MCPError(
            INVALID_PARAMS, f"There is no block {label!r}. The blocks are {', '.join(BLOCKS)}.", {"uri": uri}
        )
    memory = (await rest.post("tools/block_get", {"label": label}))["memory"] or {}
    meta = {f"suture/{name}": memory[name] for name in ("seq", "version", "chunk_id") if name in memory}
    return _MARKDOWN, memory.get("content") or "", meta or None


async def _read_capsule(rest: AsyncApi, uri: str, capsule_id: str) -> _Content:
    return _JSON, _shown(await rest.get(f"capsules/{capsule_id}")), None


async def _read_memory(rest: AsyncApi, uri: str, chunk_id: str) -> _Content:
    found = (await rest.post("chunks/get", {"chunk_ids": [chunk_id]}))["chunks"]
    if not found:
        raise MCPError(INVALID_PARAMS, f"There is no memory {chunk_id}, or you may not read it.", {"uri": uri})
    return _JSON, _shown(found[0]), None


async def _read_edit(rest: AsyncApi, uri: str, edit_id: str) -> _Content:
    return _JSON, _shown(await rest.get(f"edits/{edit_id}")), None


_READERS = {"edits": _read_edit, "blocks": _read_block, "capsules": _read_capsule, "memories": _read_memory}


def _shown(content: Mapping[str, Any]) -> str:
    return json.dumps(drop_invisible_in(content), ensure_ascii=False, indent=2)


async def complete(rest: AsyncApi, template: str, argument: str, begun: str) -> list[str]:
    """Return the values of a template's argument that start with `begun`. Raises Failed."""
    if (template, argument) == ("suture://blocks/{label}", "label"):
        values = list(BLOCKS)
    elif (template, argument) == ("suture://capsules/{capsule_id}", "capsule_id"):
        values = [str(capsule["capsule_id"]) for capsule in (await rest.get("capsules"))["results"]]
    else:
        values = []
    return [value for value in values if value.startswith(begun)]
