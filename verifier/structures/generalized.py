"""Findings about generalized graphs: the number of nodes of a supernode.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks",
VLDB 2008.

A generalized graph is plausible only if its numbers can be those of a graph: no supernode has more edges than pairs of
members, and no two supernodes have more edges between them than pairs of their members.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.evidence.evidence import Evidence
from verifier.readers.cells import Cells
from verifier.readers.columns import NODE
from verifier.readers.forms import EDGES, SIZE
from verifier.readers.networks import Network, node_numbers, numbers_of
from verifier.verdict.verdict import Finding

_ASSUMES = "the attacker knows any structure around a node, and asks which node it is"
_LARGEST_WHOLE = 2.0**53


def find_supernode_size(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The number of nodes of the smallest supernode, if the numbers can be those of a graph."""
    k = guarantee.get("k")
    flaw = evidence.graph_flaw
    if not flaw and not (isinstance(k, int) and not isinstance(k, bool) and k >= 2):
        flaw = "k is not a whole number above 1"
    achieved: dict[str, Any] = {}
    if not flaw:
        found = [_smallest(cells, network, evidence.directed) for cells, network in _shown(evidence)]
        flaw = next(
            (outcome for outcome in found if isinstance(outcome, str)), "" if found else "no sizes of supernodes"
        )
        sizes = [outcome for outcome in found if isinstance(outcome, int)]
        achieved = {"k": min(sizes)} if sizes else {}
        if not flaw and achieved["k"] < guarantee["k"]:
            flaw = "a supernode has fewer than k nodes"
    return Finding("supernode_size", {"k": k}, achieved, not flaw, "bytes", _ASSUMES, flaw)


def _shown(evidence: Evidence) -> list[tuple[Cells, Network]]:
    """Every list of supernodes with every list of the edges between them."""
    return [(cells, network) for cells in evidence.tables for network in evidence.networks]


def _smallest(cells: Cells, network: Network, directed: bool) -> int | str:
    """The number of nodes of the smallest supernode, or why the numbers cannot be those of a graph."""
    if not cells.rows or not {NODE, SIZE, EDGES} <= set(cells.names):
        return "supernodes lack their sizes or numbers of edges"
    place = np.argsort(node_numbers(cells.column(NODE)), kind="stable")
    sizes = numbers_of(cells.column(SIZE))[place]
    inside = numbers_of(cells.column(EDGES))[place]
    between = network.edge_cells.get(EDGES, np.empty(0))
    if len(between) != len(network.sources) or not all(map(_whole, (sizes, inside, between))):
        return "a size or a number of edges is not a whole number"
    if (sizes < 1).any() or (between < 1).any():
        return "a supernode has no nodes, or a pair of supernodes no edges"
    # In floating point, no product of sizes overflows.
    room = sizes * (sizes - 1) / (1 if directed else 2)
    if (inside > room).any() or (between > sizes[network.sources] * sizes[network.targets]).any():
        return "there are more edges than pairs of nodes"
    return int(sizes.min())


def _whole(numbers: NDArray[np.float64]) -> bool:
    """Whether all are whole numbers, not negative, and small enough to be exact."""
    within = (numbers >= 0) & (numbers < _LARGEST_WHOLE)
    return bool(within.all() and (numbers == np.floor(numbers)).all())
