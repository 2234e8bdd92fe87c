"""Graph methods: edges changed, CPU seconds and memory on the published graphs and on large synthetic ones.

    python -m bench.graph_methods             every section; takes a few minutes
    python -m bench.graph_methods large       one of them: edits, strategies, perturbations, structures, noise or large

The data folder is next to the checkout; missing graphs are skipped.
"""

import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np

from antifaz import catalogue
from antifaz.graphs.edits.pair_noise import pairs_of
from antifaz.graphs.edits.spectral_drift import spectrum
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.edge_local_dp import Density, EdgeLocalDp
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.methods.edge_local_dp import EdgeLocalNoise
from antifaz.graphs.methods.edge_relevance import EdgeRelevance
from antifaz.graphs.methods.edge_rotation import EdgeRotation
from antifaz.graphs.methods.feature_preserving_switch import FeaturePreservingSwitch
from antifaz.graphs.methods.k_degree import KDegree
from antifaz.graphs.methods.random_perturbation import RandomPerturbation
from antifaz.graphs.methods.random_switch import RandomSwitch
from antifaz.graphs.methods.spectral_perturbation import SpectralPerturbation
from antifaz.graphs.methods.spectral_switch import SpectralSwitch
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.graphs.utility.transitivity import transitivity
from antifaz.watch import unwatched
from bench.graphs import CASES, DATA, power_law_graph, read_graph
from bench.results import write_section
from publication.generator import cryptographic_generator

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
"""The fewest edits found by a search with many restarts."""


def run(
    method: GraphMethod, graph: Graph, guarantees: list[GraphGuarantee], rng: np.random.Generator
) -> tuple[ProtectedGraph, float]:
    """The release and its CPU seconds."""
    began = time.process_time()
    released = method.apply(graph, guarantees, rng, unwatched)
    return released, time.process_time() - began


def changed(released: ProtectedGraph) -> int:
    """Edges added and removed."""
    return int(released.account["edges_added"] + released.account["edges_removed"])


def _published() -> Iterator[tuple[str, Graph, tuple[int, ...]]]:
    """The graphs next to the checkout, with the k of the published figures."""
    for name, directed, sizes in CASES:
        if not (DATA / name).exists():
            print(f"{name} skipped: no data next to the checkout")
            continue
        yield f"{Path(name).parts[0]}{', directed' if directed else ''}", read_graph(DATA / name, directed), sizes


def edits(rng: np.random.Generator) -> None:
    """Edges changed by `k_degree` with its own strategy, compared with the bound and the best known result."""
    rows = []
    for name, graph, sizes in _published():
        for k in sizes:
            cells = []
            for effort in ("fast", "normal", "high"):
                released, seconds = run(KDegree.model_validate({"effort": effort}), graph, [KDegreeAnonymity(k=k)], rng)
                cells.append(f"{changed(released)} ({seconds:.2f})")
            rows.append((name, k, released.account["edit_lower_bound"], BEST_KNOWN.get((name, k), "–"), *cells))
    for directed in (False, True):
        graph = power_law_graph(100_000, 1_020_000, rng, directed)
        released, seconds = run(KDegree(), graph, [KDegreeAnonymity(k=5)], rng)
        name = f"power law, {graph.n:,} nodes, {graph.m:,} edges{', directed' if directed else ''}"
        rows.append(
            (name, 5, released.account["edit_lower_bound"], "–", "", f"{changed(released)} ({seconds:.2f})", "")
        )
    write_section(
        "Graphs: edges changed for k-degree anonymity",
        "python -m bench.graph_methods edits",
        "Edges added and removed (CPU s) by the strategy greedy; no release can change fewer than the bound. Best "
        "known: result of a search with many restarts, if there was one.",
        ("graph", "k", "bound", "best known", "fast", "normal", "high"),
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
    """How perturbing a tenth of the edges changes two eigenvalues and the transitivity."""
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
        "A tenth of the edges should be replaced; the tolerances are the defaults (eigenvalues 2 %, transitivity "
        "and average distance 5 %).",
        ("graph", "method", "replaced", "largest eigenvalue", "algebraic connectivity", "transitivity", "CPU s"),
        rows,
    )


def _features(graph: Graph, rng: np.random.Generator) -> tuple[str, str, str]:
    found = spectrum(graph, rng)
    return f"{found.largest:.2f}", f"{found.connectivity:.4f}", f"{transitivity(graph):.4f}"


