"""The published vectors of Certificate Transparency, and hypothesis against the definition itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture_verify import merkle

pytestmark = pytest.mark.pure

#: The leaves that the implementations of RFC 6962 test with, and the roots over the first 0, 1, 2, ... of them.
DATA = [
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
]  # fmt: skip
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
LEAVES = [merkle.leaf_hash(bytes.fromhex(data)) for data in DATA]

#: (leaf, size, path)
INCLUSION = [
    (0, 1, []),
    (0, 8, [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ]),
    (5, 8, [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]),
    (2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
    (1, 5, [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ]),
]  # fmt: skip
#: (old size, new size, path)
CONSISTENCY = [
    (1, 1, []),
    (1, 8, [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ]),
    (6, 8, [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]),
    (2, 5, [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ]),
]  # fmt: skip


def subtree_of(leaves):
    return lambda start, end: defined_root(leaves[start:end])


def defined_root(leaves):
    """MTH as RFC 6962 section 2.1 defines it, word for word."""
    if not leaves:
        return merkle.EMPTY_ROOT
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return merkle.node_hash(defined_root(leaves[:k]), defined_root(leaves[k:]))


def numbered(size):
    return [merkle.leaf_hash(str(number).encode()) for number in range(size)]


@pytest.mark.parametrize("size", range(9))
def test_the_published_roots(size):
    assert merkle.root_of(LEAVES[:size]).hex() == ROOTS[size]


@pytest.mark.parametrize(("index", "size", "path"), INCLUSION)
def test_the_published_inclusion_proofs(index, size, path):
    made = merkle.inclusion_path(index, size, subtree_of(LEAVES))
    assert [one.hex() for one in made] == path
    assert merkle.verify_inclusion(LEAVES[index], index, size, made, bytes.fromhex(ROOTS[size]))


@pytest.mark.parametrize(("old", "new", "path"), CONSISTENCY)
def test_the_published_consistency_proofs(old, new, path):
    made = merkle.consistency_path(old, new, subtree_of(LEAVES))
    assert [one.hex() for one in made] == path
    assert merkle.verify_consistency(old, new, bytes.fromhex(ROOTS[old]), bytes.fromhex(ROOTS[new]), made)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 15, 16, 17, 255, 256, 257])
def test_a_root_is_the_defined_one(size):
    assert merkle.root_of(numbered(size)) == defined_root(numbered(size))


@given(size=st.integers(1, 70), data=st.data())
def test_every_leaf_is_proved_and_no_other(size, data):
    leaves = numbered(size)
    index = data.draw(st.integers(0, size - 1))
    root = defined_root(leaves)
    path = merkle.inclusion_path(index, size, subtree_of(leaves))
    assert merkle.verify_inclusion(leaves[index], index, size, path, root)
    other = data.draw(st.integers(0, size + 1))
    if other != index:
        assert not merkle.verify_inclusion(leaves[index], other, size, path, root)
    assert not merkle.verify_inclusion(leaves[index], index, size, [*path, root], root)
    assert not merkle.verify_inclusion(merkle.EMPTY_ROOT, index, size, path, root)
    if path:
        assert not merkle.verify_inclusion(leaves[index], index, size, path[:-1], root)
        at = data.draw(st.integers(0, len(path) - 1))
        path[at] = bytes([path[at][0] ^ 1]) + path[at][1:]
        assert not merkle.verify_inclusion(leaves[index], index, size, path, root)


@given(new=st.integers(1, 70), data=st.data())
def test_growth_is_proved_and_nothing_else(new, data):
    leaves = numbered(new)
    old = data.draw(st.integers(1, new))
    old_root, new_root = defined_root(leaves[:old]), defined_root(leaves)
    path = merkle.consistency_path(old, new, subtree_of(leaves))
    assert merkle.verify_consistency(old, new, old_root, new_root, path)
    assert not merkle.verify_consistency(old, new, merkle.EMPTY_ROOT, new_root, path)
    assert not merkle.verify_consistency(old, new, old_root, merkle.EMPTY_ROOT, path)
    assert not merkle.verify_consistency(old, new, old_root, new_root, [*path, new_root])
    for at in range(len(path)):
        changed = [*path[:at], bytes([path[at][0] ^ 1]) + path[at][1:], *path[at + 1 :]]
        assert not merkle.verify_consistency(old, new, old_root, new_root, changed)
        assert not merkle.verify_consistency(old, new, old_root, new_root, path[:at])


def test_every_tree_extends_the_empty_one_and_itself():
    root = defined_root(numbered(5))
    assert merkle.consistency_path(0, 5, subtree_of(numbered(5))) == []
    assert merkle.verify_consistency(0, 5, merkle.EMPTY_ROOT, root, [])
    assert not merkle.verify_consistency(0, 5, root, root, [])
    assert merkle.verify_consistency(5, 5, root, root, [])
    assert not merkle.verify_consistency(5, 5, root, merkle.EMPTY_ROOT, [])
    assert not merkle.verify_consistency(6, 5, root, root, [])


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_there_is_no_proof_of_a_missing_leaf(index, size):
    with pytest.raises(ValueError, match="has no leaf"):
        merkle.inclusion_path(index, size, subtree_of(numbered(3)))
    assert not merkle.verify_inclusion(numbered(3)[0], index, size, [], defined_root(numbered(3)))


def test_there_is_no_proof_that_a_tree_shrank():
    with pytest.raises(ValueError, match="does not extend"):
        merkle.consistency_path(3, 2, subtree_of(numbered(3)))


@given(parts=st.lists(st.integers(0, 20), max_size=6))
def test_a_frontier_grows_in_parts_and_continues_from_its_stored_state(parts):
    leaves, tree = numbered(sum(parts)), merkle.Frontier()
    for part in parts:
        tree.extend(leaves[tree.size : tree.size + part])
        tree = merkle.Frontier(tree.size, tree.hashes)
        assert tree.root() == defined_root(leaves[: tree.size])
    assert tree.size == len(leaves)


def test_a_frontier_grows_leaf_by_leaf():
    tree = merkle.Frontier()
    for size, leaf in enumerate(numbered(40)):
        assert (tree.size, tree.root()) == (size, defined_root(numbered(size)))
        tree.append(leaf)


@pytest.mark.parametrize(("size", "count"), [(3, 1), (0, 1), (4, 2), (-1, 0)])
def test_a_stored_state_has_as_many_subtrees_as_its_size_says(size, count):
    with pytest.raises(ValueError, match="full subtrees"):
        merkle.Frontier(size, [merkle.EMPTY_ROOT] * count)
