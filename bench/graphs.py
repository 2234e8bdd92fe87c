"""Graphs for benchmarks: published ones, from the data folder next to the checkout, and synthetic ones."""

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "graphs"

CASES: tuple[tuple[str, bool, tuple[int, ...]], ...] = (
    ("karate/karate.net", False, (2, 3, 4, 5)),
    ("football/football.gml", False, (4, 5, 10)),
    ("jazz/jazz.net", False, (2, 5, 10, 20)),
    ("polblogs/polblogs.gml", False, (5, 10, 20)),
    ("ca-GrQc/CA-GrQc.txt", False, (5, 10, 20)),
    ("ca-HepTh/CA-HepTh.txt", False, (5, 10, 20)),
    ("ego-facebook/facebook_combined.txt", False, (5, 10, 20)),
    ("email-enron-large/Email-Enron.txt", False, (5, 10, 20)),
    ("polblogs/polblogs.gml", True, (2, 5, 10, 20)),
)


def read_graph(path: Path, directed: bool = False) -> Graph:
    """Read a GML, Pajek or edge list file leniently: only nodes and edges, repetitions and loops dropped."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".gml":
        pairs = np.array(re.findall(r"source\s+(\d+)\s+target\s+(\d+)", text), dtype=np.int64)
        nodes = np.array(re.findall(r"\bid\s+(\d+)", text), dtype=np.int64)
    elif path.suffix == ".net":
        count = int(re.findall(r"\*[Vv]ertices\s+(\d+)", text)[0])
        body = re.split(r"\*(?:[Ee]dges|[Aa]rcs)[^\n]*\n", text)[1:]
        lines = [line.split()[:2] for part in body for line in part.splitlines() if line.strip()]
        pairs, nodes = np.array(lines, dtype=np.int64), np.arange(1, count + 1)
    else:
        pairs = np.loadtxt(path, dtype=np.int64, comments=("#", "%"), usecols=(0, 1))
        nodes = pairs.ravel()
    names = np.unique(nodes)
    ends: NDArray[np.int64] = np.searchsorted(names, pairs).astype(np.int64)
    return Graph.from_pairs(len(names), ends[:, 0], ends[:, 1], directed)


def power_law_graph(n: int, m: int, rng: np.random.Generator, directed: bool = False) -> Graph:
    """A random graph whose expected degrees follow a power law of the rank."""
    weights = np.cumsum((np.arange(n) + 10.0) ** -0.6)
    ends = np.searchsorted(weights, rng.random((2, m)) * weights[-1]).astype(np.int64)
    return Graph.from_pairs(n, ends[0], ends[1], directed)
