"""Masks secrets in text before a client sends it and before it is stored, so that they cannot leak.

Client and server share this module. Hooks import it before each tool call, so it imports as little of the standard
library as possible (client/tests/text/test_masking.py).
"""

from __future__ import annotations

import binascii
import re
from collections import Counter
from functools import cache

from suture_client.text import secret_commands, secret_names, secret_patterns, secret_rules, secret_tokens, unbroken
from suture_client.text.secret_rule import places
from suture_client.text.secret_rules import is_card_number, is_token_of_word
from suture_client.text.secret_values import is_password, is_password_name, is_random, is_secret_name, is_token

TYPE_CHECKING = False  # the module `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
    from typing import Any

    from suture_client.text.secret_rule import Rule

#: The number of strings that are searched at once.
_BLOCK = 200
#: How many arguments before an option are read for the command.
_COMMAND = 6
#: The shortest run of base64, in characters.
_LEAST_BASE64 = 20
#: The shortest password, and the shortest key, in characters.
_LEAST_PASSWORD, _LEAST_TOKEN = 5, 10
_AUTHORIZATIONS = frozenset(("authorization", "proxy-authorization"))
_COOKIES = frozenset(("cookie", "cookies", "set-cookie"))
_CREDENTIALS = r"(?i)(?:apikey|aws4-hmac-sha256|basic|bearer|digest|hmac|negotiate|ntlm|token) +\S{6}"
#: The rules for secrets that are known by their place, after those for secrets of a known form.
_BY_PLACE = (*secret_names.RULES, *secret_commands.RULES, *secret_rules.NUMBERS)
RULES = (*secret_rules.FORMATS, *_BY_PLACE)
#: The shortest hash, in characters.
_LEAST_HASH = 28
#: The shortest first part of a token that goes on elsewhere, and what ends this part.
_LEAST_PART, _ENDS = 6, frozenset(("\n", "\r", "'", '"', "`"))
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
    for group in _known():
        for patterns in group.values():
            for _, pattern in patterns:
                _compiled(pattern)
    _runs_of_base64()


def placeholder(kind: str) -> str:
    """Return the replacement for a secret of this kind."""
    return f"[redacted: {kind}]"


def _masked(text: str) -> tuple[str, Counter[str]]:
    """Mask the secrets in `text` itself. They are looked for in the text without escapes, colour codes and the like.
    There, `unbroken.FOUND` takes the place of each that is found."""
    clean = unbroken.clean(text)
    seen = clean.text if clean else text
    if "[redacted: " in seen:
        seen = _placeholders().sub(lambda one: unbroken.FOUND * len(one[0]), seen)
    lowered = seen.lower()
    if len(lowered) != len(seen):  # a few letters become two
        lowered = re.sub("[A-Z]+", lambda one: one[0].lower(), seen)
    spans: list[tuple[int, int, str]] = []
    seen = _apply(secret_rules.FORMATS, seen, lowered, spans)
    seen = _take(_tokens(seen, lowered), seen, spans)
    _apply(_BY_PLACE, seen, lowered, spans)
    pieces: list[str] = []
    done = 0
    for start, end, kind in sorted(spans):
        if clean:
            start, end = clean.original(start), clean.original(end, end=True)
        pieces += text[done:start], placeholder(kind)
        done = end
    return "".join([*pieces, text[done:]]) if pieces else text, Counter(kind for _, _, kind in spans)


def _apply(rules: Sequence[Rule], seen: str, lowered: str, spans: list[tuple[int, int, str]]) -> str:
    """Add to `spans` the secrets that the rules find in `seen`. Returns `seen` without them."""
    for rule in rules:
        if rule.may_match(lowered):
            seen = _take(((start, end, rule.kind) for start, end in rule.find(seen, lowered)), seen, spans)
    return seen


