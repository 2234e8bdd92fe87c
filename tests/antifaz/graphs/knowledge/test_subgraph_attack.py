"""What a found group tells, checked by hand."""

import networkx as nx
import numpy as np

from antifaz.graphs.graph import ProtectedGraph
from antifaz.graphs.knowledge.subgraph_attack import homes, learned
from tests.antifaz.graphs.networks import graph_of, renumbered, unchanged


def test_who_is_tied_to_a_set_of_their_own_is_learned():
    # Members 0 and 1; 2 is tied to both, 3 and 4 to 0 alone, 5 to 1 alone, 6 to none.
    graph = graph_of(nx.Graph([(0, 1), (2, 0), (2, 1), (3, 0), (4, 0), (5, 1), (5, 6)]))
    released = renumbered(graph, seed=4)
    home = homes(graph, released)
    members = np.array([0, 1])
    assert learned(graph, members, released, home[members]) == (4, 0)


def test_a_wrong_place_teaches_wrong_things():
    graph = graph_of(nx.path_graph(6))
    # The ends of the path are taken for each other: the member and its one neighbor are mistaken.
    assert learned(graph, np.array([0]), unchanged(graph), np.array([5])) == (0, 2)


def test_homes_of_nodes_that_are_not_released_are_nowhere():
    released = ProtectedGraph(graph_of(nx.empty_graph(3)), np.array([3, -1, 0]))
    assert homes(graph_of(nx.empty_graph(4)), released).tolist() == [2, -1, -1, 0]
