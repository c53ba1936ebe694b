"""Trust in a derived memory is the least confidence in it and in its sources, whatever is said of itself."""


def believe(world, chunk, confidence):
    world.bob.ok("post", f"chunks/{chunk}/confidence", {"confidence": confidence, "reason": "Checked"})


def trust(world, chunk):
    return world.bob.ok("get", f"chunks/{chunk}/confidence")["trust"]


def commit(world, text):
    return world.alice.ok("post", "tools/memory_commit", {"content": text})


def rethink(world, seqs, text):
    body = {"supersedes": seqs, "new_understanding": text}
    return world.alice.ok("post", "tools/memory_rethink", body)


def test_a_consolidation_is_trusted_no_more_than_its_least_trusted_original(world):
    one, two = commit(world, "Jack writes German"), commit(world, "Jack writes English")
    believe(world, one["chunk_id"], 0.8)
    believe(world, two["chunk_id"], 0.2)
    made = rethink(world, [one["seq"], two["seq"]], "Jack writes both")
    assert trust(world, made["chunk_id"]) == 0.2

    believe(world, made["chunk_id"], 0.9)
    assert trust(world, made["chunk_id"]) == 0.2
    believe(world, made["chunk_id"], 0.1)
    assert trust(world, made["chunk_id"]) == 0.1


def test_through_another_consolidation_too(world):
    one, two, three = (commit(world, text) for text in ("Jack writes German", "Jack writes English", "Jack is ill"))
    believe(world, one["chunk_id"], 0.1)
    lower = rethink(world, [one["seq"], two["seq"]], "Jack writes both")
    believe(world, lower["chunk_id"], 0.9)
    upper = rethink(world, [lower["consolidationSeq"], three["seq"]], "Jack writes both and is ill")
    believe(world, upper["chunk_id"], 0.9)
    assert trust(world, upper["chunk_id"]) == 0.1
