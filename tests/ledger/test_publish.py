"""Tree heads: how far the ledger has come, signed and put where the database cannot reach; and only if it is true."""

import http.server
import itertools
import os
import threading
from typing import Any

import pytest

from governance.ledger import keyring, published_tree_heads, sealing, tree_heads
from governance.ledger.tree import StoredTree
from suture_verify import merkle
from suture_verify.notes import parse_notes
from tests.ledger.tampering import (
    append,
    assert_intact,
    change_entry,
    entries,
    head,
    leaves,
    lived_in,
    rewrite,
    seal,
    set_head,
    tamper,
)

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def notes(world):
    return parse_notes(published_tree_heads.path_of(world.tenant_id).read_text())


def test_it_works(world):
    lived_in(world)

    (note,) = notes(world)
    tree_head, tip = note.tree_head, head(world)
    assert tree_head.origin == f"suture/{world.tenant_id}"
    assert (tree_head.seq, tree_head.head) == (tip.seq, bytes(tip.head))
    hashes = [bytes(leaf.hash) for leaf in leaves(world)]
    assert (tree_head.size, tree_head.root) == (len(hashes), merkle.root_of(hashes))
    assert note.verify([keyring.current().public]) == keyring.current().public


def test_nothing_is_published_before_the_first_seal_or_without_news(world):
    assert tree_heads.publish(world.tenant_id) is None
    lived_in(world)

    assert tree_heads.publish(world.tenant_id) is None
    assert len(notes(world)) == 1


def test_notes_are_appended_and_each_tree_is_the_beginning_of_the_next(world):
    file = published_tree_heads.path_of(world.tenant_id)
    before = b""
    for number in range(4):
        world.event(f"Message {number}")
        seal(world)
        now = file.read_bytes()
        assert now.startswith(before)
        before = now

    found = [note.tree_head for note in notes(world)]
    assert len(found) == 4
    with world.inside():
        tree = StoredTree(world.tenant_id)
        for old, new in itertools.pairwise(found):
            path = merkle.consistency_path(old.size, new.size, tree.subtree)
            assert merkle.verify_consistency(old.size, new.size, old.root, new.root, path)


def test_entries_without_new_rows_are_published_too(world):
    lived_in(world)
    append(world)
    seal(world)

    one, other = (note.tree_head for note in notes(world))
    assert (one.size, other.size - one.size, other.seq - one.seq) == (other.size, 0, 1)


def test_two_publishers_at_once_write_one_note(world, at_once):
    world.event("A message")
    sealing.seal_all(world.tenant_id)

    answers = at_once(*[lambda: tree_heads.publish(world.tenant_id)] * 4)

    assert sum(answer is not None for answer in answers) == 1, answers
    assert len(notes(world)) == 1


# -- What is not signed.


def assert_refused(world, reason):
    before = published_tree_heads.path_of(world.tenant_id).read_bytes()
    with pytest.raises(tree_heads.TreeHeadRefused, match=reason):
        tree_heads.publish(world.tenant_id)
    assert published_tree_heads.path_of(world.tenant_id).read_bytes() == before


@pytest.fixture
def sealed(world):
    """A published ledger with new rows, sealed and not published yet."""
    lived_in(world)
    world.edit(world.chunk("A second chunk"), "amend", text="Corrected")
    sealing.seal_all(world.tenant_id)
    return world


def new_leaf(world, kind):
    return next(leaf for leaf in reversed(leaves(world)) if leaf.kind == kind)


@pytest.mark.parametrize(
    ("kind", "table", "assignment"),
    [
        ("chunk", "memory_chunk", "importance = 0.99"),
        ("event", "memory_event", "actor_id = 'somebody else'"),
        ("edit", "governance_edit", "reason = 'another'"),
    ],
)
def test_a_changed_row_is_not_signed(sealed, kind, table, assignment):
    row = new_leaf(sealed, kind).row_id
    tamper(table, f"UPDATE {table} SET {assignment} WHERE tenant_id = %s AND id = %s", sealed.tenant_id, row)

    assert_refused(sealed, f"The {kind} {row} was changed after it was sealed")


def test_a_changed_leaf_is_not_signed(sealed):
    position = leaves(sealed)[-1].position
    tamper(
        "governance_leaf",
        "UPDATE governance_leaf SET hash = sha256('') WHERE tenant_id = %s AND position = %s",
        sealed.tenant_id,
        position,
    )

    assert_refused(sealed, "was changed after it was sealed")


def test_a_changed_root_is_not_signed(sealed, owner):
    with sealed.inside("owner"):
        owner("UPDATE governance_merkletree SET root = sha256('') WHERE tenant_id = %s RETURNING 1", [sealed.tenant_id])

    assert_refused(sealed, "do not match the root")


