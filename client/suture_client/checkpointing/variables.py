"""Encodes the variables of a REPL as JSON, and decodes them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from suture_client.checkpointing.values import (
    NOT_IN_JSON,
    TAG,
    Decoder,
    Encoder,
    Fault,
    Unreadable,
    name_of_type,
)

#: The version of the encoding. Other versions are refused.
ENCODING = 1


class LeftOut(NamedTuple):
    """A variable that is not in the checkpoint or cannot be rebuilt, and the value that causes this."""

    name: str
    #: The path of the value, as a Python expression.
    path: str
    #: The value's type; "" if unknown.
    type: str
    why: str

    def __str__(self) -> str:
        return f"{self.path} ({self.type}): {self.why}" if self.type else f"{self.path}: {self.why}"


class CannotRepresent(ValueError):  # noqa: N818 (it reads as a sentence)
    """Variables cannot be represented exactly; `left_out` names them."""

    def __init__(self, left_out: list[LeftOut]) -> None:
        self.left_out = left_out
        super().__init__(
            "These values cannot be stored exactly in a checkpoint:\n" + "\n".join(f"- {one}" for one in left_out)
        )


class UnknownEncoding(ValueError):  # noqa: N818 (as above)
    """The variables were encoded by another version of this module."""


class Rebuilt(NamedTuple):
    """The rebuilt variables, and the missing ones."""

    values: dict[str, Any]
    missing: list[LeftOut]


def capture_variables(variables: Mapping[str, Any], *, strict: bool = False) -> dict[str, Any]:
    """Encode variables, such as `globals()`, as a `repl_state`.

    If any part of a variable has no exact form, the whole variable is left out, and `left_out` has the path and type of
    that part. Python's own names, like `__builtins__`, are skipped. With `strict`, raises CannotRepresent instead of
    leaving anything out.
    """
    encoder = Encoder()
    encoded: dict[str, Any] = {}
    left_out: list[LeftOut] = []
    # A copy, because other threads may define variables in the meantime.
    for name, value in dict(variables).items():
        if type(name) is not str or NOT_IN_JSON.search(name):
            left_out.append(
                LeftOut(ascii(name), ascii(name), name_of_type(name), "the name is not a valid JSON string")
            )
            continue
        if name.startswith("__") and name.endswith("__"):
            continue
        found = encoder.variable(name, value)
        if encoder.faults:
            left_out += [_left_out(name, fault) for fault in encoder.faults]
        else:
            encoded[name] = found
    if left_out and strict:
        raise CannotRepresent(left_out)
    return {
        TAG: "variables",
        "encoding": ENCODING,
        "variables": encoded,
        "left_out": [one._asdict() for one in left_out],
    }


def rebuild_variables(repl_state: Mapping[str, Any]) -> Rebuilt:
    """Rebuild the variables of a `repl_state`. Variables are missing if they were left out or cannot be read here.

    The `repl_state` of another program is treated as plain JSON. Raises UnknownEncoding.
    """
    if repl_state.get(TAG) != "variables":
        return Rebuilt(dict(repl_state), [])
    if (version := repl_state.get("encoding")) != ENCODING:
        raise UnknownEncoding(
            f"The variables are encoded in version {version}, and this client reads version {ENCODING}. Update the "
            "package `suture`."
        )
    variables = repl_state.get("variables")
    left_out = repl_state.get("left_out")
    missing = [_read(one) for one in left_out if isinstance(one, dict)] if isinstance(left_out, list) else []
    values: dict[str, Any] = {}
    if isinstance(variables, dict):
        decoder = Decoder(variables)
        for name in variables:
            try:
                values[name] = decoder.variable(name)
            except Unreadable as unreadable:
                missing.append(LeftOut(name, name, "", str(unreadable)))
    return Rebuilt(values, missing)


def _left_out(name: str, fault: Fault) -> LeftOut:
    # Types and keys may have names that JSON strings cannot contain.
    return LeftOut(name, *(NOT_IN_JSON.sub("\N{REPLACEMENT CHARACTER}", text) for text in fault))


def _read(one: dict[str, Any]) -> LeftOut:
    return LeftOut(*(str(one.get(field, "")) for field in LeftOut._fields))
