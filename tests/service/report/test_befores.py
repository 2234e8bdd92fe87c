"""Attacks on the original, by measured figures and lower bounds."""

import pytest

from service.report.befores import success_before

TABLE = {"risk": {"before": {"prosecutor": {"mean": 0.25}, "homogeneity": {"value": 0.2}}}}
GRAPH = {
    "dataset": {"nodes": 40},
    "risk": {
        "before": {
            "degree": {"candidate_sets": {"1": "<10", "2-4": 22, "5-10": 12, "11-20": "<10", "21+": 6}},
            "neighborhood": {"shares": {"1": 0.85, "2-4": "<0.25", "21+": "<0.25"}},
            "vertex_refinement": {"H1": {"shares": {"2-4": 0.5, "5-10": 0.5}}},
            "trajectory": {"shares": {"1": 1.0}},
        }
    },
}


@pytest.mark.parametrize(
    ("attack", "report", "before"),
    [
        ({"name": "record_linkage"}, TABLE, 0.25),
        ({"name": "composition", "releases": 1}, TABLE, 0.25),
        ({"name": "composition", "releases": 2}, TABLE, None),
        ({"name": "homogeneity"}, TABLE, ">=0.2000"),
        # 22 in crowds of at most 4 and 12 in crowds of at most 10; what is withheld, and the open end, count as nobody.
        ({"name": "degree"}, GRAPH, ">=0.1675"),
        ({"name": "neighborhood"}, GRAPH, ">=0.8500"),
        ({"name": "vertex_refinement", "query": "H1"}, GRAPH, ">=0.1750"),
        ({"name": "degree_trajectory"}, GRAPH, 1.0),
        ({"name": "static", "attack": "vertex_refinement", "on": "aggregate", "query": "H1"}, GRAPH, None),
        ({"name": "seed_propagation"}, GRAPH, None),
        ({"name": "record_linkage"}, {}, None),
        ({"name": "degree"}, {"risk": {"before": {"degree": {"candidate_sets": {"1": "<10"}}}}}, None),
    ],
)
def test_the_success_before_is_measured_bounded_or_not_known(attack, report, before):
    assert success_before(attack, report) == before
