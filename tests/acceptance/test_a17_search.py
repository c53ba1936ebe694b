"""A17: full text search respects scope, subject and edits."""


def test_search_respects_subject_and_quarantine_and_orders_its_results(world, noted):
    jack = [noted(f"Jack asked about billing, call {number}", number / 20) for number in range(20)]
    for number in range(15):
        noted(f"Jane asked about billing, call {number}", subject_id="jane-smith-456")
    for number in range(10):
        world.chunk(f"The billing project, note {number}", content={"scope": "project", "project_id": "project-alpha"})
    for chunk in jack[:5]:
        world.edit(chunk, "quarantine")
    best = noted("billing billing billing", 0.1)

    answer = world.alice.ok(
        "post",
        "chunks/search",
        {
            "query": "billing",
            "subject_type": "user",
            "subject_id": "jack-doe-123",
            "scope": "user",
            "include_quarantined": False,
            "limit": 200,
        },
    )

    found = answer["chunks"]
    assert answer["total_count"] == len(found) == 16
    assert {chunk["subject_id"] for chunk in found} == {"jack-doe-123"}
    assert {chunk["chunk_id"] for chunk in found} == {*jack[5:], best}
    assert found[0]["chunk_id"] == best
    order = [(chunk["rank"], chunk["importance"], chunk["ts"]) for chunk in found]
    assert order == sorted(order, reverse=True)
    assert [chunk["importance"] for chunk in found[1:]] == [number / 20 for number in range(19, 4, -1)]


def test_equal_rank_and_importance_are_ordered_by_time(world):
    for hour in (9, 11, 10):
        world.chunk(f"billing at {hour}", ts=f"2025-02-10T{hour:02}:00:00Z")

    assert world.found("billing") == ["billing at 11", "billing at 10", "billing at 9"]
