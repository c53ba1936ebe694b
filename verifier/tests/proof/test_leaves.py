"""The array of a leaf, rendered from what PostgreSQL prints."""

import pytest

from suture_verify.leaves import Group, LeafForm, UnprintableValue, columns

pytestmark = pytest.mark.pure


def test_a_value_that_no_leaf_was_made_of_is_refused():
    form = LeafForm("x/1", *columns("at:moment"))
    with pytest.raises(UnprintableValue):
        form.render(("t", "i", "infinity"))
    assert form.render(("t", "i", "2026-01-01 00:00:00.5+00")) == '["x/1", "t", "i", 1767225600500000]'


def test_strings_are_escaped_as_little_as_possible():
    form = LeafForm("x/1", Group(columns("text")))
    assert form.render(("t", "i", 'a"\\\n\x01\x7f\u2028\U0001f600/')) == (
        '["x/1", "t", "i", ["a\\"\\\\\\n\\u0001\x7f\u2028\U0001f600/"]]'
    )
