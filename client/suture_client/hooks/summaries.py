"""Summaries of sessions, built from their transcripts without a model."""

from suture_client.hooks import own_answers, transcripts
from suture_client.hooks.descriptions import relative, shortened
from suture_client.hooks.hook_call import HookCall

#: The number of prompts in a summary, and the characters of each.
_PROMPTS, _PROMPT = 20, 200
_FILES = 50
_TOOLS = 20
#: Characters of the last response. Stop has captured it completely.
_RESPONSE = 400


def of_session(call: HookCall) -> str:
    """Summarize a session that ended; "" if its transcript is empty."""
    found = transcripts.activity(call.transcript_path) if call.transcript_path else None
    if found is None or not (found.prompts or found.tools or found.response):
        return ""
    parts = [f"The session ended ({call.reason})." if call.reason else "The session ended."]
    if not found.is_whole:
        parts.append("This covers only its last part.")
    # Joining the lines of a prompt would hide the injected context in it.
    prompts = [" ".join(own_answers.without_context(one).split()) for one in found.prompts]
    parts += _listed("Prompts", [shortened(one, _PROMPT) for one in prompts if one], _PROMPTS)
    parts += _listed("Files written or edited", [relative(one, call.cwd) for one in found.changed], _FILES)
    if found.tools:
        tools = [f"{name} {count}" for name, count in list(found.tools.items())[:_TOOLS]]
        parts.append(f"Tools used: {', '.join(tools)}.")
    if found.response:
        parts.append(f"It ended with: {shortened(own_answers.without_context(found.response), _RESPONSE)}")
    return "\n".join(parts)


def _listed(title: str, items: list[str], most: int) -> list[str]:
    """List the last items under a title."""
    if not items:
        return []
    left_out = f" (the last {most} of {len(items)})" if len(items) > most else ""
    return [f"{title}{left_out}:", *(f"- {item}" for item in items[-most:])]
