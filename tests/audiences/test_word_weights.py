"""The weights of words are those of the records that the reader hears, also where every record has an audience."""

import pytest

from tests.audiences.conftest import BO, FOR_ADA

FOR_BO = {"principals": [BO]}


@pytest.fixture
def bos(clinic):
    """The records for bo: many speak of the ward, one of a fever."""
    for number in range(8):
        clinic.record(f"ward {number}, ward", FOR_BO)
    clinic.record("At night there was a fever, which nobody expected after such a long and calm day", FOR_BO)
    return clinic


def found(clinic, **search):
    body = {"query": "ward fever", "mode": "keyword", **search}
    return [(one["text"], round(one["rank"], 4)) for one in clinic.heard("post", "chunks/search", body)["chunks"]]


def test_a_rare_word_weighs_more_than_a_common_one(bos):
    assert "fever" in found(bos)[0][0]


def test_records_outside_the_audience_weigh_nothing(bos):
    before = found(bos)
    for number in range(20):
        bos.record(f"Ada's fever {number}", FOR_ADA)
    assert found(bos) == before
