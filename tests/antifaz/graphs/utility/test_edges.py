"""Number of edges."""

import networkx as nx
import numpy as np

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.utility.edges import Edges
from antifaz.watch import unwatched


def graph_of(network: nx.Graph) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


def measure(graph: Graph, release: Graph, account: dict | None = None) -> dict:
    released = ProtectedGraph(release, np.arange(release.n), account or {})
    return Edges().measure(graph, released, np.random.default_rng(0), unwatched)


def test_edges_are_counted_on_both_sides():
    assert measure(graph_of(nx.path_graph(5)), graph_of(nx.cycle_graph(5))) == {
        "original": 4,
        "released": 5,
        "loss": 0.25,
    }
