"""Building a bundle: gather candidates, pack them, and record what was injected."""

import json
import uuid
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from governance.acting import gate
from governance.acting.principals import Principal
from governance.ledger import access
from governance.models import new_id
from governance.redaction import refuse_secrets
from memory.context import db, fences, packing, sections
from memory.context.packing import Omission, Packed, PackedSection, Packing, TrimmedItem
from memory.context.sections import Candidate, ContextRequest, Section
from memory.drafts import SubjectIncomplete
from memory.queries.audience import assembling, audience
from memory.usage.deliveries import deliver_each
from memory.usage.means import Means

#: How many ids an omission lists; its count includes all that were fetched or counted.
NAMED_IDS = 100


@dataclass(frozen=True, slots=True)
class Bundle:
    """A built bundle: its sections in order, each item with its `ref`."""

    id: uuid.UUID
    built_at: datetime
    request: ContextRequest
    packing: Packing
    edits_applied: int

    def of(self, section: str) -> list[Packed]:
        """The items of one section; empty if the bundle does not have it."""
        return [item for packed in self.packing.sections if packed.section.name == section for item in packed.items]

    def text(self) -> str:
        """The text form, which has `packing.total_tokens` tokens. The nonce is different each time."""
        nonce = fences.new_nonce(item.candidate.text for _, item in self.packing.items)
        sections_shown = "".join(
            fences.heading(packed.section.title, nonce)
            + "".join(fences.block(item.candidate, item.ref) for item in packed.items)
            for packed in self.packing.sections
            if packed.items
        )
        return fences.preamble(nonce) + sections_shown + fences.closing(nonce)


@transaction.atomic(savepoint=False)
def build(
    *,
    actor: Principal,
    session_id: str,
    channel: str,
    subject_type: str | None = None,
    subject_id: str | None = None,
    project_id: str | None = None,
    query: str | None = None,
    include_capsules: bool = True,
    include_quarantined: bool = False,
    collapse_duplicates: bool = True,
    max_tokens: int = 65_000,
    origin_share: float = 0.5,
    also_from: Collection[str] = (),
) -> Bundle:
    """Build the bundle for `actor` before a turn in this session and channel, and record what it contains.

    It has memory recorded in channels that are at least as open as `channel`, and in those of `also_from`, and at most
    `max_tokens` tokens. With `collapse_duplicates`, it contains only one of several pieces of evidence that say the
    same. One session or recorder gets at most `origin_share` of the evidence's share. The same state and request give
    the same bundle. Raises ChannelNotAllowed, SubjectIncomplete, SecretInIdentifier.
    """
    if (subject_type is None) != (subject_id is None):
        raise SubjectIncomplete(pointer="/subject_id" if subject_id is None else "/subject_type")
    refuse_secrets(
        (
            ("/session_id", session_id),
            ("/subject_type", subject_type),
            ("/subject_id", subject_id),
            ("/project_id", project_id),
        )
    )
    with assembling(actor, channel, also_from) as reader:
        request = ContextRequest(
            principal=reader,
            audience=audience(reader, channel, include_quarantined=include_quarantined),
            session_id=session_id,
            channel=channel,
            subject_type=subject_type,
            subject_id=subject_id,
            project_id=project_id,
            query=query,
            include_quarantined=include_quarantined,
            collapse_duplicates=collapse_duplicates,
            max_tokens=max_tokens,
        )
        wanted = [section for section in sections.registered() if include_capsules or section.name != "capsules"]
        packed = packing.pack(
            [(section, section.gather(request)) for section in wanted],
            max_tokens=max_tokens,
            origin_share=origin_share,
            collapse=collapse_duplicates,
        )
    bundle = Bundle(
        id=new_id(),
        built_at=timezone.now(),
        request=request,
        packing=packed,
        edits_applied=packing.counted_edits([item.candidate for _, item in packed.items]),
    )
    options = {
        "include_capsules": include_capsules,
        "collapse_duplicates": collapse_duplicates,
        "origin_share": origin_share,
        "also_from": list(also_from),
    }
    _record(bundle, actor, options)
    chunks = [item.candidate for _, item in packed.items if item.candidate.kind == "chunk"]
    parts = [part for _, item in packed.items for part in item.candidate.parts if part.kind == "chunk"]
    deliver_each(
        actor,
        {
            Means.BUNDLE: [(one.id, one.edits_applied) for one in chunks],
            Means.CAPSULE: [(one.id, one.edits_applied) for one in parts],
        },
        session_id=session_id,
    )
    return bundle


