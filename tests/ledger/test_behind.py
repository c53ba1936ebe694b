"""A database that lacks what was published is not written into."""

import pytest

from governance.ledger import published_tree_heads, status
from tests.factories import EditFactory
from tests.ledger.tampering import append, assert_intact, cut, entries, lived_in, rewrite, seal, writes_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def write(world):
    return world.bob.post("edits", edit_of(world))


def edit_of(world):
    return EditFactory(target_id=world.written, op="quarantine")


@pytest.fixture
def known(world):
    """A published ledger, and a chunk to be edited."""
    lived_in(world)
    world.written = world.chunk("A chunk to be edited")
    seal(world)
    append(world, 2)
    seal(world)
    return world


def assert_reads_only(world, reason):
    before = len(entries(world))
    answer = write(world)
    assert answer.status_code == 503
    problem = answer.json()
    assert problem["type"].endswith("ledger-is-behind")
    assert "manage.py check_ledger" in problem["detail"]
    assert not answer.has_header("Retry-After")
    told = status.obstacles()[world.slug]
    assert reason in told
    assert "Restore a newer backup" in told
    # the operator learns which file it is, and a client does not
    assert str(published_tree_heads.path_of(world.tenant_id)) in told
    assert str(published_tree_heads.path_of(world.tenant_id)) not in problem["detail"]
    assert world.found("edited") == ["A chunk to be edited"]
    assert world.auditor.get("edits").status_code == 200
    assert world.auditor.get("ledger/tree-head").status_code == 200
    assert len(entries(world)) == before


def test_it_works(known, restarted):
    restarted()
    assert write(known).status_code == 201
    assert_intact(known)


def test_no_write_is_taken(known, restarted):
    """Those without an entry of their own either: what they store would never be sealed."""
    cut(known, entries(known)[-1].seq - 1)
    restarted()

    for path, body in writes_of(known).items():
        answer = known.alice.post(path, body)
        assert (answer.status_code, answer.json()["type"].rsplit(":", 1)[-1]) == (503, "ledger-is-behind"), path
    assert known.found("unsealed") == []


def test_a_restored_backup_is_read_only(known, restarted):
    tip = entries(known)[-1].seq
    cut(known, tip - 1)
    restarted()

    assert_reads_only(known, f"has no entry {tip} of the governance chain")


def test_a_replaced_entry_makes_it_read_only(known, restarted):
    tip = entries(known)[-1].seq
    rewrite(known, tip, type="nothing.happened")
    restarted()

    assert_reads_only(known, f"has a different entry {tip} of the governance chain")


def test_lost_rows_make_it_read_only(known, restarted, owner):
    note = published_tree_heads.last(known.tenant_id)
    assert note is not None
    size = note.tree_head.size
    with known.inside("owner"):
        owner("UPDATE governance_merkletree SET size = 2 WHERE tenant_id = %s RETURNING 1", [known.tenant_id])
    restarted()

    assert_reads_only(known, f"has fewer than {size} sealed rows")


def test_moving_the_file_away_allows_writing(known, restarted):
    cut(known, entries(known)[-1].seq - 1)
    restarted()
    assert write(known).status_code == 503

    file = published_tree_heads.path_of(known.tenant_id)
    file.rename(f"{file}.old")

    assert write(known).status_code == 201
    seal(known)
    assert_intact(known)


def test_a_tenant_whose_ledger_is_whole_is_written_into_beside_one_that_is_not(known, elsewhere, restarted):
    elsewhere.written = elsewhere.chunk("A chunk to be edited")
    seal(elsewhere)
    cut(known, entries(known)[-1].seq - 1)
    restarted()

    assert write(known).status_code == 503
    assert write(elsewhere).status_code == 201


@pytest.mark.parametrize("content", ["no tree head\n", "\x00" * 300, "suture/x\n1\nAAAA\n\n— suture AAAA\n\n"])
def test_a_file_that_cannot_be_read_makes_it_read_only_and_says_so(known, restarted, content):
    published_tree_heads.path_of(known.tenant_id).write_text(content)
    restarted()

    answer = write(known)
    assert answer.status_code == 503
    assert answer.json()["type"].endswith("tree-heads-unreadable")
    assert str(published_tree_heads.path_of(known.tenant_id)) in status.obstacles()[known.slug]
    assert str(published_tree_heads.path_of(known.tenant_id)) not in answer.json()["detail"]
    assert known.found("edited") == ["A chunk to be edited"]


def test_what_stands_in_the_way_is_told_by_tenant(known, elsewhere, restarted, monkeypatch):
    monkeypatch.setattr(
        "governance.acting.gate.tenants",
        lambda using="default": {known.slug: known.tenant_id, elsewhere.slug: elsewhere.tenant_id},
    )
    assert status.obstacles() == {}
    cut(known, entries(known)[-1].seq - 1)
    restarted()

    assert set(status.obstacles()) == {known.slug}
