"""Masks secrets in incoming text before anything is stored: what is never written cannot leak."""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping, Set
from typing import Any

from governance.refusals import Invalid
from governance.secret_rules import RULES, is_card_number

#: What `redacted` says of an artifact's data in which secrets were not looked for.
NOT_LOOKED_AT = "not looked at: data"
#: In characters of base64: a megabyte, as much as a text may have.
_MOST_DATA = 1_400_000
#: How many strings are looked into at once.
_BLOCK = 200
_PASSWORD_NAMES = frozenset(("password", "passwd", "pwd"))
#: A run of base64, and lines of it that follow a full line.
_BASE64 = re.compile(
    r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}+(?:(?<=[A-Za-z0-9+/]{60})\r?\n[A-Za-z0-9+/]{4,}+)*+={0,2}"
)
_URL_SAFE = str.maketrans("-_", "+/", "\r\n")


def redact(text: str) -> tuple[str, set[str]]:
    """`text` with each secret replaced by `[redacted: <kind>]`, and the kinds found. A secret in base64 takes the
    whole run of base64 with it. The time grows with the length of the text."""
    text, found = _masked(text)
    if len(text) < 20:
        return text, found
    pieces: list[str] = []
    done = 0
    for run in _BASE64.finditer(text):
        decoded = _text_in(run[0])
        if decoded is not None and (kinds := _masked(decoded)[1]):
            found |= kinds
            pieces += text[done : run.start()], _placeholder(", ".join(sorted(kinds)) + " in base64")
            done = run.end()
    return "".join([*pieces, text[done:]]) if pieces else text, found


def _masked(text: str) -> tuple[str, set[str]]:
    found: set[str] = set()
    lowered = text.lower()
    for rule in RULES:
        for needle in rule.needles:
            if needle in lowered:
                break
        else:
            continue
        pieces: list[str] = []
        done = 0
        for start, end in rule.find(text):
            if start >= done:
                pieces += text[done:start], _placeholder(rule.kind)
                done = end
        if pieces:
            text = "".join([*pieces, text[done:]])
            found.add(rule.kind)
    return text, found


def _placeholder(kind: str) -> str:
    return f"[redacted: {kind}]"


def _text_in(run: str) -> str | None:
    """The text that a run of base64 encodes; None if it is no text, as words and hashes are."""
    run = run.translate(_URL_SAFE).rstrip("=")
    try:
        return binascii.a2b_base64(run + "=" * (-len(run) % 4)).decode()
    except ValueError:
        return None


def redact_all(value: Any) -> tuple[Any, set[str]]:
    """The same for every string and name within a JSON value, and for whole numbers that are card numbers. The value
    under a name such as `password` is one."""
    strings: list[str] = []
    is_suspect = _collect(value, strings)
    # Many at once first: to look into each of a hundred thousand short strings takes a second.
    blocks = (strings[first : first + _BLOCK] for first in range(0, len(strings), _BLOCK))
    suspects = {string for block in blocks if redact("\n".join(block))[1] for string in block}
    return _redact_each(value, suspects) if is_suspect or suspects else (value, set())


def _collect(value: Any, strings: list[str]) -> bool:
    """Add all strings and names within `value` to `strings`; returns whether there is a secret of another form."""
    if isinstance(value, str):
        strings.append(value)
    elif isinstance(value, list):
        return sum(_collect(item, strings) for item in value) > 0
    elif isinstance(value, dict):
        strings += value
        return sum(_is_password(name, item) or _collect(item, strings) for name, item in value.items()) > 0
    return _is_card(value)


def _is_password(name: str, item: Any) -> bool:
    return name.lower() in _PASSWORD_NAMES and isinstance(item, str | int) and len(str(item)) > 5


def _is_card(value: Any) -> bool:
    return isinstance(value, int) and value > 10**12 and is_card_number(str(value))


def _redact_each(value: Any, suspects: Set[str]) -> tuple[Any, set[str]]:
    if isinstance(value, str):
        return redact(value) if value in suspects else (value, set())
    if isinstance(value, list):
        pairs = [_redact_each(item, suspects) for item in value]
        return [item for item, _ in pairs], set().union(*(kinds for _, kinds in pairs))
    if isinstance(value, dict):
        return _redact_object(value, suspects)
    if _is_card(value):
        return _placeholder("card number"), {"card number"}
    return value, set()


def _redact_object(value: Mapping[str, Any], suspects: Set[str]) -> tuple[dict[str, Any], set[str]]:
    found: set[str] = set()
    masked: dict[str, Any] = {}
    alike: dict[str, int] = {}
    for name, item in value.items():
        if _is_password(name, item):
            kept, kinds = _placeholder("password"), {"password"}
        else:
            kept, kinds = _redact_each(item, suspects)
        shown, kinds_of_name = _redact_each(name, suspects)
        found |= kinds | kinds_of_name
        if kinds_of_name:
            alike[shown] = number = alike.get(shown, 0) + 1
            shown = f"{shown} {number}"
        masked[shown] = kept
    return masked, found


def redact_base64(data: str) -> tuple[str, set[str]]:
    """`data`, valid base64, with the secrets masked in the text that it encodes. Data that is no text in UTF-8, or
    longer than a text may be, stays as it is, with the kind `not looked at: data`."""
    try:
        text = base64.b64decode(data).decode() if len(data) <= _MOST_DATA else None
    except ValueError:
        text = None
    if text is None:
        return data, {NOT_LOOKED_AT}
    masked, found = redact(text)
    return (base64.b64encode(masked.encode()).decode() if found else data), found


def refuse_secrets(identifiers: Iterable[tuple[str, str | None]]) -> None:
    """Raises SecretInIdentifier for the first of `identifiers`, pairs of a place and a text, that has a secret."""
    for pointer, text in identifiers:
        if text and (kinds := redact(text)[1]):
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
