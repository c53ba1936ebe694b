"""Forms of secrets and texts that look like them, made up from a fixed seed: secret_formats.txt and near_misses.txt."""

import random
import re
import string
from pathlib import Path

_LETTERS = {
    "a": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + "234567",
    "d": string.digits,
    "b": string.ascii_letters + string.digits + "+/",
    "w": string.ascii_letters + string.digits + "_-",
    "m": string.ascii_letters,
}
_PART = re.compile(r"\{([ahludbwm])(\d+)\}|\{U\+([0-9A-F]{4})\}")


def _lines(name: str) -> list[tuple[str, str]]:
    lines = Path(__file__).with_name(name).read_text().splitlines()
    pairs = (line.partition(" | ") for line in lines if line and not line.startswith("#"))
    return [(label, template.replace("⏎", "\n")) for label, _, template in pairs]


def _filled(template: str, seed: str) -> tuple[str, list[str]]:
    """Return the text, and the parts of its secrets."""
    chosen = random.Random(seed)
    parts: list[str] = []

    def fill(found: re.Match[str]) -> str:
        if found[3]:
            return chr(int(found[3], 16))
        letters, length = _LETTERS[found[1]], int(found[2])
        # as in nearly every token, at least two digits and two letters if both may occur
        while True:
            made = "".join(chosen.choices(letters, k=length))
            mixed = not (set(letters) & set(string.digits) and set(letters) & set(string.ascii_letters)) or length < 6
            # no sign at either end, which would be no part of the token elsewhere
            if (mixed or (sum(map(str.isdigit, made)) > 1 and sum(map(str.isalpha, made)) > 1)) and made[-1].isalnum():
                return made

    pieces = re.split("([«»])", template)
    inside = False
    text = ""
    for piece in pieces:
        if piece in "«»" and piece:
            inside = piece == "«"
            continue
        for fixed, made in ((part, _PART.sub(fill, part)) for part in re.split(r"(\{\w[^}]*\})", piece)):
            text += made
            if inside and (fixed != made or _PART.search(piece) is None):
                parts += [part for part in re.split(r"[^A-Za-z0-9]+", made) if len(part) > 5]
    return text, parts


def secrets() -> list[tuple[str, str, list[str]]]:
    """Return label, text and the parts of its secrets that must not stay, of each form of a secret."""
    return [(label, *_filled(template, label)) for label, template in _lines("secret_formats.txt")]


def near_misses() -> list[tuple[str, str]]:
    """Return label and text of each text without secrets."""
    return [(label, _filled(template, label)[0]) for label, template in _lines("near_misses.txt")]
