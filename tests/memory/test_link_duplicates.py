"""Chunks that say the same are linked by the job, and searches and bundles have one of them unless asked not to."""

import json
from dataclasses import asdict
from uuid import UUID

import pytest

from governance.acting import gate
from memory.db import duplicate_candidates, link_duplicates
from memory.embedding import configured
from memory.services.linking import link
from tests.embedding import FakeProvider, embed_all
from tests.memory.test_search import search

LIMIT, AGAIN = "The refund limit is £250 now.", "the refund limit is £250 now"


def link_all(world, *chunks):
    return link(world.tenant_id, [UUID(chunk) for chunk in chunks])


def ids(answer):
    return [chunk["chunk_id"] for chunk in answer["chunks"]]


def test_it_works(world):
    first, again = world.chunk(LIMIT), world.chunk(AGAIN)
    other = world.chunk("The refund limit is £2,500 now.")
    assert link_all(world, first, again, other) == 1
    assert link_all(world, first, again, other) == 0  # they are linked once

    collapsed = search(world.alice, "refund limit")
    assert len(ids(collapsed)) == 2
    assert other in ids(collapsed)
    (shown,) = {first, again} & set(ids(collapsed))
    (left_out,) = {first, again} - {shown}
    assert {chunk["chunk_id"]: chunk["duplicates"] for chunk in collapsed["chunks"]} == {shown: [left_out], other: []}

    whole = search(world.alice, "refund limit", collapse_duplicates=False)
    assert set(ids(whole)) == {first, again, other}
    assert {tuple(chunk["duplicates"]) for chunk in whole["chunks"]} == {(first,), (again,), ()}


def test_the_job_that_embeds_links_them(world, monkeypatch):
    provider = FakeProvider()
    monkeypatch.setattr(configured, "configured", lambda: provider)
    for text in (LIMIT, AGAIN):
        world.chunk(text)
    embed_all(world)
    assert len(ids(search(world.alice, "refund limit", mode="keyword"))) == 1


def test_nothing_is_dropped(world):
    first, again = world.chunk(LIMIT), world.chunk(AGAIN)
    link_all(world, first, again)
    answer = world.alice.ok("post", "chunks/get", {"chunk_ids": [first, again]})
    assert ids(answer) == [first, again]


def test_the_same_words_about_somebody_else_are_not_linked(world):
    about = [{"content": {"subject_type": "user", "subject_id": name}} for name in ("jack", "jill")]
    chunks = [world.chunk(LIMIT, **fields) for fields in about]
    assert link_all(world, *chunks) == 0


def test_pages_go_on_without_duplicates(world):
    chunks = [
        world.chunk(f"The refund limit of shop number {number} is £250.") for number in range(4) for _ in range(2)
    ]
    assert link_all(world, *chunks) == 4
    seen, cursor = [], None
    while True:
        body = {"query": "refund limit shop", "limit": 2, **({"cursor": cursor} if cursor else {})}
        answer = world.alice.ok("post", "chunks/search", body)
        seen += [chunk["text"] for chunk in answer["chunks"]]
        cursor = answer["next"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 4


@pytest.mark.parametrize("op", ["amend", "retract"])
def test_an_edit_voids_the_link(world, op):
    first, again = world.chunk(LIMIT), world.chunk(AGAIN)
    link_all(world, first, again)
    world.edit(first, op, **({"text": "The refund limit is £300 now."} if op == "amend" else {}))
    found = search(world.alice, "refund limit")
    assert again in ids(found)
    assert len(ids(found)) == (2 if op == "amend" else 1)
    assert all(chunk["duplicates"] == [] for chunk in found["chunks"])


def test_a_hidden_duplicate_hides_nobody_and_is_not_told_of(world):
    first, again = world.chunk(LIMIT), world.chunk(AGAIN)
    link_all(world, first, again)
    shown = ids(search(world.alice, "refund limit"))[0]
    world.edit(shown, "quarantine")
    (found,) = search(world.alice, "refund limit")["chunks"]
    assert found["chunk_id"] in {first, again} - {shown}
    assert found["duplicates"] == []


def test_an_edit_while_the_job_compares_wins(world):
    first, again = world.chunk(LIMIT), world.chunk(AGAIN)
    with gate.job(world.tenant_id, "embedding"):
        (candidate,) = duplicate_candidates(tenant=world.tenant_id, chunks=[UUID(again)])
    world.edit(first, "amend", text="The refund limit is £300 now.")
    with gate.job(world.tenant_id, "embedding"):
        rows = json.dumps([{**asdict(candidate), "likeness": 1.0}], default=str)
        assert link_duplicates(tenant=world.tenant_id, rows=rows) == 0


@pytest.mark.parametrize("again", ["We recieved the shipment on Monday", "We received the shipment, on Monday!"])
def test_the_bundle_has_one_of_them(world, again):
    about = {"content": {"subject_type": "user", "subject_id": "jack"}, "session_id": "earlier"}
    chunks = {world.chunk(text, **about) for text in ("We received the shipment on Monday", again)}
    assert link_all(world, *chunks) == 1
    asked = {
        "session_id": "now",
        "channel": "private",
        "subject_type": "user",
        "subject_id": "jack",
        "query": "shipment on Monday",
        "origin_share": 1,
    }

    def evidence(**fields):
        built = world.alice.ok("post", "acb/build", {**asked, **fields})["acb"]
        return {one["chunk_id"] for one in built["evidence"]}

    assert len(evidence() & chunks) == 1
    assert evidence(collapse_duplicates=False) >= chunks
