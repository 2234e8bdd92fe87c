"""Findings about what single sets of nodes reveal: (k, l)-anonymity.

Stokes and Torra, "Reidentification and k-Anonymity: a Model for Disclosure Risk in Graphs", Soft Computing 2012; the
notion is Feder, Nabar and Terzi's ("Anonymizing Graphs", 2008), whose definition this paper corrects.

``indices``: take any l nodes as columns of the adjacency matrix. Every row, restricted to these columns, occurs at
least k times: an attacker who knows which of l nodes are a person's neighbors and which are not finds k rows or more.
``neighbors``: any l neighbors of a node are neighbors of at least k nodes, itself included; and every node has at least
l neighbors, so that the same follows for fewer than l.
Both require k + l <= n.

Pairs of nodes are counted exactly, larger sets as long as there are not too many. Beyond the limit, only a sufficient
condition is checked: k nodes have every neighbor that a node has (``indices``: the same neighbors).
"""

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.evidence.evidence import Evidence
from verifier.evidence.models import Whole
from verifier.structures.structure import Links, graphs_of, k_flaw, links, twin_sizes, whole_from
from verifier.verdict.verdict import Finding
from verifier.verdict.watch import look

_INDICES_ASSUMES = "the attacker knows of at most l nodes which are neighbors of a node and which are not"
_NEIGHBORS_ASSUMES = "the attacker knows at most l neighbors of a node"
MOST_SETS = 400_000
"""Most sets of three or more nodes that are examined."""
MOST_PAIRS = 2_000_000_000
"""Most pairs of nodes, and of neighbors of one node, that are examined."""
_CELLS = 2_000_000
"""Number of pairs that are held in memory at the same time."""
_UNDECIDED = "it could not be decided within the limit"

Reached = tuple[int, bool]
"""The achieved k, and whether it is exact or only a lower bound."""


