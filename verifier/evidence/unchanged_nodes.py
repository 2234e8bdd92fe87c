"""Findings about nodes that a release shows unchanged and alone.

A node is unchanged if its edges are those of its original node and no others; it is alone if no other node of the
release has the same degrees around it, up to four steps away (vertex refinement: Hay, Miklau, Jensen, Towsley and Weis,
"Resisting Structural Re-identification in Anonymized Social Networks", VLDB 2008). The bytes show which nodes are
alone; the original's edges are sealed: ``{"original_edges": {"n": ..., "origin": [...], "sources": [...],
"targets": [...]}}``, with ``times`` for a temporal graph. ``origin`` is the original node of every released one, -1 if
it was added.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.readers.cells import class_of_rows
from verifier.readers.columns import waives
from verifier.verdict.arrays import distinct
from verifier.verdict.exact import exact
from verifier.verdict.verdict import Finding
from verifier.verdict.watch import look

MODEL = "nodes_unchanged_and_alone"
MOST_NODES = 0.5
"""Largest share of nodes that may be joined as in the original and alone."""
_STEPS = 4
_ASSUMES = "the attacker knows whom a person is joined with, and the degrees around that person"
_STRUCTURAL = (
    "k_degree_anonymity",
    "k_candidate_anonymity",
    "neighborhood_twins",
    "k_automorphism",
    "kl_anonymity",
    "k_neighborhood_anonymity",
    "supernode_size",
    "k_eps_obfuscation",
    "temporal_k_degree_anonymity",
    "degree_trajectory_anonymity",
)
_LIKELY = 0.5

Whole = NDArray[np.int64]
Marks = NDArray[np.bool_]
Ends = tuple[Whole, Whole]


def find_unchanged_nodes(policy: Mapping[str, Any], exposed: int, nodes: int) -> Finding:
    """The finding about a number of exposed nodes, of all nodes of the original."""
    share = exposed / nodes if nodes else 0.0
    accepted = promises_structure(policy) or waives(policy, "naive")
    detail = "" if share <= MOST_NODES or accepted else "too many nodes are joined as in the original and alone"
    required, achieved = {"share": MOST_NODES}, {"share": share}
    return Finding(MODEL, required, achieved, not detail, "bytes+sealed_map", _ASSUMES, detail)


def promises_structure(policy: Mapping[str, Any]) -> bool:
    """Whether a guarantee about the structure is promised, and for at least half of the nodes."""
    return any(
        guarantee.get("model") in _STRUCTURAL and (exact(guarantee.get("epsilon", 0)) or 0) <= _LIKELY
        for guarantee in policy.get("guarantees") or ()
    )


def count_exposed(known: Mapping[str, Any], n: int, shown: Ends, directed: bool) -> int:
    """How many nodes of one graph are unchanged and alone."""
    origin, before = _whole(known["origin"]), (_whole(known["sources"]), _whole(known["targets"]))
    unchanged = _unchanged(int(known["n"]), origin, before, n, shown, directed)
    return int(np.count_nonzero(unchanged & _alone(_signatures(n, shown, directed))))


def count_exposed_over_time(known: Mapping[str, Any], n: int, shown: Sequence[Ends], directed: bool) -> int:
    """How many nodes are unchanged and alone in the snapshot that exposes most, or over all snapshots together."""
    origin, times = _whole(known["origin"]), _whole(known["times"])
    sources, targets = _whole(known["sources"]), _whole(known["targets"])
    always, history, highest = np.ones(n, np.bool_), np.zeros(n, np.int64), 0
    for t, ends in enumerate(shown):
        before = sources[times == t], targets[times == t]
        unchanged = _unchanged(int(known["n"]), origin, before, n, ends, directed)
        signatures = _signatures(n, ends, directed)
        highest = max(highest, int(np.count_nonzero(unchanged & _alone(signatures))))
        always &= unchanged
        history = _numbered([history, signatures])
    return max(highest, int(np.count_nonzero(always & _alone(history))))


def likely(sources: Whole, targets: Whole, chances: NDArray[np.float64]) -> Ends:
    """The pairs of an uncertain graph that are more likely joined than not."""
    return sources[chances > _LIKELY], targets[chances > _LIKELY]


def _whole(values: Any) -> Whole:
    return np.asarray(values, np.int64)


def _unchanged(size: int, origin: Whole, before: Ends, n: int, shown: Ends, directed: bool) -> Marks:
    """For every released node, whether all its edges, traced back, are original ones, and none of those is missing."""
    traced = origin[shown[0]], origin[shown[1]]
    there = np.isin(_keys(traced, size, directed), _keys(before, size, directed))
    there &= np.minimum(*traced) >= 0
    kept = np.bincount(np.concatenate([shown[0][there], shown[1][there]]), minlength=n)
    has = np.bincount(np.concatenate(shown), minlength=n)
    had = np.bincount(np.concatenate(before), minlength=size)
    return np.asarray((kept == has) & (origin >= 0) & (kept == had[np.maximum(origin, 0)]))


def _keys(ends: Ends, size: int, directed: bool) -> Whole:
    first, second = ends if directed else (np.minimum(*ends), np.maximum(*ends))
    return first * np.int64(size) + second


def _signatures(n: int, ends: Ends, directed: bool) -> Whole:
    """Numbers that are equal for nodes with the same degrees around them, exactly: nodes are distinguished by the
    sorted signatures of their neighbors, step by step."""
    sides = [ends, ends[::-1]] if directed else [(np.concatenate(ends), np.concatenate(ends[::-1]))]
    numbers = np.zeros(n, np.int64)
    for _ in range(_STEPS):
        look()
        numbers = _numbered([numbers, *(_multisets(n, side, numbers) for side in sides)])
    return numbers


def _multisets(n: int, side: Ends, numbers: Whole) -> Whole:
    """For every node, a number for the multiset of its neighbors' numbers."""
    order = np.lexsort((numbers[side[1]], side[0]))
    owners, values = side[0][order], numbers[side[1]][order]
    lengths = np.bincount(owners, minlength=n)
    starts = np.cumsum(lengths) - lengths
    found, used = np.zeros(n, np.int64), 1
    for length in distinct(lengths[lengths > 0]).tolist():
        look()
        nodes = np.flatnonzero(lengths == length)
        rows = values[starts[nodes, None] + np.arange(length)]
        kinds = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
        found[nodes] = used + kinds
        used += int(kinds.max()) + 1
    return found


def _numbered(columns: Iterable[Whole]) -> Whole:
    """One number for each combination."""
    known = list(columns)
    return class_of_rows(((column, int(column.max(initial=0)) + 1) for column in known), len(known[0]))[0]


def _alone(signatures: Whole) -> Marks:
    _, places, sizes = np.unique(signatures, return_inverse=True, return_counts=True)
    return np.asarray(sizes[places.reshape(-1)] == 1)
