"""What the server does with the secrets of a request beyond masking them (suture_client/text/masking.py): in data in
base64, and in identifiers, which it refuses."""

import base64
from collections import Counter
from collections.abc import Iterable

from governance.refusals import Invalid
from suture_client.text.masking import mask

#: What `redacted` says of an artifact's data in which secrets were not looked for.
NOT_LOOKED_AT = "not looked at: data"
#: In characters of base64: a megabyte, as much as a text may have.
_MOST_DATA = 1_400_000


def mask_base64(data: str) -> tuple[str, Counter[str]]:
    """`data`, valid base64, with the secrets masked in the text that it encodes. Data that is no text in UTF-8, or
    longer than a text may be, stays as it is, with the kind `not looked at: data`."""
    try:
        text = base64.b64decode(data).decode() if len(data) <= _MOST_DATA else None
    except ValueError:
        text = None
    if text is None:
        return data, Counter([NOT_LOOKED_AT])
    masked, found = mask(text)
    return (base64.b64encode(masked.encode()).decode() if found else data), found


def refuse_secrets(identifiers: Iterable[tuple[str, str | None]]) -> None:
    """Raises SecretInIdentifier for the first of `identifiers`, pairs of a place and a text, that has a secret."""
    for pointer, text in identifiers:
        if text and (kinds := mask(text)[1]):
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
