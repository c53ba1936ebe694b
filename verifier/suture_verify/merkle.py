"""Merkle trees and their proofs (RFC 6962 section 2.1; verification as in RFC 9162 section 2.1)."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

#: The root of a tree without leaves.
EMPTY_ROOT = sha256(b"").digest()

#: Returns the hash of the leaves [start, end), where end > start.
Subtree = Callable[[int, int], bytes]


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf with `data`."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node over its two children."""
    return sha256(b"\x01" + left + right).digest()


class Frontier:
    """An append-only tree, stored as the hashes of its full subtrees: O(log n) memory, and O(log n) time for a root."""

    def __init__(self, size: int = 0, hashes: Iterable[bytes] = ()) -> None:
        """Continue from a stored state: the hashes of the full subtrees of a tree of `size` leaves, largest first.

        Raises ValueError if a tree of that size has another number of full subtrees.
        """
        self._size = size
        self._hashes = list(hashes)
        if size < 0 or len(self._hashes) != size.bit_count():
            raise ValueError(f"a tree of {size} leaves does not have {len(self._hashes)} full subtrees")

    @property
    def size(self) -> int:
        """The number of leaves."""
        return self._size

    @property
    def hashes(self) -> tuple[bytes, ...]:
        """The hashes of its full subtrees, largest first, which are enough to continue later."""
        return tuple(self._hashes)

    def append(self, leaf: bytes) -> None:
        """Add one leaf hash."""
        self.extend((leaf,))

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Add leaf hashes in order."""
        hashes, size = self._hashes, self._size
        for leaf in leaves:
            node, filled = leaf, size
            # Each trailing 1 in the old size in binary is a full subtree, which now gets its sibling.
            while filled & 1:
                node = sha256(b"\x01" + hashes.pop() + node).digest()
                filled >>= 1
            hashes.append(node)
            size += 1
        self._size = size

    def root(self) -> bytes:
        """Return the root over all leaves so far."""
        if not self._hashes:
            return EMPTY_ROOT
        root = self._hashes[-1]
        for left in reversed(self._hashes[:-1]):
            root = node_hash(left, root)
        return root


def root_of(leaf_hashes: Iterable[bytes]) -> bytes:
    """Return the root over leaf hashes."""
    tree = Frontier()
    tree.extend(leaf_hashes)
    return tree.root()


def inclusion_path(index: int, size: int, subtree: Subtree) -> list[bytes]:
    """Return the audit path of leaf `index` in the tree of the first `size` leaves, from the leaf upwards.

    Raises ValueError if the leaf does not exist.
    """
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {index}")
    start, end, downwards = 0, size, []
    while end - start > 1:
        middle = start + _largest_power_below(end - start)
        if index < middle:
            downwards.append(subtree(middle, end))
            end = middle
        else:
            downwards.append(subtree(start, middle))
            start = middle
    return downwards[::-1]


def consistency_path(old: int, new: int, subtree: Subtree) -> list[bytes]:
    """Return the proof that the tree of the first `new` leaves extends that of the first `old`.

    It is empty for an empty old tree and for equal sizes. Raises ValueError unless 0 <= old <= new.
    """
    if not 0 <= old <= new:
        raise ValueError(f"a tree of {new} leaves does not extend one of {old}")
    if old in (0, new):
        return []
    start, end, downwards = 0, new, []
    while end != old:
        middle = start + _largest_power_below(end - start)
        if old <= middle:
            downwards.append(subtree(middle, end))
            end = middle
        else:
            downwards.append(subtree(start, middle))
            start = middle
    if start:
        downwards.append(subtree(start, end))
    return downwards[::-1]


def verify_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Return whether the path proves that `leaf` (a hash) is leaf `index` of the tree of `size` leaves with this
    root."""
    if not 0 <= index < size:
        return False
    node, last, computed = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if node & 1 or node == last:
            computed = node_hash(sibling, computed)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            computed = node_hash(computed, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and computed == root


def verify_consistency(old: int, new: int, old_root: bytes, new_root: bytes, path: Sequence[bytes]) -> bool:
    """Return whether the path proves that the tree of `new` leaves extends that of `old` leaves."""
    if not 0 <= old <= new:
        return False
    if old == new:
        return not path and old_root == new_root
    if old == 0:
        return not path and old_root == EMPTY_ROOT
    # If the old tree is one full subtree, its root is the first hash of the proof.
    steps = [old_root, *path] if old.bit_count() == 1 else list(path)
    if not path or not steps:
        return False
    node, last = old - 1, new - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    old_computed = new_computed = steps[0]
    for sibling in steps[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            old_computed = node_hash(sibling, old_computed)
            new_computed = node_hash(sibling, new_computed)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            new_computed = node_hash(new_computed, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and old_computed == old_root and new_computed == new_root


def _largest_power_below(size: int) -> int:
    """Return the largest power of two smaller than `size`, which is at least 2."""
    return 1 << ((size - 1).bit_length() - 1)
