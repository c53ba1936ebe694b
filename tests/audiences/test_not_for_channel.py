"""A search in a channel says how many matches it kept back that the key may read elsewhere."""

import pytest

from tests.audiences.conftest import BO, FOR_ADA


def found(api, **fields):
    answer = api.ok("post", "chunks/search", {"query": "fox", **fields})
    return [one["text"] for one in answer["chunks"]], [
        one for one in answer["notices"] if one["code"] == "not_for_channel"
    ]


@pytest.fixture
def foxes(world):
    world.chunk("fox none", channel="public")
    world.chunk("fox high", channel="public", sensitivity="high")
    world.edit(world.chunk("fox blocked", channel="public"), "block", channel="public")


def test_it_counts_what_the_key_may_read_in_another_channel(world, foxes):
    texts, (notice,) = found(world.alice, channel="public")
    assert texts == ["fox none"]
    assert notice["detail"].startswith("2 further matches are not for this channel")


@pytest.mark.parametrize("fields", [{}, {"channel": "private"}, {"channel": "public", "limit": 1}])
def test_there_is_none_where_nothing_was_kept_back_or_the_page_is_full(world, foxes, fields):
    assert found(world.alice, **fields)[1] == []


def test_a_key_without_another_channel_learns_nothing(world, foxes, agent_in):
    assert found(agent_in("public"), channel="public") == (["fox none"], [])


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_what_is_outside_the_audience_is_not_counted(clinic):
    clinic.record("fox for ada", FOR_ADA, channel="public", sensitivity="high")
    clinic.record("fox for all", channel="public")
    answer = clinic.heard("post", "chunks/search", {"query": "fox", "channel": "public"}, by=BO)
    assert [one["text"] for one in answer["chunks"]] == ["fox for all"]
    assert answer["notices"] == []
