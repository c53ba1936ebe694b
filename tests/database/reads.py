"""Reads of one tenant beside those of `asking`: records, capsules, the ledger, and the pages of the admin site,
whose statements Django writes; and how many rows and index entries each reads."""

import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.test import Client

from bench.corpus import NEWEST, SUBJECT
from governance.acting import gate
from governance.models import User
from memory.drafts import EventDraft
from memory.services import recording
from tests.database.asking import Request, counted
from tests.database.growing import AGENT, REVIEWER, Tenant

#: Records of each kind in a measured tenant, and capsules.
RECORDS, CAPSULES = 1_200, 300
_CONTENT: dict[str, Callable[[int], dict[str, Any]]] = {
    "decision": lambda number: {"decision": f"Offer tea number {number}."},
    "task_update": lambda number: {"title": f"Brew tea number {number}.", "status": "open"},
    "artifact": lambda number: {"name": f"menu {number}", "media_type": "text/plain", "text": f"Tea {number}."},
}
_OF_SUBJECT = f"subject_type={SUBJECT[0]}&subject_id={SUBJECT[1]}"


@dataclass(frozen=True, slots=True)
class Known:
    """Ids of one of each, in a tenant."""

    chunk: uuid.UUID
    edit: uuid.UUID
    capsule: uuid.UUID


def fill(tenant: Tenant) -> None:
    """Give a tenant RECORDS decisions, tasks and artifacts, and CAPSULES capsules, by the product's services."""
    from capsules.services import handover
    from memory.models import EffectiveChunk

    for kind, content in _CONTENT.items():
        drafts = [
            EventDraft(
                session_id=f"records-{number % 30}",
                channel="private",
                actor_type="agent",
                actor_id=AGENT,
                kind=kind,
                ts=NEWEST - timedelta(minutes=number),
                content=content(number),
                subject_type=SUBJECT[0],
                subject_id=f"subject-{number % 30}",
            )
            for number in range(RECORDS)
        ]
        with gate.tenant(tenant.id):
            recording.record_events(drafts, actor=tenant.agent)
    with gate.tenant(tenant.id):
        chunks = EffectiveChunk.objects.filter(
            tenant_id=tenant.id, is_retracted=False, is_quarantined=False, edits_applied=0, sensitivity="none"
        ).values_list("id", flat=True)[:5]
        for number in range(CAPSULES):
            handover.create_capsule(
                actor=tenant.agent,
                scope="user",
                subject_type=SUBJECT[0],
                subject_id=f"subject-{number % 30}",
                audience=[AGENT],
                items={"chunks": list(chunks)},
                note="What the next one should know.",
            )


def known(tenant: Tenant) -> Known:
    """One of each that its agent may read; the edit is the chunk's."""
    from capsules.models import EffectiveCapsule
    from governance.models import Edit
    from memory.models import EffectiveChunk

    with gate.tenant(tenant.id):
        chunks = EffectiveChunk.objects.filter(
            tenant_id=tenant.id, edits_applied=1, is_retracted=False, is_quarantined=False, sensitivity="none"
        )
        chunk = chunks.filter(blocked_channels=[]).order_by("id")[0]
        edit = Edit.objects.filter(tenant_id=tenant.id, target_id=chunk.id)[0]
        capsule = EffectiveCapsule.objects.filter(tenant_id=tenant.id).order_by("id")[0]
        return Known(chunk.id, edit.id, capsule.id)


