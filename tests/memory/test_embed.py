"""Chunks become vectors in the background, and a question finds them by meaning."""

from datetime import timedelta
from unittest.mock import ANY

import pytest
from django.core.cache import cache
from django.utils import timezone

from governance.acting import gate
from memory import maintenance
from memory.embedding import configured, db, jobs, queries, status
from memory.embedding.protocol import ProviderFailed, TextRefused
from memory.models import EmbeddingItem, EmbeddingModel
from tests.embedding import FakeProvider, embed_all, meant
from tests.erasure.conftest import admins_of
from tests.owning import as_owner

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_is_remembered(monkeypatch):
    cache.clear()
    queries.forget()
    monkeypatch.setattr(jobs, "AGAIN_AFTER", timedelta(0))
    yield
    queries.forget()


@pytest.fixture
def provider(monkeypatch):
    """The configured provider, a fake one; `provider_of` knows those that a test adds to `known`."""
    fake = FakeProvider()
    monkeypatch.setattr(configured, "configured", lambda: fake)
    monkeypatch.setattr(configured, "provider_of", lambda model: fake.known.get(model))
    return fake


def vectors(world):
    """The models by which each chunk is embedded."""
    with world.inside():
        found: dict[str, list[str]] = {}
        for row in gate.rows("SELECT * FROM testing.embeddings(%s)", [world.tenant_id]):
            found.setdefault(str(row["chunk_id"]), []).append(row["model"])
        return found


def queue(world, **conditions):
    with world.inside():
        return {str(row.id): row for row in EmbeddingItem.objects.filter(tenant_id=world.tenant_id, **conditions)}


def test_it_works(world):
    world.chunk("I bought a puppy for my daughter")
    world.chunk("The invoice of March is overdue")

    assert embed_all(world) == 2

    texts = [text for text, _ in meant(world, "Which animal did she get as a present?")]
    assert texts == ["I bought a puppy for my daughter", "The invoice of March is overdue"]
    assert queue(world) == {}
    with world.inside():
        assert EmbeddingModel.objects.get(tenant_id=world.tenant_id).is_complete


def test_what_nobody_wants_embedded_is_not(world, provider, noted):
    event = world.chunk("Not this", compute_embedding=False)
    summary = noted("Nor this", compute_embedding=False)
    wanted = world.chunk("But this")

    assert embed_all(world) == 1
    world.edit(event, "amend", text="Not this either")
    embed_all(world)

    assert set(vectors(world)) == {wanted}
    assert set(queue(world)) == {event, summary}


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_compute_embedding_is_true_or_false(world, value):
    answer = world.alice.post("events", {**world.draft("a text"), "compute_embedding": value})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["pointer"] == "#/compute_embedding"


def test_secret_memory_is_never_given_to_a_provider(world, provider):
    world.chunk("The launch code", sensitivity="secret")

    assert embed_all(world) == 0
    assert provider.asked == []
    assert queue(world) == {}


def test_a_chunk_is_embedded_with_the_turns_beside_it(world, provider):
    for text in ("Shall we meet?", "On Tuesday", "Fine by me"):
        world.chunk(text, session_id="talk")

    embed_all(world)

    (window,) = {text for text in provider.asked if text.count("\n") == 2}
    assert [line.split(": ")[1] for line in window.split("\n")] == ["Shall we meet?", "On Tuesday", "Fine by me"]


HIDING = [("amend", {"text": "other words"}), ("retract", {}), ("quarantine", {}), ("block", {"channel": "private"})]


@pytest.mark.parametrize(("op", "patch"), HIDING)
def test_what_is_hidden_leaves_no_vector_of_its_neighbours(world, provider, op, patch):
    before, hidden, after, far = [
        world.chunk(text, session_id="talk", ts=f"2026-01-0{day}T00:00:00Z")
        for day, text in enumerate(("turn one", "zebra", "turn three", "turn nine"), 1)
    ]
    embed_all(world)
    assert set(vectors(world)) == {before, hidden, after, far}

    world.edit(hidden, op, **patch)

    left = set(vectors(world))
    assert not {before, after} & left, "the vectors of the neighbours have the word"
    assert (hidden in left) == (op in ("quarantine", "block"))
    provider.asked.clear()
    embed_all(world)
    assert not [text for text in provider.asked if "zebra" in text and "turn" in text]
    assert {before, after} <= set(vectors(world))


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_an_erased_chunk_leaves_nothing(world, provider):
    before, erased, after = [world.chunk(text, session_id="talk") for text in ("turn one", "zebra", "turn three")]
    embed_all(world)

    admins_of(world).erase(by="chunk", id=erased)

    assert vectors(world) == {}
    assert set(queue(world)) == {before, after}
    provider.asked.clear()
    embed_all(world)
    assert not [text for text in provider.asked if "zebra" in text]
    assert set(vectors(world)) == {before, after}


