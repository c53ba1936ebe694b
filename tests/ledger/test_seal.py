"""Seals: every row becomes a leaf once, and an entry carries the root over all of them."""

import secrets
import uuid

import pytest
from django.apps import apps

from governance.ledger import access, db, sealed_kinds, sealing
from governance.ledger.tree import StoredTree
from governance.models import AccessRecord, Leaf, MerkleTree, TreeNode
from suture_verify import merkle
from tests.ledger.breaking import broken_everywhere
from tests.ledger.tampering import append, assert_intact, entries, head, leaves, lived_in

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def table(kind):
    return next(model for model in apps.get_models() if model._meta.db_table == kind.table)


def id_of(moment):
    """An id that was made at that moment (UUIDv7, RFC 9562)."""
    return uuid.UUID(int=int(moment.timestamp() * 1000) << 80 | secrets.randbits(62))


def seals(world):
    return [entry for entry in entries(world) if entry.type == "seal"]


def read(world, number=1):
    """Rows of the access log: the cheapest ones that are sealed."""
    with world.inside():
        for _ in range(number):
            access.log("test", actor=world.bob_principal, target_type="test")


def assert_sealed_once(world):
    """Tree, leaves and the last seal agree, and every sealed row is one leaf."""
    found = leaves(world)
    with world.inside():
        tree = MerkleTree.objects.filter(tenant_id=world.tenant_id).first()
        nodes = TreeNode.objects.filter(tenant_id=world.tenant_id).count()
    assert [leaf.position for leaf in found] == list(range(len(found)))
    assert len({(leaf.kind, leaf.row_id) for leaf in found}) == len(found)
    sealed_size = seals(world)[-1].metadata["size"] if seals(world) else 0
    assert (tree.size if tree else 0) == len(found) == sealed_size
    assert nodes == len(found) // 256
    if found:
        root = merkle.root_of(bytes(leaf.hash) for leaf in found)
        assert tree is not None
        assert bytes(tree.root or b"") == root == bytes.fromhex(seals(world)[-1].metadata["root"])


def test_it_works(world):
    lived_in(world)

    assert_sealed_once(world)
    assert_intact(world)


def test_every_row_of_every_kind_becomes_a_leaf_once(world):
    lived_in(world)

    found = leaves(world)
    for kind in sealed_kinds.kinds():
        with world.inside():
            rows = set(table(kind).objects.filter(tenant_id=world.tenant_id).values_list("id", flat=True))
        assert sorted(leaf.row_id for leaf in found if leaf.kind == kind.name) == sorted(rows), kind.name
    assert {leaf.kind for leaf in found} == {kind.name for kind in sealed_kinds.kinds()}


def test_without_new_rows_nothing_is_sealed_and_no_entry_written(world):
    lived_in(world)
    before = len(entries(world))

    assert sealing.seal_all(world.tenant_id) == 0
    assert sealing.seal(world.tenant_id) is None
    assert len(entries(world)) == before


def test_a_tenant_without_rows_gets_no_seal(world):
    assert sealing.seal_all(world.tenant_id) == 0
    assert seals(world) == []


def test_a_seal_tells_its_counts_and_the_heads_of_the_other_chains(world):
    append(world, 3, chain="agent:alice")
    world.event("A message")
    sealing.seal_all(world.tenant_id)
    read(world, 2)
    append(world, 1, chain="agent:alice")
    sealing.seal_all(world.tenant_id)

    first, second = (seal.metadata for seal in seals(world))
    alice = entries(world, "agent:alice")
    assert first["counts"] == {"event": 1, "chunk": 1}
    assert (first["previous_size"], first["size"]) == (0, 2)
    assert first["chains"] == {"agent:alice": [3, bytes(alice[3].hash).hex()]}
    assert second["counts"] == {"access": 2}
    assert (second["previous_size"], second["size"]) == (2, 4)
    assert second["chains"] == {"agent:alice": [4, bytes(head(world, "agent:alice").head).hex()]}
    assert second["actor"]["kind"] == "system"


def test_two_sealers_at_once_seal_every_row_once(world, at_once):
    for number in range(3):
        read(world, 40)

        answers = at_once(*[lambda: sealing.seal_all(world.tenant_id)] * 4)

        assert sum(answers) == 40, answers
        assert len(leaves(world)) == 40 * (number + 1)
    assert_sealed_once(world)
    assert_intact(world)


def test_a_sealer_passes_by_while_another_holds_the_tree(world, at_once):
    read(world)
    sealing.seal_all(world.tenant_id)
    read(world)

    with world.inside():
        assert db.lock_tree(tenant=world.tenant_id)
        assert at_once(lambda: sealing.seal(world.tenant_id)) == [None]
    assert sealing.seal_all(world.tenant_id) == 1


