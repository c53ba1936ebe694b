"""Whatever the owner of the tables changes behind the guards, verification names its kind and place, and fails."""

import io
import secrets
from hashlib import sha256
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import CommandError, call_command

from governance.ledger import keyring, published_tree_heads, verification
from suture_verify import notes
from suture_verify.verifier import verify_export
from tests.ledger.tampering import (
    FLIP,
    append,
    assert_found,
    assert_intact,
    change_entry,
    cut,
    delete_entries,
    entries,
    exported,
    head,
    rewrite,
    seal,
    set_head,
    tamper,
    unguarded,
    verify_chain,
)

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]


def forget_published(world):
    """What is published on this machine is no witness: whoever rewrites the database can rewrite that file."""
    published_tree_heads.path_of(world.tenant_id).unlink()


def seq_of(world, type):
    """The number of an entry of this type."""
    return next(entry.seq for entry in entries(world) if entry.type == type)


# -- A clean ledger.


def test_it_works(world, kept):
    code, told = verify_chain(world, "--trusted-tree-head", str(kept))

    assert code == 0
    assert f"{world.slug}: " in told
    assert "2 tree heads compared: intact" in told
    verified = entries(world)[-1]
    assert verified.type == "ledger.verified"
    assert (verified.metadata["findings"], verified.metadata["first"]) == (0, None)
    assert_intact(world)


def test_what_is_sealed_and_published_meanwhile_is_no_finding(world, kept):
    published_meanwhile: list[Any] = []

    def go_on(part, done, total):
        if not published_meanwhile:
            world.event("Recorded while the ledger is verified")
            published_meanwhile.append(seal(world))

    before = len(notes.parse_notes(kept.read_text()))
    report = verification.verify(world.tenant_id, progress=go_on)
    assert len(notes.parse_notes(published_tree_heads.path_of(world.tenant_id).read_text())) == before + 1
    assert (report.findings, report.tree_heads) == ((), before)
    assert_intact(world)


def test_one_agents_chain_can_be_asked_for(world, kept):
    assert_intact(world, "--agent", "alice")
    with pytest.raises(CommandError, match="no chain agent:nobody"):
        verify_chain(world, "--agent", "nobody")


def test_an_agents_chain_fails_for_its_own_entries_only(world, kept):
    tamper(
        "governance_entry",
        "UPDATE governance_entry SET type = 'x' WHERE tenant_id = %s AND chain_id = %s AND seq = 2",
        world.tenant_id,
        head(world, "agent:alice").id,
    )

    assert_found(world, "content mismatch: agent:alice at 2", "--agent", "alice")
    assert_found(world, "content mismatch: agent:alice at 2")
    set_right = "UPDATE governance_entry SET type = 'test' WHERE tenant_id = %s AND chain_id = %s AND seq = 2"
    tamper("governance_entry", set_right, world.tenant_id, head(world, "agent:alice").id)
    change_entry(world, 2, "type = 'x'")
    code, _ = verify_chain(world, "--agent", "alice")
    assert code == 0


def test_a_tree_head_of_another_tenant_is_refused(world, elsewhere, kept):
    with pytest.raises(CommandError, match="does not belong to the tenant"):
        call_command("verify_chain", "--tenant", elsewhere.slug, "--trusted-tree-head", str(kept))


@pytest.mark.parametrize("text", ["no note at all", "", "suture/x\n1\n"])
def test_a_file_that_holds_no_tree_head_is_refused(world, kept, text):
    kept.write_text(text)
    with pytest.raises(CommandError, match=r"kept\.txt"):
        verify_chain(world, "--trusted-tree-head", str(kept))


def test_a_file_that_is_not_there_is_refused(world, tmp_path):
    with pytest.raises(CommandError, match="No such file"):
        verify_chain(world, "--trusted-tree-head", str(tmp_path / "none.txt"))


def test_a_tenant_that_is_not_there_is_refused():
    with pytest.raises(CommandError, match="no tenant 'nowhere'"):
        call_command("verify_chain", "--tenant", "nowhere")


def test_every_tenant_is_verified_and_one_that_is_not_whole_fails_all(world, elsewhere, monkeypatch):
    monkeypatch.setattr(
        "governance.acting.gate.tenants", lambda: {world.slug: world.tenant_id, elsewhere.slug: elsewhere.tenant_id}
    )
    append(elsewhere, 2)
    change_entry(world, 3, "type = 'x'")

    output = io.StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("verify_chain", stdout=output, no_color=True)

    assert end.value.code == 1
    assert "content mismatch: governance at 3" in output.getvalue()
    assert any(line.startswith(elsewhere.slug) and ": intact (" in line for line in output.getvalue().splitlines())


# -- One bit.