def _take(found: Iterable[tuple[int, int, str]], seen: str, spans: list[tuple[int, int, str]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end, kind in found:
        if done <= start < end and unbroken.FOUND not in seen[start:end]:
            pieces += seen[done:start], unbroken.FOUND * (end - start)
            done = end
            spans.append((start, end, kind))
    return "".join([*pieces, seen[done:]]) if pieces else seen


def _tokens(seen: str, lowered: str) -> list[tuple[int, int, str]]:
    """Return the tokens that are known by their first word or first characters, in order."""
    found: list[tuple[int, int, str]] = []
    by_word, by_start = _known()
    for word in by_word.keys() & set(_words().findall(lowered)):
        found += _at(seen, lowered, word, by_word[word])
    for start, patterns in by_start.items():
        if start in lowered:
            found += _at(seen, lowered, start, patterns)
    return sorted(found)


@cache
def _known() -> tuple[dict[str, tuple[tuple[str, str], ...]], dict[str, tuple[tuple[str, str], ...]]]:
    """Return kinds and patterns of tokens by their first word, and by their first characters. Ours come first."""
    ours, theirs = secret_tokens, secret_patterns
    return (
        {word: ours.TOKENS.get(word, ()) + theirs.TOKENS.get(word, ()) for word in {**theirs.TOKENS, **ours.TOKENS}},
        {
            start: ours.STARTS.get(start, ()) + theirs.STARTS.get(start, ())
            for start in {**theirs.STARTS, **ours.STARTS}
        },
    )


def _at(seen: str, lowered: str, word: str, patterns: Sequence[tuple[str, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield the tokens that begin with `word`, in lower case."""
    for start in places(lowered, (word,)):
        if start == 0 or not (seen[start - 1].isascii() and seen[start - 1].isalnum()):
            yield from _one(seen, start, patterns)


def _one(seen: str, start: int, patterns: Sequence[tuple[str, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield the token at `start`, also if it goes on in the next line. All characters that could belong to it do."""
    for kind, pattern in patterns:
        if (match := _compiled(pattern).match(seen, start)) and is_token_of_word(match[0]):
            end = _rest(seen, match.end())
            if _is_hash(seen, start, match.end(), end):
                continue
            more = _added().match(seen, end)
            if more and more["line"] and (more["line"].isupper() or more["line"].islower() or _begins(more["line"])):
                more = None  # a hash, a word or the next token
            yield start, more.end() if more else end, kind
            return
    end = _rest(seen, start)
    if end - start < _LEAST_PART or seen[end : end + 1] not in _ENDS:
        return
    if parts := unbroken.joined(seen[start : start + unbroken.LONGEST]):
        for kind, pattern in patterns:
            if (match := _compiled(pattern).match(parts.text)) and is_token_of_word(match[0]):
                yield start, _rest(seen, start + parts.original(match.end(), end=True)), kind
                return


def _is_hash(seen: str, start: int, stop: int, end: int) -> bool:
    """Return whether what looks like a token is the end of a name with a hash, or the beginning of a longer hash."""
    if not _hash().match(seen, max(start, stop - _LEAST_HASH), end):
        return False
    return end > stop or (start > 0 and seen[start - 1] in "_-")


@cache
def _hash() -> re.Pattern[str]:
    return re.compile(r"[0-9a-f]++\Z")


def _rest(seen: str, at: int) -> int:
    """Return where the characters of a token end."""
    return _run().match(seen, at).end()  # type: ignore[union-attr]


@cache
def _run() -> re.Pattern[str]:
    return re.compile("[A-Za-z0-9_-]*+")


@cache
def _added() -> re.Pattern[str]:
    """Match the rest of a token: another string that code adds, or a random run at the beginning of the next line."""
    return re.compile(
        r"[\"'`]\s{0,20}\+\s{0,40}[\"'`][A-Za-z0-9_-]++(?=[\"'`])"
        r"|\r?\n[ \t]{0,8}(?:> )?(?P<line>(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{8,}+)(?=[\s\"'`.,)]|\Z)"
    )


def _begins(text: str) -> bool:
    """Return whether `text` begins with the first word of a token."""
    word = _words().match(text)
    return word is not None and word[0].lower() in _known()[0]


@cache
def _words() -> re.Pattern[str]:
    """Match a word, with the separator after it if it is one of those in tokens. It never fails, so it is fast."""
    return re.compile("[A-Za-z0-9$]++[-_.~:/+]?")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _placeholders() -> re.Pattern[str]:
    return re.compile(r"\[redacted: [^\]\n]{1,200}\]")


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
        if len(value) < _BLOCK and any(isinstance(item, str) and item.startswith("-") for item in value):
            strings.append(" ".join(item for item in value if isinstance(item, str)))
        return sum(_collect(item, strings) for item in value) > 0
    elif isinstance(value, dict):
        strings += value
        return sum(bool(_kind_by_name(value, name)) or _collect(item, strings) for name, item in value.items()) > 0
    return _is_card(value)


def _kind_by_name(value: Mapping[str, Any], name: str) -> str:
    """Return the kind of secret that an item of an object is because of its name, or ''."""
    item = value[name]
    if not isinstance(item, str | int) or len(shown := str(item)) < _LEAST_PASSWORD or shown.startswith("[redacted: "):
        return ""
    if name == "value" and isinstance(value.get("name", value.get("key")), str):
        name = value.get("name", value.get("key"))
    if is_password_name(name):
        return "password" if is_password(shown) else ""
    if name.lower() in _AUTHORIZATIONS:
        return "authorization header" if is_token(shown) or re.match(_CREDENTIALS, shown) else ""
    if name.lower() in _COOKIES:
        return "cookie" if len(shown) > _LEAST_TOKEN and is_random(shown) else ""
    if len(shown) < _LEAST_TOKEN or not is_secret_name(name):
        return ""
    return "secret keyword" if " " not in shown and is_token(shown) else ""


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
        if kept == item and masked and isinstance(item, str) and str(masked[-1]).startswith("-"):
            option = " ".join(one for one in masked[-_COMMAND:] if isinstance(one, str)) + " "
            with_option, kinds = mask(option + item)
            kept = with_option.removeprefix(option)
        masked.append(kept)
        found += kinds
    return masked, found + _mask_neighbours(masked, enumerate(value), suspects)


def _mask_neighbours(masked: Any, places: Iterable[tuple[Any, Any]], suspects: Set[str]) -> Counter[str]:
    """Mask, in `masked` itself, a secret in two strings, one after the other: the parts of a token, or a secret key
    after the id of its key. `places` are pairs of index or name, and value before masking. Returns the kinds."""
    found: Counter[str] = Counter()
    before: tuple[Any, str] | None = None
    for place, value in places:
        if not isinstance(value, str) or value not in suspects or "\n" in value:
            before = None
            continue
        if before is not None and len(before[1]) < unbroken.LONGEST and _part().fullmatch(value):
            together, kinds = mask(f"{before[1]}\n{value}")
            parts = together.split("\n")
            for (where, alone), part in zip((before, (place, value)), (parts[0], parts[-1]), strict=True):
                if masked[where] == alone != part:
                    masked[where] = part
                    kinds_alone = mask(before[1])[1] + mask(value)[1]
                    found |= kinds - kinds_alone
        before = place, value
    return found


@cache
def _part() -> re.Pattern[str]:
    """Match what may be the second part of a secret."""
    return re.compile(rf"(?=[^0-9]{{0,40}}[0-9])[A-Za-z0-9_+/=.-]{{{_LEAST_PART},{unbroken.LONGEST}}}")


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
    return masked, found + _mask_neighbours(masked, zip(list(masked), value.values(), strict=True), suspects)
