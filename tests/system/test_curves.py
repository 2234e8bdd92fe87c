"""The example with the curves of the literature: k and shares by comparisons of the service, epsilon by the library."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from antifaz_client import Client

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "curves.py"


@pytest.fixture(scope="module")
def curves() -> Any:
    """The example as a module."""
    found = importlib.util.spec_from_file_location("curves", EXAMPLE)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules["curves"] = module
    found.loader.exec_module(module)
    return module


def test_a_larger_k_loses_more_and_risks_less(stack: Any, curves: Any) -> None:
    with Client(stack.address, stack.token("steward")) as client:
        rows = curves.k_curve(client)
    assert [row["k"] for row in rows] == [2, 3, 5, 8]
    losses = [row["ncp"] for row in rows]
    assert losses == sorted(losses)
    assert all(row["prosecutor"] <= 1 / row["k"] for row in rows)
    assert all(row["ncp ±"] is not None for row in rows)


def test_a_larger_share_of_perturbation_keeps_fewer_edges(stack: Any, curves: Any) -> None:
    """The numbers of removed and added edges depend on the share, not on chance."""
    with Client(stack.address, stack.token("steward")) as client:
        rows = curves.share_curve(client)
    kept = [row["edge_jaccard"] for row in rows]
    assert kept == sorted(kept, reverse=True)
    assert len(set(kept)) == 4
    assert all(row["degree"] >= 1 and row["louvain"] is not None for row in rows)
    assert all(row["average_distance"] is not None for row in rows)


def test_a_larger_epsilon_keeps_more_edges(curves: Any) -> None:
    """At 12 each of 78 edges stays with a probability above 0.9999, and at 1 below 0.35."""
    rows = curves.epsilon_curve()
    assert rows[0]["edge_jaccard"] < rows[-1]["edge_jaccard"]
    assert rows[-1]["edge_jaccard"] > 0.8
