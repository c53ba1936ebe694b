"""The product inside the bench: its own services, on whichever generated database is measured."""

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bench import database
from bench.corpus import Memory

if TYPE_CHECKING:
    from governance.identity.principals import Principal
    from memory.drafts import EventDraft

#: The agent that records and edits in the generated tenants.
AGENT = "bench-agent"


def set_up() -> None:
    """Let the modules of the product be imported."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")
    import django
    from django.apps import apps

    if not apps.ready:
        django.setup()


def use_database(name: str) -> None:
    """Have every role's connection of this process go to the database `name`."""
    set_up()
    from django.db import connections

    for alias in connections:
        connections[alias].close()
        connections[alias].settings_dict["NAME"] = name


def leave_database() -> None:
    """Close the connections, so that the database can be copied or dropped."""
    from django.db import connections

    from governance.identity import credentials

    connections.close_all()
    credentials.close_connections()


def copy_of(name: str) -> str:
    """A copy of the generated database `name`, migrated, which may be changed; the copy of before is dropped.

    What that one published of its ledgers is deleted: it covers entries that this copy does not have, so that the
    server would write nothing.
    """
    set_up()
    from governance.ledger import confirmed, published

    leave_database()
    copy = f"{name}_measured"
    database.create(copy, template=name)
    with database.owner(copy) as connection:
        tenants = connection.execute("SELECT id FROM governance_tenant").fetchall()
    for (tenant_id,) in tenants:
        published.path_of(tenant_id).unlink(missing_ok=True)
        confirmed.path_of(tenant_id).unlink(missing_ok=True)
    return copy


def draft_of(memory: Memory) -> "EventDraft":
    """A memory of the corpus as the recording service takes it."""
    from memory.drafts import EventDraft

    return EventDraft(
        session_id=memory.session_id,
        channel=memory.channel,
        actor_type="agent",
        actor_id=AGENT,
        kind="message",
        ts=memory.ts,
        content={"text": memory.text},
        sensitivity=memory.sensitivity,
        subject_type=memory.subject_type,
        subject_id=memory.subject_id,
        project_id=memory.project_id,
    )


def statements_of(principal: "Principal", method: str, path: str, body: Any = None) -> list[tuple[str, Any]]:
    """The statements, with their parameters, by which the API answers a request of `principal`, once authenticated."""
    from django.db import connection
    from django.urls import resolve
    from rest_framework.test import APIRequestFactory, force_authenticate

    from governance import gate

    seen: list[tuple[str, Any]] = []

    def record(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if not sql.startswith("SET LOCAL"):
            seen.append((sql, params))
        return execute(sql, params, many, context)

    request = APIRequestFactory().generic(method, f"/api/v1/{path}", json.dumps(body), "application/json")
    force_authenticate(request, user=principal)  # type: ignore[arg-type] # a Principal, as our authentication gives
    match = resolve(request.path)
    with gate.acting_as(principal), connection.execute_wrapper(record):
        response = match.func(request, *match.args, **match.kwargs)
    if response.status_code != 200 or not seen:
        raise SystemExit(f"{method} {path} answered {response.status_code}.")
    return seen
