"""How far the embeddings are: the command, readiness and metrics."""

import io
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from prometheus_client import REGISTRY

from memory import tasks
from memory.embedding import configured, jobs, queries, status
from memory.embedding.protocol import ProviderFailed, TextRefused
from memory_project.readiness import broker
from memory_project.readiness.outcomes import Degraded
from tests.embedding import FakeProvider

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def provider(monkeypatch):
    """The configured provider, a fake one that refuses poison."""
    cache.clear()
    queries.forget()
    fake = FakeProvider()

    def refuse(texts):
        if any("poison" in text for text in texts):
            raise TextRefused("The service refused the text (status 400).")

    fake.fails = refuse
    monkeypatch.setattr(configured, "configured", lambda: fake)
    monkeypatch.setattr(configured, "provider_of", lambda model: None)
    monkeypatch.setattr(jobs, "AGAIN_AFTER", timedelta(0))
    return fake


def run(world, *flags):
    out = io.StringIO()
    call_command("embed", "--tenant", world.slug, *flags, stdout=out)
    return out.getvalue()


def embedding_check():
    try:
        return {"status": "ok", "detail": broker.check_embedding()}
    except Degraded as reason:
        return {"status": "degraded", "detail": str(reason)}


def test_it_works(world):
    world.chunk("Good text")

    assert f"{world.slug}: 1 waiting (the oldest for " in run(world, "--progress")
    said = run(world)

    assert "1 chunks embedded in " in said
    assert f"{world.slug}: 0 waiting, 0 isolated, 0 excluded; embedded: 1 by fake/words/384" in said


def test_what_failed_is_listed_without_its_words_and_tried_again(world, provider):
    chunk = world.chunk("A poison text")

    said = run(world)
    assert f"{world.slug}: chunk {chunk} isolated after 3 attempts: The service refused the text (status 400)." in said
    assert "poison" not in said

    provider.fails = lambda texts: None
    said = run(world, "--retry")
    assert f"{world.slug}: 1 isolated chunks will be retried" in said
    assert "1 chunks embedded" in said


def test_a_failure_of_the_provider_ends_the_command(world, provider):
    world.chunk("Good text")

    def fail(texts):
        raise ProviderFailed("The embedding service answered 503.")

    provider.fails = fail
    with pytest.raises(CommandError, match=r"The provider fails, after 0 chunks: The embedding service answered 503\."):
        run(world)


def test_an_unknown_tenant_is_named():
    with pytest.raises(CommandError, match="nowhere"):
        call_command("embed", "--tenant", "nowhere")


def test_readiness_says_how_far_it_is_and_what_fails():
    assert embedding_check() == {"status": "ok", "detail": "nothing was embedded in the last hour"}
    status.note_run(status.Run(waiting=7, isolated=0, per_second=21.5))
    assert embedding_check() == {"status": "ok", "detail": "7 chunks wait, 21.5 embedded a second"}
    status.note_run(status.Run(waiting=7, isolated=2, per_second=0))
    assert embedding_check()["status"] == "degraded"
    status.note_failure("The embedding service answered 503.")
    assert embedding_check() == {
        "status": "degraded",
        "detail": "the provider fails, so search uses keywords only: The embedding service answered 503.",
    }


def test_readiness_says_that_it_is_off(monkeypatch):
    monkeypatch.setattr(configured, "configured", lambda: None)

    assert embedding_check() == {"status": "ok", "detail": "off"}


def test_the_task_counts_what_it_did(world, monkeypatch, settings, tmp_path):
    world.chunk("Good text", session_id="a")
    world.chunk("A poison text", session_id="b")
    settings.SUTURE_HOME = tmp_path
    waiting = jobs.tenants
    monkeypatch.setattr(jobs, "tenants", lambda: [one for one in waiting() if one.tenant_id == world.tenant_id])
    before = REGISTRY.get_sample_value("suture_embedded_chunks_total") or 0

    tasks.embed()

    assert REGISTRY.get_sample_value("suture_embedded_chunks_total") == before + 1
    assert REGISTRY.get_sample_value("suture_embedding_waiting") == 0
    assert REGISTRY.get_sample_value("suture_embedding_isolated") == 1


def test_no_more_jobs_run_at_once_than_there_are_places(settings, tmp_path):
    settings.SUTURE_HOME = tmp_path
    with jobs.slot() as first, jobs.slot() as second:
        assert (first, second) == (True, False)
    with jobs.slot() as again:
        assert again
