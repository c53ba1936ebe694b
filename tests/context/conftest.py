"""`built(...)` is the bundle that alice gets; `sections_of` says where an id went."""

import pytest

from memory.context import sections

JACK = {"subject_type": "user", "subject_id": "jack-doe-123"}


@pytest.fixture
def built(world):
    def build(*, by=None, **fields):
        body = {"session_id": "session-1", "channel": "private", **fields}
        return (by or world.alice).ok("post", "acb/build", body)["acb"]

    return build


@pytest.fixture
def section():
    """`section(one)` registers a section until the test ends."""
    added = []

    def register(one):
        sections.register(one)
        added.append(one.name)
        return one

    yield register
    for name in added:
        sections.unregister(name)