def test_an_edit_while_a_chunk_is_embedded_wins(world, provider):
    chunk = world.chunk("The old words")
    provider.fails = lambda texts: world.edit(chunk, "amend", text="The new words") if provider.asked == texts else None

    embed_all(world)

    assert set(vectors(world)) == {chunk}
    assert meant(world, "new words")[0] == ("The new words", ANY)
    assert len(provider.asked) > 2


def test_a_poisonous_text_is_isolated_and_the_others_are_embedded(world, provider):
    good = [world.chunk(f"Good text {number}", session_id=f"s{number}") for number in range(5)]
    bad = world.chunk("A poison text", session_id="bad")

    def refuse(texts):
        if any("poison" in text for text in texts):
            raise TextRefused("The service refused the text (status 400).")

    provider.fails = refuse
    embed_all(world)

    assert set(vectors(world)) == set(good)
    (item,) = queue(world).values()
    assert (str(item.id), item.state, item.tries) == (bad, "isolated", jobs.TRIES)
    assert item.error == "The service refused the text (status 400)."
    with world.inside():
        progress = db.embedding_progress(tenant=world.tenant_id)
        assert (progress.waiting, progress.isolated, progress.vectors) == (0, 1, [5])

        provider.fails = lambda texts: None
        assert db.retry_embeddings(tenant=world.tenant_id, chunks=None) == 1
    assert embed_all(world) == 1


def test_a_text_on_which_the_worker_dies_is_isolated_too(world, provider):
    chunk = world.chunk("Deadly")
    for _ in range(jobs.TRIES):
        with gate.job(world.tenant_id, "embedding"):
            db.begin_embeddings(tenant=world.tenant_id, model="m/1", dimensions=3, limit=10)
            for again in (False, True):
                db.claim_embeddings(tenant=world.tenant_id, limit=1, lease=timedelta(0), again=again, most=jobs.TRIES)

    with gate.job(world.tenant_id, "embedding"):
        db.claim_embeddings(tenant=world.tenant_id, limit=1, lease=timedelta(0), again=True, most=jobs.TRIES)

    assert queue(world, state="isolated").keys() == {chunk}


def test_what_has_its_vectors_already_leaves_the_queue(world, provider):
    """One job stored them and could not take the chunk out, because another transaction held its place in the queue."""
    chunk = world.chunk("The same words")
    embed_all(world)
    with world.inside(), as_owner():
        EmbeddingItem.objects.create(tenant_id=world.tenant_id, id=chunk, due_at=timezone.now(), tries=1)
    provider.asked.clear()

    assert embed_all(world) == 0

    assert queue(world) == {}
    assert provider.asked == []
    assert set(vectors(world)) == {chunk}


def test_a_provider_that_is_down_stores_nothing_and_says_so(world, provider):
    chunk = world.chunk("Some words")

    def fail(texts):
        raise ProviderFailed("The service answered 503.")

    provider.fails = fail
    worked = jobs.run(seconds=5, among=[world.tenant_id])

    assert worked.failure == "The service answered 503."
    assert status.failure() == "The service answered 503."
    assert vectors(world) == {}
    (item,) = queue(world).values()
    assert (str(item.id), item.state, item.tries, item.error) == (chunk, "waiting", 0, "The service answered 503.")
    with gate.acting_as(world.alice_principal), pytest.raises(queries.QueryNotEmbedded, match="503"):
        queries.embed_query("words")
    asked = len(provider.asked)
    with gate.acting_as(world.alice_principal), pytest.raises(queries.QueryNotEmbedded, match="503"):
        queries.embed_query("other words")
    assert len(provider.asked) == asked, "the second search does not wait for the provider"

    queries.forget()
    provider.fails = lambda texts: None
    assert jobs.run(seconds=5, among=[world.tenant_id]).embedded == 1
    assert status.failure() is None


def test_a_question_is_embedded_once(world, provider):
    world.chunk("Some words")
    embed_all(world)
    provider.asked.clear()

    meant(world, "words")
    meant(world, "words")

    assert provider.asked == ["words"]


def test_a_tenant_without_vectors_asks_nobody(world, provider):
    with world.inside():
        gate.act_as(world.alice_principal)
        assert queries.embed_query("words") is None
    assert provider.asked == []


def test_while_the_model_changes_both_answer(world, provider, monkeypatch):
    old = [world.chunk(f"word{number} said", session_id=f"s{number}") for number in range(6)]
    embed_all(world)
    new = FakeProvider("fake/other/512", 512)
    monkeypatch.setattr(configured, "configured", lambda: new)
    monkeypatch.setattr(jobs, "BATCH", 2)
    provider.known[new.model] = new

    jobs.work(world.tenant_id)
    added = world.chunk("word9 said", session_id="s9")
    while queue(world, id=added):
        jobs.work(world.tenant_id)

    with world.inside():
        models = dict(EmbeddingModel.objects.filter(tenant_id=world.tenant_id).values_list("model", "is_complete"))
    if models.get(new.model) is False:
        assert meant(world, "word9")[0][0] == "word9 said"
        assert meant(world, "word0")[0][0] == "word0 said"
    embed_all(world)
    assert vectors(world) == {chunk: [new.model] for chunk in [*old, added]}
    assert meant(world, "word9")[0][0] == "word9 said"
    with world.inside():
        assert [row.model for row in EmbeddingModel.objects.filter(tenant_id=world.tenant_id)] == [new.model]


