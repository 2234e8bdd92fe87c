"""Graph benchmarks, on published graphs and on large synthetic ones: edges changed and CPU seconds of `k_degree`, and
what `edge_local_dp` keeps, up to 10^6 nodes and 10^7 edges.

Run as ``python -m bench.graphs [effort]``. The data folder stands beside the checkout; what is not there is skipped.
"""

import re
import resource
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.edge_local_dp import Density, EdgeLocalDp
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.methods.edge_local_dp import EdgeLocalNoise
from antifaz.graphs.methods.k_degree import KDegree
from antifaz.graphs.pair_noise import pairs_of
from antifaz.watch import unwatched
from workers.context import cryptographic_generator

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
    """A random graph whose expected degrees fall as a power of the rank."""
    weights = np.cumsum((np.arange(n) + 10.0) ** -0.6)
    ends = np.searchsorted(weights, rng.random((2, m)) * weights[-1]).astype(np.int64)
    return Graph.from_pairs(n, ends[0], ends[1], directed)


def report(label: str, graph: Graph, k: int, method: KDegree, rng: np.random.Generator) -> None:
    """Run once and print what it took."""
    began = time.process_time()
    account = method.apply(graph, [KDegreeAnonymity(k=k)], rng, unwatched).account
    seconds = time.process_time() - began
    edits = account["edges_added"] + account["edges_removed"]
    kind = "directed" if graph.directed else "undirected"
    print(
        f"{label:38s} {kind:10s} n={graph.n:<7d} m={graph.m:<8d} k={k:<4d} edits={edits:<7d} "
        f"bound={account['edit_lower_bound']:<7d} trials={account['search_trials']:<7d} {seconds:7.2f} CPU s",
        flush=True,
    )


def report_noise(label: str, graph: Graph, epsilon: float, density: float, rng: np.random.Generator) -> None:
    """Tell every pair by chance once, and print what is left of the edges, what was forecast and what it took."""
    guarantee = EdgeLocalDp(epsilon=epsilon, density=Density(declared=density))
    method = EdgeLocalNoise(least_survival=0)
    forecast = method.forecast([guarantee], graph.n, graph.directed)
    began = time.process_time()
    protected = method.apply(graph, [guarantee], rng, unwatched)
    seconds = time.process_time() - began
    kept = graph.m - protected.account["edges_removed"]
    jaccard = kept / (graph.m + protected.account["edges_added"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{label:38s} n={graph.n:<7d} m={graph.m:<8d} epsilon={epsilon:<5g} edges={protected.graph.m:<9d} "
        f"jaccard={jaccard:.4f} (forecast {forecast['expected_jaccard']:.4f}) "
        f"{seconds:7.2f} CPU s, {peak:.1f} GiB at most",
        flush=True,
    )


def main(effort: str = "normal") -> None:
    """All cases, then 10^5 nodes and 10^6 edges."""
    method = KDegree.model_validate({"effort": effort})
    rng = np.random.default_rng()
    for name, directed, sizes in CASES:
        if not (DATA / name).exists():
            print(f"{name:38s} skipped: no data beside the checkout")
            continue
        graph = read_graph(DATA / name, directed)
        for k in sizes:
            report(name, graph, k, method, rng)
    for directed in (False, True):
        report("power law", power_law_graph(100_000, 1_020_000, rng, directed), 5, method, rng)
    measure_noise()


def measure_noise() -> None:
    """`edge_local_dp` on the published graphs by their own density, then where its release has 3 · 10^7 edges."""
    rng = cryptographic_generator()
    for name, directed, _ in CASES:
        if (DATA / name).exists():
            graph = read_graph(DATA / name, directed)
            density = graph.m / pairs_of(graph.n, directed)
            for epsilon in (2.0, 6.0, 10.0):
                report_noise(name, graph, epsilon, density, rng)
    million = power_law_graph(1_000_000, 10_600_000, rng)
    for epsilon, edges in ((12.0, million.m), (8.0, 29_500_000)):
        report_noise("power law", million, epsilon, edges / pairs_of(million.n, directed=False), rng)


if __name__ == "__main__":
    main(*sys.argv[1:2])
