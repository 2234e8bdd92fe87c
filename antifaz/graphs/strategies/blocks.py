"""Blocks: group nodes with similar neighborhoods, and join the nodes of a block to the same nodes.

After Stokes, "Graph k-Anonymity through k-Means and as Modular Decomposition", NordSec 2013: rows of the adjacency
matrix are grouped as records are in microaggregation, and the graph between the groups, the quotient, is blown up.

Two blocks are joined completely or not at all. Joining by majority needs the fewest edits, but leaves little of a
sparse graph; balanced, the densest pairs of blocks are joined until there are as many edges as before. The nodes of a
block are not joined to one another or, if that is allowed, all of them are.

Guarantees: any two nodes of a block have the same neighbors, except for each other.
Cost: O(sum of squared degrees + edges of the result).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.graphs.graph import Graph
from antifaz.kernels.graphs.blocks import group_alike

Integers = NDArray[np.int64]
Quotient = Literal["balanced", "majority"]


@dataclass(frozen=True)
class Blocks:
    """The block of every node."""

    of: Integers
    sizes: Integers

    @classmethod
    def numbered(cls, of: Integers) -> "Blocks":
        return cls(of, np.bincount(of).astype(np.int64))

    def rotations(self, k: int) -> Integers:
        """Functions that send every node of a block to another node of it, 1 … k - 1 places on."""
        order = np.argsort(self.of, kind="stable")
        start = (np.cumsum(self.sizes) - self.sizes)[self.of[order]]
        place = np.arange(len(order)) - start
        functions = np.empty((k - 1, len(order)), dtype=np.int64)
        for shift in range(1, k):
            functions[shift - 1, order] = order[start + (place + shift) % self.sizes[self.of[order]]]
        return functions


def form_blocks(graph: Graph, k: int, closed: bool = False) -> Blocks:
    """Blocks of k nodes or more with similar neighborhoods; ``closed`` counts a node as its own neighbor.

    Nodes without edges form a separate block if there are at least k of them.
    """
    of = np.full(graph.n, -1, dtype=np.int64)
    blocks = 0
    lonely = np.flatnonzero(graph.degrees == 0)
    if len(lonely) >= k or len(lonely) == graph.n:
        of[lonely], blocks = 0, 1
    order = np.argsort(-graph.degrees, kind="stable").astype(np.int64)
    blocks = int(group_alike(*_items(graph, closed), order, k, of, blocks))
    left = np.flatnonzero(of < 0)
    if len(left):
        joins = _last_block(graph, of, blocks, lonely)
        of[left] = joins
        blocks = max(blocks, joins + 1)
    return Blocks.numbered(of)


def _last_block(graph: Graph, of: Integers, blocks: int, lonely: Integers) -> int:
    """The block that takes the last nodes: the latest one of nodes with edges, whose degrees are the smallest."""
    if blocks == 0:
        return 0
    inhabited = distinct(of[graph.degrees > 0])
    return int(inhabited[-1]) if len(inhabited) and inhabited[-1] >= 0 else blocks - 1


def _items(graph: Graph, closed: bool) -> tuple[Integers, NDArray[np.int32], Integers, NDArray[np.int32]]:
    """The neighbors of every node, as rows of items, and for every item the nodes that have it.

    In a directed graph, an arc from a node and an arc to it are two items.
    """
    rows, items = graph.sources, graph.targets
    back_rows, back_items = graph.targets, graph.sources + (graph.n if graph.directed else 0)
    own = np.arange(graph.n if closed else 0)
    rows, items = np.concatenate([rows, back_rows, own]), np.concatenate([items, back_items, own])
    return (*_rows(rows, items, graph.n), *_rows(items, rows, 2 * graph.n if graph.directed else graph.n))


def _rows(rows: Integers, values: Integers, count: int) -> tuple[Integers, NDArray[np.int32]]:
    order = np.argsort(rows, kind="stable")
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.bincount(rows, minlength=count))])
    return offsets, values[order].astype(np.int32)


def blow_up(
    graph: Graph,
    blocks: Blocks,
    quotient: Quotient,
    rng: np.random.Generator,
    *,
    least_inside: int = 0,
    degree: int = 0,
) -> Graph:
    """The graph in which blocks are joined completely or not at all.

    Blocks of ``least_inside`` nodes or more (none if it is 0) may be joined inside; ``degree`` is the fewest
    neighbors that every node must have.
    """
    pairs = _choose_pairs(graph, blocks, quotient, rng, least_inside)
    pairs = _with_degree(pairs, graph, blocks, degree) if degree else pairs
    count = len(blocks.sizes)
    return _fill(graph, blocks, pairs // count, pairs % count)


def _choose_pairs(
    graph: Graph, blocks: Blocks, quotient: Quotient, rng: np.random.Generator, least_inside: int
) -> Integers:
    """The pairs of blocks, as first · count + second, that are joined."""
    count = len(blocks.sizes)
    first, second = blocks.of[graph.sources], blocks.of[graph.targets]
    if not graph.directed:
        first, second = np.minimum(first, second), np.maximum(first, second)
    allowed = (first != second) | ((blocks.sizes[first] >= least_inside) if least_inside else False)
    pairs, edges = np.unique(first[allowed] * np.int64(count) + second[allowed], return_counts=True)
    room = _room(graph, blocks, pairs // count, pairs % count)
    density = edges / room
    if quotient == "majority":
        return np.asarray(pairs[density > 0.5])
    order = np.lexsort((rng.random(len(pairs)), -density))
    total = np.cumsum(room[order])
    # The last pair is included if that comes nearer to the number of edges than leaving it out.
    return np.asarray(pairs[order[total - room[order] / 2 <= graph.m]])


def _room(graph: Graph, blocks: Blocks, first: Integers, second: Integers) -> Integers:
    """Number of edges between two joined blocks, or inside one."""
    inside = blocks.sizes[first] * (blocks.sizes[first] - 1) // (1 if graph.directed else 2)
    return np.where(first == second, inside, blocks.sizes[first] * blocks.sizes[second])


def _with_degree(pairs: Integers, graph: Graph, blocks: Blocks, degree: int) -> Integers:
    """More pairs of blocks, the densest first, until every node of an undirected graph has enough neighbors."""
    count = len(blocks.sizes)
    joined = set(pairs.tolist())
    reached = np.zeros(count, dtype=np.int64)
    first, second = pairs // count, pairs % count
    np.add.at(reached, first, blocks.sizes[second] - (first == second))
    np.add.at(reached, second[first != second], blocks.sizes[first[first != second]])
    between = _edges_between(graph, blocks)
    for block in np.flatnonzero(reached < degree).tolist():
        edges = between[[block]].toarray().ravel()
        for other in np.lexsort((reached, -edges / blocks.sizes)).tolist():
            if reached[block] >= degree:
                break
            pair = min(block, other) * count + max(block, other)
            if other != block and pair not in joined:
                joined.add(pair)
                reached[block] += blocks.sizes[other]
                reached[other] += blocks.sizes[block]
    return np.array(sorted(joined), dtype=np.int64)


def _edges_between(graph: Graph, blocks: Blocks) -> "scipy.sparse.csr_array":
    """Number of edges between any two blocks."""
    first, second = blocks.of[graph.sources], blocks.of[graph.targets]
    ends = np.concatenate([first, second]), np.concatenate([second, first])
    return scipy.sparse.csr_array((np.ones(2 * graph.m, dtype=np.int64), ends), shape=2 * (len(blocks.sizes),))


def _fill(graph: Graph, blocks: Blocks, first: Integers, second: Integers) -> Graph:
    """All edges between the blocks of every pair."""
    members = np.argsort(blocks.of, kind="stable")
    starts = np.cumsum(blocks.sizes) - blocks.sizes
    cells = blocks.sizes[first] * blocks.sizes[second]
    pair = np.repeat(np.arange(len(first)), cells)
    inside = np.arange(len(pair)) - np.repeat(np.cumsum(cells) - cells, cells)
    width = blocks.sizes[second][pair]
    sources = members[starts[first][pair] + inside // width]
    targets = members[starts[second][pair] + inside % width]
    return Graph.from_pairs(graph.n, sources, targets, graph.directed)