def test_a_changed_entry_is_not_signed(sealed):
    change_entry(sealed, entries(sealed)[-2].seq, "canonical = canonical || ' '::bytea")

    assert_refused(sealed, "does not follow the previous entry")


def test_a_changed_head_is_not_signed(sealed):
    change_entry(sealed, entries(sealed)[-1].seq, "canonical = canonical || ' '::bytea")

    assert_refused(sealed, "is not its last entry")


def test_a_missing_entry_is_not_signed(sealed):
    set_head(sealed, entries(sealed)[-3].seq)
    change_entry(sealed, entries(sealed)[-3].seq, "seq = -5")

    assert_refused(sealed, "is not its last entry")


def test_another_history_than_was_published_is_not_signed(sealed):
    rewrite(sealed, 5, type="nothing.happened")

    assert_refused(sealed, "has a different entry")


def test_other_rows_than_were_published_are_not_signed(sealed):
    tamper(
        "governance_leaf",
        "UPDATE governance_leaf SET hash = sha256('') WHERE tenant_id = %s AND position = 1",
        sealed.tenant_id,
    )

    assert_refused(sealed, "differ from those of an earlier tree head")


def test_fewer_rows_than_were_published_are_not_signed(sealed, owner):
    with sealed.inside("owner"):
        owner("UPDATE governance_merkletree SET size = 3 WHERE tenant_id = %s RETURNING 1", [sealed.tenant_id])

    assert_refused(sealed, "has fewer than")


# -- The file.


@pytest.mark.parametrize("kept", [60, *(pytest.param(kept, marks=pytest.mark.slow) for kept in (3, 140, -2))])
def test_a_note_that_a_crash_cut_short_is_replaced_by_the_next(world, restarted, kept):
    lived_in(world)
    file = published_tree_heads.path_of(world.tenant_id)
    first = file.read_bytes()
    world.event("A message")
    seal(world)
    second = file.read_bytes()[len(first) :]
    file.write_bytes(first + second[:kept])
    restarted()

    append(world)
    seal(world)

    assert file.read_bytes().startswith(first)
    assert len(notes(world)) == 2
    assert_intact(world)


def test_a_full_disk_leaves_whole_notes(world, monkeypatch):
    lived_in(world)
    file = published_tree_heads.path_of(world.tenant_id)
    first = file.read_bytes()
    world.event("A message")
    sealing.seal_all(world.tenant_id)
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:50]))

    with pytest.raises(OSError, match="No space left"):
        tree_heads.publish(world.tenant_id)
    monkeypatch.undo()

    assert file.read_bytes() == first


# -- Sinks.


class Sink(http.server.BaseHTTPRequestHandler):
    """Keeps what it is sent; answers with its server's status."""

    server: Any

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.taken.append((self.path, self.headers["Content-Type"], body.decode()))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *arguments):
        """Nothing: the test looks at what was taken."""


@pytest.fixture
def sink():
    server: Any
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sink) as server:
        server.taken, server.status = [], 204
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def address(sink):
    return f"http://127.0.0.1:{sink.server_address[1]}/notes?token=secret"


@pytest.mark.parametrize("prefix", ["", "file://"])
def test_notes_go_to_files_and_servers_too(world, settings, sink, tmp_path, prefix):
    kept = tmp_path / "elsewhere" / "notes.txt"
    settings.TREE_HEAD_SINKS = [f"{prefix}{kept}", address(sink)]
    lived_in(world)
    world.event("A message")
    seal(world)

    assert kept.read_bytes() == published_tree_heads.path_of(world.tenant_id).read_bytes()
    assert [body for _, _, body in sink.taken] == [note.text for note in notes(world)]
    assert {(path, kind) for path, kind, _ in sink.taken} == {("/notes?token=secret", "text/plain; charset=utf-8")}
    assert_intact(world, "--trusted-tree-head", str(kept))


def test_a_sink_that_fails_hurts_nobody_and_is_told_of_without_its_address(world, settings, sink, tmp_path, caplog):
    kept = tmp_path / "notes.txt"
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sink) as gone:
        closed = address(gone)
    sink.status = 500
    settings.TREE_HEAD_SINKS = [closed, address(sink), "http://[wrong", str(tmp_path), str(kept)]
    lived_in(world)

    assert parse_notes(kept.read_text()) == notes(world)
    told = [record.getMessage() for record in caplog.records if record.name == "suture.tree_heads"]
    assert [f"sink {number} did not" in message for number, message in enumerate(told, 1)] == [True] * 4, told
    assert "secret" not in "".join(told)

    sink.status = 204
    world.event("A message")
    seal(world)
    assert sink.taken[-1][2] == notes(world)[-1].text
