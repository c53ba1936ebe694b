"""A tenant's stored Merkle tree (RFC 6962): leaves, and the roots of complete subtrees of 256, 65,536, ... leaves.

With these a proof over a million rows reads a few hundred hashes.
"""

import uuid
from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from governance.models import Leaf, TreeNode
from suture_verify.merkle import node_hash

#: A tile is 2**8 adjacent nodes; their common ancestor is stored.
TILE_LEVELS = 8
TILE = 1 << TILE_LEVELS


class StoredTree:
    """Reads a tree tile by tile, and caches the tiles. Called within the tenant."""

    def __init__(self, tenant_id: uuid.UUID) -> None:
        self._tenant_id = tenant_id
        self._tiles: dict[tuple[int, int], list[bytes]] = {}

    def subtree(self, start: int, end: int) -> bytes:
        """The root over the leaves [start, end); `start` is a multiple of the largest power of two in this range."""
        width = end - start
        if width & (width - 1):
            left = 1 << (width.bit_length() - 1)
            return node_hash(self.subtree(start, start + left), self.subtree(start + left, end))
        return self._node(width.bit_length() - 1, start // width)

    def extend(self, size: int, leaves: Sequence[bytes]) -> list[tuple[int, int, bytes]]:
        """Append `leaves` after the first `size`, without storing them; returns (level, index, hash) of each tile that
        they complete, for the caller to store."""
        finished: list[tuple[int, int, bytes]] = []
        level, first, hashes = 0, size, list(leaves)
        while hashes:
            number, filled = divmod(first, TILE)
            combined = (self._tile(level, number)[:filled] if filled else []) + hashes
            tiles = [combined[start : start + TILE] for start in range(0, len(combined), TILE)]
            self._tiles.update({(level, number + i): tile for i, tile in enumerate(tiles)})
            level, first = level + TILE_LEVELS, number
            hashes = [complete_root(tile) for tile in tiles if len(tile) == TILE]
            finished += [(level, number + i, value) for i, value in enumerate(hashes)]
        return finished

    def _node(self, level: int, index: int) -> bytes:
        stored = level - level % TILE_LEVELS
        below = 1 << (level - stored)
        first = index * below
        tile = self._tile(stored, first // TILE)
        hashes = tile[first % TILE : first % TILE + below]
        if len(hashes) < below:
            raise LookupError(f"node {first + len(hashes)} of level {stored} is not stored")
        return complete_root(hashes)

    def _tile(self, level: int, number: int) -> list[bytes]:
        found = self._tiles.get((level, number))
        if found is None:
            found = self._tiles[level, number] = self._read(level, number * TILE)
        return found

    def _read(self, level: int, first: int) -> list[bytes]:
        rows: QuerySet[Any]
        if level == 0:
            rows = Leaf.objects.filter(
                tenant_id=self._tenant_id, position__gte=first, position__lt=first + TILE
            ).order_by("position")
        else:
            rows = TreeNode.objects.filter(
                tenant_id=self._tenant_id, level=level, index__gte=first, index__lt=first + TILE
            ).order_by("index")
        return [bytes(value) for value in rows.values_list("hash", flat=True)]


def complete_root(hashes: list[bytes]) -> bytes:
    """The root over 2**n nodes of one level."""
    while len(hashes) > 1:
        hashes = [node_hash(hashes[i], hashes[i + 1]) for i in range(0, len(hashes), 2)]
    return hashes[0]