def find_kl(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The fewest candidate nodes for an attacker with knowledge about l nodes."""
    definition = guarantee.get("definition", "neighbors")
    required = {"k": guarantee.get("k"), "l": guarantee.get("l"), "definition": definition}
    flaw = evidence.graph_flaw or _flaw(required, evidence)
    achieved: dict[str, Any] = {}
    if not flaw:
        measure = _MEASURES[str(definition)]
        worst, exactly = min(measure(evidence.n, *ends, guarantee["l"]) for ends in graphs_of(evidence))
        achieved = {"k": worst, "l": guarantee["l"], "definition": definition}
        if worst < guarantee["k"]:
            flaw = "knowledge of l nodes leaves fewer than k candidates" if exactly else _UNDECIDED
    assumes = _INDICES_ASSUMES if definition == "indices" else _NEIGHBORS_ASSUMES
    return Finding("kl_anonymity", required, achieved, not flaw, "bytes", assumes, flaw)


def _flaw(required: Mapping[str, Any], evidence: Evidence) -> str:
    if evidence.directed:
        return "it is defined for undirected graphs"
    if str(required["definition"]) not in _MEASURES:
        return "no verifier of this definition"
    flaw = k_flaw(required["k"]) or ("" if whole_from(required["l"], 1) else "l is not a whole number above 0")
    if not flaw and required["k"] + required["l"] > evidence.n:
        return "k + l is above the number of nodes"
    return flaw


def _by_indices(n: int, sources: Whole, targets: Whole, l: int) -> Reached:  # noqa: E741 (the literature's letter)
    around = links(n, sources, targets, directed=False)[0]
    degrees = np.diff(around.bounds)
    if l == 1:
        return _least_positive(np.concatenate([degrees, n - degrees]), n), True
    if l == 2 and _pairs_of(around) <= MOST_PAIRS:
        return min(_least_positive(_patterns(degrees, *rows), n) for rows in _shared_rows(around)), True
    if l > 2 and math.comb(n, l) <= MOST_SETS:
        masks = _masks(around)
        return min(_smallest_part(masks, chosen, n) for chosen in combinations(range(n), l)), True
    return int(twin_sizes(n, sources, targets, directed=False).min()), False


def _by_neighbors(n: int, sources: Whole, targets: Whole, l: int) -> Reached:  # noqa: E741
    around = links(n, sources, targets, directed=False)[0]
    degrees = np.diff(around.bounds)
    if int(degrees.min()) < l:
        return 0, True
    if l == 1:
        return int(degrees.min()), True
    countable = _pairs_of(around) <= MOST_PAIRS
    if l == 2 and countable:
        return min(_least_positive(shared, n) for _, shared in _shared_rows(around)), True
    if l > 2 and sum(math.comb(degree, l) for degree in degrees.tolist()) <= MOST_SETS:
        return _fewest_around(around, l), True
    if not countable:
        return int(twin_sizes(n, sources, targets, directed=False).min()), False
    others = ((shared == degrees[rows, None]).sum(axis=1) for rows, shared in _shared_rows(around))
    return 1 + min(int(counts.min()) for counts in others), False


_MEASURES: dict[str, Callable[[int, Whole, Whole, int], Reached]] = {"indices": _by_indices, "neighbors": _by_neighbors}


def _pairs_of(around: Links) -> int:
    """Number of pairs of nodes, and of pairs of neighbors of one node."""
    degrees = np.diff(around.bounds)
    return len(degrees) ** 2 + int((degrees**2).sum())


def _least_positive(counts: NDArray[np.int64], n: int) -> int:
    return int(np.where(counts > 0, counts, n).min(initial=n))


def _shared_rows(around: Links) -> Iterator[tuple[Whole, NDArray[np.int64]]]:
    """For some nodes at a time, the number of neighbors each shares with every other node; 0 with itself."""
    n = len(around.bounds) - 1
    degrees = np.diff(around.bounds)
    work = np.cumsum(n + np.bincount(around.nodes, weights=degrees[around.others], minlength=n).astype(np.int64))
    for part in np.split(np.arange(n), np.flatnonzero(np.diff(work // _CELLS)) + 1):
        look()
        middle, rows = _spread(around, part)
        ends, origin = _spread(around, middle)
        keys = rows[origin] * n + ends
        shared = np.bincount(keys, minlength=len(part) * n).reshape(len(part), n)
        shared[np.arange(len(part)), part] = 0
        yield part, shared


def _spread(around: Links, nodes: Whole) -> tuple[Whole, Whole]:
    """All neighbors of some nodes in sequence, and for each the position of the node whose neighbor it is."""
    starts, counts = around.bounds[nodes], np.diff(around.bounds)[nodes]
    place = np.repeat(np.arange(len(nodes)), counts)
    inside = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
    return around.others[starts[place] + inside], place


def _patterns(degrees: Whole, rows: Whole, shared: NDArray[np.int64]) -> NDArray[np.int64]:
    """For every pair of nodes, the number of nodes with both, only one, only the other, or neither as neighbors."""
    one, other = degrees[rows][:, None], degrees[None, :]
    counts = np.stack([shared, one - shared, other - shared, len(degrees) - one - other + shared])
    counts[:, np.arange(len(rows)), rows] = 0  # the node itself is not a pair
    return counts


def _masks(around: Links) -> list[int]:
    """The neighbors of every node as the bits of one number."""
    bounds = around.bounds.tolist()
    others = around.others.tolist()
    return [sum(1 << other for other in others[a:b]) for a, b in pairwise(bounds)]


def _smallest_part(masks: list[int], chosen: tuple[int, ...], n: int) -> int:
    """The fewest nodes that share a pattern of neighbors and non-neighbors among the chosen."""
    look()
    parts = [(1 << n) - 1]
    for column in chosen:
        halves = (half for part in parts for half in (part & masks[column], part & ~masks[column]))
        parts = [half for half in halves if half]
    return min(part.bit_count() for part in parts)


def _fewest_around(around: Links, l: int) -> int:  # noqa: E741
    """The fewest nodes that are joined to all of l neighbors of one node."""
    masks, bounds, others = _masks(around), around.bounds.tolist(), around.others.tolist()
    fewest = len(masks)
    for a, b in pairwise(bounds):
        for chosen in combinations(others[a:b], l):
            look()
            common = masks[chosen[0]]
            for other in chosen[1:]:
                common &= masks[other]
            fewest = min(fewest, common.bit_count())
    return fewest
