"""Findings about the structure of a graph: vertex refinement, neighborhood twins, automorphisms.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks", VLDB 2008
(vertex refinement). Stokes and Torra, "Reidentification and k-Anonymity: a Model for Disclosure Risk in Graphs", Soft
Computing 2012 (nodes with one neighborhood). Zou, Chen and Özsu, "K-Automorphism: A General Framework for Privacy
Preserving Network Publication", VLDB 2009.

Rows of numbers are compared number by number, never by a hash, so equality is exact.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.evidence.evidence import Evidence
from verifier.evidence.models import Whole
from verifier.readers.cells import class_of_rows
from verifier.readers.networks import edge_keys
from verifier.verdict.arrays import distinct
from verifier.verdict.verdict import Finding, Missing
from verifier.verdict.watch import look

_DEPTHS = {"H1": 1, "H2": 2, "H3": 3, "H4": 4}
_CANDIDATE_ASSUMES = "the attacker knows the degree of a node, and of the nodes around it, as far as the query goes"
_TWINS_ASSUMES = "the attacker knows all neighbors of a node, and anything about the structure of the graph"
_AUTOMORPHISM_ASSUMES = "the attacker knows anything about the structure of the graph around a node, and no neighbor"


@dataclass(frozen=True)
class Links:
    """For every node, the nodes that it is linked with, in order."""

    bounds: Whole
    others: Whole

    @classmethod
    def of(cls, n: int, sources: Whole, targets: Whole) -> "Links":
        order = np.lexsort((targets, sources))
        counts = np.bincount(sources, minlength=n)
        return cls(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), targets[order])

    @property
    def nodes(self) -> Whole:
        """The node at the other end of every link."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))


def links(n: int, sources: Whole, targets: Whole, directed: bool) -> list[Links]:
    """The links of an undirected graph, or the outgoing and the incoming links of a directed one."""
    if directed:
        return [Links.of(n, sources, targets), Links.of(n, targets, sources)]
    return [Links.of(n, np.concatenate([sources, targets]), np.concatenate([targets, sources]))]


def k_flaw(k: object) -> str:
    return "" if whole_from(k, 2) else "k is not a whole number above 1"


def whole_from(value: object, least: int) -> bool:
    """Whether a parameter is a whole number of at least ``least``."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def graphs_of(evidence: Evidence) -> Iterator[tuple[Whole, Whole]]:
    """The different graphs that the artifacts show, as end points of edges."""
    seen = set()
    for network in evidence.networks:
        keys = edge_keys(network, evidence.n, evidence.directed)
        if keys.tobytes() not in seen:
            seen.add(keys.tobytes())
            yield keys // evidence.n, keys % evidence.n


def find_k_candidate(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The fewest nodes that look alike under vertex refinement of the query's depth."""
    query = guarantee.get("query")
    required = {"k": guarantee.get("k"), "query": query}
    depth = _DEPTHS.get(str(query))
    flaw = evidence.graph_flaw or k_flaw(required["k"]) or ("" if depth else "the query is not one of H1 to H4")
    achieved: dict[str, Any] = {}
    if not flaw and depth:
        smallest = min(smallest_candidates(evidence.n, *ends, evidence.directed, depth) for ends in graphs_of(evidence))
        achieved = {"k": smallest, "query": query}
        flaw = "" if smallest >= guarantee["k"] else "the query has fewer than k candidates for a node"
    return Finding("k_candidate_anonymity", required, achieved, not flaw, "bytes", _CANDIDATE_ASSUMES, flaw)


def smallest_candidates(n: int, sources: Whole, targets: Whole, directed: bool, depth: int) -> int:
    """The size of the smallest class of nodes with the same answer.

    The answer at depth 0 is the same for all nodes. At the next depth, it is the multiset of the neighbors' answers; in
    a directed graph there are two, for outgoing and incoming neighbors.
    """
    around = links(n, sources, targets, directed)
    answer, count = np.zeros(n, np.int64), 1
    for _ in range(depth):
        columns = [_row_numbers(each.bounds, _sorted_rows(each, answer[each.others])) for each in around]
        answer, count = class_of_rows(columns, n)
    return int(np.bincount(answer, minlength=count).min())


