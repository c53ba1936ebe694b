"""A18 and A23: the timeline around a chunk, bounded in time, with corrected words."""


def test_the_timeline_has_signed_distances_and_corrected_text(world):
    center = world.chunk("Center event", ts="2025-02-10T12:00:00Z")
    before = world.chunk("Before event", ts="2025-02-10T11:30:00Z")
    after = world.chunk("After event", ts="2025-02-10T12:30:00Z")
    world.edit(before, "amend", text="Before event (corrected)")

    answer = world.alice.ok("get", f"chunks/{center}/timeline?window_seconds=3600")

    found = {chunk["chunk_id"]: (chunk["text"], chunk["distance_seconds"]) for chunk in answer["chunks"]}
    assert found == {
        center: ("Center event", 0),
        before: ("Before event (corrected)", -1800),
        after: ("After event", 1800),
    }
    distances = [abs(chunk["distance_seconds"]) for chunk in answer["chunks"]]
    assert distances == sorted(distances)


def test_the_timeline_holds_what_lies_within_the_window_and_no_more(world):
    center = world.chunk("center", ts="2025-02-10T12:00:00Z")
    near = [world.chunk(f"before {minute}", ts=f"2025-02-10T11:{minute:02}:00Z") for minute in (5, 15, 25, 35, 45)]
    near += [world.chunk(f"after {minute}", ts=f"2025-02-10T12:{minute:02}:00Z") for minute in (10, 20, 30)]
    for moment in ("2025-02-10T10:59:59Z", "2025-02-10T13:00:01Z", "2025-02-09T12:00:00Z"):
        world.chunk("distant", ts=moment)
    world.edit(near[0], "amend", text="before, corrected")
    world.edit(near[7], "amend", text="after, corrected")

    response = world.alice.get(f"chunks/{center}/timeline?window_seconds=3600")

    assert response.status_code == 200
    answer = response.json()
    assert answer["around_chunk_id"] == center
    assert answer["center_ts"] == "2025-02-10T12:00:00Z"
    assert answer["window_seconds"] == 3600
    assert {chunk["chunk_id"] for chunk in answer["chunks"]} == {center, *near}
    assert len(answer["chunks"]) == 9
    texts = {chunk["chunk_id"]: chunk["text"] for chunk in answer["chunks"]}
    assert (texts[near[0]], texts[near[7]]) == ("before, corrected", "after, corrected")
    distances = [abs(chunk["distance_seconds"]) for chunk in answer["chunks"]]
    assert distances == sorted(distances)
    assert answer["chunks"][0]["chunk_id"] == center
