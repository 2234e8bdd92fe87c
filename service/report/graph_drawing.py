"""A drawing of a small released graph, only from its released bytes.

Fruchterman and Reingold, "Graph Drawing by Force-directed Placement", Software: Practice and Experience 1991: joined
nodes attract each other, all nodes repel each other, and the steps become smaller. The start is fixed, so that a
release always looks the same. Only the release is drawn, and only for readers who may download it.
"""

import csv
import io
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from service.report.charts import WIDTH, Drawing

MOST_NODES, MOST_EDGES, MOST_BYTES = 300, 1500, 64_000
"""Larger graphs would be unreadable, and would cost the web process time."""
_ROUNDS = 120
_HEIGHT, _EDGE = 290, 8


def is_drawable(release: dict[str, Any]) -> bool:
    """Whether a release is a plain graph that is small enough."""
    shape, size = release.get("shape") or {}, _edge_list(release)
    small = 0 < shape.get("nodes", 0) <= MOST_NODES and 0 < shape.get("edges", 0) <= MOST_EDGES
    return release.get("kind") == "graph" and shape.get("form") == "graph" and small and 0 < size <= MOST_BYTES


def _edge_list(release: dict[str, Any]) -> int:
    sizes = [f["bytes"] for f in release["artifacts"] if f["format"] == "edgelist" and f["part"] == "graph"]
    return int(sizes[0]) if sizes else 0


def draw(release: dict[str, Any], content: bytes) -> Drawing:
    """The graph of a released edge list: a header, then two node numbers in every row."""
    rows = list(csv.reader(io.StringIO(content.decode("utf-8"))))[1:]
    pairs = np.array([[int(row[0]), int(row[1])] for row in rows], dtype=np.int64).reshape(-1, 2)
    count = int(release["shape"]["nodes"])
    places = _scaled(_layout(count, pairs))
    degrees = np.bincount(pairs.ravel(), minlength=count)
    lines = [_line(places[a], places[b]) for a, b in pairs]
    dots = [_dot(place, degree, int(degrees.max(initial=1))) for place, degree in zip(places, degrees, strict=True)]
    summary = f"The released graph: {count:,} people and {len(pairs):,} connections, under new random numbers."
    return Drawing(
        "The release, drawn",
        summary,
        Markup("").join([*lines, *dots]),
        _HEIGHT,
        ["Released"],
        [["people", f"{count:,}"], ["connections", f"{len(pairs):,}"]],
        public=True,
        note=summary + " Larger dots have more connections.",
    )


def _layout(count: int, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    # A spiral of equal areas: no two nodes start at the same place, and nothing is random.
    turns = np.arange(count) * 2.399963
    places = np.sqrt((np.arange(count) + 0.5) / count)[:, None] * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    ideal = 1.6 / np.sqrt(count)
    for heat in np.linspace(0.15, 0.002, _ROUNDS):
        gaps = places[:, None, :] - places[None, :, :]
        distances = np.maximum(np.sqrt((gaps**2).sum(axis=2)), 1e-3)
        moves = (gaps * (ideal**2 / distances**2)[:, :, None]).sum(axis=1)
        between = places[pairs[:, 0]] - places[pairs[:, 1]]
        pull = between * (np.sqrt((between**2).sum(axis=1)) / ideal)[:, None]
        np.add.at(moves, pairs[:, 0], -pull)
        np.add.at(moves, pairs[:, 1], pull)
        # Nodes without a connection would otherwise drift away.
        moves -= places * 0.4
        lengths = np.maximum(np.sqrt((moves**2).sum(axis=1)), 1e-9)
        places += moves * (np.minimum(lengths, heat) / lengths)[:, None]
    return places


def _scaled(places: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = places.min(axis=0), places.max(axis=0)
    room = np.array([WIDTH - 2 * _EDGE, _HEIGHT - 2 * _EDGE])
    return _EDGE + (places - low) / np.maximum(high - low, 1e-9) * room


def _line(a: NDArray[np.float64], b: NDArray[np.float64]) -> Markup:
    return Markup(f'<line class="edge" x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}"/>')


def _dot(place: NDArray[np.float64], degree: int, most: int) -> Markup:
    radius = 2 + 4 * (degree / most) ** 0.5
    return Markup(f'<circle class="node" cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="{radius:.1f}"/>')