def _sorted_rows(around: Links, values: Whole) -> Whole:
    """The values of every node's links, in order."""
    return np.asarray(values[np.lexsort((values, around.nodes))])


def _row_numbers(bounds: Whole, values: Whole) -> tuple[Whole, int]:
    """Number the distinct rows ``values[bounds[i]:bounds[i + 1]]``; returns a number for each row, and their count."""
    lengths = np.diff(bounds)
    numbers, found = np.zeros(len(lengths), np.int64), 0
    for length in distinct(lengths):
        look()
        rows = np.flatnonzero(lengths == length)
        inverse, count = np.zeros(len(rows), np.int64), 1
        if length:
            cells = np.ascontiguousarray(values[bounds[rows][:, None] + np.arange(length)])
            packed = cells.view(np.dtype((np.void, cells.dtype.itemsize * int(length)))).ravel()
            different, inverse = np.unique(packed, return_inverse=True)
            count = len(different)
        numbers[rows] = inverse + found
        found += count
    return numbers, found


def find_twins(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The fewest nodes that have exactly the same neighbors."""
    required = {"k": guarantee.get("k")}
    flaw = evidence.graph_flaw or k_flaw(required["k"])
    achieved: dict[str, Any] = {}
    if not flaw:
        sizes = (twin_sizes(evidence.n, *ends, evidence.directed) for ends in graphs_of(evidence))
        achieved = {"k": min(int(each.min()) for each in sizes)}
        flaw = "" if achieved["k"] >= guarantee["k"] else "fewer than k nodes share a neighborhood"
    return Finding("neighborhood_twins", required, achieved, not flaw, "bytes", _TWINS_ASSUMES, flaw)


def twin_sizes(n: int, sources: Whole, targets: Whole, directed: bool) -> Whole:
    """For every node, the number of nodes with its neighbors (in both directions if directed), itself included."""
    around = links(n, sources, targets, directed)
    group, count = class_of_rows([_row_numbers(each.bounds, each.others) for each in around], n)
    return np.asarray(np.bincount(group, minlength=count)[group], np.int64)


def find_k_automorphism(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """Whether the sealed functions are k - 1 automorphisms that send every node to k - 1 different other nodes."""
    required = {"k": guarantee.get("k")}
    flaw = evidence.graph_flaw or k_flaw(required["k"])
    achieved: dict[str, Any] = {}
    functions = _functions(evidence)
    if not flaw and functions is None:
        flaw = Missing("there is no sealed map with functions over the nodes")
    if not flaw and functions is not None:
        flaw = _function_flaw(functions) or next(filter(None, _not_kept(functions, evidence)), "")
        achieved = {} if flaw else {"k": len(functions) + 1}
        if not flaw and len(functions) + 1 < guarantee["k"]:
            flaw = "there are fewer than k - 1 functions"
    assumes = _AUTOMORPHISM_ASSUMES
    return Finding("k_automorphism", required, achieved, not flaw, "bytes+sealed_map", assumes, flaw)


def _functions(evidence: Evidence) -> NDArray[np.int64] | None:
    try:
        functions = np.asarray((evidence.sealed_map or {}).get("automorphisms", ()))
    except ValueError:
        return None  # rows of different lengths
    if functions.ndim != 2 or functions.shape[1] != evidence.n or functions.dtype.kind not in "iu":
        return None
    return functions.astype(np.int64)


def _function_flaw(functions: NDArray[np.int64]) -> str:
    everyone = np.arange(functions.shape[1])
    if (np.sort(functions, axis=1) != everyone).any():
        return "a function is not a permutation of the nodes"
    images = np.sort(np.vstack([everyone, functions]), axis=0)
    return "a node is sent to itself, or twice to one node" if (images[1:] == images[:-1]).any() else ""


def _not_kept(functions: NDArray[np.int64], evidence: Evidence) -> Iterator[str]:
    """A flaw for every function that is not an automorphism of all the graphs."""
    n = np.int64(evidence.n)
    for sources, targets in graphs_of(evidence):
        keys = sources * n + targets
        for function in functions:
            look()
            first, second = function[sources], function[targets]
            if not evidence.directed:
                first, second = np.minimum(first, second), np.maximum(first, second)
            if not np.array_equal(np.sort(first * n + second), keys):
                yield "a function does not keep the edges"
