"""Node classification by label propagation."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph, NodeAttribute, ProtectedGraph
from antifaz.graphs.utility.node_classification import NodeClassification
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, perturbed, random_graph, renumbered


def blocks() -> Graph:
    """Four dense groups, hardly joined, each with its label."""
    graph = graph_of(nx.random_partition_graph([25] * 4, 0.4, 0.01, seed=1))
    return replace(graph, attributes=(NodeAttribute("party", "sensitive", np.repeat(np.arange(4), 25), 4),))


def measure(graph: Graph, released: ProtectedGraph, **parameters: float) -> dict:
    return NodeClassification(**parameters).measure(graph, released, np.random.default_rng(0), unwatched)


def test_labels_of_dense_groups_are_told():
    result = measure(blocks(), renumbered(blocks()))
    assert result["original"] > 0.95
    assert result["released"] == pytest.approx(result["original"])
    assert result["baseline"] == 0.25
    assert result["labels"] == 4


def test_labels_are_hard_to_tell_along_random_edges():
    result = measure(blocks(), perturbed(blocks(), 0.95), hidden=0.7)
    assert result["released"] < 0.6 < result["original"]


def test_made_up_nodes_have_no_label():
    graph = blocks()
    grown = Graph.from_pairs(101, graph.sources, graph.targets)
    result = measure(graph, ProtectedGraph(grown, np.append(np.arange(100), -1)))
    assert result["released"] == pytest.approx(result["original"])


def test_without_labels_there_is_no_value():
    graph = random_graph(60, 150)
    assert measure(graph, renumbered(graph))["value"] is None
