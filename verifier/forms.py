"""Forms of released graphs: what the method of a policy says nodes and edges must show beside themselves.

An ordinary graph shows nothing of its edges unless the policy keeps or noises their attributes; an uncertain graph
shows a probability for every edge; a generalized graph shows how many nodes a supernode stands for, how many edges are
inside it, and how many lie between two.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from verifier.cells import runs_as_formula, same_rows
from verifier.columns import NODE, attributes_of
from verifier.networks import Network

PROBABILITY, SIZE, EDGES = "probability", "size", "edges"
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
    """Whether edges may show anything beside their ends."""
    return bool(needed_columns(policy)) or policy.get("edge_attributes") in ("keep", "noise")


def shown_of_nodes(policy: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The policy as far as it speaks of the node table, and the columns with which that begins."""
    if form_of(policy) != "generalized":
        return policy, (NODE,)
    kept = {name: s for name, s in attributes_of(policy).items() if s.get("role") in ("quasi_identifier", "identifier")}
    return {**policy, "attributes": kept}, (NODE, SIZE, EDGES)


def sampled_parts(policy: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The parts of the sampled graphs that a generalized release has: of each its edges and its nodes."""
    if form_of(policy) != "generalized":
        return []
    wanted = (policy.get("method") or {}).get("samples", 0)
    number = wanted if isinstance(wanted, int) and not isinstance(wanted, bool) else 0
    return [(f"sample_{place}", f"sample_{place}_nodes") for place in range(1, number + 1)]


def edge_column_faults(networks: Sequence[Network], policy: Mapping[str, Any]) -> list[str]:
    """What is wrong with what is said of edges: columns that are missing or foreign, and artifacts that disagree."""
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
    """Artifacts that say something of edges must say the same of the same edges, in one order."""
    if len(networks) < 2:
        return []
    first = networks[0]
    tables = [network.edges for network in networks if network.edges is not None]
    alike = all(
        np.array_equal(first.sources, other.sources) and np.array_equal(first.targets, other.targets)
        for other in networks[1:]
    )
    if not alike or len({frozenset(table.names) for table in tables}) > 1 or not same_rows(tables, in_order=True):
        return ["the artifacts say different things of their edges"]
    return []
