"""SaNGreeA: clusters by hand, every choice against the definition, and graphs too large to compare all nodes."""

from dataclasses import replace
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import Cancelled, Infeasible, InvalidPolicy
from antifaz.graphs.forms.generalized import structural_loss, summarize
from antifaz.graphs.graph import Graph, NodeAttribute, ProtectedGraph
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.guarantees.supernode_size import SupernodeSize
from antifaz.graphs.methods import sangreea
from antifaz.graphs.methods.sangreea import Sangreea
from antifaz.watch import Watch, unwatched
from bench.graphs import power_law_graph, read_graph
from tests.antifaz.graphs.releases import COLLABORATIONS
from tests.datasets import data_file

REGIONS = np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]])


def graph_of(network: nx.Graph, **attributes: NodeAttribute) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    graph = Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())
    return replace(graph, attributes=tuple(attributes.values()))


def ages(*numbers: float) -> NodeAttribute:
    values, codes = np.unique(numbers, return_inverse=True)
    return NodeAttribute("age", "quasi_identifier", codes.astype(np.int64), len(values), values)


def protect(graph: Graph, k: int, seed: int = 0, watch: Watch = unwatched, **parameters: float) -> ProtectedGraph:
    method = Sangreea.model_validate(parameters)
    return method.apply(graph, [SupernodeSize(k=k)], np.random.default_rng(seed), watch)


def clusters(released: ProtectedGraph) -> list[list[int]]:
    assert released.members is not None
    return [np.flatnonzero(released.members == number).tolist() for number in range(released.graph.n)]


def check(graph: Graph, k: int, released: ProtectedGraph) -> None:
    """Properties of every result."""
    assert released.members is not None
    summary = summarize(graph, released.members)
    assert summary.sizes.min() >= k
    assert len(summary.sizes) == graph.n // k
    assert released.graph.keys.tolist() == summary.quotient.keys.tolist()
    assert released.edge_columns[0].values.tolist() == summary.between.tolist()
    assert released.node_columns[0].values.tolist() == summary.sizes.tolist()
    assert released.node_columns[1].values.tolist() == summary.inside.tolist()
    assert released.account["structural_loss"] == pytest.approx(structural_loss(summary))
    assert released.stand_in.graph.m == graph.m


def test_ages_alone_cluster_by_age():
    graph = graph_of(nx.cycle_graph(6), age=ages(20, 51, 22, 50, 21, 52))
    released = protect(graph, 3, alpha=1, beta=0)
    check(graph, 3, released)
    assert sorted(clusters(released)) == [[0, 2, 4], [1, 3, 5]]
    # Each cluster spans 2 of 32 years.
    assert released.account["attribute_loss"] == pytest.approx(2 / 32)


def test_neighbors_alone_cluster_twins():
    # The nodes of each side of K(3, 3) have all neighbors in common; their ages would put them otherwise.
    graph = graph_of(nx.complete_bipartite_graph(3, 3), age=ages(20, 50, 80, 21, 51, 81))
    assert sorted(clusters(protect(graph, 3, alpha=0, beta=1))) == [[0, 1, 2], [3, 4, 5]]
    assert sorted(clusters(protect(graph, 2, alpha=1, beta=0))) == [[0, 3], [1, 4], [2, 5]]


def test_attributes_of_other_roles_are_not_looked_at():
    graph = graph_of(nx.cycle_graph(6), age=replace(ages(20, 51, 22, 50, 21, 52), role="sensitive"))
    released = protect(graph, 3)
    assert "attribute_loss" not in released.account
    assert clusters(released) == clusters(protect(replace(graph, attributes=()), 3))


@st.composite
def attributed_graphs(draw):
    n = draw(st.integers(3, 11))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ends = rng.integers(0, n, (2, draw(st.integers(0, 2 * n))))
    graph = Graph.from_pairs(n, ends[0], ends[1], draw(st.booleans()))
    numbers = np.where(rng.random(5) < 0.15, np.nan, np.sort(rng.integers(0, 60, 5).astype(float)))
    attributes = (
        NodeAttribute("age", "quasi_identifier", rng.integers(0, 5, n), 5, numbers),
        NodeAttribute("city", "quasi_identifier", rng.integers(0, 4, n), 4, None, REGIONS),
        NodeAttribute("sex", "quasi_identifier", rng.integers(0, 2, n), 2),
    )
    return replace(graph, attributes=attributes[: draw(st.integers(0, 3))])


