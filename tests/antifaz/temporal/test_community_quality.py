"""Quality, agreement and activity of communities, by hand and against networkx."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from antifaz.graphs.analysis import communities
from antifaz.temporal import community_quality
from antifaz.temporal.community_quality import (
    activity,
    agreement,
    as_published,
    cohesion,
    smallest_conductance,
    temporal_weights,
)
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import snapshots_of


def groups(*members: list[int]) -> list[np.ndarray]:
    return [np.array(each, dtype=np.int64) for each in members]


def test_published_quality_is_checked_by_hand():
    """Three temporal edges inside {0, 1, 2} and two that leave; one inside {3, 4} and the same two."""
    snapshots = snapshots_of(6, [(0, 1), (1, 2), (2, 3)], [(0, 1), (2, 3), (3, 4)])
    found = as_published(temporal_weights(snapshots), groups([0, 1, 2], [3, 4]))
    assert found == pytest.approx({"AS": (2 * 3 / 2 + 2 * 1 / 2) / 2, "AD": (8 / 3 + 4 / 2) / 2, "AC": 3.0})


def test_a_community_that_nothing_leaves_counts_as_one():
    snapshots = snapshots_of(3, [(0, 1)], [(0, 1)], directed=True)
    assert as_published(temporal_weights(snapshots), groups([0, 1])) == {"AS": 1.0, "AD": 2.0, "AC": 1.0}
    assert as_published(temporal_weights(snapshots), []) == {"AS": None, "AD": None, "AC": None}


def test_both_directions_of_a_pair_are_one_edge():
    snapshots = snapshots_of(3, [(0, 1), (1, 0)], [(1, 0)], directed=True)
    assert temporal_weights(snapshots).toarray().tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 0]]


def brute_conductance(weights: np.ndarray) -> float:
    n, ends = len(weights), weights.sum(axis=1)
    cuts = [np.array([bit >> i & 1 for i in range(n)], dtype=bool) for bit in range(1, 2**n - 1)]
    return min(weights[side][:, ~side].sum() / min(ends[side].sum(), ends[~side].sum()) for side in cuts)


def matrix_of(network: nx.Graph) -> sparse.csr_array:
    return sparse.csr_array(nx.to_numpy_array(network))


@pytest.mark.parametrize("network", [nx.barbell_graph(4, 0), nx.path_graph(7), nx.star_graph(5), nx.complete_graph(5)])
def test_the_smallest_cut_of_simple_shapes_is_found(network):
    weights = matrix_of(network)
    assert smallest_conductance(weights, np.random.default_rng(0)) == pytest.approx(
        brute_conductance(weights.toarray())
    )


def test_a_cut_that_is_found_is_a_cut(monkeypatch):
    rng = np.random.default_rng(3)
    for number in range(20):
        monkeypatch.setattr(community_quality, "DENSE", 0 if number % 2 else 400)
        weights = matrix_of(nx.gnp_random_graph(8, 0.5, seed=number))
        found = smallest_conductance(weights, rng)
        assert brute_conductance(weights.toarray()) - 1e-9 <= found <= 1 if found else True


def test_a_community_in_pieces_has_cohesion_one_and_a_clique_little():
    snapshots = snapshots_of(7, [(0, 1), (2, 3), (4, 5), (4, 6), (5, 6)])
    found = cohesion(temporal_weights(snapshots), groups([0, 1, 2, 3]), np.random.default_rng(0), unwatched)
    assert found == {"cohesion": 1.0, "smallest_conductance": 0.0, "communities_cut": 1}
    found = cohesion(temporal_weights(snapshots), groups([4, 5, 6]), np.random.default_rng(0), unwatched)
    assert found["cohesion"] == pytest.approx(0.0)
    nothing = cohesion(temporal_weights(snapshots), [], np.random.default_rng(0), unwatched)
    assert nothing == {"cohesion": None, "smallest_conductance": None, "communities_cut": 0}


@pytest.mark.parametrize("largest", [4_000_000, 0])
def test_agreement_matches_communities_one_to_one(largest, monkeypatch):
    monkeypatch.setattr(communities, "LARGEST_TABLE", largest)
    one, other = groups([0, 1, 2, 3], [4, 5]), groups([4, 5], [0, 1, 2], [3, 6])
    assert agreement(one, other, 7) == pytest.approx((1 + 3 / 4) / 3)
    assert agreement(one, one, 7) == pytest.approx(1)
    assert agreement(one, [], 7) == 0
    assert agreement([], [], 7) == 1


def test_activity_is_the_share_of_members_who_meet():
    snapshots = snapshots_of(5, [(0, 1), (1, 2)], [(0, 4)], [(0, 1)])
    assert [each.tolist() for each in activity(snapshots, groups([0, 1, 2, 3]))] == [[0.75, 0.0, 0.5]]
