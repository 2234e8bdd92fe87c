"""Trajectory: nodes in groups of k that have like degrees in all snapshots, and a common degree at each time.

Microaggregation after Domingo-Ferrer and Mateo-Sanz, "Practical Data-Oriented Microaggregation for Statistical
Disclosure Control", 2002, of the nodes' degrees over time, in L1. A unit of change weighs less in a snapshot of many
edges. Nodes that never have an edge are a group of their own if there are k of them.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.graphs.graph import Graph
from antifaz.kernels.graph_targets import spend_edges
from antifaz.temporal.snapshots import Snapshots
from antifaz.temporal.strategies.groups import BLOCK, ROUNDING, SparseRows, group_rows, least_distance
from antifaz.temporal.strategies.plans import Plan, Task
from antifaz.watch import Watch

Integers = NDArray[np.int64]

PRICES = (2.0, 1.0, 20.0, 3.0, 1.5, 5.0, 1.25, 0.8, 2.5)
"""How many times as dear as a raise it is to lower a degree, each of which is tried: a node gains edges with any other
that needs some, and loses them only with a neighbor that has too many. The first are tried on the largest data."""

GROWTH = 0.03
"""How much of the edge Jaccard a constant number of edges is worth."""
EFFORT = 12_000
"""How many changes of the groups are tried for each node."""


def side_degrees(snapshots: Snapshots) -> Integers:
    """Degrees by snapshot and side: those of the nodes, or the out-degrees and then the in-degrees."""
    if snapshots.directed:
        return np.concatenate([snapshots.out_degrees, snapshots.in_degrees], axis=1)
    return snapshots.degrees


def weights_of(snapshots: Snapshots) -> NDArray[np.float64]:
    """What one unit of change is worth in each snapshot."""
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
    """The group of every node: those with like degrees in all rows, and group 0 for those without any edge."""
    kinds = degrees.shape[1] // max(n, 1)
    snapshots, sides = np.nonzero(degrees)
    busy = np.zeros(n, dtype=bool)
    busy[sides % n] = True
    if int((~busy).sum()) < k:
        busy[:] = True
    if int(busy.sum()) < k:
        # Too few for a group of their own: they join the nodes without edges.
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
    """For every row of degrees and every class of sides the degree that costs the members least."""
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
    """The sides at both ends of every edge."""
    return graph.sources, graph.targets + (graph.n if graph.directed else 0)


def _spared_degrees(
    degrees: Integers, classes: Integers, ends: tuple[Integers, Integers], rng: np.random.Generator
) -> Integers:
    """The highest degree of each class, less what its highest member alone can lose by edges to others like it.

    Each such edge that is given up spares all other members of two classes a raise.
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
    # Who has the fewest edges to spend comes first, so that fewest capacities are left over.
    choices = np.bincount(first, minlength=len(degrees)) + np.bincount(other, minlength=len(degrees))
    turn = np.lexsort((rng.random(len(usable)), np.minimum(choices[first], choices[other])))
    spent = np.zeros(len(degrees), dtype=np.int64)
    spend_edges(first[turn], other[turn], capacity, spent)
    highest[classes[tops]] -= spent[tops]
    return highest


def trajectory_tasks(snapshots: Snapshots, k: int, rng: np.random.Generator, watch: Watch) -> Iterator[Task]:
    """For every snapshot the plans to choose from."""
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
    """Half the least L1 distance: no release in which k nodes share each trajectory needs fewer edits."""
    degrees = side_degrees(snapshots)
    t, sides = np.nonzero(degrees)
    nodes, number = np.unique(sides % snapshots.n, return_inverse=True)
    rows = SparseRows(len(nodes), number.ravel(), t * 2 + sides // snapshots.n, degrees[t, sides].astype(np.float64))
    return int(np.ceil(least_distance(rows, snapshots.n - len(nodes), k, watch) / 2 - ROUNDING))
