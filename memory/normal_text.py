"""Normalizes text for comparison, like normal_text() in the database; tests compare both."""

import re
import unicodedata

# Default_Ignorable_Code_Point
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_RAISED = re.compile("[\u00b2\u00b3\u00b9\u2070\u2071\u2074-\u207f]+")
_FRACTION = re.compile("[\u00bc-\u00be\u2150-\u215f\u2189]")
_RUN = re.compile("[^\x00-\x7f]{100}")
_ONE_OF_EACH = str.maketrans(
    "\u0085\u2028\u2029\u0130\u00b4\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u00ab\u00bb\u201c\u201d\u201e\u201f\u2033"
    "\u2010\u2011\u2012\u2013\u2212\u2015",
    "\n\n\ni" + "'" * 8 + '"' * 7 + "-" * 5 + "\u2014",
)
_AFTER_LOWER = str.maketrans("\u2044\u03c2", "/\u03c3")
_NEITHER = bytes(code for code in range(128) if not chr(code).isalnum())
_SPACES = str.maketrans("\x01\x02\t\n\x0b\x0c\r", " " * 7)

# All that is neither a word nor white space.
_SYMBOLS = (
    r"!-/:-@\[-`{-~\u00a1-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u2010-\u205e\u20a0-\u20cf"
    r"\u2100-\u214f\u2190-\u2bff\u3001-\u3003\u3008-\u3020\u3030\ufffc\ufffd\U0001f000-\U0001faff"
)
_SYMBOL = re.compile(f"[{_SYMBOLS}]")
_PRIME = {"'": "\u2032", '"': "\u2033"}
_NOT_AFTER_DIGIT = {sign: re.compile(f"(?<![0-9]){sign}") for sign in _PRIME}
_QUOTES = str.maketrans("'\"`", "   ")
_MONEY = "$\u00a2-\u00a5\u20a0-\u20cf"
# The lookbehinds keep the time linear: a run of signs is tried once, from its beginning.
_PUNCTUATION = (
    re.compile(r"(?<![.!?])[.!?]++(?![^ )\]}*])|[\u00a1\u00bf\u3002]"),
    re.compile(r"(?<![.,;:!?])[.,;:!?]++(?![^ )\]}*])|\u3001"),
    re.compile(rf"(?<=[^ 0-9{_SYMBOLS}])[,;](?=[^ 0-9{_SYMBOLS}])"),
)
_LONG_SIGN = re.compile(rf"(?<![^ ])\u2014(?=[0-9{_MONEY}])")
_DASH = re.compile(rf"\u2014|(?<![^ ])-++(?![^ ])(?! *[0-9.{_MONEY}])")


def normal_text(text: str) -> str:
    """The words and symbols of `text` in lower case with single spaces: without quotes and sentence punctuation, and
    with the signs that carry meaning ("-500", "C++", "x != y"). A text of nothing else keeps its characters."""
    plain = _plain_form(text)
    return _said(plain) or _single_spaced(plain)


def words(text: str) -> list[str]:
    """The words of `text` in lower case, without symbols, like words_of() in the database; tests compare both."""
    return [word for word in _SYMBOL.sub(" ", _plain_form(text)).split(" ") if word]


def letters_and_digits(text: str) -> bytes:
    """The ASCII letters and digits of `text` in lower case. They are equal for texts with the same normal_text(), and
    take a fortieth of the time: most texts need no closer comparison."""
    return _plain_form(text).encode("ascii", "ignore").translate(None, _NEITHER)


def _said(plain: str) -> str:
    for sign, prime in _PRIME.items():
        # a quote after a digit is a prime (5' 6"), if this text has this sign after digits only
        if sign in plain and not _NOT_AFTER_DIGIT[sign].search(plain):
            plain = plain.replace(sign, prime)
    plain = plain.translate(_QUOTES)
    for pattern in _PUNCTUATION:
        plain = pattern.sub(" ", plain)
    plain = _DASH.sub(" ", _LONG_SIGN.sub("-", plain))
    return _single_spaced(_SYMBOL.sub(r" \g<0> ", plain))


def _single_spaced(text: str) -> str:
    # str.split() without an argument also splits at other white space
    return " ".join(word for word in text.split(" ") if word)


def _plain_form(text: str) -> str:
    """`text` in lower case and one Unicode form, as plain_form() in the database."""
    if not text.isascii():
        text = _FRACTION.sub(r" \g<0>", _RAISED.sub(r"^\g<0>", _UNSEEN.sub("", text)))
        # normalize() sorts the combining marks of a letter in quadratic time: a joiner ends a run of a hundred
        text = _RUN.sub("\\g<0>\u034f", text.translate(_ONE_OF_EACH))
        text = unicodedata.normalize("NFKC", text).replace("\u034f", "")
        # str.lower() makes two characters of U+0130, and another sigma at the end of a word
        return text.replace("\u0130", "i").lower().translate(_AFTER_LOWER).translate(_SPACES)
    return text.lower().translate(_SPACES)
