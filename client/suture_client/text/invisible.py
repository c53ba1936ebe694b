"""Invisible characters: format controls, variation selectors and tags, which a reader does not see but a model reads.

They can hide instructions within a harmless text. Emoji made of several characters, and joiners between letters whose
scripts need them, stay. Client and server share this module.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PICTURE = "[\u00a9\u00ae\u203c\u2049\u2122-\u21ff\u2300-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
_ONE = f"{_PICTURE}(?:\ufe0f|[\U0001f3fb-\U0001f3ff])?"
#: The three flags that are spelled in tags: England, Scotland, Wales.
_TAGGED = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
#: An emoji of several characters: a flag, a keycap, or pictures with a selector, a skin tone or joiners.
EMOJI = re.compile(f"{_TAGGED}|[0-9#*]\ufe0f?\u20e3|{_ONE}(?:\u200d{_ONE})*")
#: Letters of scripts that need joiners: Arabic and its relatives, and those of South and South-East Asia.
_JOINED = "[\u0600-\u07ff\u0840-\u085f\u08a0-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]"
_JOINER = f"(?<={_JOINED})[\u200c\u200d](?={_JOINED})"
# Default_Ignorable_Code_Point and the other format controls that nothing displays
_UNSEEN = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_KEPT_OR_UNSEEN = re.compile(f"({EMOJI.pattern}|{_JOINER})|{_UNSEEN}+?")


def drop_invisible(text: str) -> str:
    """Return `text` without invisible characters, for a prompt. The time is linear in the length of the text."""
    if text.isascii():
        return text
    return _KEPT_OR_UNSEEN.sub(lambda found: found[1] or "", text)


def drop_invisible_in(value: Any) -> Any:
    """Return a JSON value with `drop_invisible` for all of its texts, also the names."""
    if isinstance(value, str):
        return drop_invisible(value)
    if isinstance(value, dict):
        return {drop_invisible_in(name): drop_invisible_in(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [drop_invisible_in(one) for one in value]
    return value
