"""E1: the given model's vectors, at unit length, with the speaker."""

import numpy as np
import pytest

from memory.spaces.semantic import Semantic
from tests.spaces.items import item
from tests.spaces.models import SIZE, embed_texts

pytestmark = pytest.mark.pure


def test_the_model_is_asked_once_for_a_batch_with_who_said_it():
    asked = []

    def embed(texts):
        asked.append(list(texts))
        return embed_texts(texts) * 7

    space = Semantic(embed, SIZE)
    values = space.embed([item("It is warm.", speaker="Ada"), item("It is cold.")])
    assert asked == [["Ada: It is warm.", "It is cold."]]
    np.testing.assert_allclose([np.linalg.norm(value) for value in values], 1, rtol=1e-5)


@pytest.mark.parametrize("number", [0.0, np.nan, np.inf])
def test_a_vector_without_a_direction_is_refused(number):
    space = Semantic(lambda texts: np.full((len(texts), SIZE), number), SIZE)
    with pytest.raises(ValueError, match="direction"):
        space.embed_query(item("kiln"))
