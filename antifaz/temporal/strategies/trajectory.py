"""Trajectory: group nodes with similar degrees over time by k, with a common degree per group and snapshot.

Microaggregation after Domingo-Ferrer and Mateo-Sanz, "Practical Data-Oriented Microaggregation for Statistical
Disclosure Control", 2002, of the nodes' degrees over time, in L1. A unit of change weighs less in a snapshot with many
edges. Nodes that never have an edge form their own group if there are at least k of them.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.graphs.graph import Graph
from antifaz.kernels.graphs.targets import spend_edges
from antifaz.temporal.snapshots import Snapshots
from antifaz.temporal.strategies.groups import BLOCK, ROUNDING, SparseRows, group_rows, least_distance
from antifaz.temporal.strategies.plans import Plan, Task
from antifaz.watch import Watch

Integers = NDArray[np.int64]

PRICES = (2.0, 1.0, 20.0, 3.0, 1.5, 5.0, 1.25, 0.8, 2.5)
"""Costs of lowering a degree, relative to raising it. All are tried; on large data only the first ones. Lowering is
harder: a node can gain an edge with any node that needs one, but lose one only with a neighbor that has too many."""

GROWTH = 0.03
"""Weight of keeping the number of edges constant, relative to the edge Jaccard."""
EFFORT = 12_000
"""Number of changes of groups tried for each node."""


def side_degrees(snapshots: Snapshots) -> Integers:
    """Return the degrees by snapshot and side: those of the nodes, or the out-degrees and then the in-degrees."""
    if snapshots.directed:
        return np.concatenate([snapshots.out_degrees, snapshots.in_degrees], axis=1)
    return snapshots.degrees


def weights_of(snapshots: Snapshots) -> NDArray[np.float64]:
    """Return the weight of one unit of change in each snapshot."""
    return 1.0 / np.maximum(np.diff(snapshots.starts), 1)


def group_nodes(
    degrees: Integers,
    weights: NDArray[np.float64],
    n: int,
    k: int,
    effort: int,
    rng: np.random.Generator,
    watch: Watch,
    largest: int = BLOCK,
) -> Integers:
    """Return the group of every node: nodes with similar degrees in all rows, and group 0 for nodes without any
    edge."""
    kinds = degrees.shape[1] // max(n, 1)
    snapshots, sides = np.nonzero(degrees)
    busy = np.zeros(n, dtype=bool)
    busy[sides % n] = True
    if int((~busy).sum()) < k:
        busy[:] = True
    if int(busy.sum()) < k:
        # Too few for their own group: they join the nodes without edges.
        return np.zeros(n, dtype=np.int64)
    nodes = np.flatnonzero(busy)
    number = np.cumsum(busy) - 1
    values = degrees[snapshots, sides] * weights[snapshots]
    rows = SparseRows(len(nodes), number[sides % n], snapshots * kinds + sides // n, values)
    found = group_rows(rows, k, False, effort, rng, watch, largest)
    group = np.zeros(n, dtype=np.int64)
    group[nodes] = found + (0 if busy.all() else 1)
    return group


def common_degrees(degrees: Integers, classes: Integers, price: float) -> Integers:
    """Return for every row of degrees and every class of sides the degree with the least cost for its members."""
    sizes = np.bincount(classes)
    order = np.argsort(classes, kind="stable")
    starts = np.cumsum(sizes) - sizes
    targets = np.zeros((len(degrees), len(sizes)), dtype=np.int64)
    for size in distinct(sizes[sizes > 0]):
        chosen = np.flatnonzero(sizes == size)
        members = order[starts[chosen][:, None] + np.arange(size)]
        place = int(np.ceil(size * price / (1 + price))) - 1
        targets[:, chosen] = np.partition(degrees[:, members], place, axis=2)[:, :, place]
    return targets


def edge_sides(graph: Graph) -> tuple[Integers, Integers]:
    """Return the sides at both ends of every edge."""
    return graph.sources, graph.targets + (graph.n if graph.directed else 0)


def _spared_degrees(
    degrees: Integers, classes: Integers, ends: tuple[Integers, Integers], rng: np.random.Generator
) -> Integers:
    """Return the highest degree of each class, minus the edges its top member can drop to top members of other classes.

    Each dropped edge saves all other members of two classes one raise.
    """
    highest = np.zeros(int(classes.max()) + 1, dtype=np.int64)
    np.maximum.at(highest, classes, degrees)
    order = np.lexsort((degrees, classes))
    last = np.flatnonzero(np.diff(classes[order], append=-1))
    tops = order[last]
    second = np.where((last > 0) & (classes[order[last - 1]] == classes[tops]), degrees[order[last - 1]], 0)
    capacity = np.zeros(len(degrees), dtype=np.int64)
    capacity[tops] = degrees[tops] - second
    usable = np.flatnonzero((capacity[ends[0]] > 0) & (capacity[ends[1]] > 0))
    first, other = ends[0][usable], ends[1][usable]
    # Nodes with the fewest usable edges come first, so that little capacity is left over.
    choices = np.bincount(first, minlength=len(degrees)) + np.bincount(other, minlength=len(degrees))
    turn = np.lexsort((rng.random(len(usable)), np.minimum(choices[first], choices[other])))
    spent = np.zeros(len(degrees), dtype=np.int64)
    spend_edges(first[turn], other[turn], capacity, spent)
    highest[classes[tops]] -= spent[tops]
    return highest


def trajectory_tasks(snapshots: Snapshots, k: int, rng: np.random.Generator, watch: Watch) -> Iterator[Task]:
    """Yield for every snapshot the plans to choose from."""
    degrees, weights = side_degrees(snapshots), weights_of(snapshots)
    group = group_nodes(degrees, weights, snapshots.n, k, EFFORT, rng, watch)
    count = int(group.max(initial=0)) + 1
    classes = np.concatenate([group, group + count]) if snapshots.directed else group

    def plans(t: int, watch: Watch) -> Iterator[Plan]:
        watch(0.0)
        row = degrees[t : t + 1]
        ends = edge_sides(snapshots.graph(t))
        yield Plan(row, np.ones(1), classes, _spared_degrees(row[0], classes, ends, rng), snapshots.directed)
        for price in PRICES:
            yield Plan(row, np.ones(1), classes, common_degrees(row, classes, price)[0], snapshots.directed)

    for t in range(len(snapshots)):
        yield Task((t,), partial(plans, t), lambda t, row: row, GROWTH)


def trajectory_bound(snapshots: Snapshots, k: int, watch: Watch) -> int:
    """Return half the least L1 distance: a release in which k nodes share each trajectory needs at least this many
    edits."""
    degrees = side_degrees(snapshots)
    t, sides = np.nonzero(degrees)
    nodes, number = np.unique(sides % snapshots.n, return_inverse=True)
    rows = SparseRows(len(nodes), number.ravel(), t * 2 + sides // snapshots.n, degrees[t, sides].astype(np.float64))
    return int(np.ceil(least_distance(rows, snapshots.n - len(nodes), k, watch) / 2 - ROUNDING))
