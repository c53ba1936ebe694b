"""A24: POST /chunks/get applies edits and blocks."""


def test_blocked_and_quarantined_chunks_are_left_out(world):
    blocked = world.chunk("Team discussion", channel="team")
    quarantined = world.chunk("Team discussion", channel="team")
    public = world.chunk("Public info", channel="public")
    world.edit(blocked, "block", channel="public")
    world.edit(quarantined, "quarantine")

    response = world.alice.post(
        "chunks/get",
        {"chunk_ids": [blocked, quarantined, public], "channel": "public", "include_quarantined": False},
    )

    assert response.status_code == 200
    assert [chunk["chunk_id"] for chunk in response.json()["chunks"]] == [public]


def test_without_the_edits_all_three_are_answered_in_the_order_asked(world):
    chunks = [world.chunk(text, channel=channel) for text, channel in (("A", "team"), ("B", "team"), ("C", "public"))]

    answer = world.alice.ok("post", "chunks/get", {"chunk_ids": chunks[::-1], "channel": "public"})

    assert [chunk["text"] for chunk in answer["chunks"]] == ["C", "B", "A"]
