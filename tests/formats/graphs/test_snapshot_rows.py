"""Released snapshots as csv, GraphML and node-link JSON, read by third-party libraries."""

import io
import json

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from antifaz.temporal.snapshots import Snapshots
from formats.writing import render_snapshots, render_windows


def snapshots(rows, n=5, length=4, directed=False):
    sources, targets, times = (np.array([row[place] for row in rows], dtype=np.int64) for place in range(3))
    return Snapshots.from_rows(n, sources, targets, times, [str(t) for t in range(length)], directed)


def written(series, form):
    return b"".join(render_snapshots(series, form)).decode()


def edges(series):
    return sorted(zip(series.sources.tolist(), series.targets.tolist(), series.times.tolist(), strict=True))


EXAMPLE = [(0, 1, 0), (0, 1, 1), (2, 1, 1), (0, 1, 3)]


def test_the_csv_has_a_row_for_every_edge_of_every_snapshot():
    assert written(snapshots(EXAMPLE), "csv") == "source,target,snapshot\n0,1,0\n0,1,1\n1,2,1\n0,1,3\n"


def test_graphml_has_an_edge_for_every_run_of_snapshots():
    graph = nx.read_graphml(io.BytesIO(written(snapshots(EXAMPLE), "graphml").encode()))
    runs = sorted((int(u), int(v), data["first"], data["last"]) for u, v, data in graph.edges(data=True))
    assert runs == [(0, 1, 0, 1), (0, 1, 3, 3), (1, 2, 1, 1)]
    assert sorted(map(int, graph)) == [0, 1, 2, 3, 4]


def test_windows_are_a_table_of_their_own():
    table = b"".join(render_windows(["2001-02-03T00:00:00Z", "2001-02-10T00:00:00Z"], "csv")).decode()
    assert table == "snapshot,begin\n0,2001-02-03T00:00:00Z\n1,2001-02-10T00:00:00Z\n"


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), max_size=25),
    st.booleans(),
)
@effort(max_examples=60)
def test_networkx_reads_the_same_edges_from_every_format(rows, directed):
    series = snapshots(rows, directed=directed)
    marked = nx.read_graphml(io.BytesIO(written(series, "graphml").encode()))
    spans = [
        (*(int(end) for end in (pair if directed else sorted(pair, key=int))), t)
        for *pair, data in marked.edges(data=True)
        for t in range(data["first"], data["last"] + 1)
    ]
    assert sorted(spans) == edges(series)
    linked = nx.node_link_graph(json.loads(written(series, "node-link")), edges="edges")
    assert linked.is_multigraph()
    assert linked.is_directed() == directed
    found = [(*(pair if directed else sorted(pair)), data["snapshot"]) for *pair, data in linked.edges(data=True)]
    assert sorted(found) == edges(series)
    assert sorted(tuple(map(int, line.split(","))) for line in written(series, "csv").splitlines()[1:]) == edges(series)
