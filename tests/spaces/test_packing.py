"""The stored form of values: small, and about the same when it is read."""

import zlib
from datetime import UTC, datetime

import numpy as np
import pytest

from memory.spaces import packing
from memory.spaces.catalog import all_thirteen
from memory.spaces.late_interaction import LateInteraction
from memory.spaces.protocol import Item
from memory.spaces.semantic import Semantic

pytestmark = pytest.mark.pure

TEXTS = ["", "ok", "The build failed because src/app.py imports `httpx` twice; see ENG-12.", "word " * 500]


def values_of(text, *, size=384):
    """Values in all spaces, of a model of random vectors."""
    random = np.random.default_rng(len(text))
    spaces = all_thirteen(
        Semantic(lambda texts: random.normal(size=(len(texts), size)), size),
        LateInteraction(lambda texts: [random.normal(size=(len(one.split()) + 2, size)) for one in texts], size),
    )
    item = Item(text, datetime(2026, 3, 1, 12, tzinfo=UTC), "coding-agent", "s-1")
    return {name: space.embed([item])[0] for name, space in spaces.items()}


def differences(before, after, name):
    """The largest difference of each row, beside the largest number of the row."""
    if name in ("E6", "E13"):
        assert list(after) == sorted(before)
        before, after = (np.array([one[key] for key in sorted(before)]) for one in (before, after))
    before, after = np.atleast_2d(before), np.atleast_2d(after)
    assert before.shape == after.shape
    return np.abs(before - after).max(axis=1) / np.abs(before).max(axis=1)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("size", [7, 384, 1536], ids=lambda size: f"a model of {size} numbers")
def test_values_are_read_within_the_stated_tolerance(text, size):
    before = values_of(text, size=size)
    after = packing.unpack(packing.pack(before))

    assert list(after) == list(before)
    assert (after["E9"] == before["E9"]).all()
    for name in before.keys() - {"E9"}:
        largest = 1 / 14 if name == "E12" else 1 / 254
        assert differences(before[name], after[name], name).max() <= largest * 1.001, name


def test_zeros_stay_zeros():
    before = {"E5": np.zeros(8, np.float32), "E12": np.zeros((2, 8), np.float32)}
    after = packing.unpack(packing.pack(before))
    assert not after["E5"].any()
    assert not after["E12"].any()


@pytest.mark.parametrize(
    "packed",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"not compressed", id="something else"),
        pytest.param(zlib.compress(b"\x01dend"), id="an end in a head"),
        pytest.param(zlib.compress(b"\x01d\x01\x00\x05\x00short"), id="an end in a value"),
        pytest.param(zlib.compress(b"\x01?\x01\x00\x01\x00....."), id="another kind"),
    ],
)
def test_other_bytes_are_refused(packed):
    with pytest.raises(ValueError, match="values of spaces"):
        packing.unpack(packed)
