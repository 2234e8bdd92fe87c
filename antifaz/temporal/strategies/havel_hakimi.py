"""Havel–Hakimi: degrees from medians of shuffled parts, and graphs built from scratch, as published.

Garcia Dausà, "Data Privacy in Dynamic Graphs", 2025; the construction is Hakimi's, 1962.

The degrees of a snapshot are shuffled and cut into parts of about k; the medians of the parts are assigned, in blocks
of k, to the nodes in the order of their degrees. A row that no graph can have is replaced by the nearest row that a
graph can have; then the rarest row is replaced by its nearest one until every row occurs k times. All original edges
are discarded: on sparse data most medians are 0 and snapshots end up empty. In a directed graph these are the
in-degrees, and the out-degrees are the same numbers in random order, so pairs of degrees stay unique.

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
"""Number of random orders of out-degrees to try; after that, each node's out-degree is its in-degree, which always
works."""


@dataclass(frozen=True)
class Rows:
    """Degrees that graphs can have, by snapshot and node."""

    degrees: Integers
    replaced: int
    """Number of rows that no graph can have."""
    merged: int
    """Number of snapshots whose row was replaced so that rows recur."""


def rebuild(snapshots: Snapshots, k: int, rng: np.random.Generator, watch: Watch) -> tuple[Snapshots, dict[str, Any]]:
    """Return snapshots with the degrees of the published method, and an account of the changes."""
    degrees = snapshots.in_degrees if snapshots.directed else snapshots.degrees
    rows = recurring_rows(degrees, k, rng, within(watch, 0.0, 0.6))
    rebuilt = with_rows(snapshots, rows.degrees, rng, within(watch, 0.6, 1.0))
    return rebuilt, {"rows_replaced": rows.replaced, "rows_merged": rows.merged}


def recurring_rows(degrees: Integers, k: int, rng: np.random.Generator, watch: Watch) -> Rows:
    """Return rows that graphs can have, each at least k times; raise `Infeasible` if no graph has any of the rows."""
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
    """Return the refusal if no graph has any of the rows, with the nearest k for which one has."""
    watch(0.0)
    reason = Reason("temporal_k_degree_anonymity", limit=k, measured=0, detail="no graph has any of the degree rows")
    for other in sorted(range(2, len(degrees) + 1), key=lambda other: abs(other - k)):
        watch(0.0)
        if other != k and any(is_graphical(_shuffled_medians(row, other, rng)) for row in degrees):
            return Infeasible([reason], nearest={"k": float(other)})
    return Infeasible([reason])


def _shuffled_medians(row: Integers, k: int, rng: np.random.Generator) -> Integers:
    """Assign medians of random parts, in blocks of k, to the nodes in the order of their degrees."""
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
    # Not stable, as published: breaking ties by node order would give sparse snapshots the same blocks, and so rows
    # that are nearer to each other than to the empty row.
    targets[np.argsort(row)] = np.repeat(np.rint(medians).astype(np.int64), k)[: len(row)]
    return targets


def _nearest(row: Integers, others: Integers) -> int:
    return int(np.abs(others - row).sum(axis=1).argmin())


def _merge_rare(rows: Integers, k: int, watch: Watch) -> tuple[Integers, int]:
    """Replace the rarest distinct row by its nearest until each occurs k times; also return how many snapshots
    changed."""
    # In order of time: of equally rare rows, the earliest is replaced, as published.
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
    """Return snapshots built from the rows; equal rows have the same graph."""
    built: dict[bytes, Graph] = {}
    graphs = []
    for number, row in enumerate(rows):
        now = within(watch, number / len(rows), number / len(rows))
        now(0.0)
        if row.tobytes() not in built:
            arcs = snapshots.directed
            built[row.tobytes()] = _arcs(snapshots.n, row, rng, now) if arcs else _edges(snapshots.n, row)
        graphs.append(built[row.tobytes()])
    return joined(graphs, snapshots)


def _edges(n: int, row: Integers) -> Graph:
    graph = build(n, row)
    assert graph is not None, "the row passed the test of Erdős and Gallai"
    return graph


def _arcs(n: int, row: Integers, rng: np.random.Generator, watch: Watch) -> Graph:
    """Return a directed graph with these in-degrees and the same out-degrees, in random order if such a graph exists.

    Equal in- and out-degrees at each node always work: take an undirected graph with these degrees, in both directions.
    """
    for _ in range(SHUFFLES):
        graph = build_arcs(n, rng.permutation(row), row, watch)
        if graph is not None:
            return graph
    both = _edges(n, row)
    ends = np.concatenate([both.sources, both.targets]), np.concatenate([both.targets, both.sources])
    return Graph.from_pairs(n, *ends, directed=True)
