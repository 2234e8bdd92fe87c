"""Edge local differential privacy: what may be requested, and its cost."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.edge_local_dp import Density, EdgeLocalDp, Share


def graph(n: int) -> Graph:
    return Graph(n, np.empty(0, dtype=np.int64))


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), 51])
def test_an_epsilon_that_promises_nothing_is_refused(epsilon: float) -> None:
    with pytest.raises(ValidationError):
        EdgeLocalDp(epsilon=epsilon)


@pytest.mark.parametrize("declared", [0, 1, -0.1, 1.1, float("nan")])
def test_a_declared_density_is_between_nothing_and_all(declared: float) -> None:
    with pytest.raises(ValidationError):
        Density(declared=declared)


@pytest.mark.parametrize("sources", [{}, {"declared": 0.1, "exact": True}, {"declared": 0.1, "noisy": 0.1}])
def test_a_density_has_exactly_one_source(sources: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="exactly one"):
        Density(**sources)


@pytest.mark.parametrize(
    ("density", "source", "cost"),
    [
        (Density(declared=0.1), "declared", "0"),
        (Density(exact=True), "exact", "0"),
        (Density(noisy=0.25), "noisy", "0.25"),
        (Density(noisy=Share(share=0.1)), "noisy", "0.20"),
    ],
)
def test_only_a_noisy_density_costs_something(density: Density, source: str, cost: str) -> None:
    assert density.source == source
    assert density.cost(Decimal("2.0")) == Decimal(cost)
    assert density.total(2.0 - float(cost)) == pytest.approx(2.0)


def test_only_an_exact_density_needs_a_waiver() -> None:
    assert EdgeLocalDp(epsilon=1, density=Density(exact=True)).waivers_needed() == ("exact_density",)
    assert EdgeLocalDp(epsilon=1, density=Density(declared=0.5)).waivers_needed() == ()
    assert EdgeLocalDp(epsilon=1).waivers_needed() == ()


@pytest.mark.parametrize("n", [0, 1])
def test_a_graph_without_a_pair_is_refused(n: int) -> None:
    with pytest.raises(InvalidDataset, match="no pair"):
        EdgeLocalDp(epsilon=1).admit(graph(n))


def test_no_graph_shows_by_itself_that_it_does_not_hold() -> None:
    EdgeLocalDp(epsilon=1).admit(graph(2))
    assert EdgeLocalDp(epsilon=1).holds(graph(2))
