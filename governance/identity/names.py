"""Names of tenants, agents and people."""

import re

from governance.refusals import Invalid

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,49}")


class InvalidName(Invalid):
    """A name has 1 to 50 characters (a-z, 0-9, - and _) and starts with a letter or digit."""


def checked_name(name: str) -> str:
    """Return `name` if it is valid for a new tenant, agent or person. Raises InvalidName."""
    if not _NAME.fullmatch(name):
        raise InvalidName(f"{name!r}: {InvalidName.__doc__}")
    return name
