"""Communities in reported pairs: found if they exceed the noise, and none if there is only noise."""

from decimal import Decimal

import numpy as np
import pytest

from antifaz.graphs.analysis.communities import agreement
from antifaz.graphs.analysis.reported_blocks import Reports, deviation, find_blocks
from antifaz.graphs.edits.pair_noise import flip_pairs, pair_noise
from antifaz.graphs.graph import Graph
from antifaz.watch import unwatched


def planted(sizes: list[int], inside: float, between: float, seed: int) -> tuple[Graph, np.ndarray]:
    """Groups whose members are joined more often among themselves."""
    rng, labels = np.random.default_rng(seed), np.repeat(np.arange(len(sizes)), sizes)
    first, second = np.triu_indices(len(labels), 1)
    joined = rng.random(len(first)) < np.where(labels[first] == labels[second], inside, between)
    return Graph.from_pairs(len(labels), first[joined], second[joined]), labels


def reports_of(graph: Graph, epsilon: float, seed: int) -> Reports:
    noise = pair_noise(Decimal(str(epsilon)), Decimal("0.5"))
    return Reports.of(flip_pairs(graph, noise, np.random.default_rng(seed), unwatched)[0], noise.p01)


def test_a_report_is_corrected_without_bias() -> None:
    """Chance 1/4: a report of 1 stands for 3/2 edges and one of 0 for -1/2, of three nodes in a row."""
    reports = Reports.of(Graph.from_pairs(3, np.array([0]), np.array([1])), 0.25)
    assert reports.edges_into(np.eye(3)).tolist() == [[0, 1.5, -0.5], [1.5, 0, -0.5], [-0.5, -0.5, 0]]
    assert deviation(0.25) == pytest.approx(np.sqrt(3 / 16) / 0.5)


def test_groups_that_stand_out_are_found() -> None:
    """The eigenvalue of three groups of 100 is near 45, the noise ends at 42 times 0.96: 33 at this epsilon."""
    graph, labels = planted([100, 100, 100], 0.5, 0.05, 1)
    found = find_blocks(reports_of(graph, 1.0, 2), graph.degrees.astype(float), np.random.default_rng(3), unwatched)
    assert agreement(labels, found)["nmi"] > 0.8


@pytest.mark.parametrize("epsilon", [0.05, 1.0])
def test_where_there_is_only_noise_all_are_in_one(epsilon: float) -> None:
    graph, _ = planted([300], 0.2, 0.2, 4)
    found = find_blocks(reports_of(graph, epsilon, 5), graph.degrees.astype(float), np.random.default_rng(6), unwatched)
    assert found.max() <= 1


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_hardly_any_node_is_enough(n: int) -> None:
    found = find_blocks(
        Reports(np.zeros((n, n), dtype=np.float32), 0.3), np.zeros(n), np.random.default_rng(1), unwatched
    )
    assert found.tolist() == [0] * n