@pytest.mark.slow
def test_killed_after_any_statement_a_seal_is_whole_or_not_there(world):
    append(world, chain="agent:alice")
    world.event("A message")
    read(world, 300)

    def check():
        assert len(leaves(world)) in {0, 302}
        assert_sealed_once(world)

    assert broken_everywhere(lambda: sealing.seal_all(world.tenant_id), check) > 10
    assert len(leaves(world)) == 302
    assert_intact(world)


def test_a_row_whose_transaction_was_open_for_long_is_sealed_when_it_is_committed(world, at_once):
    """Its id is older than those of rows that were sealed meanwhile."""
    with world.inside():
        access.log("test", actor=world.bob_principal, target_type="test")
        late = AccessRecord.objects.filter(tenant_id=world.tenant_id).latest("id").id
        at_once(lambda: read(world), lambda: read(world))
        assert sum(at_once(lambda: sealing.seal_all(world.tenant_id))) == 2

    assert sealing.seal_all(world.tenant_id) == 1
    assert leaves(world)[-1].row_id == late
    assert_intact(world)


@pytest.mark.parametrize("rows", [6, 7])
def test_what_is_more_than_a_batch_is_sealed_in_several(world, monkeypatch, rows):
    monkeypatch.setattr(sealing, "BATCH", 3)
    for _ in range(rows):
        read(world)

    assert sealing.seal_all(world.tenant_id) == rows

    sizes = [(seal.metadata["previous_size"], seal.metadata["size"]) for seal in seals(world)]
    assert sizes == [(0, 3), (3, 6), (6, 7)][: len(sizes)]
    assert len(sizes) == -(-rows // 3)
    assert_sealed_once(world)
    with world.inside():
        assert MerkleTree.objects.get(tenant_id=world.tenant_id).caught_up_at is not None
    assert_intact(world)


def test_the_rows_of_one_receipt_are_sealed_together(world, monkeypatch):
    monkeypatch.setattr(sealing, "BATCH", 3)
    read(world, 5)
    read(world)

    assert sealing.seal_all(world.tenant_id) == 6
    assert [(seal.metadata["previous_size"], seal.metadata["size"]) for seal in seals(world)] == [(0, 5), (5, 6)]


@pytest.mark.parametrize("around", [256, 512])
def test_the_root_is_that_of_all_leaves_where_a_subtree_fills(world, around):
    read(world, around - 1)
    sealing.seal_all(world.tenant_id)
    assert_sealed_once(world)
    for _ in range(2):
        read(world)
        sealing.seal_all(world.tenant_id)
        assert_sealed_once(world)
    assert len(leaves(world)) == around + 1


def test_the_root_is_that_of_all_leaves_where_a_subtree_of_subtrees_fills(world, owner):
    size = 2**16 - 1
    read(world)
    sealing.seal_all(world.tenant_id)
    with world.inside("owner"):
        owner(
            "INSERT INTO governance_leaf (tenant_id, position, kind, row_id, hash)"
            " SELECT %s, n, 'test', gen_random_uuid(), sha256(n::text::bytea) FROM generate_series(1, %s) n"
            " RETURNING 1",
            [world.tenant_id, size - 1],
        )
        owner(
            "UPDATE governance_merkletree SET size = %s WHERE tenant_id = %s RETURNING 1",
            [size, world.tenant_id],
        )
    with world.inside():
        for level, index, value in StoredTree(world.tenant_id).extend(0, hashes_of(world)):
            db.seal_tree(
                tenant=world.tenant_id,
                size=size,
                root=value,
                levels=[level],
                indexes=[index],
                hashes=[value],
                receipts=[],
                caught_up=None,
                swept=None,
            )
    for grown in (2**16, 2**16 + 1):
        read(world)
        sealing.seal_all(world.tenant_id)
        with world.inside():
            hashes = hashes_of(world)
            tree = MerkleTree.objects.get(tenant_id=world.tenant_id)
            assert (tree.size, len(hashes)) == (grown, grown)
            assert bytes(tree.root or b"") == merkle.root_of(hashes)
            stored = StoredTree(world.tenant_id)
            for position in (0, 255, 256, grown - 1):
                path = merkle.inclusion_path(position, grown, stored.subtree)
                assert merkle.verify_inclusion(hashes[position], position, grown, path, bytes(tree.root or b""))
            assert TreeNode.objects.filter(tenant_id=world.tenant_id, level=16).count() == 1


def hashes_of(world):
    found = Leaf.objects.filter(tenant_id=world.tenant_id).order_by("position")
    return [bytes(value) for value in found.values_list("hash", flat=True)]
