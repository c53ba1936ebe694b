"""The plugin that runs Suture's hooks in OpenCode, in a separate file."""

import json
import re
from importlib.resources import files

from suture_client.errors import Failed

_FIRST_LINE = "// Suture's hooks in OpenCode."
_COMMAND = re.compile(r"^const COMMAND = (.*)$", re.MULTILINE)


def plugin(words: list[str]) -> str:
    """Return the source of the plugin that runs the command."""
    source = files("suture_client.installing.hooks").joinpath("opencode.js").read_text(encoding="utf-8")
    return _COMMAND.sub(lambda _: f"const COMMAND = {json.dumps(words)}", source)


def command_in(text: str) -> list[str]:
    """Return the words of the plugin's command; [] for an empty text. Raises Failed for a foreign file."""
    if not text.strip():
        return []
    found = _COMMAND.search(text)
    if not text.startswith(_FIRST_LINE) or found is None:
        raise Failed("line 1: the file is not Suture's plugin. Move it, or give it another name")
    try:
        words = json.loads(found[1])
    except ValueError:
        words = None
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        line = text.count("\n", 0, found.start()) + 1
        raise Failed(f"line {line}: COMMAND must be a list of words")
    return words
