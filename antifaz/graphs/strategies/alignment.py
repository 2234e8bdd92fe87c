"""Alignment: place nodes in rows of k and edit edges so that shifting the rows is a symmetry of the graph.

After Zou, Chen and Özsu, "K-Automorphism: A General Framework for Privacy Preserving Network Publication", VLDB 2009
(blocks aligned in a table, and edges copied along it), with a search for an alignment that needs few copies.

Node (r, i) is the one in row r and column i. The functions F_a send (r, i) to (r, i + a), counted modulo k. The edges
to which the functions send an edge are its orbit, and a graph is closed when it contains each orbit as a whole or not
at all. Nodes whose surroundings look alike start in one row; then nodes exchange places as long as fewer orbits have an
edge. If the number of nodes is no multiple of k, the remaining cells go to made-up nodes, at most one per row as long
as there are enough rows; or a few more than k nodes, those with the fewest edges, lose these edges and form a separate
row.

Guarantees: the functions are automorphisms that agree nowhere and leave no node where it is.
Cost: O(work of the effort + k·m).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import ordered
from antifaz.graphs.analysis.similarity import common_neighbors
from antifaz.graphs.graph import Graph
from antifaz.graphs.structure.refinement import refine
from antifaz.kernels.graphs.alignment import Cooling, Ends, Room, align
from antifaz.watch import Watch, within

Integers = NDArray[np.int64]
Effort = Literal["fast", "normal", "high"]
Remainder = Literal["made_up", "isolated"]
Closure = Literal["balanced", "copied"]

WORK: dict[Effort, int] = {"fast": 5_000_000, "normal": 100_000_000, "high": 800_000_000}
"""Elementary steps of the search."""
PER_NODE = 20_000
"""Steps beyond which a small graph gains nothing."""
SLICES, STEPS = 25, 4_000_000
"""Least number of stretches of the search, each of which starts by counting the edges of all orbits, and elementary
steps between two calls of the watch."""
RECOUNTS = 8
"""Steps of a stretch for every end of an edge, at least."""
_WARMTH, _COOL = 0.4, 0.1
"""Rise of the cost that is occasionally accepted, as a share of k: at the start and at the end."""
_DEPTH = 4


@dataclass(frozen=True)
class Orbits:
    """The orbits that have an edge: rows of its ends, and columns from one to the other."""

    first: Integers
    second: Integers
    jump: Integers
    edges: Integers
    """Number of the graph's edges in each orbit."""
    sizes: Integers
    """Number of edges of each whole orbit."""

    @classmethod
    def of(cls, sources: Integers, targets: Integers, k: int, directed: bool) -> "Orbits":
        """The orbits of edges between cells."""
        first, second, jump = sources // k, targets // k, (targets % k - sources % k) % k
        if not directed:
            back = first > second
            first, second = np.minimum(first, second), np.maximum(first, second)
            jump = np.where(back, -jump % k, jump)
            jump = np.where(first == second, np.minimum(jump, -jump % k), jump)
        # One number for each orbit: sorting columns of three takes ten times as long.
        rows = int(second.max(initial=0)) + 1
        numbers, edges = np.unique((first * rows + second) * k + jump, return_counts=True)
        first, second, jump = numbers // k // rows, numbers // k % rows, numbers % k
        halved = (first == second) & (2 * jump == k) & (not directed)
        return cls(first, second, jump, edges.astype(np.int64), np.where(halved, k // 2, k))

    def chosen(self, wanted: NDArray[np.bool_]) -> "Orbits":
        return Orbits(
            self.first[wanted], self.second[wanted], self.jump[wanted], self.edges[wanted], self.sizes[wanted]
        )

    def densest(
        self, edges: int, graph: Graph, rows: Integers, rng: np.random.Generator, watch: Watch
    ) -> NDArray[np.bool_]:
        """The orbits with the largest shares of their edges, enough of them to make up about the given number of edges.

        Ties are broken in favor of orbits whose pairs of nodes share most neighbors: these edges are the most
        plausible.
        """
        tie = rng.random(len(self.edges))
        shared = self._shared_neighbors(graph, rows, within(watch, 0.0, 0.9))
        order = ordered((tie, -shared, -self.edges / self.sizes), within(watch, 0.9, 1.0))
        total = np.cumsum(self.sizes[order])
        wanted = np.zeros(len(order), dtype=bool)
        # The last orbit is included if that comes nearer to the number of edges than leaving it out.
        wanted[order[total - self.sizes[order] / 2 <= edges]] = True
        return wanted

    def _shared_neighbors(self, graph: Graph, rows: Integers, watch: Watch) -> Integers:
        """Total number of neighbors that the pairs of nodes of each orbit share."""
        watch(0.0)
        first, second = self.fill(rows)
        watch(0.0)
        real = np.flatnonzero((first < graph.n) & (second < graph.n))
        shared = np.zeros(len(first), dtype=np.int64)
        shared[real] = common_neighbors(graph, first[real], second[real], watch)
        return np.asarray(shared.reshape(rows.shape[1], -1).sum(axis=0), dtype=np.int64)

    def fill(self, rows: Integers) -> tuple[Integers, Integers]:
        """The ends of all edges of the orbits, over the nodes in the rows."""
        k = rows.shape[1]
        columns = np.arange(k)[:, None]
        return rows[self.first, columns].ravel(), rows[self.second, (columns + self.jump) % k].ravel()


@dataclass(frozen=True)
class Alignment:
    """Nodes in rows of k; numbers from n on are made-up nodes."""

    n: int
    rows: Integers
    """Row and column → node."""
    apart: Integers
    """Nodes that lose their edges and form a separate row: k or more, or none."""
    stopped: bool = False

    @property
    def nodes(self) -> int:
        """Number of nodes, including the made-up ones."""
        return self.rows.size + len(self.apart)

    def functions(self) -> Integers:
        """The k - 1 automorphisms, one in each row."""
        k = self.rows.shape[1]
        found = np.empty((k - 1, self.nodes), dtype=np.int64)
        for shift in range(1, k):
            found[shift - 1, self.rows] = np.roll(self.rows, -shift, axis=1)
            found[shift - 1, self.apart] = np.roll(self.apart, -shift)
        return found

    def close(self, graph: Graph, closure: Closure, rng: np.random.Generator, watch: Watch) -> Graph:
        """The closed graph: every edge copied, or the densest orbits until there are as many edges as before."""
        watch(0.0)
        cell = cells_of(self.rows, self.nodes)
        sources, targets = cell[graph.sources], cell[graph.targets]
        kept = (sources >= 0) & (targets >= 0)
        orbits = Orbits.of(sources[kept], targets[kept], self.rows.shape[1], graph.directed)
        watch(0.2)
        if closure == "balanced":
            orbits = orbits.chosen(orbits.densest(graph.m, graph, self.rows, rng, within(watch, 0.2, 0.8)))
        watch(0.8)
        return Graph.from_pairs(self.nodes, *orbits.fill(self.rows), graph.directed)


def cells_of(rows: Integers, nodes: int) -> Integers:
    """Node → row · k + column, or -1."""
    cell = np.full(nodes, -1, dtype=np.int64)
    cell[rows] = np.arange(rows.size).reshape(rows.shape)
    return cell


def align_nodes(
    graph: Graph, k: int, remainder: Remainder, effort: Effort, rng: np.random.Generator, watch: Watch
) -> Alignment:
    """Rows of k under which few orbits have an edge."""
    apart = _set_apart(graph, k) if remainder == "isolated" else np.zeros(0, dtype=np.int64)
    left = np.delete(np.arange(graph.n), apart)
    watch(0.0)
    inner = _between(graph, left)
    alike = _by_likeness(inner, within(watch, 0.0, 0.0))
    node = _spread_made_up(np.concatenate([alike, np.arange(len(left), -(-len(left) // k) * k)]), inner, k)
    stopped = _search(inner, node, k, WORK[effort], rng, watch)
    named = np.concatenate([left, np.arange(graph.n, graph.n + len(node) - len(left))])
    return Alignment(graph.n, named[node].reshape(-1, k), apart, stopped)


def _set_apart(graph: Graph, k: int) -> Integers:
    """The nodes with the fewest edges: at least k, such that the others are a multiple of k; none if n already is."""
    over = graph.n % k
    return np.sort(np.argsort(graph.degrees, kind="stable")[: k + over]) if over else np.zeros(0, dtype=np.int64)


def _between(graph: Graph, nodes: Integers) -> Graph:
    """The graph over some of its nodes, renumbered in order."""
    if len(nodes) == graph.n:
        return Graph(graph.n, graph.keys, graph.directed)
    number = np.full(graph.n, -1, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    sources, targets = number[graph.sources], number[graph.targets]
    kept = (sources >= 0) & (targets >= 0)
    return Graph.from_pairs(len(nodes), sources[kept], targets[kept], graph.directed)


def _by_likeness(graph: Graph, watch: Watch) -> Integers:
    """The nodes by falling degree, with those that look alike next to each other."""
    return ordered((*reversed(refine(graph, _DEPTH, watch)), -graph.degrees), watch)


def _spread_made_up(node: Integers, graph: Graph, k: int) -> Integers:
    """The same cells with made-up nodes in different rows, so that each row has as many real nodes as possible."""
    made_up, rows = len(node) - graph.n, len(node) // k
    turns = np.arange(made_up)
    table = np.full(len(node), -1, dtype=np.int64)
    if made_up:
        table[(rows - 1 - turns % rows) * k + k - 1 - turns // rows] = node[graph.n :]
    table[table < 0] = node[: graph.n]
    return table


def _search(graph: Graph, node: Integers, k: int, work: int, rng: np.random.Generator, watch: Watch) -> bool:
    """Exchange the cells of nodes in ``node``; return whether the time was used up before the end."""
    rows = len(node) // k
    watch(0.0)
    ends = _ends(graph, within(watch, 0.0, 0.0))
    watch(0.0)
    cell = np.argsort(node)
    places = 1 << int(np.ceil(np.log2(8 * graph.m + 64)))
    room = Room(np.empty(places, dtype=np.int64), np.empty(places, dtype=np.int64))
    work = min(work, PER_NODE * graph.n) if rows > 1 else 0
    slices = max(SLICES, work // max(STEPS, RECOUNTS * len(ends.others)))
    for step in range(slices):
        if watch(step / slices):
            return True
        # Counting all ends is work too; a share that allows for no more would change nothing.
        seed = int(rng.integers(0, 2**62)) if graph.m and work else 0
        if graph.m and work // slices > len(ends.others):
            warm, cool = (k * (_WARMTH + (_COOL - _WARMTH) * (step + past) / slices) for past in (0, 1))
            counts, stream = np.zeros(4, dtype=np.int64), np.full(1, seed, dtype=np.uint64)
            cooling = Cooling(warm, cool, work // slices)
            while not align(k, rows, graph.directed, ends, cell, node, room, cooling, counts, stream, STEPS):
                if watch(step / slices):
                    return True
    return False


def _ends(graph: Graph, watch: Watch) -> Ends:
    """For every node the ends of its edges: offsets, the node at the other end, whether the edge arrives."""
    if not graph.directed:
        offsets, neighbors = graph.neighbors
        return Ends(offsets, neighbors, np.zeros(len(neighbors), dtype=np.uint8))
    owners = np.concatenate([graph.sources, graph.targets])
    order = np.argsort(owners, kind="stable")
    watch(0.0)
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.bincount(owners, minlength=graph.n))])
    others = np.concatenate([graph.targets, graph.sources])[order].astype(np.int32)
    arrives = (np.arange(len(owners)) >= graph.m)[order].astype(np.uint8)
    return Ends(offsets, others, arrives)
