"""A16: the effective memory has every approved edit applied."""

from memory.models import EffectiveChunk


def test_every_approved_edit_is_applied(world, noted):
    first, second, third = noted("Original", 0.5), noted("To be retracted", 0.7), noted("To be amended", 0.6)

    world.edit(first, "amend", text="Modified", importance=0.8)
    world.edit(second, "retract")
    world.edit(third, "attenuate", importance_delta=-0.3)

    read = world.alice.ok("post", "chunks/get", {"chunk_ids": [first, second, third]})["chunks"]
    assert [(chunk["chunk_id"], chunk["text"], chunk["importance"]) for chunk in read] == [
        (first, "Modified", 0.8),
        (third, "To be amended", 0.3),
    ]
    with world.inside():
        rows = {str(row.id): row for row in EffectiveChunk.objects.filter(tenant_id=world.tenant_id).defer("tenant")}
    assert [rows[each].is_retracted for each in (first, second, third)] == [False, True, False]
    assert [rows[each].is_quarantined for each in (first, second, third)] == [False] * 3
    assert [rows[each].blocked_channels for each in (first, second, third)] == [[]] * 3


def test_edits_of_every_kind_on_one_chunk_add_up(world, noted):
    chunk = noted("Original", 0.5)

    world.edit(chunk, "amend", text="Modified", importance=0.8)
    world.edit(chunk, "attenuate", importance_delta=-0.3)
    world.edit(chunk, "quarantine")
    world.edit(chunk, "block", channel="public")

    asked = {"chunk_ids": [chunk], "include_quarantined": True, "channel": "private"}
    (read,) = world.alice.ok("post", "chunks/get", asked)["chunks"]
    assert (read["text"], read["importance"], read["is_quarantined"], read["edits_applied"]) == (
        "Modified",
        0.5,
        True,
        4,
    )


def test_an_edit_that_waits_for_approval_changes_nothing(world):
    chunk = world.chunk("Original")

    edit = world.edit(chunk, "quarantine", by=world.alice)

    assert edit["status"] == "pending"
    assert world.found("original") == ["Original"]