def _record(bundle: Bundle, actor: Principal, options: dict[str, Any]) -> None:
    request, packed = bundle.request, bundle.packing
    names = ("session_id", "channel", "subject_type", "subject_id", "project_id", "include_quarantined", "max_tokens")
    query = request.query
    named = {"on_behalf_of": actor.on_behalf_of} if actor.on_behalf_of else {}
    items = [_injected(section, item) for section, item in packed.items]
    gate.act_as(actor)
    db.record_context_bundle(
        tenant=actor.tenant_id,
        id=bundle.id,
        built_at=bundle.built_at,
        request=json.dumps({**{name: getattr(request, name) for name in names}, **options, **named}),
        query_hash=None if query is None else query_hash(query),
        items=json.dumps(items),
        omissions=json.dumps(omissions_json(packed.omissions)),
        total_tokens=packed.total_tokens,
        edits_applied=bundle.edits_applied,
        sensitivity=db.most_sensitive_of(
            tenant=actor.tenant_id,
            memories=list(chain.from_iterable(_ids_of(item.candidate) for _, item in packed.items)),
        ),
    )
    access.log(
        "acb.built",
        actor=actor,
        target_type="acb",
        target_id=bundle.id,
        details={
            "items": {one.section.name: len(one.items) for one in packed.sections if one.items},
            "total_tokens": packed.total_tokens,
        },
    )
    for one in packed.sections:
        on_injected = sections.on_injected_of(one.section.name)
        if on_injected is not None and one.items:
            on_injected(actor, bundle.id, [item.candidate for item in one.items])


def query_hash(query: str) -> bytes:
    """The keyed hash that replaces a query's text in the record."""
    return salted_hmac("memory.context.query", query, algorithm="sha256").digest()


def _injected(section: Section, item: Packed) -> dict[str, Any]:
    one = item.candidate
    injected: dict[str, Any] = {
        "section": section.name,
        "kind": one.kind,
        "id": str(one.id),
        "score": one.score,
        "tokens": item.tokens,
        "edits_applied": one.edits_applied,
        "content_hash": one.content_hash,
    }
    if one.trimmed is not None:
        injected["trimmed"] = {"tokens": one.trimmed.tokens, "of_tokens": one.trimmed.of_tokens}
    if one.parts:
        injected["parts"] = [
            {
                "kind": part.kind,
                "id": str(part.id),
                "edits_applied": part.edits_applied,
                "content_hash": part.content_hash,
            }
            for part in one.parts
        ]
    return injected


def _ids_of(one: Candidate) -> list[uuid.UUID]:
    """Its id, and the ids of its parts."""
    return [one.id, *(part.id for part in one.parts)]


def omissions_json(omissions: Sequence[Omission]) -> list[dict[str, Any]]:
    """The omissions as JSON: the number of memories, and the first ids of those that were fetched."""
    return [
        {
            "section": one.section,
            "reason": one.reason,
            "count": one.count,
            "ids": [str(one_id) for one_id in one.ids[:NAMED_IDS]],
        }
        for one in omissions
    ]


def trimmed_json(trimmed: Sequence[TrimmedItem]) -> list[dict[str, Any]]:
    """The shortened items as JSON: which item, its tokens in the bundle, and all of its tokens."""
    return [{**asdict(one), "id": str(one.id)} for one in trimmed]


def sections_json(packed: Sequence[PackedSection]) -> list[dict[str, Any]]:
    """The budget and use of each section."""
    return [
        {
            "name": one.section.name,
            "share_percent": one.section.share,
            "budget": one.budget,
            "tokens": one.tokens,
            "items": len(one.items),
        }
        for one in packed
    ]
