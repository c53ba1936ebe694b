"""The capsules section of a context bundle: the capsules that an agent received."""

import json
import uuid
from collections.abc import Sequence
from functools import partial

from capsules import db
from capsules.db import CapsuleItemRow, ContextCapsule
from capsules.queries import INJECTED
from capsules.rendering import capsule_json, items_json
from capsules.services.handover import KINDS
from governance.acting import gate
from governance.acting.principals import Principal
from governance.ledger import access
from memory.context import sections
from memory.context.db import WordsNow
from memory.context.sections import COUNTED_BEYOND, Candidate, ContextRequest, Gathered, Part, Who
from memory.queries.audience import Audience

#: The size of the first page: the section's share of the tokens seldom has room for more.
CAPSULES_AT_FIRST = 50


class Capsules:
    """Available capsules, about the subject if the request names one; the most important first, then the newest."""

    name, title, priority, share = "capsules", "Capsules", 60, 6

    def gather(self, request: ContextRequest) -> Gathered:
        """The first page; empty for a person, because capsules are for agents."""
        return _page(request, 0) if request.principal.kind == "agent" else Gathered()


def _page(request: ContextRequest, start: int, has_others: bool = False) -> Gathered:
    """Capsules from number `start` on, and how to fetch the next page. `has_others`: an earlier page has several
    authors. A single author has no origin share, because there is nobody to crowd out."""
    principal, who = request.principal, request.audience
    size = min(request.page_size(start), max(start, CAPSULES_AT_FIRST))
    gate.act_as(principal)
    rows = db.get_context_capsules(
        tenant=principal.tenant_id,
        subject_type=request.subject_type,
        subject_id=request.subject_id,
        listening=who.listening,
        include_quarantined=request.include_quarantined,
        offset=start,
        limit=size,
        beyond=COUNTED_BEYOND,
    )
    shown = []
    withheld: dict[str, list[uuid.UUID]] = {}
    for row in rows:
        if row.withheld in ("quarantined", "blocked"):
            withheld.setdefault(row.withheld, []).append(row.capsule_id)
        else:
            shown.append(row)
    items = db.get_capsule_items(
        tenant=principal.tenant_id,
        capsules=[row.capsule_id for row in shown],
        listening=who.listening,
        include_quarantined=request.include_quarantined,
    )
    of_capsule: dict[uuid.UUID, list[CapsuleItemRow]] = {}
    for item in items:
        of_capsule.setdefault(item.capsule_id, []).append(item)
        if item.withheld in ("quarantined", "blocked", "channel", "sensitivity"):
            withheld.setdefault(item.withheld, []).append(item.item_id)
    beyond = rows[0].available - start - len(shown) if rows else 0
    has_others = has_others or len({row.author for row in shown}) > 1
    return Gathered(
        [_candidate(row, of_capsule.get(row.capsule_id, ()), has_others) for row in shown],
        withheld,
        beyond=max(beyond, 0),
        further=partial(_page, request, start + size, has_others)
        if beyond > 0 and request.page_size(start + size)
        else None,
    )


def _candidate(row: ContextCapsule, items: Sequence[CapsuleItemRow], has_others: bool) -> Candidate:
    seen = [item for item in items if item.withheld is None]
    capsule = capsule_json(row)
    about = f"About {row.subject_type} {row.subject_id}, until {row.expires_at:%Y-%m-%d %H:%M} UTC."
    lines = [about, *_own_lines(row.note, row.risks)]
    lines += [f"- {item.text}" for item in seen if item.text]
    return Candidate(
        kind="capsule",
        id=row.capsule_id,
        text="\n".join(lines),
        item={**capsule, "items": items_json(items).get(row.capsule_id, {name: [] for name in KINDS})},
        ts=row.created_at,
        recorder=Who("", row.author),
        edits_applied=row.edits_applied,
        # without text there is nothing to compare
        content_hash=None if row.withheld == "sensitivity" else row.content_hash,
        is_quarantined=row.is_quarantined,
        origins=(f"author {row.author}",) if has_others else (),
        parts=tuple(Part(item.kind, item.item_id, item.edits_applied, item.content_hash) for item in seen),
    )


def _own_lines(note: str | None, risks: str | None) -> list[str]:
    """Note and risks as lines of the text form."""
    lines = [f"Note: {note}"] if note else []
    return lines + [f"Risk: {risk}" for risk in (json.loads(risks) if risks else [])]


def words_now(
    reader: Principal, who: Audience, capsule_ids: Sequence[uuid.UUID], include_quarantined: bool
) -> list[WordsNow]:
    """Note and risks of injected capsules as the reader may see them now, with the hash of both; no row for a capsule
    that they may not read."""
    gate.act_as(reader)
    rows = db.get_capsule_words(
        tenant=reader.tenant_id,
        ids=list(capsule_ids),
        listening=who.listening,
        include_quarantined=include_quarantined,
    )
    return [
        WordsNow("capsule", row.id, "\n".join(_own_lines(row.note, row.risks)) or None, row.content_hash)
        for row in rows
    ]


def log_injected(actor: Principal, acb_id: uuid.UUID, injected: Sequence[Candidate]) -> None:
    """Write an access record for each capsule in a bundle."""
    for candidate in injected:
        access.log(
            INJECTED,
            actor=actor,
            target_type="capsule",
            target_id=candidate.id,
            details={"from": "acb", "acb_id": str(acb_id)},
        )


def register() -> None:
    """Register the section; called once, when the app is ready."""
    sections.register(Capsules(), on_injected=log_injected, words=words_now)
