"""Neighbor lookup in sorted rows."""

import networkx as nx
import numpy as np

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.sorted_rows import row_has, shorter_first
from tests.antifaz.graphs.perturbing import graph_of


@compiled("void(int64[::1], int32[::1], boolean[:, ::1], int64[:, ::1])")
def look_up_all(offsets, neighbors, found, shorter):
    """Every pair, and which of its two nodes has the shorter row."""
    for one in range(len(found)):
        for other in range(len(found)):
            found[one, other] = row_has(offsets, neighbors, one, other)
            shorter[one, other] = shorter_first(offsets, one, other)[0]


def test_exactly_the_neighbors_are_found_and_the_shorter_row_is_named():
    drawn = nx.gnp_random_graph(30, 0.2, seed=3)
    drawn.add_node(30)
    graph = graph_of(drawn)
    found, shorter = np.empty((31, 31), np.bool_), np.empty((31, 31), np.int64)
    look_up_all(*graph.neighbors, found, shorter)
    assert np.array_equal(found, nx.to_numpy_array(drawn, dtype=bool))
    degrees = graph.degrees
    assert np.array_equal(degrees[shorter], np.minimum(degrees[:, None], degrees[None, :]))
