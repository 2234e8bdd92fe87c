"""Graph methods: edges changed, CPU seconds and memory on the published graphs and on large synthetic ones.

    python -m bench.graph_methods             every section; some minutes
    python -m bench.graph_methods large       one of them: edits, strategies, perturbations or large

The data folder stands beside the checkout; what is not there is skipped.
"""

import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.methods.edge_relevance import EdgeRelevance
from antifaz.graphs.methods.edge_rotation import EdgeRotation
from antifaz.graphs.methods.feature_preserving_switch import FeaturePreservingSwitch
from antifaz.graphs.methods.k_degree import KDegree
from antifaz.graphs.methods.random_perturbation import RandomPerturbation
from antifaz.graphs.methods.random_switch import RandomSwitch
from antifaz.graphs.methods.spectral_perturbation import SpectralPerturbation
from antifaz.graphs.methods.spectral_switch import SpectralSwitch
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.graphs.spectral_drift import spectrum
from antifaz.graphs.utility.transitivity import transitivity
from antifaz.watch import unwatched
from bench.graphs import CASES, DATA, power_law_graph, read_graph
from bench.results import write_section
from workers.context import cryptographic_generator

BEST_KNOWN = {
    ("karate", 2): 3,
    ("karate", 3): 8,
    ("karate", 4): 13,
    ("karate", 5): 14,
    ("football", 4): 1,
    ("football", 5): 2,
    ("football", 10): 4,
    ("jazz", 2): 8,
    ("jazz", 5): 63,
    ("jazz", 10): 133,
    ("jazz", 20): 217,
    ("polblogs", 5): 193,
    ("polblogs", 10): 536,
    ("polblogs", 20): 956,
    ("ca-GrQc", 5): 33,
    ("ca-GrQc", 10): 65,
    ("ca-GrQc", 20): 151,
    ("ca-HepTh", 5): 31,
    ("ca-HepTh", 10): 79,
    ("ca-HepTh", 20): 136,
    ("ego-facebook", 5): 1049,
    ("ego-facebook", 10): 2194,
    ("ego-facebook", 20): 2612,
    ("email-enron-large", 5): 973,
    ("email-enron-large", 10): 2433,
    ("email-enron-large", 20): 5144,
}
"""Fewest edits that a search with many restarts found."""


def run(
    method: GraphMethod, graph: Graph, guarantees: list[GraphGuarantee], rng: np.random.Generator
) -> tuple[ProtectedGraph, float]:
    """The release and the CPU seconds it took."""
    began = time.process_time()
    released = method.apply(graph, guarantees, rng, unwatched)
    return released, time.process_time() - began


def changed(released: ProtectedGraph) -> int:
    """Edges added and removed."""
    return int(released.account["edges_added"] + released.account["edges_removed"])


def _published() -> Iterator[tuple[str, Graph, tuple[int, ...]]]:
    """The graphs beside the checkout, with the k of the published figures."""
    for name, directed, sizes in CASES:
        if not (DATA / name).exists():
            print(f"{name} skipped: no data beside the checkout")
            continue
        yield f"{Path(name).parts[0]}{', directed' if directed else ''}", read_graph(DATA / name, directed), sizes


def edits(rng: np.random.Generator) -> None:
    """Edges changed by `k_degree` with its own strategy, beside the bound and the best that is known."""
    rows = []
    for name, graph, sizes in _published():
        for k in sizes:
            cells = []
            for effort in ("fast", "normal"):
                released, seconds = run(KDegree.model_validate({"effort": effort}), graph, [KDegreeAnonymity(k=k)], rng)
                cells.append(f"{changed(released)} ({seconds:.2f})")
            rows.append((name, k, released.account["edit_lower_bound"], BEST_KNOWN.get((name, k), "–"), *cells))
    for directed in (False, True):
        graph = power_law_graph(100_000, 1_020_000, rng, directed)
        released, seconds = run(KDegree(), graph, [KDegreeAnonymity(k=5)], rng)
        name = f"power law, {graph.n:,} nodes, {graph.m:,} edges{', directed' if directed else ''}"
        rows.append((name, 5, released.account["edit_lower_bound"], "–", "", f"{changed(released)} ({seconds:.2f})"))
    write_section(
        "Graphs: edges changed for k-degree anonymity",
        "python -m bench.graph_methods edits",
        "Edges added and removed (CPU s) by the strategy greedy; no version changes fewer than the bound. Best known: "
        "of a search with many restarts, where one was made.",
        ("graph", "k", "bound", "best known", "fast", "normal"),
        rows,
    )


