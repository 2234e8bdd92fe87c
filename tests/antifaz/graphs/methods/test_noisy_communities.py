"""Noisy communities: the effect of one edge, the total loss of all parts, and the communities that remain."""

from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.graphs.analysis.communities import agreement, modularity
from antifaz.graphs.analysis.louvain import louvain
from antifaz.graphs.edits.pair_noise import PairNoise
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.edge_differential_privacy import EdgeDifferentialPrivacy
from antifaz.graphs.methods import noisy_communities
from antifaz.graphs.methods.noisy_communities import SHARES, NoisyCommunities, _balanced, _edges_between, _Losses
from antifaz.graphs.methods.noisy_degrees import NoisyDegrees
from antifaz.noise import UNIT, counting
from antifaz.watch import unwatched
from tests.antifaz.graphs.analysis.test_reported_blocks import planted
from tests.audit import excess


def graph_of(n: int, pairs: list[tuple[int, int]]) -> Graph:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(n, ends[:, 0], ends[:, 1])


def drawn(graph: Graph, epsilon: float, seed: int = 1, **settings: Any) -> ProtectedGraph:
    guarantee = EdgeDifferentialPrivacy(epsilon=epsilon)
    return NoisyCommunities(**settings).apply(graph, [guarantee], np.random.default_rng(seed), unwatched)


def said(released: ProtectedGraph) -> dict[str, Any]:
    found: dict[str, Any] = released.account["public"]["noisy_communities"]
    return found


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 9), st.data())
def test_one_pair_changes_one_number_of_edges_between_communities(n: int, data: st.DataObject) -> None:
    """The differences by which the noise is scaled; that of degrees is tested with `noisy_degrees`."""
    every = list(combinations(range(n), 2))
    edges, pair = data.draw(st.sets(st.sampled_from(every))), data.draw(st.sampled_from(every))
    labels = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    labels[0] = 2
    exact = counting("pure", 1, 1e-9)

    class Exact(_Losses):
        def count(self, of: str, numbers: Any, units: int, watch: Any) -> Any:
            return exact.counts(numbers)

    one, other = (
        _edges_between(graph_of(n, sorted(each)), labels, Exact(UNIT), unwatched)
        for each in (edges - {pair}, edges | {pair})
    )
    assert np.abs(one - other).sum() == 1


@pytest.mark.parametrize(("epsilon", "reports"), [(0.5, False), (6.0, True)])
def test_all_parts_together_lose_at_most_epsilon_by_their_own_maps(epsilon: float, reports: bool) -> None:
    graph, _ = planted([60, 60], 0.5, 0.02, 1)
    found = said(drawn(graph, epsilon))
    losses = [Fraction(counting("pure", each["sensitivity"], each["scale"]).units, UNIT) for each in found["counts"]]
    assert (found["pairs"] is not None) == reports
    whole = sum(losses, Fraction(0)) + (Fraction(found["pairs"]["epsilon"]) if reports else 0)
    assert whole <= Fraction(str(epsilon))
    assert whole >= Fraction(str(epsilon)) * Fraction(999, 1000)
    assert sum(SHARES.values()) == 100


def test_communities_are_kept_that_degrees_alone_lose() -> None:
    graph, labels = planted([80, 80, 80], 0.4, 0.02, 2)
    rng = np.random.default_rng(1)
    released = drawn(graph, 4.0)
    found = louvain(released.graph, rng, unwatched)
    assert agreement(labels, found)["nmi"] > 0.8
    assert modularity(released.graph, labels) > 0.5
    alone = NoisyDegrees().apply(graph, [EdgeDifferentialPrivacy(epsilon=4.0)], rng, unwatched)
    assert modularity(alone.graph, labels) < 0.1
    assert abs(released.graph.m - graph.m) < 0.05 * graph.m


def test_a_hub_stays_one_and_nodes_stay_who_they_are() -> None:
    star = graph_of(200, [(0, leaf) for leaf in range(1, 200)])
    released = drawn(star, 8.0)
    assert int(np.argmax(released.graph.degrees)) == 0
    assert released.origin.tolist() == list(range(200))


def test_of_more_nodes_than_may_report_only_degrees_are_counted() -> None:
    graph, _ = planted([60, 60], 0.5, 0.02, 1)
    found = said(drawn(graph, 6.0, most_nodes=100))
    assert found["pairs"] is None
    assert [count["of"] for count in found["counts"]] == ["ascending degrees", "degrees of nodes", "ascending degrees"]


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 14), st.floats(0, 1), st.sampled_from([0.01, 1.0, 20.0]), st.integers(0, 2**20))
def test_any_small_graph_gives_a_simple_graph(n: int, density: float, epsilon: float, seed: int) -> None:
    graph, _ = planted([n], density, 0.0, seed)
    released = drawn(graph, epsilon, seed).graph
    assert released.n == n
    assert (np.diff(released.keys) > 0).all()
    assert (released.sources < released.targets).all()


def test_balanced_rates_use_all_ends_of_every_community() -> None:
    """By hand: 10 edges inside the first, 5 between, none inside the second; 30 and 10 ends."""
    rates = _balanced(np.array([[10.0, 5.0], [0.0, 0.0]]), np.array([30.0, 10.0]))
    used = rates * np.outer([30.0, 10.0], [30.0, 10.0])
    assert used.sum(axis=1).tolist() == pytest.approx([30, 10], rel=1e-3)
    assert used[0].tolist() == pytest.approx([20, 10], rel=1e-2)


def clique_without(pair: bool) -> Graph:
    return graph_of(12, [each for each in combinations(range(12), 2) if pair or each != (0, 1)])


def joined(graph: Graph, epsilon: float, draws: int) -> np.ndarray:
    """Whether the first two nodes are joined in each of many releases."""
    return np.array([int(1 in drawn(graph, epsilon, seed).graph.keys[:1]) for seed in range(draws)])


def test_a_pair_of_a_release_tells_no_more_than_epsilon_and_that_of_its_twin_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The twin reports every pair as it is. Power: it joins the pair always or nearly never, where a factor of e is
    allowed; 200 draws of each show an excess of 0.14 for sure."""
    epsilon = 1.0
    monkeypatch.setattr(noisy_communities, "_is_audible", lambda degrees, noise: True)
    # Without the last step, which only adds blur: it reads only noisy numbers.
    monkeypatch.setattr(noisy_communities, "with_degrees", lambda n, keys, *others: keys)
    with_pair, without = clique_without(True), clique_without(False)
    honest = [joined(graph, epsilon, 200) for graph in (with_pair, without)]
    assert max(excess(*honest, epsilon), excess(*honest[::-1], epsilon)) <= 0
    telling = PairNoise(Decimal(40), Decimal("0.5"), 1, 2**64 - 2**20)
    monkeypatch.setattr(noisy_communities, "pair_noise", lambda epsilon, density: telling)
    told = [joined(graph, epsilon, 200) for graph in (with_pair, without)]
    assert max(excess(*told, epsilon), excess(*told[::-1], epsilon)) > 0


def test_a_directed_graph_and_a_policy_without_the_guarantee_are_refused() -> None:
    with pytest.raises(InvalidDataset):
        NoisyCommunities().admit(Graph(3, np.array([1]), directed=True))
    with pytest.raises(InvalidPolicy):
        NoisyCommunities().apply(graph_of(3, [(0, 1)]), [], np.random.default_rng(1), unwatched)
