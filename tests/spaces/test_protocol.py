"""What holds for each of the thirteen."""

import subprocess
import sys
from collections.abc import Mapping

import numpy as np
import pytest

from memory.spaces.catalog import all_thirteen
from memory.spaces.late_interaction import LateInteraction
from memory.spaces.protocol import Kind
from memory.spaces.semantic import Semantic
from tests.spaces.items import item
from tests.spaces.models import SIZE, embed_texts, embed_tokens

pytestmark = pytest.mark.pure

NAMES = tuple(f"E{number}" for number in range(1, 14))
#: Texts in which most spaces find nothing of their own.
HARD = ("!!!", "a", "the of and", "🙂", "こんにちは", "مرحبا", "x" * 5000, "1", "Ünïcödé ﬁ", "\n\n.\n")


def spaces():
    return all_thirteen(Semantic(embed_texts, SIZE), LateInteraction(embed_tokens, SIZE))


def test_the_thirteen_have_the_names_and_the_sizes_of_the_design():
    made = spaces()
    assert tuple(made) == NAMES
    sizes = {name: space.size for name, space in made.items()}
    assert sizes == {
        "E1": SIZE,
        "E2": 512,
        "E3": 512,
        "E4": 512,
        "E5": 1536,
        "E6": 1 << 28,
        "E7": 1536,
        "E8": 384,
        "E9": 1024,
        "E10": 768,
        "E11": 384,
        "E12": 128,
        "E13": 1 << 28,
    }
    assert all(space.title and space.source for space in made.values())


@pytest.mark.parametrize("name", NAMES)
def test_no_item_has_a_zero_value(name):
    space = spaces()[name]
    for text, value in zip(HARD, space.embed([item(text) for text in HARD]), strict=True):
        if space.kind is Kind.SPARSE:
            assert isinstance(value, Mapping)
            assert any(value.values()), text
            assert all(0 < dimension <= space.size for dimension in value)
        elif space.kind is Kind.BITS:
            assert value.nbytes * 8 == space.size
            assert 0 < np.unpackbits(value).sum() < space.size, text
        elif space.kind is Kind.TOKENS:
            assert value.shape[1] == space.size
            np.testing.assert_allclose(np.linalg.norm(value, axis=1), 1, rtol=1e-4)
        else:
            assert value.shape == (space.size,)
            assert np.linalg.norm(value) == pytest.approx(1, rel=1e-4), text


@pytest.mark.parametrize("name", NAMES)
def test_a_value_does_not_depend_on_its_batch(name):
    space = spaces()[name]
    batch = [item(text) for text in HARD]
    (alone,) = space.embed(batch[3:4])
    together = space.embed(batch)[3]
    np.testing.assert_equal(together, alone)
    assert space.embed([]) == []


@pytest.mark.parametrize("name", NAMES)
def test_nothing_to_compare_with_has_no_scores(name):
    space = spaces()[name]
    text = "Why did Ada rename src/app.py last Monday, in the morning?"
    asked = space.embed_query(item(text))
    if asked is not None:
        assert space.score(asked, []) == []


def test_values_are_the_same_in_another_process():
    """Python's own hash of a text differs from process to process; no value may depend on it."""
    script = """
import hashlib, numpy as np
from memory.spaces.catalog import without_model
from tests.spaces.items import item
text = "Ada said on Monday: the build fails because src/app.py calls getUserName(id)."
digest = hashlib.sha256()
for name, space in without_model().items():
    (value,) = space.embed([item(text, speaker="Ben", session_id="s", place=4)])
    digest.update(repr(sorted(value.items())).encode() if isinstance(value, dict) else np.asarray(value).tobytes())
print(digest.hexdigest())
"""
    found = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
