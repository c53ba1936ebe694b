"""The admin lists what waits to be embedded and what could not be, and lets an admin try that again."""

from datetime import timedelta

import pytest

from memory.embedding import configured, jobs
from memory.embedding.protocol import TextRefused
from tests.admin.managing import acts_on, admin_of
from tests.embedding import FakeProvider, embed_all

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])


@pytest.fixture(autouse=True)
def provider(monkeypatch):
    """The configured provider, a fake one that refuses poison."""
    fake = FakeProvider()

    def refuse(texts):
        if any("poison" in text for text in texts):
            raise TextRefused("The service refused the text (status 400).")

    fake.fails = refuse
    monkeypatch.setattr(configured, "configured", lambda: fake)
    monkeypatch.setattr(jobs, "AGAIN_AFTER", timedelta(0))
    return fake


def test_it_works(world, desk, provider):
    good, bad = world.chunk("Good text", session_id="a"), world.chunk("A poison text", session_id="b")
    embed_all(world)

    page = desk(world.bob_name).client.get("/admin/memory/embeddingitem/").content.decode()

    assert bad in page
    assert good not in page
    assert "The service refused the text (status 400)." in page
    assert "poison" not in page
    assert "Isolated after failures" in desk(world.bob_name).client.get("/admin/").content.decode()
    assert acts_on(desk(world.bob_name).client, f"/admin/memory/embeddingitem/{bad}/change/") == []


def test_an_admin_tries_an_isolated_chunk_again(world, desk, provider):
    bad, waiting = world.chunk("A poison text", session_id="a"), world.chunk("Good text", session_id="b")
    embed_all(world)
    client = admin_of(world, desk)
    page = f"/admin/memory/embeddingitem/{bad}/change/"
    assert acts_on(client, page) == ["retry"]

    provider.fails = lambda texts: None
    answer = client.post(f"/admin/memory/embeddingitem/{bad}/retry/")

    assert answer.status_code == 302
    assert embed_all(world) == 1
    assert waiting not in client.get("/admin/memory/embeddingitem/").content.decode()


def test_an_admin_tries_all_again(world, desk, provider):
    for number in range(3):
        world.chunk(f"A poison text {number}", session_id=str(number))
    embed_all(world)

    provider.fails = lambda texts: None
    admin_of(world, desk).post("/admin/memory/embeddingitem/retry-all/")

    assert embed_all(world) == 3
