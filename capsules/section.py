"""The capsules' section of a context bundle: what an agent was given, without its asking."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from capsules.reading import INJECTED
from capsules.rendering import capsule_json, items_json
from governance import gate
from governance.principals import Principal
from governance.services import access
from memory.context import sections
from memory.context.sections import Candidate, ContextRequest, Gathered, Part

#: The section's share of the tokens holds no more.
CAPSULES_AT_MOST = 50


class Capsules:
    """Available capsules about the subject, if one is asked about; the most important first, then the newest."""

    name, title, priority, share = "capsules", "Capsules", 60, 6

    def gather(self, request: ContextRequest) -> Gathered:
        """Nothing for a person: capsules are for agents."""
        principal, who = request.principal, request.audience
        if principal.kind != "agent":
            return Gathered()
        rows = gate.call(
            "get_context_capsules", principal.tenant_id, principal.id, request.subject_type, request.subject_id,
            who.listening, who.sensitivities, request.include_quarantined, min(request.limit, CAPSULES_AT_MOST),
        )  # fmt: skip
        shown = [row for row in rows if row["withheld"] not in ("quarantined", "blocked")]
        withheld: dict[str, list[uuid.UUID]] = {}
        for row in rows:
            if row not in shown:
                withheld.setdefault(row["withheld"], []).append(row["capsule_id"])
        items = gate.call(
            "get_capsule_items", principal.tenant_id, [row["capsule_id"] for row in shown], who.listening,
            who.sensitivities, request.include_quarantined,
        )  # fmt: skip
        for item in items:
            if item["withheld"] in ("quarantined", "blocked", "sensitivity"):
                withheld.setdefault(item["withheld"], []).append(item["item_id"])
        return Gathered([_candidate(row, items) for row in shown], withheld)


def _candidate(row: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> Candidate:
    own = [item for item in items if item["capsule_id"] == row["capsule_id"]]
    seen = [item for item in own if item["withheld"] is None]
    capsule = capsule_json(row)
    about = f"About {row['subject_type']} {row['subject_id']}, until {row['expires_at']:%Y-%m-%d %H:%M} UTC."
    lines = [about]
    if row["note"]:
        lines.append(f"Note: {row['note']}")
    lines += [f"Risk: {risk}" for risk in capsule["risks"]]
    lines += [f"- {item['text']}" for item in seen if item["text"]]
    return Candidate(
        kind="capsule",
        id=row["capsule_id"],
        text="\n".join(lines),
        item={**capsule, "items": items_json(own).get(row["capsule_id"], {})},
        ts=row["created_at"],
        label=row["author"],
        edits_applied=row["edits_applied"],
        is_quarantined=row["is_quarantined"],
        parts=tuple(Part(item["kind"], item["item_id"], item["edits_applied"], item["content_hash"]) for item in seen),
    )


def note_injected(actor: Principal, acb_id: uuid.UUID, injected: Sequence[Candidate]) -> None:
    """Note each capsule that a bundle holds: what did not fit was not injected."""
    for candidate in injected:
        access.log(
            INJECTED,
            actor=actor,
            target_type="capsule",
            target_id=candidate.id,
            details={"from": "acb", "acb_id": str(acb_id)},
        )


def register() -> None:
    """Called once, when the app is ready."""
    sections.register(Capsules(), note=note_injected)
