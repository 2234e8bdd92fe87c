"""Findings about uncertain graphs: (k, ε)-obfuscation.

Boldi, Bonchi, Gionis and Tassa, "Injecting Uncertainty in Graphs for Identity Obfuscation", PVLDB 5(11), 2012.

The sealed map gives the original degree of every released node, which the attacker knows: ``{"degrees": [...]}``. The
chances of all degrees are recomputed, for many nodes at a time, edge by edge and without approximation.
"""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.evidence.evidence import Evidence
from verifier.evidence.models import Whole
from verifier.readers.forms import PROBABILITY
from verifier.readers.networks import Network
from verifier.verdict.exact import exact
from verifier.verdict.verdict import Finding, Missing
from verifier.verdict.watch import look

_ASSUMES = "the attacker knows the original degree of a node and nothing else about the graph"
_DOUBT = 1e-9
_CELLS = 1 << 22
"""Number of chances that are held in memory at a time."""

Reals = NDArray[np.float64]


def find_k_eps_obfuscation(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The largest k for which all nodes except a share epsilon are obfuscated.

    The number of nodes that are not obfuscated is a figure of the original and is withheld.
    """
    required = {"k": guarantee.get("k"), "epsilon": guarantee.get("epsilon")}
    share = exact(required["epsilon"])
    flaw = evidence.graph_flaw or _parameter_flaw(required["k"], share)
    degrees = _known_degrees(evidence)
    if not flaw and isinstance(degrees, str):
        flaw = degrees
    achieved: dict[str, Any] = {}
    if not flaw and share is not None and not isinstance(degrees, str):
        judged = [_reached(network, degrees, share, guarantee["k"]) for network in evidence.networks]
        flaw = next((outcome for outcome in judged if isinstance(outcome, str)), "")
        reached = [outcome for outcome in judged if not isinstance(outcome, str)]
        if reached:
            achieved = {"k": min(k for k, _ in reached), "epsilon": required["epsilon"]}
        if not flaw and not all(enough for _, enough in reached):
            flaw = "too many nodes can be distinguished by their degrees"
    return Finding("k_eps_obfuscation", required, achieved, not flaw, "bytes+sealed_map", _ASSUMES, flaw)


def _parameter_flaw(k: object, share: Fraction | None) -> str:
    if not (isinstance(k, int) and not isinstance(k, bool) and k >= 2):
        return "k is not a whole number above 1"
    return "" if share is not None and 0 <= share < 1 else "epsilon is not a share below 1"


def _known_degrees(evidence: Evidence) -> Whole | str:
    """The original degrees of the released nodes, or why they are not known."""
    if evidence.directed:
        return "obfuscation is defined for undirected graphs only"
    degrees = np.asarray((evidence.sealed_map or {}).get("degrees", ()))
    if degrees.ndim != 1 or degrees.dtype.kind not in "iu" or not degrees.size:
        return Missing("there is no sealed map of the original degrees")
    if len(degrees) != evidence.n or (degrees < 0).any():
        return "the sealed map and the release have different nodes"
    return degrees.astype(np.int64)


def _reached(network: Network, degrees: Whole, share: Fraction, k: int) -> tuple[int, bool] | str:
    """The largest k that all nodes except the share reach, and whether k is reached; or why this is unknown."""
    likely = network.edge_cells.get(PROBABILITY, np.empty(0))
    if len(likely) != len(network.sources) or not ((likely > 0) & (likely <= 1)).all():
        return "a probability is missing or not above 0 and at most 1"
    known, place = np.unique(degrees, return_inverse=True)
    bits = np.sort(_entropies(network, likely, len(degrees), known)[place])
    spared = int(share * len(degrees))
    worst = float(bits[spared])
    return int(2.0**worst + _DOUBT), worst >= math.log2(k) - _DOUBT


def _entropies(network: Network, likely: Reals, n: int, known: Whole) -> Reals:
    """For every known degree, the entropy over the nodes that may have it; minus infinity if none may."""
    totals, weighted = np.zeros(len(known)), np.zeros(len(known))
    for chances in _degree_chances(network, likely, n, int(known[-1])):
        asked = known < chances.shape[1]
        columns = chances[:, known[asked]]
        totals[asked] += columns.sum(axis=0)
        weighted[asked] += (columns * np.log2(np.where(columns > 0, columns, 1.0))).sum(axis=0)
    possible = totals > 0
    bits = np.full(len(known), -np.inf)
    bits[possible] = np.log2(totals[possible]) - weighted[possible] / totals[possible]
    return bits


def _degree_chances(network: Network, likely: Reals, n: int, highest: int) -> Iterator[Reals]:
    """Blocks of rows, one row per node: the chance of every degree up to the highest needed."""
    owners = np.concatenate([network.sources, network.targets])
    order = np.argsort(owners, kind="stable")
    values = np.concatenate([likely, likely])[order]
    lengths = np.bincount(owners, minlength=n)
    starts = np.cumsum(lengths) - lengths
    by_length = np.argsort(lengths, kind="stable")
    begin = 0
    while begin < n:
        look()
        rows = by_length[begin : begin + _block(lengths[by_length[begin:]], highest)]
        begin += len(rows)
        width = int(lengths[rows[-1]])
        places = starts[rows, None] + np.arange(width)
        inside = np.arange(width) < lengths[rows, None]
        # An edge with probability 0 changes no chance: it pads the shorter rows.
        yield _convolve(np.where(inside, values[np.where(inside, places, 0)] if width else 0.0, 0.0), highest)


def _block(lengths: Whole, highest: int) -> int:
    """How many nodes, given their ascending numbers of edges, fit into memory together; at least one."""
    needed = (np.arange(len(lengths)) + 1) * (lengths + min(highest, int(lengths[-1])) + 2)
    return max(1, int(np.searchsorted(needed, _CELLS, side="right")))


def _convolve(edges: Reals, highest: int) -> Reals:
    """The chances of the degrees 0…highest of nodes with these edges, one more edge at a time."""
    count, width = edges.shape
    chances = np.zeros((count, min(width, highest) + 1))
    chances[:, 0] = 1.0
    for place in range(width):
        look()
        there = edges[:, place, None]
        stop = min(place + 1, highest) + 1
        grown = chances[:, : stop - 1] * there
        chances[:, :stop] *= 1.0 - there
        chances[:, 1:stop] += grown
    return chances
