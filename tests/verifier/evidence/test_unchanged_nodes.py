"""Nodes that a release shows joined as in the original and alone: counted from bytes and sealed edges."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import verifier
from antifaz.graphs.analysis.same import exposed_nodes as by_engine
from antifaz.temporal.same import exposed_over_time
from publication.library import Graph, TemporalGraph, protect, verify
from tests.oracles.exposure import exposed_nodes
from verifier import Artifact
from verifier.evidence.unchanged_nodes import MOST_NODES

GATE = {"max_reidentified": 0.5}
TREE = [(0, 1), (0, 2), (2, 3), (0, 4), (4, 5), (5, 6)]
"""Seven nodes, each with surroundings of its own."""


def found(edges: list[tuple[int, int]], origin: list[int] | None = None, **policy: Any) -> verifier.Finding:
    document = {"kind": "graph", "method": {"name": "random_switch"}, "gate": GATE, **policy}
    content = "source,target\n" + "".join(f"{u},{v}\n" for u, v in edges)
    nodes = "node\n" + "".join(f"{node}\n" for node in range(7))
    ends = np.array(TREE)
    known = {"n": 7, "origin": np.array(origin or range(7)), "sources": ends[:, 0], "targets": ends[:, 1]}
    artifacts = [Artifact("edgelist", "graph", content.encode()), Artifact("csv", "nodes", nodes.encode())]
    verdict = verifier.verify(document, artifacts, {"original_edges": known})
    assert verdict.faults == ()
    (finding,) = verdict.outcome
    assert verdict.holds == (finding.holds and all(each.holds for each in verdict.findings))
    return finding


def test_a_renumbered_graph_shows_all_nodes_unchanged() -> None:
    turned = [(6 - u, 6 - v) for u, v in TREE]
    finding = found([(min(pair), max(pair)) for pair in turned], origin=[6, 5, 4, 3, 2, 1, 0])
    assert (finding.achieved, finding.holds) == ({"share": 1.0}, False)
    assert finding.required == {"share": MOST_NODES}


def test_both_ends_of_a_changed_edge_are_changed() -> None:
    finding = found([*TREE[1:], (1, 4)])
    assert finding.achieved["share"] == 4 / 7  # 0, 1 and 4 have other edges
    assert not finding.holds
    more = found([TREE[1], *TREE[3:], (1, 4), (3, 6)])
    assert (more.achieved["share"], more.holds) == (1 / 7, True)


def test_a_structural_guarantee_or_a_waiver_accepts_it_and_the_share_is_stated() -> None:
    for accepted in (
        {"waivers": [{"rule": "naive", "reason": "a test"}]},
        {"guarantees": [{"model": "k_degree_anonymity", "k": 2}]},
        {"guarantees": [{"model": "k_eps_obfuscation", "k": 2, "epsilon": 0.5}]},
    ):
        assert (found(TREE, **accepted).achieved["share"], found(TREE, **accepted).holds) == (1.0, True)
    useless = {"guarantees": [{"model": "k_eps_obfuscation", "k": 2, "epsilon": 0.51}]}
    assert not found(TREE, **useless).holds


def both(pairs: Any) -> list[tuple[int, int]]:
    return [(int(u), int(v)) for u, v in pairs] + [(int(v), int(u)) for u, v in pairs]


SETTINGS = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
METHODS = st.sampled_from(["random_perturbation", "edge_rotation", "random_switch"])


@SETTINGS
@given(METHODS, st.integers(5, 12), st.integers(0, 99), st.sampled_from([0.05, 0.2, 0.5]), st.booleans())
def test_engine_verifier_and_brute_force_count_the_same_nodes(
    method: str, n: int, seed: int, share: float, directed: bool
) -> None:
    drawn = nx.gnm_random_graph(n, 2 * n - 2, seed=seed, directed=directed)
    policy = {"kind": "graph", "method": {"name": method, "share": share}, "gate": GATE}
    release = protect(Graph.from_networkx(drawn), policy, np.random.default_rng(seed))
    shown = release.protected.graph
    pairs = list(zip(shown.graph.sources, shown.graph.targets, strict=True))
    ordered = [(int(u), int(v)) for u, v in pairs] if directed else both(pairs)
    before = list(drawn.edges) if directed else both(drawn.edges)
    expected = len(exposed_nodes(n, before, n, ordered, shown.origin.tolist())) / n
    assert by_engine(release.checked.graph, shown) == pytest.approx(expected)
    (finding,) = verify(release).outcome
    assert finding.achieved["share"] == pytest.approx(expected)


@SETTINGS
@given(st.integers(5, 9), st.integers(0, 99), st.sampled_from([0.05, 0.2]))
def test_over_time_the_snapshot_that_exposes_most_counts(n: int, seed: int, share: float) -> None:
    drawn = nx.MultiGraph()
    drawn.add_nodes_from(range(n))
    snapshots = [nx.gnm_random_graph(n, n + 1, seed=seed + t) for t in range(3)]
    for t, snapshot in enumerate(snapshots):
        drawn.add_edges_from((u, v, {"time": t}) for u, v in snapshot.edges)
    policy = {"kind": "temporal_graph", "method": {"name": "random_perturbation", "share": share}, "gate": GATE}
    release = protect(TemporalGraph.from_networkx(drawn), policy, np.random.default_rng(seed))
    shown, origin = release.protected.structure.snapshots, release.protected.structure.origin.tolist()
    exposed = []
    for snapshot, graph in zip(snapshots, shown.graphs(), strict=True):
        pairs = both(zip(graph.sources, graph.targets, strict=True))
        exposed.append(exposed_nodes(n, both(snapshot.edges), n, pairs, origin))
    share_found = exposed_over_time(release.checked.snapshots, release.protected.structure)
    # Nodes that no snapshot changed may be alone over all of them even if they are not in any single one.
    assert share_found >= max(map(len, exposed)) / n - 1e-9
    (finding,) = verify(release).outcome
    assert finding.achieved["share"] == pytest.approx(share_found)
