"""The default importance of captured memory, by source (CAPTURE_IMPORTANCE_*)."""

from decimal import Decimal

from django.conf import settings

from capture.models import Capture


def of_source(source: str, hook_type: str | None = None) -> Decimal:
    """The importance, from 0 to 1."""
    if source == Capture.Source.RESPONSE:
        name = "RESPONSES"
    elif source == Capture.Source.FILE:
        name = "MARKDOWN"
    else:
        name = "PROMPTS" if hook_type == Capture.HookType.USER_PROMPT_SUBMIT else "HOOKS"
    found: Decimal = getattr(settings, f"CAPTURE_IMPORTANCE_{name}")
    return found
