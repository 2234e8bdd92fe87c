"""Slots and the triangles on every edge, against another library."""

import networkx as nx
import numpy as np

from antifaz.graphs.structure.edge_slots import STEPS, Slots
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, random_graph


def test_each_slot_knows_its_reverse():
    slots = Slots.of(random_graph(50, 200))
    owners = slots.owners
    assert np.array_equal(owners[slots.reverse], slots.neighbors)
    assert np.array_equal(slots.neighbors[slots.reverse], owners)


def test_supports_count_common_neighbors():
    network = nx.karate_club_graph()
    slots = Slots.of(karate())
    found = slots.supports(unwatched)
    for slot, (a, b) in enumerate(zip(slots.owners.tolist(), slots.neighbors.tolist(), strict=True)):
        assert found[slot] == len(list(nx.common_neighbors(network, a, b)))


def test_a_graph_without_edges_takes_no_work():
    assert Slots.of(graph_of(nx.empty_graph(3))).work == 0


def test_triangles_are_counted_in_slices_and_each_once():
    slots, looks = Slots.of(graph_of(nx.complete_graph(520))), list[float]()
    found = slots.supports(lambda fraction: bool(looks.append(fraction)))
    assert len(looks) == -(-slots.work // STEPS) == 2
    assert (found == 518).all()
