"""Promotion in words, for people: what a decision rests on, and what a memory lacks."""

from collections.abc import Mapping
from typing import Any

from django.utils.dateparse import parse_datetime

_FAILED = {
    "retracted": "It is retracted.",
    "quarantined": "It is quarantined.",
    "superseded": "Another memory has its place.",
    "expired": "It has expired.",
    "low_trust": "It is trusted {trust}; below {low_trust} nothing moves up.",
    "uses_in_session": "Uses within one session: {uses_in_session}. It takes {needed[uses_in_session]}.",
    "sessions": "Sessions in which it was used: {sessions}. It takes {needed[sessions]}.",
    "successes": "Uses with success: {successes}. It takes {needed[successes]}.",
    "confidence": "It is trusted {trust}; it takes {needed[confidence]}.",
    "confidence_days": "Relied on since {confident_since}; it takes {needed[confidence_days]} days without a failure.",
    "core": "Core memory and memory blocks are never archived.",
    "unused_days": "Last used, or moved here, at {unused_since}; it takes more than {needed[unused_days]} days without"
    " use.",
    "by_hand": "Archived memory comes back when somebody restores it.",
}


def lack_of(failed: str | None, evidence: Mapping[str, Any]) -> str:
    """Why a memory stays where it is, by the criterion that it does not meet; what it meets, if it meets all."""
    if failed is None:
        return "It meets all criteria: the next run moves it."
    needed = evidence.get("thresholds", {})
    facts = {"trust": "", "low_trust": needed.get("low_trust"), "confident_since": "", "unused_since": ""}
    facts |= {name: _shown(name, value) for name, value in evidence.items()}
    return _FAILED[failed].format(**facts, needed=needed)


def evidence_in_words(evidence: Mapping[str, Any]) -> str:
    """What a decision rests on, in one line."""
    if "uses" not in evidence:
        return ""
    said = (
        f"given to agents {_counted(evidence['uses'], 'time')} in {_counted(evidence['sessions'], 'session')}, at most"
        f" {_counted(evidence['uses_in_session'], 'time')} in one; {_counted(evidence['successes'], 'success')} and"
        f" {_counted(evidence['failures'], 'failure')}; confidence {evidence['confidence']}, trust {evidence['trust']}"
    )
    times = {"confident_since": "relied on since", "last_accessed": "last used", "counted_since": "counted since"}
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
