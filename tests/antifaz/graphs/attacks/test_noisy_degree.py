"""Noisy degree attack: likelihoods by hand, and more found than by degrees alone."""

import networkx as nx
import numpy as np
import pytest
from scipy import stats

from antifaz.graphs.attacks.degree import Degree
from antifaz.graphs.attacks.noisy_degree import NoisyDegree, _hypergeometric, _Noise
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.methods.random_perturbation import RandomPerturbation
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, random_graph, renumbered


def attempt(graph: Graph, released: ProtectedGraph) -> dict:
    return NoisyDegree().attempt(graph, released, np.random.default_rng(0), unwatched)


def perturbed(graph: Graph, share: float, seed: int) -> ProtectedGraph:
    rng = np.random.default_rng(seed)
    return RandomPerturbation(share=share).apply(graph, [], rng, unwatched).renamed(rng.permutation(graph.n))


@pytest.mark.parametrize(("everything", "own", "drawn"), [(50, 5, 10), (7, 7, 3), (10**6, 1_000, 5_000)])
def test_chances_are_hypergeometric(everything: int, own: int, drawn: int):
    low, chances = _hypergeometric(everything, own, drawn)
    places = np.arange(low, low + len(chances))
    assert chances == pytest.approx(stats.hypergeom.pmf(places, everything, own, drawn), abs=1e-8)
    assert chances.sum() == pytest.approx(1.0)


def test_likelihoods_are_those_counted_by_hand():
    # A path of three nodes and two edges: one edge goes, and the only absent pair, that of the ends, comes.
    noise = _Noise(graph_of(nx.path_graph(3)), 1, 1)
    degrees = np.array([[0, 1, 2, 3]])
    # The middle loses one edge for certain; an end loses its edge with 1/2 and gains one for certain.
    assert noise.likelihoods(np.array([2]), degrees).tolist() == pytest.approx([0, 1, 0, 0])
    assert noise.likelihoods(np.array([1]), degrees).tolist() == pytest.approx([0, 0.5, 0.5, 0])


@pytest.mark.parametrize("degree", [1, 4, 12, 29])
def test_likelihoods_add_up_to_one(degree):
    graph = random_graph(30, 90)
    found = _Noise(graph, 20, 25).likelihoods(np.array([degree]), np.arange(30)[None])
    assert found.sum() == pytest.approx(1)


def test_without_noise_the_attack_is_that_by_degree():
    release = renumbered(karate())
    by_degree = Degree().attempt(karate(), release, np.random.default_rng(0), unwatched)["rate"]
    assert attempt(karate(), release)["rate"] == pytest.approx(by_degree)


@pytest.mark.parametrize("directed", [False, True])
def test_who_knows_the_noise_finds_more_people_than_who_does_not(directed):
    # Over 40 releases of the undirected graph: 0.0323 (deviation 0.0038) against 0.0154 (0.0025).
    graph = random_graph(300, 1500, directed=directed)
    releases = [perturbed(graph, 0.2, seed) for seed in range(5)]
    aware = np.mean([attempt(graph, release)["rate"] for release in releases])
    naive = np.mean([Degree().attempt(graph, r, np.random.default_rng(0), unwatched)["rate"] for r in releases])
    assert aware > 1.3 * naive


def test_the_attacker_is_about_as_sure_as_often_right():
    graph = random_graph(120, 500)
    found = [attempt(graph, perturbed(graph, 0.2, seed)) for seed in range(10)]
    assert np.mean([each["posterior"] for each in found]) == pytest.approx(
        np.mean([each["rate"] for each in found]), rel=0.4
    )


def test_people_who_are_not_released_are_not_found():
    graph = karate()
    nobody = ProtectedGraph(graph, np.full(34, -1))
    assert attempt(graph, nobody)["rate"] == 0.0


def test_a_star_is_attacked_in_bounded_steps():
    star = graph_of(nx.star_graph(20_000))
    result = attempt(star, renumbered(star))
    assert result["targets"] == 2_000
    assert result["baseline"] == pytest.approx(1 / 20_001)


def test_a_graph_without_nodes_has_nobody_to_find():
    empty = graph_of(nx.Graph())
    assert attempt(empty, renumbered(empty))["rate"] == 0.0
