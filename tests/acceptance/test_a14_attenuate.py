"""A14: an attenuation lowers importance, and with it the place in results."""


def test_an_attenuated_chunk_is_less_important_and_ranks_lower(world, noted):
    outdated = noted("Server will be down for maintenance on Jan 15", 0.9)
    # the same rank, so that importance decides
    noted("Server will be down for maintenance on Feb 20", 0.6)
    assert world.found("server maintenance")[0].endswith("Jan 15")

    edit = world.edit(
        outdated, "attenuate", by=world.alice, importance_delta=-0.5, reason="Issue is resolved, lower priority"
    )

    recorded = world.alice.ok("get", f"edits/{edit['edit_id']}")
    assert (recorded["op"], recorded["status"]) == ("attenuate", "approved")
    assert recorded["patch"] == {"importance_delta": -0.5}
    answer = world.alice.ok("post", "chunks/search", {"query": "server maintenance"})
    assert [(chunk["text"][-6:], chunk["importance"]) for chunk in answer["chunks"]] == [
        ("Feb 20", 0.6),
        ("Jan 15", 0.4),
    ]
