"""Havel–Hakimi: degrees from medians of shuffled parts, and graphs built from nothing, as published.

Garcia Dausà, "Data Privacy in Dynamic Graphs", 2025; the construction is Hakimi's, 1962.

The degrees of a snapshot are shuffled and cut into parts of about k; the medians of the parts go, in blocks of k, to
the nodes in the order of their degrees. A row that no graph has becomes the nearest of the other rows that one has;
then the rarest row becomes its nearest until every row occurs k times. All original edges are forgotten: on sparse data
most medians are 0 and snapshots end up empty. In a directed graph these are the in-degrees, and the out-degrees are the
same numbers in random order, so that pairs of degrees stay unique.

Guarantees: temporal_k_degree_anonymity, in directed graphs with `separate`.
Cost: O(T²·n).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import Infeasible, Reason
from antifaz.graphs.graph import Graph
from antifaz.temporal.snapshots import Snapshots, joined
from antifaz.temporal.strategies.realizable import build, build_arcs, is_graphical
from antifaz.watch import Watch, within

Integers = NDArray[np.int64]

SHUFFLES = 20
"""How many random orders of the out-degrees are tried before each node gets its in-degree, which always works."""


@dataclass(frozen=True)
class Rows:
    """Degrees that graphs have, by snapshot and node."""

    degrees: Integers
    replaced: int
    """Rows that no graph had."""
    merged: int
    """Snapshots whose row was given up for another so that rows recur."""


def rebuild(snapshots: Snapshots, k: int, rng: np.random.Generator, watch: Watch) -> tuple[Snapshots, dict[str, Any]]:
    """Snapshots with the published degrees, and the account of what was done."""
    degrees = snapshots.in_degrees if snapshots.directed else snapshots.degrees
    rows = recurring_rows(degrees, k, rng, within(watch, 0.0, 0.6))
    rebuilt = with_rows(snapshots, rows.degrees, rng, within(watch, 0.6, 1.0))
    return rebuilt, {"rows_replaced": rows.replaced, "rows_merged": rows.merged}


def recurring_rows(degrees: Integers, k: int, rng: np.random.Generator, watch: Watch) -> Rows:
    """Rows that graphs have, each of which occurs k times or more; raises `Infeasible` if no row is that of a graph."""
    anonymous = np.stack([_shuffled_medians(row, k, rng) for row in degrees])
    kept = np.array([is_graphical(row) for row in anonymous])
    if not kept.any():
        raise _refusal(degrees, k, rng, watch)
    for place in np.flatnonzero(~kept):
        watch(0.3 * place / len(kept))
        anonymous[place] = anonymous[kept][_nearest(anonymous[place], anonymous[kept])]
    merged, count = _merge_rare(anonymous, k, within(watch, 0.3, 1.0))
    return Rows(merged, int((~kept).sum()), count)


def _refusal(degrees: Integers, k: int, rng: np.random.Generator, watch: Watch) -> Infeasible:
    """No row is that of a graph: with the nearest k for which one is."""
    watch(0.0)
    reason = Reason("temporal_k_degree_anonymity", limit=k, measured=0, detail="no degree row is that of a graph")
    for other in sorted(range(2, len(degrees) + 1), key=lambda other: abs(other - k)):
        watch(0.0)
        if other != k and any(is_graphical(_shuffled_medians(row, other, rng)) for row in degrees):
            return Infeasible([reason], nearest={"k": float(other)})
    return Infeasible([reason])


def _shuffled_medians(row: Integers, k: int, rng: np.random.Generator) -> Integers:
    """Medians of random parts, in blocks of k, to the nodes in the order of their degrees."""
    blocks = -(-len(row) // k)
    size, longer = divmod(len(row), blocks)
    shuffled = rng.permutation(row)
    head, tail = shuffled[: longer * (size + 1)], shuffled[longer * (size + 1) :]
    medians = np.concatenate(
        [np.median(head.reshape(longer, size + 1), axis=1), np.median(tail.reshape(blocks - longer, size), axis=1)]
    )
    if len(row) % k and blocks > 1:
        medians[-1] = medians[-2]
    targets = np.empty_like(row)
    # Not stable, as published: ties in the order of nodes would give sparse snapshots the same blocks, and so rows that
    # are nearer to one another than to the empty one.
    targets[np.argsort(row)] = np.repeat(np.rint(medians).astype(np.int64), k)[: len(row)]
    return targets


def _nearest(row: Integers, others: Integers) -> int:
    return int(np.abs(others - row).sum(axis=1).argmin())


def _merge_rare(rows: Integers, k: int, watch: Watch) -> tuple[Integers, int]:
    """The rarest distinct row becomes its nearest until each occurs k times; with how many snapshots changed."""
    # In the order of time: of rows that are equally rare the earliest is given up, as published.
    numbers: dict[bytes, int] = {}
    member = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in rows], dtype=np.int64)
    distinct, counts = rows[np.unique(member, return_index=True)[1]], np.bincount(member)
    merged, start = 0, len(distinct)
    alive = np.arange(len(distinct))
    while len(alive) > 1 and counts[alive].min() < k:
        watch(1.0 - len(alive) / start)
        rare = alive[counts[alive].argmin()]
        alive = alive[alive != rare]
        heir = alive[_nearest(distinct[rare], distinct[alive])]
        merged += int(counts[rare])
        counts[heir] += counts[rare]
        member[member == rare] = heir
    return distinct[member], merged


def with_rows(snapshots: Snapshots, rows: Integers, rng: np.random.Generator, watch: Watch) -> Snapshots:
    """Snapshots built from the rows; equal rows have the same graph."""
    built: dict[bytes, Graph] = {}
    graphs = []
    for number, row in enumerate(rows):
        watch(number / len(rows))
        if row.tobytes() not in built:
            built[row.tobytes()] = _arcs(snapshots.n, row, rng) if snapshots.directed else _edges(snapshots.n, row)
        graphs.append(built[row.tobytes()])
    return joined(graphs, snapshots)


def _edges(n: int, row: Integers) -> Graph:
    graph = build(n, row)
    assert graph is not None, "the row passed the test of Erdős and Gallai"
    return graph


def _arcs(n: int, row: Integers, rng: np.random.Generator) -> Graph:
    """A directed graph with these in-degrees and, in random order if that works, the same out-degrees.

    With equal in- and out-degrees at each node it works: a graph that has the degrees, with both directions.
    """
    for _ in range(SHUFFLES):
        graph = build_arcs(n, rng.permutation(row), row)
        if graph is not None:
            return graph
    both = _edges(n, row)
    ends = np.concatenate([both.sources, both.targets]), np.concatenate([both.targets, both.sources])
    return Graph.from_pairs(n, *ends, directed=True)
