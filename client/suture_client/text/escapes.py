"""Removes the escape sequences of terminals, such as colours and links."""

import re

_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,40}[ -/]{0,9}[@-~]"  # colours, and moves of the cursor
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]{0,1000}(?:\x07|\x1b\\|\x9c)"  # titles and links
    r"|\x1b[ -/]{1,9}[0-~]|\x1b[0-~]"
)


def without_escapes(text: str) -> str:
    """Return `text` without the escape sequences of terminals."""
    return _SEQUENCE.sub("", text) if "\x1b" in text or "\x9b" in text else text