STRUCTURES: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("k_automorphism", {}, {"model": "k_automorphism", "k": 5}),
    ("k_automorphism", {"closure": "copied"}, {"model": "k_automorphism", "k": 5}),
    ("k_neighborhood", {}, {"model": "k_neighborhood_anonymity", "k": 5}),
    ("neighborhood_twins", {}, {"model": "neighborhood_twins", "k": 5}),
    ("kl_anonymity", {}, {"model": "kl_anonymity", "k": 5, "l": 1, "definition": "neighbors"}),
    ("kl_anonymity", {}, {"model": "kl_anonymity", "k": 2, "l": 2, "definition": "neighbors"}),
    ("supernodes", {}, {"model": "supernode_size", "k": 5}),
    ("sangreea", {}, {"model": "supernode_size", "k": 5}),
    ("uncertain", {}, {"model": "k_eps_obfuscation", "k": 20, "epsilon": 0.01}),
)


def structures(rng: np.random.Generator) -> None:
    """The methods that protect more than degrees, on the graphs that they were designed for."""
    rows = []
    for name, graph, _ in _published():
        if name not in ("ca-GrQc", "ca-HepTh", "email-enron-large"):
            continue
        for method, settings, stated in STRUCTURES:
            asked = {key: value for key, value in stated.items() if key != "model"}
            guarantee = catalogue.part("guarantees", "graph", stated["model"])(**asked)
            part = catalogue.part("methods", "graph", method)(**settings)
            released, seconds = run(cast(GraphMethod, part), graph, [cast(GraphGuarantee, guarantee)], rng)
            count = f"{changed(released):,}" if "edges_added" in released.account else f"{released.graph.n:,} nodes"
            wanted = ", ".join(f"{key} = {value}" for key, value in asked.items())
            rows.append(
                (
                    f"{name}, {graph.m:,} edges",
                    " ".join([method, *settings.values()]),
                    wanted,
                    count,
                    f"{seconds:.1f}",
                )
            )
    write_section(
        "Graphs: structure",
        "python -m bench.graph_methods structures",
        "Edges added and removed, or nodes of the release if edges are not edited.",
        ("graph", "method", "asked", "changed", "CPU s"),
        rows,
    )


def noise(rng: np.random.Generator) -> None:
    """What `edge_local_dp` preserves of the published graphs, with their true density declared, and its forecast."""
    graphs = [(name, graph, (2.0, 6.0, 10.0), graph.m) for name, graph, _ in _published() if graph.m > 10_000]
    million = power_law_graph(1_000_000, 10_600_000, rng)
    cases = [*graphs, ("power law", million, (12.0,), million.m), ("power law", million, (8.0,), 29_500_000)]
    rows = []
    for name, graph, epsilons, edges in cases:
        density = Density(declared=edges / pairs_of(graph.n, graph.directed))
        for epsilon in epsilons:
            guarantee, method = EdgeLocalDp(epsilon=epsilon, density=density), EdgeLocalNoise(least_survival=0)
            forecast = method.forecast([guarantee], graph.n, graph.directed)["expected_jaccard"]
            released, seconds = run(method, graph, [guarantee], rng)
            kept = graph.m - released.account["edges_removed"]
            jaccard = kept / (graph.m + released.account["edges_added"])
            figures = (f"{released.graph.m:,}", f"{jaccard:.4f}", f"{forecast:.4f}", f"{seconds:.2f}")
            rows.append((f"{name}, {graph.m:,} edges", epsilon, *figures))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    write_section(
        "Graphs: edge-local differential privacy",
        "python -m bench.graph_methods noise",
        f"The density is declared; the forecast assumes that it is the graph's. Peak memory: {peak:.1f} GiB.",
        ("graph", "epsilon", "edges released", "edge Jaccard", "forecast", "CPU s"),
        rows,
    )


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
        f"{graph.n:,} nodes and {graph.m:,} edges; the peak is that of the process so far, including the graph.",
        ("method", "edges changed", "CPU s", "peak GiB"),
        rows,
    )


SECTIONS: dict[str, Callable[[np.random.Generator], None]] = {
    "edits": edits,
    "strategies": strategies,
    "perturbations": perturbations,
    "structures": structures,
    "noise": noise,
    "large": large,
}


def main(*names: str) -> None:
    """Write the named sections, or all."""
    rng = cryptographic_generator()
    for name in names or SECTIONS:
        SECTIONS[name](rng)


if __name__ == "__main__":
    main(*sys.argv[1:])
