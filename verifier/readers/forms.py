"""Forms of released graphs: the columns of nodes and edges that the method of a policy requires.

An ordinary graph shows no attributes of edges unless the policy keeps or perturbs them. An uncertain graph shows a
probability for every edge. A generalized graph shows the number of nodes of every supernode, the number of edges
inside it, and the number of edges between two supernodes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.readers.cells import Cells, runs_as_formula, same_rows
from verifier.readers.columns import NODE, attributes_of
from verifier.readers.networks import Network, node_numbers, numbers_of

PROBABILITY, SIZE, EDGES, SUPERNODE = "probability", "size", "edges", "supernode"
_UNCERTAIN = ("uncertain",)
_GENERALIZED = ("supernodes", "sangreea")


def form_of(policy: Mapping[str, Any]) -> str:
    """``graph``, ``uncertain`` or ``generalized``."""
    name = (policy.get("method") or {}).get("name")
    if name in _UNCERTAIN:
        return "uncertain"
    return "generalized" if name in _GENERALIZED else "graph"


def needed_columns(policy: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns that every edge must have."""
    return {"uncertain": (PROBABILITY,), "generalized": (EDGES,), "graph": ()}[form_of(policy)]


def may_have_columns(policy: Mapping[str, Any]) -> bool:
    """Whether edges may have columns in addition to their ends."""
    return bool(needed_columns(policy)) or policy.get("edge_attributes") in ("keep", "noise")


def shown_of_nodes(policy: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The part of the policy about the node table, and the leading columns of that table."""
    if form_of(policy) != "generalized":
        return policy, (NODE,)
    kept = {name: s for name, s in attributes_of(policy).items() if s.get("role") in ("quasi_identifier", "identifier")}
    return {**policy, "attributes": kept}, (NODE, SIZE, EDGES)


def sampled_parts(policy: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The parts of the sampled graphs of a generalized release: the edges and the nodes of each."""
    if form_of(policy) != "generalized":
        return []
    wanted = (policy.get("method") or {}).get("samples", 0)
    number = wanted if isinstance(wanted, int) and not isinstance(wanted, bool) else 0
    return [(f"sample_{place}", f"sample_{place}_nodes") for place in range(1, number + 1)]


def edge_column_faults(networks: Sequence[Network], policy: Mapping[str, Any]) -> list[str]:
    """Faults of the columns of edges: missing or unknown columns, and artifacts that disagree."""
    needed = needed_columns(policy)
    faults = []
    for network in networks:
        names = network.edges.names if network.edges is not None else ()
        if len(network.sources) and not set(needed) <= set(names):
            faults.append(f"{network.label}: edges lack a column that the method gives them")
        if needed and set(names) - set(needed):
            faults.append(f"{network.label}: edges have a column that the method does not give them")
        if policy.get("edge_attributes") == "noise" and any(np.isnan(v).any() for v in network.edge_cells.values()):
            faults.append(f"{network.label}: edges have something beside noised numbers")
        if network.format == "edgelist" and network.edges and any(map(runs_as_formula, network.edges.columns)):
            faults.append(f"{network.label}: edges have a cell that a spreadsheet would run")
    return faults + _disagreement([network for network in networks if network.edges is not None])


def _disagreement(networks: Sequence[Network]) -> list[str]:
    """A fault if artifacts with columns of edges do not show the same cells for the same edges in the same order."""
    if len(networks) < 2:
        return []
    first = networks[0]
    tables = [network.edges for network in networks if network.edges is not None]
    alike = all(
        np.array_equal(first.sources, other.sources) and np.array_equal(first.targets, other.targets)
        for other in networks[1:]
    )
    if not alike or len({frozenset(table.names) for table in tables}) > 1 or not same_rows(tables, in_order=True):
        return ["the artifacts show different attributes of their edges"]
    return []


def describe_uncertain(n: int, network: Network) -> dict[str, Any]:
    """Numbers of nodes, of pairs that may be edges, and of expected edges."""
    expected = float(np.nansum(network.edge_cells.get(PROBABILITY, np.zeros(0))))
    return {"form": "uncertain", "nodes": n, "pairs": len(network.sources), "expected_edges": round(expected, 6)}


def inconsistencies(supernodes: Cells, between: Network, nodes: Cells, sample: Network, directed: bool) -> list[str]:
    """Why a generalized graph does not represent a sampled graph: its nodes and edges, counted by supernode, must equal
    the numbers that the generalized graph states."""
    k = supernodes.rows
    home = np.full(nodes.rows, -1, dtype=np.int64)
    home[node_numbers(nodes.column(NODE))] = node_numbers(nodes.column(SUPERNODE))
    if home.size and not (home.min() >= 0 and home.max() < k):
        return ["a sampled graph has a node of no supernode"]
    order = np.argsort(node_numbers(supernodes.column(NODE)))
    sizes, inside = (numbers_of(supernodes.column(name))[order] for name in (SIZE, EDGES))
    if not np.array_equal(np.bincount(home, minlength=k), sizes):
        return ["a sampled graph has other numbers of nodes than its supernodes"]
    stated = _counts(between.sources, between.targets, between.edge_cells.get(EDGES, np.zeros(0)), k, directed)
    stated |= {(node, node): count for node, count in enumerate(inside.tolist()) if count}
    ends = home[sample.sources], home[sample.targets]
    if _counts(*ends, np.ones(len(sample.sources)), k, directed) != stated:
        return ["a sampled graph has other numbers of edges than its supernodes"]
    return []


def _counts(
    sources: NDArray[np.int64], targets: NDArray[np.int64], counts: NDArray[np.float64], k: int, directed: bool
) -> dict[tuple[int, int], float]:
    """Numbers of edges by pair of supernodes; pairs without edges are left out."""
    if not directed:
        sources, targets = np.minimum(sources, targets), np.maximum(sources, targets)
    keys, places = np.unique(sources * np.int64(k) + targets, return_inverse=True)
    sums = np.bincount(places, weights=counts, minlength=len(keys))
    return {divmod(int(key), k): float(count) for key, count in zip(keys, sums, strict=True) if count}
