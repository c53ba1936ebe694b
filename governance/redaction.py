"""Secrets in base64 data, which are masked, and in identifiers, which are refused. suture_client/text/masking.py masks
all other text."""

import base64
from collections import Counter
from collections.abc import Iterable

from governance.refusals import Invalid
from suture_client.text.masking import mask

#: The value in `redacted` for an artifact's data that was not searched for secrets.
NOT_LOOKED_AT = "not looked at: data"
#: In characters of base64: a megabyte, the maximum length of a text.
_MOST_DATA = 1_400_000


def mask_base64(data: str) -> tuple[str, Counter[str]]:
    """Mask the secrets in the text that `data`, valid base64, encodes. Data that is not UTF-8 text, or longer than a
    text may be, stays unchanged, with the kind `not looked at: data`."""
    try:
        text = base64.b64decode(data).decode() if len(data) <= _MOST_DATA else None
    except ValueError:
        text = None
    if text is None:
        return data, Counter([NOT_LOOKED_AT])
    masked, found = mask(text)
    return (base64.b64encode(masked.encode()).decode() if found else data), found


def refuse_secrets(identifiers: Iterable[tuple[str, str | None]]) -> None:
    """Raise SecretInIdentifier for the first of `identifiers`, pairs of pointer and text, that contains a secret."""
    given = [(pointer, text) for pointer, text in identifiers if text]
    # all at once first: to search one takes nearly as long. After an empty line, a secret does not go on.
    if not mask("\n\n".join(text for _, text in given))[1]:
        return
    for pointer, text in given:
        if kinds := mask(text)[1]:
            raise SecretInIdentifier(", ".join(sorted(kinds)), pointer)


class SecretInIdentifier(Invalid):
    """An identifier contains a secret. The server does not mask identifiers, because memory is found by them. Use
    another one."""

    def __init__(self, kinds: str, pointer: str) -> None:
        super().__init__(
            f"This identifier contains a secret ({kinds}). The server does not mask identifiers, because memory is"
            " found by them. Use another one.",
            pointer=pointer,
        )