def strategies(rng: np.random.Generator) -> None:
    """Edges changed by each strategy."""
    methods = {
        "greedy": KDegree(),
        "liu_terzi": KDegree(strategy="liu_terzi"),
        "genetic": KDegree(strategy="genetic"),
        "umga": KDegree(strategy="umga"),
        "umga, relevance": KDegree(strategy="umga", edge_selection="relevance"),
        "vertex_addition": KDegree(strategy="vertex_addition"),
    }
    rows = []
    for name, graph, _ in _published():
        if graph.directed:
            continue
        cells = []
        for method in methods.values():
            released, seconds = run(method, graph, [KDegreeAnonymity(k=5)], rng)
            nodes = released.account["nodes_added"]
            cells.append(f"{changed(released)}{f' + {nodes} nodes' if nodes else ''} ({seconds:.2f})")
        rows.append((name, *cells))
    write_section(
        "Graphs: strategies",
        "python -m bench.graph_methods strategies",
        "Edges added and removed (CPU s) at k = 5.",
        ("graph", *methods),
        rows,
    )


def perturbations(rng: np.random.Generator) -> None:
    """What the perturbations of a tenth of the edges leave of two eigenvalues and of the transitivity."""
    methods: list[GraphMethod] = [
        RandomPerturbation(),
        SpectralPerturbation(),
        EdgeRelevance(),
        EdgeRotation(),
        RandomSwitch(),
        SpectralSwitch(),
        FeaturePreservingSwitch(),
    ]
    graphs = {name: graph for name, graph, _ in _published() if not graph.directed and graph.m > 10_000}
    graphs["power law"] = power_law_graph(20_000, 100_000, rng)
    rows = []
    for name, graph in graphs.items():
        rows.append((f"{name}, {graph.m:,} edges", "original", "", *_features(graph, rng), ""))
        for method in methods:
            released, seconds = run(method, graph, [], rng)
            replaced = f"{released.account['edges_removed'] / graph.m:.1%}"
            rows.append(("", method.wire_name(), replaced, *_features(released.graph, rng), f"{seconds:.2f}"))
    write_section(
        "Graphs: perturbation",
        "python -m bench.graph_methods perturbations",
        "A tenth of the edges is to be replaced; the tolerances are the default ones (eigenvalues 2 %, transitivity "
        "and average distance 5 %).",
        ("graph", "method", "replaced", "largest eigenvalue", "algebraic connectivity", "transitivity", "CPU s"),
        rows,
    )


def _features(graph: Graph, rng: np.random.Generator) -> tuple[str, str, str]:
    found = spectrum(graph, rng)
    return f"{found.largest:.2f}", f"{found.connectivity:.4f}", f"{transitivity(graph):.4f}"


def large(rng: np.random.Generator) -> None:
    """A million nodes and ten million edges."""
    graph = power_law_graph(1_000_000, 10_010_000, rng)
    k20: list[GraphGuarantee] = [KDegreeAnonymity(k=20)]
    runs: list[tuple[GraphMethod, list[GraphGuarantee]]] = [
        (RandomPerturbation(), []),
        (RandomSwitch(), []),
        (EdgeRotation(), []),
        (KDegree(), k20),
        (KDegree(strategy="umga"), k20),
        (KDegree(strategy="liu_terzi"), k20),
    ]
    rows = []
    for method, guarantees in runs:
        released, seconds = run(method, graph, guarantees, rng)
        name = method.wire_name() + (f", {getattr(method, 'strategy', '')}, k = 20" if guarantees else ", a tenth")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        rows.append((name, f"{changed(released):,}", f"{seconds:.1f}", f"{peak:.1f}"))
    write_section(
        "Graphs: a million nodes",
        "python -m bench.graph_methods large",
        f"{graph.n:,} nodes and {graph.m:,} edges; the peak is that of the process up to then, the graph included.",
        ("method", "edges changed", "CPU s", "peak GiB"),
        rows,
    )


SECTIONS: dict[str, Callable[[np.random.Generator], None]] = {
    "edits": edits,
    "strategies": strategies,
    "perturbations": perturbations,
    "large": large,
}


def main(*names: str) -> None:
    """The sections that are named, or all."""
    rng = cryptographic_generator()
    for name in names or SECTIONS:
        SECTIONS[name](rng)


if __name__ == "__main__":
    main(*sys.argv[1:])
