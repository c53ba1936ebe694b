"""Masks secrets in text before a client sends it and before it is stored, so that they cannot leak.

Client and server share this module. Hooks import it before each tool call, so it imports as little of the standard
library as possible (client/tests/text/test_masking.py).
"""

from __future__ import annotations

import binascii
import re
from collections import Counter
from functools import cache

from suture_client.text.secret_rules import RULES, is_card_number, is_random, is_secret_name

TYPE_CHECKING = False  # the module `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set
    from typing import Any

#: The number of strings that are searched at once.
_BLOCK = 200
#: The shortest run of base64, in characters.
_LEAST_BASE64 = 20
#: The shortest password, and the shortest secret that is detected by its randomness, in characters.
_LEAST_SECRET, _LEAST_RANDOM = 6, 16
_AUTHORIZATIONS = frozenset(("authorization", "proxy-authorization"))
_CREDENTIALS = r"(?i)(?:apikey|aws4-hmac-sha256|basic|bearer|digest|hmac|negotiate|ntlm|token) +\S{6}"
_PASSWORDS = ("password", "passwd", "passphrase", "pwd")
_URL_SAFE = str.maketrans("-_", "+/", "\r\n")


def mask(text: str) -> tuple[str, Counter[str]]:
    """Replace each secret in `text` by `[redacted: <kind>]`, and count the secrets by kind. For a secret in base64, the
    whole run of base64 is replaced. The time is linear in the length of the text."""
    text, found = _masked(text)
    if len(text) < _LEAST_BASE64:
        return text, found
    pieces: list[str] = []
    done = 0
    for run in _runs_of_base64().finditer(text):
        decoded = _text_in(run[0])
        if decoded is not None and (kinds := _masked(decoded)[1]):
            found += kinds
            pieces += text[done : run.start()], placeholder(", ".join(sorted(kinds)) + " in base64")
            done = run.end()
    return "".join([*pieces, text[done:]]) if pieces else text, found


def load() -> None:
    """Compile all patterns. Servers call this at their start; otherwise, patterns are compiled when first needed."""
    for rule in RULES:
        rule.compile()
    _runs_of_base64()


def placeholder(kind: str) -> str:
    """Return the replacement for a secret of this kind."""
    return f"[redacted: {kind}]"


def _masked(text: str) -> tuple[str, Counter[str]]:
    found: Counter[str] = Counter()
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
                pieces += text[done:start], placeholder(rule.kind)
                done = end
                found[rule.kind] += 1
        if pieces:
            text = "".join([*pieces, text[done:]])
    return text, found


@cache
def _runs_of_base64() -> re.Pattern[str]:
    """Match a run of base64, including lines that follow a full line."""
    return re.compile(
        rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{_LEAST_BASE64},}}+"
        r"(?:(?<=[A-Za-z0-9+/]{60})\r?\n[A-Za-z0-9+/]{4,}+)*+={0,2}"
    )


def _text_in(run: str) -> str | None:
    """Decode a run of base64; None if it is not text, for example if it is a word or a hash."""
    run = run.translate(_URL_SAFE).rstrip("=")
    try:
        return binascii.a2b_base64(run + "=" * (-len(run) % 4)).decode()
    except ValueError:
        return None


def mask_all(value: Any) -> tuple[Any, Counter[str]]:
    """Mask every string and name in a JSON value, and whole numbers that are card numbers. A value may also be a secret
    because of its name (`password`, `api_key`, also as `{"name": "API_KEY", "value": …}`), and an argument because of
    the option before it (`["--password", …]`)."""
    strings: list[str] = []
    is_suspect = _collect(value, strings)
    # Search blocks of strings first, because searching 100,000 short strings one by one takes a second. Each block
    # repeats the last string of the previous one, which may be the option of an argument.
    blocks = (strings[max(first - 1, 0) : first + _BLOCK] for first in range(0, len(strings), _BLOCK))
    suspects = {string for block in blocks if mask("\n".join(block))[1] for string in block}
    return _mask_each(value, suspects) if is_suspect or suspects else (value, Counter())


def _collect(value: Any, strings: list[str]) -> bool:
    """Add all strings and names in `value` to `strings`. Returns whether there is a secret of another form."""
    if isinstance(value, str):
        strings.append(value)
    elif isinstance(value, list):
        return sum(_collect(item, strings) for item in value) > 0
    elif isinstance(value, dict):
        strings += value
        return sum(bool(_kind_by_name(value, name)) or _collect(item, strings) for name, item in value.items()) > 0
    return _is_card(value)


def _kind_by_name(value: Mapping[str, Any], name: str) -> str:
    """Return the kind of secret that an item of an object is because of its name, or ''."""
    item = value[name]
    if not isinstance(item, str | int) or len(shown := str(item)) < _LEAST_SECRET or shown.startswith("[redacted: "):
        return ""
    if name == "value" and isinstance(value.get("name"), str):
        name = value["name"]
    if name.lower().endswith(_PASSWORDS):
        return "password"
    if name.lower() in _AUTHORIZATIONS:
        return "authorization header" if is_random(shown) or re.match(_CREDENTIALS, shown) else ""
    if len(shown) < _LEAST_RANDOM or not name.lower().endswith(("key", "token", "secret")):
        return ""
    return "secret keyword" if " " not in shown and is_random(shown) and is_secret_name(name) else ""


def _is_card(value: Any) -> bool:
    return isinstance(value, int) and value > 10**12 and is_card_number(str(value))


def _mask_each(value: Any, suspects: Set[str]) -> tuple[Any, Counter[str]]:
    if isinstance(value, str):
        return mask(value) if value in suspects else (value, Counter())
    if isinstance(value, list):
        return _mask_list(value, suspects)
    if isinstance(value, dict):
        return _mask_object(value, suspects)
    if _is_card(value):
        return placeholder("card number"), Counter(["card number"])
    return value, Counter()


def _mask_list(value: Sequence[Any], suspects: Set[str]) -> tuple[list[Any], Counter[str]]:
    found: Counter[str] = Counter()
    masked: list[Any] = []
    for item in value:
        kept, kinds = _mask_each(item, suspects)
        if kept == item and masked and isinstance(item, str) and str(masked[-1]).startswith("--"):
            option = f"{masked[-1]} "
            with_option, kinds = mask(option + item)
            kept = with_option.removeprefix(option)
        masked.append(kept)
        found += kinds
    return masked, found


def _mask_object(value: Mapping[str, Any], suspects: Set[str]) -> tuple[dict[str, Any], Counter[str]]:
    found: Counter[str] = Counter()
    masked: dict[str, Any] = {}
    alike: dict[str, int] = {}
    for name, item in value.items():
        if kind := _kind_by_name(value, name):
            kept, kinds = placeholder(kind), Counter([kind])
        else:
            kept, kinds = _mask_each(item, suspects)
        shown, kinds_of_name = _mask_each(name, suspects)
        found += kinds + kinds_of_name
        if kinds_of_name:
            alike[shown] = number = alike.get(shown, 0) + 1
            shown = f"{shown} {number}"
        masked[shown] = kept
    return masked, found
