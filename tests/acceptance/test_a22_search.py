"""A22: POST /chunks/search returns chunks as they were corrected; `name OR info` is a query like any other."""


def test_search_returns_edited_chunks(world, noted):
    first, second = noted("Incorrect name", 0.5), noted("Correct info", 0.7)
    world.edit(first, "amend", text="Corrected name", importance=0.9)
    world.edit(second, "attenuate", importance_delta=-0.2)

    response = world.alice.post("chunks/search", {"query": "name OR info", "include_quarantined": False})

    assert response.status_code == 200
    found = response.json()["chunks"]
    shown = [(chunk["chunk_id"], chunk["text"], chunk["importance"], chunk["edits_applied"]) for chunk in found]
    assert shown == [(first, "Corrected name", 0.9, 1), (second, "Correct info", 0.5, 1)]
    order = [(chunk["rank"], chunk["importance"]) for chunk in found]
    assert order == sorted(order, reverse=True)
