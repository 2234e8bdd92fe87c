"""A drawing of a released graph: every node and edge of it, inside the frame, always the same."""

import re

import pytest

from service.report.graph_drawing import MOST_NODES, draw, is_drawable

EDGES = b"source,target\n0,1\n1,2\n2,0\n2,3\n"


def release(**changes):
    files = [{"format": "edgelist", "part": "graph", "bytes": len(EDGES)}]
    shape = {"form": "graph", "nodes": 5, "edges": 4}
    return {"kind": "graph", "shape": shape | changes, "artifacts": files}


def test_every_edge_and_node_is_drawn_inside_the_frame():
    drawing = draw(release(), EDGES)
    places = [(float(x), float(y)) for x, y in re.findall(r'cx="([0-9.]+)" cy="([0-9.]+)"', drawing.body)]
    assert len(places) == len(set(places)) == 5
    assert drawing.body.count("<line") == 4
    assert all(0 < x < 290 and 0 < y < 290 for x, y in places)
    assert drawing.public
    assert drawing == draw(release(), EDGES)


def test_joined_nodes_are_nearer_than_others():
    ring = b"source,target\n" + b"".join(b"%d,%d\n" % (at, (at + 1) % 20) for at in range(20))
    drawing = draw(release(nodes=20), ring)
    places = [(float(x), float(y)) for x, y in re.findall(r'cx="([0-9.]+)" cy="([0-9.]+)"', drawing.body)]

    def apart(a: int, b: int) -> float:
        return ((places[a][0] - places[b][0]) ** 2 + (places[a][1] - places[b][1]) ** 2) ** 0.5

    assert sum(apart(at, (at + 1) % 20) for at in range(20)) < sum(apart(at, (at + 10) % 20) for at in range(20)) / 2


@pytest.mark.parametrize("changes", [{"nodes": MOST_NODES + 1}, {"edges": 10**6}, {"form": "uncertain"}, {"nodes": 0}])
def test_what_is_large_or_no_plain_graph_is_not_drawn(changes):
    assert is_drawable(release())
    assert not is_drawable(release(**changes))
    assert not is_drawable(release() | {"kind": "table"})
    assert not is_drawable(release() | {"artifacts": []})
