"""Compatible versions of client and server. Each side sends its version in the header X-Suture-Version."""

import re
from typing import NamedTuple

HEADER = "X-Suture-Version"


class Range(NamedTuple):
    """The versions from `least` up to but not including `below`, each as (major, minor)."""

    least: tuple[int, int]
    below: tuple[int, int]

    def side(self, version: str) -> int:
        """Return -1 if a version is too old, 1 if it is too new, 0 if it is supported. Raises ValueError."""
        found = re.match(r"([0-9]{1,5})\.([0-9]{1,5})(?![0-9])", version)
        if found is None:
            raise ValueError(f"{version!r} is not a version")
        number = int(found[1]), int(found[2])
        return (number >= self.below) - (number < self.least)

    def __str__(self) -> str:
        return f"{self.least[0]}.{self.least[1]} or later, before {self.below[0]}.{self.below[1]}"


#: The server versions that this client supports.
SERVERS = Range((0, 1), (0, 2))
