"""Requests of an agent, and how many rows and index entries the database reads for each."""

import json
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connections, transaction
from django.urls import resolve
from rest_framework.test import APIRequestFactory, force_authenticate

from bench.corpus import SUBJECT, TERMS
from governance.acting import gate
from tests.database.growing import Tenant, owner

WARMING = 6  # plpgsql decides on a plan for good at the sixth execution

_OF_SUBJECT = {"subject_type": SUBJECT[0], "subject_id": SUBJECT[1]}
#: Rows and index entries that the open transaction has read, by table and index.
_COUNTED = (
    "SELECT c.relname::text, pg_stat_get_xact_tuples_returned(c.oid) FROM pg_class c"
    " WHERE c.relkind IN ('r', 'i') AND c.relnamespace = 'public'::regnamespace"
    " AND pg_stat_get_xact_tuples_returned(c.oid) > 0"
)


@dataclass(frozen=True, slots=True)
class Request:
    """A request of an agent: its name, method, path and body."""

    name: str
    method: str
    path: str
    body: Any = None


def requests_of(name: str, tenant: Tenant) -> list[Request]:
    """Requests of the tenant's agent, the writes last."""
    with owner(name) as connection:
        found = connection.execute(
            "SELECT id, event_id, session_id FROM memory_effectivechunk WHERE tenant_id = %s AND NOT is_retracted"
            " AND NOT is_quarantined AND sensitivity IN ('none', 'low') ORDER BY md5(id::text) LIMIT 50",
            [tenant.id],
        ).fetchall()
    chunks = [str(row[0]) for row in found]
    event, session = found[0][1:]
    subject = "&".join(f"{field}={value}" for field, value in _OF_SUBJECT.items())
    bundle = {"session_id": session, "channel": "private", "max_tokens": 8000, "query": TERMS["rare"][0], **_OF_SUBJECT}
    amend = {"target_type": "chunk", "target_id": chunks[0], "op": "amend", "reason": "a test"}

    def search(term: str, **fields: str) -> dict[str, Any]:
        return {"query": TERMS[term][0], "limit": 50, **fields}

    return [
        Request("newest events", "GET", "events?limit=50"),
        Request("events of a session", "GET", f"events?session_id={session}&limit=50"),
        Request("one event", "GET", f"events/{event}"),
        Request("newest chunks", "GET", "chunks?limit=50"),
        Request("chunks of a subject", "GET", f"chunks?{subject}&limit=200"),
        Request("chunks of a project", "GET", "chunks?project_id=project-7&limit=50"),
        Request("search, rare term", "POST", "chunks/search", search("rare")),
        Request("search, common term", "POST", "chunks/search", search("common")),
        Request("search, subject", "POST", "chunks/search", search("common", **_OF_SUBJECT)),
        Request("get 50 by id", "POST", "chunks/get", {"chunk_ids": chunks}),
        Request("timeline", "GET", f"chunks/{chunks[0]}/timeline?window_seconds=3600&limit=50"),
        Request("context bundle", "POST", "acb/build", bundle),
        Request("newest edits", "GET", "edits?limit=50"),
        Request("record 1 event", "POST", "events", _event(1)),
        Request("record 100 events", "POST", "events/batch", {"events": [_event(number) for number in range(100)]}),
        Request("amend", "POST", "edits", {**amend, "patch": {"text": "Corrected."}}),
    ]


def _event(number: int) -> dict[str, Any]:
    return {
        "session_id": "bench",
        "channel": "private",
        "actor_type": "agent",
        "actor_id": "bench",
        "kind": "message",
        "content": {"text": f"The customer of order {number} prefers an apple in the evening."},
        **_OF_SUBJECT,
    }


def read(tenant: Tenant, request: Request) -> Counter[str]:
    """The rows of each table, and entries of each index, that a request reads once its plans are those that stay,
    without those that it reads by their position."""
    for _ in range(WARMING):
        _answered(tenant, request)
    return _answered(tenant, request)


def _answered(tenant: Tenant, request: Request) -> Counter[str]:
    """Answer a request in a transaction that is rolled back."""
    body = "" if request.body is None else json.dumps(request.body)
    made = APIRequestFactory().generic(
        request.method, f"/api/v1/{request.path}", body, "application/json",
        headers={"Idempotency-Key": str(uuid.uuid4())},
    )  # fmt: skip
    force_authenticate(made, user=tenant.agent)  # type: ignore[arg-type] # a Principal, as our authentication gives
    match = resolve(made.path_info)
    with transaction.atomic():
        with gate.acting_as(tenant.agent):
            before = _figures("default")
            response = match.func(made, *match.args, **match.kwargs)
            assert response.status_code < 300, (request, response.data)
            found = _figures("default") - before
        transaction.set_rollback(True)
    return found


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Within the block, what the statements of Django's connections read is added up, each by itself: a transaction's
    figures are gone with it."""
    found: Counter[str] = Counter()

    def noted(execute: Any, statement: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        alias = context["connection"].alias
        before = _figures(alias)
        answer = execute(statement, params, many, context)
        found.update(_figures(alias) - before)
        return answer

    with ExitStack() as stack:
        for alias in connections:
            stack.enter_context(connections[alias].execute_wrapper(noted))
        yield found


def _figures(alias: str) -> Counter[str]:
    with connections[alias].connection.cursor() as cursor:
        cursor.execute(_COUNTED)
        return Counter(dict(cursor.fetchall()))
