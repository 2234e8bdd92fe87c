"""Noisy degrees: the effect of one edge, the effect of noise, and validity of the drawn graph."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.graphs.edits.degree_drawing import SENSITIVITY, ascending_fit, random_graph, whole_degrees
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.edge_differential_privacy import EdgeDifferentialPrivacy
from antifaz.graphs.methods.noisy_degrees import NoisyDegrees
from antifaz.noise import counting
from antifaz.policy.parse import parse_policy
from antifaz.watch import unwatched
from tests.audit import excess


def graph_of(n: int, pairs: list[tuple[int, int]]) -> Graph:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(n, ends[:, 0], ends[:, 1])


def drawn(graph: Graph, epsilon: float, seed: int = 1):
    guarantee = EdgeDifferentialPrivacy(epsilon=epsilon)
    return NoisyDegrees().apply(graph, [guarantee], np.random.default_rng(seed), unwatched)


GRAPHS = st.integers(2, 9).flatmap(
    lambda n: st.tuples(st.just(n), st.sets(st.sampled_from(list(combinations(range(n), 2)))))
)


@given(GRAPHS, st.data())
def test_one_pair_changes_the_ascending_degrees_by_at_most_two(given_graph, data):
    """The very difference by which the noise is scaled."""
    n, edges = given_graph
    pair = data.draw(st.sampled_from(list(combinations(range(n), 2))))
    one, other = graph_of(n, sorted(edges - {pair})), graph_of(n, sorted(edges | {pair}))
    assert np.abs(np.sort(one.degrees) - np.sort(other.degrees)).sum() == SENSITIVITY


def test_the_fit_joins_what_does_not_ascend_to_its_mean():
    assert ascending_fit(np.array([1, 3, 2, 2, 5])).tolist() == pytest.approx([1, 7 / 3, 7 / 3, 7 / 3, 5])
    assert ascending_fit(np.array([4, 3, 2])).tolist() == [3, 3, 3]


@given(st.lists(st.floats(-50, 50), min_size=2, max_size=40), st.integers(0, 2**20))
def test_degrees_are_whole_possible_and_have_an_even_number_of_ends(fitted, seed):
    degrees = whole_degrees(np.sort(np.array(fitted)), np.random.default_rng(seed))
    assert degrees.min() >= 0
    assert degrees.max() <= len(fitted) - 1
    assert degrees.sum() % 2 == 0


@given(st.lists(st.integers(0, 6), min_size=2, max_size=30), st.integers(0, 2**20))
def test_the_graph_is_simple_and_no_node_has_more_than_its_degree(degrees, seed):
    wanted = np.minimum(np.array(degrees), len(degrees) - 1)
    graph = random_graph(wanted, np.random.default_rng(seed), unwatched)
    assert (np.diff(graph.keys) > 0).all()
    assert (graph.sources < graph.targets).all()
    assert (graph.degrees <= wanted).all()


def test_a_sparse_graph_gets_nearly_every_degree_that_was_drawn():
    degrees = np.array([3] * 300 + [40] * 4)
    graph = random_graph(degrees, np.random.default_rng(1), unwatched)
    assert graph.degrees.sum() >= 0.99 * degrees.sum()


def ring(n: int) -> Graph:
    return graph_of(n, [(node, (node + 1) % n) for node in range(n)])


def test_where_many_have_one_degree_the_noise_averages_out():
    """2,000 nodes of degree 2, noise of a scale of 2: the mean is off by 0.06 in one deviation, the limit is 15."""
    released = drawn(ring(2_000), 1.0)
    assert abs(released.graph.m - 2_000) < 1_000
    assert sorted(released.origin.tolist()) == list(range(2_000))
    told = released.account["public"]["noisy_degrees"]
    assert (told["sensitivity"], told["epsilon"]) == (2, "1.0")
    assert told["scale"] == pytest.approx(2.0)


@pytest.mark.parametrize("pairs", [[], [(0, 1)]])
def test_hardly_any_edge_is_enough(pairs):
    released = drawn(graph_of(2, pairs), 0.01)
    assert released.graph.n == 2
    assert released.graph.m in (0, 1)


def test_which_node_has_which_degree_is_left_to_chance():
    """A star: the node with the attributes of the hub is a hub of the release no more often than any other."""
    star = graph_of(50, [(0, leaf) for leaf in range(1, 50)])
    hubs = [int(out.origin[np.argmax(out.graph.degrees)]) for out in (drawn(star, 50.0, seed) for seed in range(40))]
    assert hubs.count(0) < 12
    assert len(set(hubs)) > 10


@pytest.mark.parametrize("draws", [20_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_too_little_noise_on_degrees_is_noticed(draws):
    """Degrees of a pair of nodes, joined or not, as the method draws them; its twin counts an edge at one end only,
    which is half of the noise. Power: the excess of 0.19 is beyond the doubt of 0.1 by 9 deviations."""
    stated = 1.0

    def sums(sensitivity: int, degree: int) -> np.ndarray:
        drawing = counting("pure", sensitivity, sensitivity / stated)
        return drawing.counts(np.full(2 * draws, degree, dtype=np.int64)).reshape(-1, 2).sum(axis=1)

    assert excess(sums(SENSITIVITY, 1), sums(SENSITIVITY, 0), stated) <= 0
    assert excess(sums(1, 1), sums(1, 0), stated) > 0


def test_a_directed_graph_and_a_policy_without_the_guarantee_are_refused():
    with pytest.raises(InvalidDataset):
        NoisyDegrees().admit(Graph(3, np.array([1]), directed=True))
    with pytest.raises(InvalidPolicy):
        NoisyDegrees().apply(ring(5), [], np.random.default_rng(1), unwatched)
    policy = {"kind": "graph", "method": {"name": "noisy_degrees"}}
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy({**policy, "waivers": [{"rule": "no_guarantee", "reason": "a test"}]})
    assert "/guarantees" in [pointer for pointer, _ in caught.value.faults]
    promised = {**policy, "guarantees": [{"model": "edge_differential_privacy", "epsilon": 1}]}
    assert parse_policy(promised).method.wire_name() == "noisy_degrees"
    for change in ({"gate": {"max_edges_changed": 0}}, {"edge_attributes": "keep"}):
        with pytest.raises(InvalidPolicy):
            parse_policy(promised | change)
