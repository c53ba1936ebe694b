"""A15: a block takes a chunk out of one channel."""

INTERNAL = "Internal discussion about product pricing"


def test_a_blocked_chunk_is_out_of_that_channel_and_in_its_own(world):
    chunk = world.chunk(INTERNAL, channel="team")

    edit = world.edit(chunk, "block", channel="public", reason="Internal discussion not for public channels")

    recorded = world.auditor.ok("get", f"edits/{edit['edit_id']}")
    assert (recorded["op"], recorded["patch"]) == ("block", {"channel": "public"})
    assert world.found("pricing", channel="public") == []
    assert world.found("pricing", channel="team") == [INTERNAL]


def test_it_is_the_block_that_hides_it_and_not_its_channel(world):
    chunk = world.chunk(INTERNAL, channel="team")
    ids = {"chunk_ids": [chunk]}
    assert len(world.alice.ok("post", "chunks/get", {**ids, "channel": "public"})["chunks"]) == 1

    world.edit(chunk, "block", channel="public")

    assert world.alice.ok("post", "chunks/get", {**ids, "channel": "public"})["chunks"] == []
    assert len(world.alice.ok("post", "chunks/get", {**ids, "channel": "team"})["chunks"]) == 1


def test_leaving_the_channel_out_does_not_go_around_the_block(world):
    chunk = world.chunk(INTERNAL, channel="team")
    world.edit(chunk, "block", channel="public")

    assert world.found("pricing") == []
    assert world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})["chunks"] == []
    assert world.alice.ok("get", "chunks")["results"] == []
    assert world.alice.get(f"chunks/{chunk}/timeline").status_code == 404
