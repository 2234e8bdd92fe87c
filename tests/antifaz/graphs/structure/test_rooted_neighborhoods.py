"""Balls: isomorphic ones have the same code, others never do."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph
from antifaz.graphs.structure import rooted_neighborhoods
from antifaz.graphs.structure.rooted_neighborhoods import Adjacency, ball_forms


def graph_of(network: nx.Graph) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1])


def nobody() -> None:
    """A watch that is looked at by nobody."""


def test_a_ball_is_all_within_the_radius_root_first():
    path = Adjacency(graph_of(nx.path_graph(7)))
    assert path.ball(3, 1)[0] == 3
    assert sorted(path.ball(3, 1)) == [2, 3, 4]
    assert sorted(path.ball(3, 2)) == [1, 2, 3, 4, 5]
    assert sorted(path.ball(0, 9)) == list(range(7))


@pytest.mark.parametrize("seed", range(8))
def test_renumbering_changes_no_form(seed):
    rng = np.random.default_rng(seed)
    network = nx.disjoint_union(nx.gnm_random_graph(12, 24, seed=seed), nx.wheel_graph(8))
    graph = graph_of(network)
    names = rng.permutation(graph.n)
    for radius in (1, 2):
        adjacency, renamed = Adjacency(graph), Adjacency(graph.relabeled(names))
        assert all(adjacency.form(v, radius, nobody) == renamed.form(names[v], radius, nobody) for v in range(graph.n))


def test_rims_that_refinement_cannot_tell_apart_are_told_apart():
    # Circles of 3 + 4 and of 7 around a root: every node of the rim has degree three and neighbors like its own.
    rims = [nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(4)), nx.cycle_graph(7)]
    forms = []
    for rim in rims:
        rim.add_edges_from((7, v) for v in range(7))
        forms.append(Adjacency(graph_of(rim)).form(7, 1, nobody))
    assert forms[0] != forms[1]
    mixed = nx.relabel_nodes(rims[0], dict(zip(range(8), [3, 5, 0, 1, 6, 2, 4, 7], strict=True)))
    assert Adjacency(graph_of(mixed)).form(7, 1, nobody) == forms[0]


def test_stars_and_complete_graphs_are_read_at_once():
    assert len(set(ball_forms(graph_of(nx.complete_graph(9)), 1).tolist())) == 1
    assert len(set(ball_forms(graph_of(nx.star_graph(9)), 1).tolist())) == 2
    assert ball_forms(graph_of(nx.star_graph(9)), 1, np.array([3, 4])).tolist() == [0, 0]


def test_the_number_of_orders_that_are_compared_is_bounded(monkeypatch):
    monkeypatch.setattr(rooted_neighborhoods, "MOST_LEAVES", 3)
    rims = nx.disjoint_union_all([nx.cycle_graph(3)] * 6)
    rims.add_edges_from((18, v) for v in range(18))
    assert Adjacency(graph_of(rims)).form(18, 1, nobody)


def test_a_hub_with_thousands_of_pairs_and_lonely_neighbors_is_read_piece_by_piece():
    pairs = [(0, v) for v in range(1, 3001)] + [(v, v + 1) for v in range(1, 2001, 2)]
    hub = nx.Graph(pairs)
    form = Adjacency(graph_of(nx.convert_node_labels_to_integers(hub, ordering="sorted"))).form(0, 1, nobody)
    assert form[0] == 3001
    assert len(form) == 2 + 1000 + 1000


def test_who_is_joined_to_the_root_counts_in_a_wider_ball():
    # A path of three next to the root: joined to it by its end, or by its middle.
    end, middle = nx.Graph([(0, 1), (1, 2), (2, 3)]), nx.Graph([(0, 2), (1, 2), (2, 3)])
    assert Adjacency(graph_of(end)).form(0, 3, nobody) != Adjacency(graph_of(middle)).form(0, 3, nobody)


def test_what_goes_too_deep_is_still_read(monkeypatch):
    monkeypatch.setattr(rooted_neighborhoods, "DEEPEST", 2)
    ladder = nx.circular_ladder_graph(8)
    ladder.add_edges_from((16, v) for v in range(16))
    assert len(Adjacency(graph_of(ladder)).form(16, 1, nobody)) == 3


def test_a_single_long_comparison_looks_at_its_watch():
    """Refinement of a rim goes on as long as colors travel around it: on a long one, for minutes."""
    looks: list[float] = []
    rim = nx.wheel_graph(41)
    ball_forms(graph_of(rim), 1, np.array([0]), watch=lambda fraction: bool(looks.append(fraction)))
    assert len(looks) > 20
