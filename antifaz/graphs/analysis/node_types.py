"""Node types: the attributes of nodes as a small number of groups, for measures about kinds of people."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.graphs.graph import Graph, NodeAttribute, ProtectedGraph

MOST_TYPES = 20
"""Most values of an attribute; with more, it is grouped by its hierarchy or by quartiles, or not used."""
FEWEST_NODES = 10
"""Types of fewer original nodes are left out of every figure."""


@dataclass(frozen=True)
class NodeTypes:
    """A type for every original node: a number from 0 on, or -1 if its type is left out."""

    attribute: str
    types: NDArray[np.int64]
    count: int

    def released(self, released: ProtectedGraph) -> NDArray[np.int64]:
        """The types of the nodes of a release; made-up nodes have none."""
        return np.where(released.origin >= 0, self.types[released.origin], -1)


def node_types(graph: Graph, wanted: str | None, roles: tuple[str, ...] | None = None) -> NodeTypes | None:
    """The types by the attribute of that name, or by the first that has at least two; None if there is none.

    If roles are given, only attributes with one of them are considered.
    """
    for attribute in graph.attributes:
        if (wanted is None or attribute.name == wanted) and (roles is None or attribute.role in roles):
            found = _types(attribute)
            if found is not None:
                return found
    return None


def _types(attribute: NodeAttribute) -> NodeTypes | None:
    groups = _groups(attribute)
    if groups is None:
        return None
    counts = np.bincount(groups)
    kept = counts >= FEWEST_NODES
    if kept.sum() < 2:
        return None
    numbers = np.where(kept, np.cumsum(kept) - 1, -1)
    return NodeTypes(attribute.name, numbers[groups], int(kept.sum()))


def _groups(attribute: NodeAttribute) -> NDArray[np.int64] | None:
    """The values if they are few; otherwise the finest level of the hierarchy with few groups, or quartiles."""
    if len(distinct(attribute.codes)) <= MOST_TYPES:
        return attribute.codes
    if attribute.ancestors is not None:
        for level in attribute.ancestors:
            if 2 <= len(distinct(level[attribute.codes])) <= MOST_TYPES:
                return np.asarray(level[attribute.codes])
    if attribute.numbers is not None:
        numbers = attribute.numbers[attribute.codes]
        bounds = np.nanquantile(numbers, [0.25, 0.5, 0.75]) if not np.isnan(numbers).all() else np.zeros(0)
        return np.searchsorted(bounds, numbers).astype(np.int64)
    return None
