"""Promotion in plain text, for people: the evidence of a decision, and the criterion that is not met."""

from collections.abc import Mapping
from typing import Any

from django.utils.dateparse import parse_datetime

_FAILED = {
    "retracted": "It is retracted.",
    "quarantined": "It is quarantined.",
    "superseded": "Replaced by another memory.",
    "expired": "It has expired.",
    "low_trust": "Trust is {trust}; promotion needs {low_trust}.",
    "uses_in_session": "Uses within one session: {uses_in_session}; needs {needed[uses_in_session]}.",
    "sessions": "Sessions in which it was used: {sessions}; needs {needed[sessions]}.",
    "successes": "Successful uses: {successes}; needs {needed[successes]}.",
    "confidence": "Trust is {trust}; needs {needed[confidence]}.",
    "confidence_days": "Trusted since {confident_since}; needs {needed[confidence_days]} days without a failure.",
    "core": "Core memory and memory blocks are never archived.",
    "unused_days": "Last used or moved here at {unused_since}; needs more than {needed[unused_days]} days without use.",
    "by_hand": "Archived memory stays archived until a person or agent restores it.",
}


def lack_of(failed: str | None, evidence: Mapping[str, Any]) -> str:
    """The criterion that is not met, as text; if all are met, that the memory will move."""
    if failed is None:
        return "It meets all criteria: the next run moves it."
    needed = evidence.get("thresholds", {})
    facts = {"trust": "", "low_trust": needed.get("low_trust"), "confident_since": "", "unused_since": ""}
    facts |= {name: _shown(name, value) for name, value in evidence.items()}
    return _FAILED[failed].format(**facts, needed=needed)


def evidence_in_words(evidence: Mapping[str, Any]) -> str:
    """The evidence of a decision, in one line."""
    if "uses" not in evidence:
        return ""
    said = (
        f"delivered to agents {_counted(evidence['uses'], 'time')} in {_counted(evidence['sessions'], 'session')}, at"
        f" most {_counted(evidence['uses_in_session'], 'time')} in one; {_counted(evidence['successes'], 'success')}"
        f" and {_counted(evidence['failures'], 'failure')}; confidence {evidence['confidence']}, trust"
        f" {evidence['trust']}"
    )
    times = {"confident_since": "trusted since", "last_accessed": "last used", "counted_since": "counted since"}
    return "; ".join(
        [said, *(f"{label} {_shown(name, evidence[name])}" for name, label in times.items() if name in evidence)]
    )


def _shown(name: str, value: Any) -> Any:
    moment = (
        parse_datetime(value)
        if isinstance(value, str) and (name.endswith("_since") or name == "last_accessed")
        else None
    )
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else value


def _counted(number: int, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"
