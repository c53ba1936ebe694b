"""Tiers in the admin: the list, the acts on a chunk, the candidates, the log, and the thresholds."""

import pytest

from governance.models import PolicyChange
from tests.admin.conftest import Desk
from tests.admin.managing import admin_of
from tests.tiers.usage import DAY, NOW

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

CHUNKS = "/admin/memory/effectivechunk/"
CANDIDATES = "/admin/memory/promotion/candidates/"
POLICY = "/admin/governance/policychange/"


@pytest.fixture
def desk():
    return Desk


@pytest.fixture
def bob(world):
    """The browser of a reviewer."""
    return Desk(world.bob_name).client


@pytest.fixture
def auditor(world):
    return Desk(world.bob_name.replace("bob", "auditor")).client


def test_the_list_shows_the_tier_and_filters_by_it(world, usage, bob):
    kept, other = world.chunk(), world.chunk("Another")
    usage.put_in(kept, "longterm")
    page = bob.get(f"{CHUNKS}?tier__exact=longterm").content.decode()
    assert "longterm" in page
    assert kept[-8:] in page
    assert other[-8:] not in page


def test_a_reviewer_moves_and_restores_a_chunk(world, usage, bob):
    chunk = world.chunk()
    page = bob.get(f"{CHUNKS}{chunk}/change/").content.decode()
    assert f"{CHUNKS}{chunk}/promote/" in page
    assert f"{CHUNKS}{chunk}/restore/" not in page
    answer = bob.post(f"{CHUNKS}{chunk}/promote/", {"tier": "archive", "reason": "Nobody needs it"})
    assert (answer.status_code, usage.tier(chunk)) == (302, "archive")
    page = bob.get(f"{CHUNKS}{chunk}/change/").content.decode()
    assert f"{CHUNKS}{chunk}/restore/" in page
    assert f"{CHUNKS}{chunk}/promote/" not in page
    answer = bob.post(f"{CHUNKS}{chunk}/restore/", {"tier": "longterm", "reason": "Jack is back"}, follow=True)
    assert "moved from archive to longterm" in answer.content.decode()
    assert [one.reason for one in usage.moves(chunk)] == ["Nobody needs it", "Jack is back"]


def test_a_refusal_is_shown_with_its_reason(world, usage, bob):
    chunk = world.chunk()
    world.edit(chunk, "retract")
    answer = bob.post(f"{CHUNKS}{chunk}/promote/", {"tier": "longterm", "reason": "a test"})
    assert (answer.status_code, usage.tier(chunk)) == (409, "task")
    assert "Revert the retract first" in answer.content.decode()
    answer = bob.post(f"{CHUNKS}{chunk}/promote/", {"tier": "longterm", "reason": ""})
    assert answer.status_code == 400


def test_an_auditor_sees_and_moves_nothing(world, auditor):
    chunk = world.chunk()
    assert f"{CHUNKS}{chunk}/promote/" not in auditor.get(f"{CHUNKS}{chunk}/change/").content.decode()
    assert auditor.post(f"{CHUNKS}{chunk}/promote/", {"tier": "session", "reason": "a test"}).status_code == 403
    assert auditor.get(CANDIDATES).status_code == 200
    assert auditor.get("/admin/memory/promotion/").status_code == 200


def test_the_candidates_say_why(world, usage, bob):
    goes, stays, waits = world.chunk(), world.chunk("Another"), world.chunk("A third")
    usage.put_in(waits, "longterm", at=NOW - DAY)
    usage.used(stays, "one")
    usage.run()
    usage.used(goes, "one", times=2, at=NOW - DAY)
    usage.due(goes, NOW - DAY)
    page = bob.get(CANDIDATES).content.decode()
    assert "moves to session" in page
    assert "Uses within one session: 1; needs 2." in page
    assert "more than 90 days without use" in page
    assert "delivered to agents 2 times in 1 session" in page
    page = bob.get(f"{CANDIDATES}?would_move=true").content.decode()
    assert goes[-8:] in page
    assert stays[-8:] not in page
    assert "No memory matches" in bob.get(f"{CANDIDATES}?tier=archive").content.decode()


def test_the_log_shows_each_move_with_what_it_rests_on(world, usage, bob):
    chunk = world.chunk()
    usage.used(chunk, "one", times=2)
    usage.run()
    (move,) = usage.moves(chunk)
    page = bob.get("/admin/memory/promotion/").content.decode()
    assert chunk[-8:] in page
    assert "Used often enough in one session." in page
    page = bob.get(f"/admin/memory/promotion/{move.id}/change/").content.decode()
    assert "delivered to agents 2 times in 1 session" in page
    assert "uses_in_session 2" in page
    assert bob.get("/admin/memory/promotion/?kind__exact=manual").content.decode().count(chunk[-8:]) == 0


def test_another_tenant_is_not_shown(world, elsewhere, usage, bob):
    from tests.tiers.usage import Usage

    theirs = Usage(elsewhere)
    chunk = elsewhere.chunk()
    theirs.used(chunk, "one", times=2)
    theirs.run()
    assert chunk[-8:] not in bob.get(CANDIDATES).content.decode()
    assert bob.get(f"/admin/memory/promotion/{theirs.moves(chunk)[0].id}/change/").status_code == 404


def thresholds(**changed):
    standard = {"uses_in_session": 2, "sessions": 3, "successes": 1, "confidence": "0.8", "confidence_days": 7}
    return {**standard, "unused_days": 90, "low_trust": "0.3", "promoting_agents": "", "reason": "a test", **changed}


def test_an_admin_changes_the_thresholds(world, desk):
    root = admin_of(world, desk)
    assert "Thresholds of promotion" in root.get(POLICY).content.decode()
    assert 'value="0.8"' in root.get(f"{POLICY}change-promotion/").content.decode()
    assert root.post(f"{POLICY}change-promotion/", thresholds(sessions=5, unused_days=30)).status_code == 302
    with world.inside():
        change = PolicyChange.objects.get(tenant_id=world.tenant_id, promotion__isnull=False)
    assert (change.promotion, change.needs_second) == ({"sessions": 5, "unused_days": 30}, False)
    assert "<td>5</td>" in root.get(POLICY).content.decode()
    assert "Sessions: 5" in root.get(f"{POLICY}{change.id}/change/").content.decode()
    weaker = root.post(
        f"{POLICY}change-promotion/", thresholds(sessions=5, unused_days=30, low_trust="0.1"), follow=True
    )
    assert "takes effect at" in weaker.content.decode()


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, "Change at least one"),
        ({"sessions": 0}, "greater than or equal to 1"),
        ({"confidence": "1.5"}, "less than or equal to 1"),
        ({"promoting_agents": "nobody"}, "There is no agent"),
        ({"sessions": 4, "reason": ""}, "required"),
    ],
)
def test_a_bad_threshold_is_refused_with_its_reason(world, desk, changed, told):
    answer = admin_of(world, desk).post(f"{POLICY}change-promotion/", thresholds(**changed))
    assert answer.status_code == 400
    assert told in answer.content.decode()