def distance(graph: Graph, one: int, two: int) -> float:
    """The share of the other nodes that only one of two is joined to, for each way of a directed graph."""
    edges = set(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    ways = [lambda u, v: (u, v) in edges, lambda u, v: (v, u) in edges]
    if not graph.directed:
        ways = [lambda u, v: (u, v) in edges or (v, u) in edges]
    others = [node for node in range(graph.n) if node not in (one, two)]
    return sum(way(one, node) != way(two, node) for way in ways for node in others) / (max(1, len(others)) * len(ways))


def attribute_loss(graph: Graph, nodes: list[int]) -> float:
    """The mean loss of a cluster over the attributes, from the definition."""
    if not graph.attributes:
        return 0.0
    lost = []
    for attribute in graph.attributes:
        codes = {int(code) for code in attribute.codes[nodes]}
        if attribute.ancestors is not None:
            levels = [len({int(level[code]) for code in codes}) == 1 for level in attribute.ancestors]
            lost.append(levels.index(True) / (len(levels) - 1))
        elif attribute.numbers is not None:
            used = {float(x) for x in attribute.numbers[attribute.codes] if x == x}
            own = [float(attribute.numbers[code]) for code in codes]
            whole = max(used) - min(used) if used else 0.0
            lost.append(1.0 if any(x != x for x in own) else (max(own) - min(own)) / whole if whole else 0.0)
        else:
            lost.append(float(len(codes) > 1))
    return sum(lost) / len(lost)


def score(graph: Graph, members: list[int], node: int, alpha: float, beta: float) -> float:
    mean = sum(distance(graph, node, other) for other in members) / len(members)
    return alpha * attribute_loss(graph, [*members, node]) + beta * mean


def grows_so(graph: Graph, order: tuple[int, ...], free: set[int], alpha: float, beta: float) -> bool:
    """Whether each node was the best of the free ones when it came, and the first had the largest degree."""
    if graph.degrees[order[0]] < max(graph.degrees[node] for node in free):
        return False
    left = free - {order[0]}
    for size in range(1, len(order)):
        scores = {node: score(graph, list(order[:size]), node, alpha, beta) for node in left}
        if scores[order[size]] > min(scores.values()) + 1e-9:
            return False
        left -= {order[size]}
    return True


@given(attributed_graphs(), st.sampled_from([(0.5, 0.5), (1.0, 0.0), (0.0, 1.0), (0.1, 3.0)]), st.integers(0, 100))
@settings(max_examples=30, deadline=None)
def test_every_cluster_grows_as_the_definition_says(graph, weights, seed):
    alpha, beta = weights
    released = protect(graph, 3, seed, alpha=alpha, beta=beta)
    check(graph, 3, released)
    found = clusters(released)
    left_over = sum(len(cluster) - 3 for cluster in found)
    assert left_over == graph.n % 3
    # The last members of a larger cluster are not known: one of the possibilities must fit the definition.
    assert any(possible(graph, found, weights, last) for last in last_ones(found, left_over))


def last_ones(found: list[list[int]], left_over: int) -> list[set[int]]:
    large = [node for cluster in found if len(cluster) > 3 for node in cluster]
    chosen = [set(nodes) for nodes in combinations(large, left_over)]
    return [nodes for nodes in chosen if all(len(set(cluster) - nodes) == 3 for cluster in found)]


def possible(graph: Graph, found: list[list[int]], weights: tuple[float, float], last: set[int]) -> bool:
    free = set(range(graph.n))
    for cluster in found:
        members = [node for node in cluster if node not in last]
        if not any(grows_so(graph, order, free, *weights) for order in permutations(members)):
            return False
        free -= set(members)
    grown = [[node for node in cluster if node not in last] for cluster in found]
    for node in sorted(last):
        scores = [score(graph, members, node, *weights) for members in grown]
        own = next(number for number, cluster in enumerate(found) if node in cluster)
        if scores[own] > min(scores) + 1e-9:
            return False
        grown[own].append(node)
    return True


@given(attributed_graphs(), st.integers(0, 100))
@settings(max_examples=15, deadline=None)
def test_graphs_too_large_to_compare_all_nodes_are_clustered_too(graph, seed):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sangreea, "COMPARE_ALL", 2)
        patch.setattr(sangreea, "DRAWN", 1)
        patch.setattr(sangreea, "LARGEST_SHARED", 2)
        released = protect(graph, 2, seed)
    check(graph, 2, released)
    assert released.account["compared_all"] is False