def test_vectors_of_another_model_or_length_are_never_compared(world, provider):
    world.chunk("Some words")
    embed_all(world)

    assert meant(world, "words")
    provider.model = "fake/another/384"
    provider.known.clear()
    queries.forget()
    with world.inside():
        gate.act_as(world.alice_principal)
        assert queries.embed_query("words") is None


@pytest.mark.parametrize(
    ("dimensions", "is_large"),
    [
        (384, False),
        (384, True),
        (3072, True),
        (100, True),
        *(
            pytest.param(dimensions, is_large, marks=pytest.mark.slow)
            for dimensions in (512, 768, 1024, 1536, 3072, 100)
            for is_large in (False, True)
            if not (is_large and dimensions in (3072, 100))
        ),
    ],
)
def test_as_many_results_come_back_as_asked_for(world, provider, dimensions, is_large):
    provider.model, provider.dimensions = f"fake/words/{dimensions}", dimensions
    texts = [f"apple number{number}" for number in range(30)]
    chunks = [
        world.chunk(text, session_id=text, subject_type="user", subject_id=f"u{i % 2}") for i, text in enumerate(texts)
    ]
    for chunk in chunks[:20]:
        world.edit(chunk, "quarantine")
    embed_all(world)
    if is_large:
        _pretend_that_it_is_large(world)

    before = index_scans(dimensions)
    assert {text for text, _ in meant(world, "apple", limit=10)} == set(texts[20:])
    assert (index_scans(dimensions) > before) == (is_large and dimensions != 100)
    assert {text for text, _ in meant(world, "apple", limit=5, subject_type="user", subject_id="u1")} == set(
        texts[21::2]
    )
    scores = [score for _, score in meant(world, "apple number25", limit=30, quarantined=True)]
    assert len(scores) == 30
    assert scores == sorted(scores, reverse=True)
    assert meant(world, "apple number25", limit=1) == [("apple number25", ANY)]


def index_scans(dimensions):
    """How often this transaction asked the index of vectors of that length."""
    name = f"embedding_near_{dimensions}"
    (row,) = gate.rows("SELECT pg_stat_get_xact_numscans(to_regclass(%s)) AS scans", [name])
    return row["scans"] or 0


def _pretend_that_it_is_large(world):
    """Have the index asked, as in a tenant of ten million chunks."""
    with world.inside(), as_owner():
        EmbeddingModel.objects.filter(tenant_id=world.tenant_id).update(row_count=10_000_000)


def test_the_reader_gets_no_more_than_search_gives(world, provider):
    world.chunk("apple for everybody", channel="public", session_id="a")
    blocked = world.chunk("apple for the team", channel="team", session_id="b")
    world.edit(blocked, "block", channel="public")
    embed_all(world)

    assert [text for text, _ in meant(world, "apple")] == ["apple for everybody"]


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_drift_is_found_and_repaired(world, provider, owner):
    right, wrong = [world.chunk(text, session_id=text) for text in ("one", "two")]
    embed_all(world)
    assert maintenance.find_drift(world.tenant_id) == []
    with world.inside("owner"):
        owner(
            "UPDATE memory_embedding SET content_id = gen_random_uuid() WHERE tenant_id = %s AND chunk_id = %s"
            " RETURNING id",
            [world.tenant_id, wrong],
        )

    (drift,) = maintenance.find_drift(world.tenant_id)
    assert (drift.kind, str(drift.id), drift.problem) == ("embedding", wrong, "of other words")
    assert maintenance.repair(world.tenant_id) == 1
    assert set(vectors(world)) == {right}
    embed_all(world)
    assert set(vectors(world)) == {right, wrong}
    assert maintenance.find_drift(world.tenant_id) == []


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_two_jobs_share_the_work(world, provider, at_once):
    chunks = {world.chunk(f"text {number}", session_id=f"s{number}") for number in range(12)}

    embedded = at_once(lambda: embed_all(world), lambda: embed_all(world))

    assert sum(embedded) == len(chunks)
    assert set(vectors(world)) == chunks


def test_the_worker_takes_a_tenant_with_something_to_do(world, provider):
    world.chunk("Some words")

    assert world.tenant_id in {one.tenant_id for one in jobs.tenants()}
    embed_all(world)
    assert world.tenant_id not in {one.tenant_id for one in jobs.tenants()}


def test_the_web_role_reads_no_vector(world):
    for privilege in ("SELECT", "INSERT", "UPDATE"):
        (held,) = gate.rows(
            "SELECT has_any_column_privilege('suture_app', 'memory_embedding', %s) AS held", [privilege]
        )
        assert not held["held"]