def place_of(world, where):
    tip = entries(world)[-1].seq
    return {"genesis": 0, "middle": tip // 2, "tip": tip}[where]


@pytest.mark.parametrize("where", ["genesis", "middle", "tip"])
@pytest.mark.parametrize(
    ("column", "assignment", "kind"),
    [
        ("canonical", FLIP.format("canonical", 300), "link"),
        ("hash", FLIP.format("hash", 255), "link"),
        ("signature", FLIP.format("signature", 7), "signature"),
        ("metadata", 'metadata = metadata || \'{"reason": "another"}\'', "content mismatch"),
        ("ts", "ts = ts + interval '1 microsecond'", "content mismatch"),
        ("type", "type = type || 'x'", "content mismatch"),
        ("seq", "seq = seq # (1::bigint << 40)", "gap"),
        ("sign of seq", "seq = -1 - seq", "gap"),
        ("prev_hash", FLIP.format("prev_hash", 0), "content mismatch"),
        ("content_hash", "content_hash = sha256('')", "content mismatch"),
        ("retention", "retention = 'ephemeral'", "content mismatch"),
    ],
)
def test_a_change_in_any_column_of_an_entry_is_found(world, column, assignment, kind, where):
    append(world, 3)
    seq = place_of(world, where)
    change_entry(world, seq, assignment)

    if (column, where) == ("signature", "genesis"):
        kind = "key"  # what announces the key must be signed by it
    if (column, where) == ("sign of seq", "tip"):
        kind = "truncated"
    assert_found(world, f"{kind}: governance at {seq}")


def test_every_bit_counts(world):
    """Of the bytes, the hash and the signature of any entry; seen in an export too."""
    append(world, 2)
    chosen = secrets.SystemRandom()
    for _ in range(40):
        entry = chosen.choice(entries(world))
        column = chosen.choice(["canonical", "hash", "signature"])
        bit = chosen.randrange(8 * len(getattr(entry, column)))
        change_entry(world, entry.seq, FLIP.format(column, bit))
        report, _ = verify_export(io.BytesIO(exported(world)))
        change_entry(world, entry.seq, FLIP.format(column, bit))
        assert ("governance", entry.seq) in {(one.chain, one.seq) for one in report.findings}, (entry.seq, column, bit)
    assert_intact(world)


@pytest.mark.parametrize("canonical", [b"\xff\xfe", b"no json", b"{}", b"[" * 50_000, b'{"ts":"never"}'])
def test_bytes_that_are_no_entry_are_found(world, canonical):
    append(world, 3)
    change_entry(world, 4, "canonical = %s, hash = %s", canonical, sha256(canonical).digest())

    assert_found(world, "malformed: governance at 4")


# -- Order.


def test_a_deleted_tip_is_found_though_nothing_was_published(world):
    append(world, 3)
    tip = entries(world)[-1].seq
    delete_entries(world, tip)

    assert_found(world, f"truncated: governance at {tip}")


def test_a_deleted_tip_with_its_head_is_found_by_the_tree_head(world, kept):
    tip = entries(world)[-1].seq
    cut(world, tip - 1)

    assert_found(world, f"truncated: governance at {tip}")


def test_deleted_entries_in_the_middle_are_found(world, kept):
    delete_entries(world, 4, 6)

    assert_found(world, "gap: governance at 4")


def test_two_swapped_entries_are_found(world, kept):
    change_entry(world, 5, "seq = -5")
    change_entry(world, 6, "seq = 5")
    change_entry(world, -5, "seq = 6")

    assert_found(world, "gap: governance at 5")


@pytest.mark.parametrize("place", ["behind the head", "among the others"])
def test_an_inserted_copy_is_found(world, place):
    append(world, 3)
    tip = entries(world)[-1].seq
    at = tip + 1 if place == "behind the head" else 5
    with unguarded("governance_entry") as cursor:
        if place == "among the others":
            # From the last one on, or two entries would have one number for a moment.
            for seq in range(tip, at - 1, -1):
                cursor.execute(
                    "UPDATE governance_entry SET seq = seq + 1 WHERE tenant_id = %s AND chain_id = %s AND seq = %s",
                    [world.tenant_id, head(world).id, seq],
                )
        cursor.execute(
            "INSERT INTO governance_entry (tenant_id, id, chain_id, seq, ts, type, retention, content_hash, metadata,"
            " prev_hash, canonical, hash, signature) SELECT tenant_id, gen_random_uuid(), chain_id, %s, ts, type,"
            " retention, content_hash, metadata, %s, canonical, hash, signature FROM governance_entry"
            " WHERE tenant_id = %s AND chain_id = %s AND seq = 3",
            [at, secrets.token_bytes(32), world.tenant_id, head(world).id],
        )

    assert_found(world, f"gap: governance at {at}")


# -- Rewriting.


def test_history_rewritten_and_signed_with_another_key_is_found(world):
    append(world, 3)
    rewrite(world, 4, Ed25519PrivateKey.generate(), type="nothing.happened")

    assert_found(world, "key: governance at 4")


def test_history_rewritten_from_the_beginning_with_another_key_is_found_by_the_tree_head(world, kept):
    forget_published(world)
    key = Ed25519PrivateKey.generate()
    genesis = entries(world)[0]
    rewrite(world, 0, key, metadata={**genesis.metadata, "public_key": key.public_key().public_bytes_raw().hex()})

    assert_found(world, "key: governance at", "--trusted-tree-head", str(kept))


def test_history_rewritten_with_the_same_key_is_found_by_an_older_tree_head(world, kept):
    seq = notes.parse_notes(kept.read_text())[-1].tree_head.seq
    rewrite(world, seq_of(world, "checkpoint.deleted"), type="nothing.happened")
    forget_published(world)

    assert_intact(world)  # which is why tree heads are kept elsewhere
    assert_found(world, f"split view: governance at {seq}", "--trusted-tree-head", str(kept))


def test_a_restored_backup_is_found_by_the_tree_head(world, kept):
    backup = entries(world)[-1].seq
    append(world, 4)
    seal(world)
    kept.write_text(published_tree_heads.path_of(world.tenant_id).read_text())
    cut(world, backup)
    forget_published(world)

    assert_intact(world)  # a backup is a ledger that verifies
    cut(world, backup)
    assert_found(world, f"truncated: governance at {backup + 1}", "--trusted-tree-head", str(kept))


def test_two_tenants_chains_exchanged_are_found(world, elsewhere):
    for one in (world, elsewhere):
        append(one, 2)
    columns = "seq, ts, type, retention, content_hash, metadata, prev_hash, canonical, hash, signature"
    heads = {one.tenant_id: head(one) for one in (world, elsewhere)}
    taken = {}
    with unguarded("governance_entry") as cursor:
        for one in (world, elsewhere):
            cursor.execute(
                "DELETE FROM governance_entry WHERE tenant_id = %s AND chain_id = %s"
                f" RETURNING {columns}, metadata::text",
                [one.tenant_id, heads[one.tenant_id].id],
            )
            taken[one.tenant_id] = [(*row[:5], row[-1], *row[6:-1]) for row in cursor.fetchall()]
        for here, there in ((world, elsewhere), (elsewhere, world)):
            own, other = heads[here.tenant_id], heads[there.tenant_id]
            cursor.executemany(
                f"INSERT INTO governance_entry (tenant_id, id, chain_id, {columns})"
                " VALUES (%s, gen_random_uuid(), %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
                [(here.tenant_id, own.id, *row) for row in taken[there.tenant_id]],
            )
            cursor.execute(
                "UPDATE governance_chain SET seq = %s, head = %s, ts = %s WHERE tenant_id = %s AND id = %s",
                [other.seq, bytes(other.head), other.ts, here.tenant_id, own.id],
            )

    for one in (world, elsewhere):
        assert_found(one, "foreign: governance at 0")


def test_two_tree_heads_of_one_size_with_different_roots_are_found(world, kept):
    tree_head = notes.parse_notes(kept.read_text())[-1].tree_head
    other = notes.TreeHead(tree_head.origin, tree_head.size, sha256(b"").digest(), tree_head.seq, tree_head.head)
    kept.write_text(kept.read_text() + notes.sign_note(other, keyring.current().private))

    assert_found(world, f"split view: governance at {tree_head.seq}", "--trusted-tree-head", str(kept))


# -- What is found is told, whatever else is broken.


def test_what_was_found_is_recorded(world, kept):
    changed = seq_of(world, "checkpoint.deleted")
    change_entry(world, changed, "type = 'x'")
    verify_chain(world)

    last = entries(world)[-1]
    assert (last.type, last.metadata["findings"]) == ("ledger.verified", 1)
    assert last.metadata["first"] == f"content mismatch in governance at {changed}"


def test_without_the_key_it_verifies_and_records_nothing(world, kept, home):
    before = len(entries(world))
    (home / "ledger.key").unlink()

    assert_intact(world)
    assert len(entries(world)) == before


def test_it_verifies_a_database_that_is_behind_and_records_nothing(world, kept, restarted):
    tip = entries(world)[-1].seq
    cut(world, tip - 2)
    restarted()

    assert_found(world, f"truncated: governance at {tip - 1}")
    assert entries(world)[-1].seq == tip - 2


def test_published_tree_heads_that_cannot_be_read_are_an_error(world, kept):
    published_tree_heads.path_of(world.tenant_id).write_text("no tree head\n")

    with pytest.raises(CommandError, match="cannot be read"):
        verify_chain(world)


def test_a_head_that_was_set_back_is_found(world):
    append(world, 3)
    tip = entries(world)[-1].seq
    set_head(world, tip - 1)

    assert_found(world, f"gap: governance at {tip}")