def test_nodes_with_common_neighbors_are_found_among_many():
    # Fifty pairs of twins: a sample of the nodes alone would rarely contain a twin.
    network = nx.disjoint_union_all([nx.complete_bipartite_graph(2, 3)] * 50)
    graph = graph_of(network)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sangreea, "COMPARE_ALL", 2)
        patch.setattr(sangreea, "DRAWN", 5)
        released = protect(graph, 2)
    check(graph, 2, released)
    assert released.members is not None
    assert all(released.members[5 * copy] == released.members[5 * copy + 1] for copy in range(50))


@pytest.mark.parametrize(
    "network",
    [nx.empty_graph(6), nx.complete_graph(6), nx.star_graph(5), nx.DiGraph([(0, 1), (1, 2), (3, 4), (4, 5), (5, 3)])],
    ids=["empty", "complete", "star", "directed"],
)
def test_degenerate_graphs_are_clustered_too(network):
    graph = graph_of(network)
    for k in (2, 3, 4, 6):
        check(graph, k, protect(graph, k))


def test_two_nodes_are_one_cluster():
    graph = graph_of(nx.path_graph(2), age=ages(3, 4))
    check(graph, 2, protect(graph, 2))


def test_no_time_leaves_clusters_by_degree():
    graph = graph_of(nx.karate_club_graph())
    calls: list[float] = []

    def watch(fraction: float) -> bool:
        calls.append(fraction)
        return len(calls) > 4

    released = protect(graph, 3, watch=watch)
    check(graph, 3, released)
    assert released.account["stopped_early"] is True
    assert protect(graph, 3).account["stopped_early"] is False


def test_the_watch_can_end_it_halfway():
    def watch(fraction: float) -> bool:
        if fraction > 0.4:
            raise Cancelled("enough")
        return False

    with pytest.raises(Cancelled):
        protect(graph_of(nx.karate_club_graph()), 3, watch=watch)


def test_too_few_nodes_are_infeasible_and_the_nearest_k_is_told():
    with pytest.raises(Infeasible) as caught:
        protect(graph_of(nx.path_graph(4)), 5)
    assert caught.value.nearest == {"k": 4.0}


def test_k_comes_from_its_guarantee_alone():
    graph, rng = graph_of(nx.path_graph(6)), np.random.default_rng(0)
    with pytest.raises(InvalidPolicy):
        Sangreea().apply(graph, [], rng, unwatched)
    with pytest.raises(InvalidPolicy):
        Sangreea().apply(graph, [SupernodeSize(k=2), KDegreeAnonymity(k=2)], rng, unwatched)
    largest = Sangreea(samples=2).apply(graph, [SupernodeSize(k=2), SupernodeSize(k=3)], rng, unwatched)
    assert largest.account["smallest_supernode"] == 3
    assert len(largest.samples) == 2


@pytest.mark.long
def test_a_published_graph_is_clustered():
    graph = read_graph(data_file(COLLABORATIONS))
    check(graph, 5, protect(graph, 5))


@pytest.mark.long
def test_fifty_thousand_nodes_are_clustered():
    graph = power_law_graph(50_000, 200_000, np.random.default_rng(1))
    check(graph, 10, protect(graph, 10))