def requests(one: Known) -> list[Request]:
    """Requests of the tenant's agent."""
    edit = {"target_type": "chunk", "target_id": str(one.chunk), "op": "amend", "patch": {"text": "Corrected."}}
    return [
        Request("chunks of a session", "GET", "chunks?session_id=session-7&limit=50"),
        Request("chunks of a scope", "GET", "chunks?scope=user&limit=50"),
        Request("chunks of a tier", "GET", "chunks?tier=task&limit=50"),
        Request("events of a kind", "GET", "events?kind=decision&limit=50"),
        Request("events of a subject", "GET", f"events?{_OF_SUBJECT}&limit=50"),
        Request("search, nothing", "POST", "chunks/search", {"query": "zzzqqq", "limit": 20, "mode": "keyword"}),
        Request("search, beginning", "POST", "chunks/search", {"query": "quas*", "limit": 20, "mode": "keyword"}),
        Request("search, phrase", "POST", "chunks/search", {"query": '"quasar lantern"', "limit": 20}),
        Request("newest decisions", "GET", "decisions?limit=50"),
        Request("decisions of a subject", "GET", "decisions?subject_type=customer&subject_id=subject-7&limit=50"),
        Request("decisions in force", "GET", "decisions/active?subject_type=customer&subject_id=subject-7"),
        Request("newest tasks", "GET", "tasks?limit=50"),
        Request("newest artifacts", "GET", "artifacts?limit=50"),
        Request("edits of a chunk", "GET", f"edits?target_id={one.chunk}&limit=50"),
        Request("approved edits", "GET", "edits?status=approved&limit=50"),
        Request("pending edits", "GET", "edits?status=pending&limit=50"),
        Request("one edit", "GET", f"edits/{one.edit}"),
        Request("preview of an amend", "POST", "edits/preview", edit),
        Request("available capsules", "GET", "capsules?limit=50"),
        Request("capsules of a subject", "GET", "capsules?subject_type=customer&subject_id=subject-7&limit=50"),
        Request("one capsule", "GET", f"capsules/{one.capsule}"),
        Request("own memories", "GET", "chain?limit=50"),
        Request("sessions", "GET", "sessions?limit=50"),
        Request("context of a session", "POST", "context/bootstrap", {"query": "quasar"}),
        *_writes(one),
    ]


def _writes(one: Known) -> list[Request]:
    """Requests that look something up before they write."""
    retract = {"target_type": "chunk", "target_id": str(one.chunk), "op": "retract", "reason": "a test", "patch": {}}
    capsule = {
        "subject_type": SUBJECT[0],
        "subject_id": "subject-7",
        "scope": "user",
        "audience_agent_ids": [AGENT],
        "items": {"chunks": [str(one.chunk)]},
    }
    capture = {
        "id": str(uuid.uuid4()),
        "session_id": "session-7",
        "source": {"type": "HookDescription", "hook_type": "PostToolUse", "tool_name": "Bash"},
        "content": "Ran the tests of the tea shop.",
        "compute_embedding": False,
    }
    return [
        Request("propose a retract", "POST", "edits", retract),
        Request("amend", "POST", "edits", {**retract, "op": "amend", "patch": {"text": "Corrected."}}),
        Request("create a capsule", "POST", "capsules", capsule),
        Request("capture", "POST", "captures", capture),
        Request("commit", "POST", "tools/memory_commit", {"content": "The customer prefers tea.", "importance": 5}),
    ]


def pages(tenant: Tenant, one: Known) -> dict[str, str]:
    """Pages of the admin site, by name. Home is none of them: it counts what was recorded within the last hour, which
    here is everything."""
    return {
        "review queue": "/admin/governance/edit/",
        "all edits": "/admin/governance/edit/?status=all",
        "review page": f"/admin/governance/edit/{one.edit}/change/",
        "verdicts": "/admin/governance/verdict/",
        "ledger entries": "/admin/governance/entry/",
        "story of a chunk": f"/admin/governance/entry/story/{one.chunk}/",
        "events": "/admin/memory/event/",
        "chunks": "/admin/memory/effectivechunk/",
        "memory browser": f"/admin/memory/effectivechunk/browse/?agent={tenant.agent_id}&channel=private",
        "decisions": "/admin/memory/effectivedecision/",
        "tasks": "/admin/memory/effectivetask/",
        "capsules": "/admin/capsules/effectivecapsule/",
        "agents' memories": "/admin/memory/agentmemory/",
        "promotions": "/admin/memory/promotion/",
    }


def opened(client: Client, address: str) -> Counter[str]:
    """The rows of each table, and entries of each index, that a page reads over all connections."""
    with counted() as read:
        response = client.get(address)
        assert response.status_code == 200, address
    return read


def browser(tenant: Tenant) -> Client:
    """The reviewer's, in the tenant."""
    client = Client(SERVER_NAME=settings.ALLOWED_HOSTS[0])
    client.force_login(User.objects.get(username=REVIEWER), "django.contrib.auth.backends.ModelBackend")
    assert client.post("/admin/tenant/", {"tenant": str(tenant.id)}).status_code == 302
    return client
