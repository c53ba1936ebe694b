"""PostgreSQL's hash of a text, hashtextextended(text, 0), in Python: Bob Jenkins' lookup3, as in src/common/hashfn.c.
Removed values are looked up by it."""

_MASK = 0xFFFFFFFF
_START = 0x9E3779B9 + 3923095
_MIX = (4, 6, 8, 16, 19, 4)
_FINAL = (14, 11, 25, 16, 4, 14, 24)


def hash_of_word(text: str) -> int:
    """The hash, a signed number of 64 bits."""
    key = text.encode()
    a = b = c = (_START + len(key)) & _MASK
    whole = len(key) - len(key) % 12
    for place in range(0, whole, 12):
        a = (a + _number(key[place : place + 4])) & _MASK
        b = (b + _number(key[place + 4 : place + 8])) & _MASK
        c = (c + _number(key[place + 8 : place + 12])) & _MASK
        a, b, c = _mixed(a, b, c)
    rest = key[whole:]
    a = (a + _number(rest[:4])) & _MASK
    b = (b + _number(rest[4:8])) & _MASK
    c = (c + (_number(rest[8:]) << 8)) & _MASK  # its lowest byte is the length's
    b, c = _finished(a, b, c)
    return int.from_bytes((b << 32 | c).to_bytes(8), signed=True)


def _mixed(a: int, b: int, c: int) -> tuple[int, int, int]:
    for shift in _MIX:
        a = (a - c & _MASK) ^ _rotated(c, shift)
        c = c + b & _MASK
        a, b, c = b, c, a
    return a, b, c


def _finished(a: int, b: int, c: int) -> tuple[int, int]:
    for shift in _FINAL:
        c = (c ^ b) - _rotated(b, shift) & _MASK
        a, b, c = b, c, a
    # seven turns leave the three a place further than they began
    return a, b


def _number(part: bytes) -> int:
    return int.from_bytes(part, "little")


def _rotated(number: int, shift: int) -> int:
    return (number << shift | number >> 32 - shift) & _MASK
