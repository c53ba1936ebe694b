"""E12: each word of the question finds its best match."""

import numpy as np
import pytest

from memory.spaces.late_interaction import MAX_TOKENS, LateInteraction
from tests.spaces.items import item, scores
from tests.spaces.models import SIZE, embed_tokens

pytestmark = pytest.mark.pure
WHOLE = LateInteraction(embed_tokens, SIZE, reduce=False)
REDUCED = LateInteraction(embed_tokens, SIZE)


@pytest.mark.parametrize("space", [WHOLE, REDUCED], ids=["whole", "reduced"])
def test_the_score_is_the_mean_of_the_best_matches(space):
    both, one, none = scores(space, "warm kiln", "A kiln, old and warm.", "The kiln broke.", "Cats sleep.")
    assert both == pytest.approx(1, abs=0.01)
    assert one == pytest.approx(0.5, abs=0.25)
    assert both > one > none


def test_words_around_the_matches_do_not_lower_the_score():
    short, long = scores(WHOLE, "warm kiln", "warm kiln", "warm kiln " + " ".join(f"other{n}" for n in range(100)))
    assert short == pytest.approx(1)
    assert long >= short - 1e-5


def test_reduction_keeps_cosines_nearly():
    texts = [f"word{number}" for number in range(40)]
    whole, reduced = (space.embed([item(text) for text in texts]) for space in (WHOLE, REDUCED))
    differences = [
        abs(float(whole[a][0] @ whole[b][0]) - float(reduced[a][0] @ reduced[b][0]))
        for a in range(40)
        for b in range(a)
    ]
    assert np.mean(differences) < 0.09


def test_a_stored_value_has_at_most_512_tokens_of_128_dimensions():
    (value,) = REDUCED.embed([item(" ".join(f"w{number}" for number in range(700)))])
    assert value.shape == (MAX_TOKENS, 128)


def test_a_model_that_gives_no_direction_is_refused():
    broken = LateInteraction(lambda texts: [np.full((2, SIZE), np.nan) for _ in texts], SIZE)
    with pytest.raises(ValueError, match="no direction"):
        broken.embed_query(item("kiln"))


def test_a_text_without_a_token_has_a_value_that_matches_little():
    without = LateInteraction(
        lambda texts: [np.zeros((1, SIZE)) if not text else embed_tokens([text])[0] for text in texts], SIZE
    )
    (value,) = without.embed([item("")])
    assert np.linalg.norm(value) == pytest.approx(1)
    asked = without.embed_query(item("kiln"))
    assert asked is not None
    assert abs(without.score(asked, [value])[0]) < 0.3
