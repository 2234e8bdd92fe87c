"""Edge differential privacy: a property of the mechanism, so any graph with a pair of nodes may have it."""

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz import catalogue
from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.edge_differential_privacy import EdgeDifferentialPrivacy

NONE = np.zeros(0, dtype=np.int64)


@pytest.mark.parametrize("epsilon", [0, -1, 51, 1e-7])
def test_epsilon_is_above_zero_and_not_absurd(epsilon):
    with pytest.raises(ValidationError):
        EdgeDifferentialPrivacy(epsilon=epsilon)


def test_only_the_number_of_nodes_which_is_public_can_refuse_a_graph():
    with pytest.raises(InvalidDataset):
        EdgeDifferentialPrivacy(epsilon=1).admit(Graph(1, NONE))
    for graph in (Graph(2, NONE), Graph(2, np.array([1]))):
        EdgeDifferentialPrivacy(epsilon=1).admit(graph)
        assert EdgeDifferentialPrivacy(epsilon=1).holds(graph)


def test_its_evidence_is_the_mechanism():
    assert EdgeDifferentialPrivacy.evidence == "mechanism"


def test_it_is_not_promised_of_snapshots_whose_losses_would_add_up():
    for folder, name in (("guarantees", "edge_differential_privacy"), ("methods", "noisy_degrees")):
        assert name in {part.wire_name() for part in catalogue.parts(folder, "graph")}
        assert name not in {part.wire_name() for part in catalogue.parts(folder, "temporal_graph")}
