"""Gates on temporal graphs: figures over all snapshots may refuse a release, or replace a promise."""

import numpy as np
import pytest

from antifaz.assessment import assess, refuse
from antifaz.errors import InvalidPolicy
from antifaz.kinds.temporal import TemporalDataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from antifaz.temporal.snapshots import Snapshots
from antifaz.unchanged import refuse_unchanged

NAIVE = [{"rule": "naive", "reason": "a test"}]


def dataset(rows, n=6, length=2):
    sources, targets, times = (np.array([row[place] for row in rows], dtype=np.int64) for place in range(3))
    labels = [str(t) for t in range(length)]
    return TemporalDataset((), n, snapshots=Snapshots.from_rows(n, sources, targets, times, labels))


def reasons(data, **policy):
    parsed = parse_policy({"kind": "temporal_graph", "method": {"name": "naive"}, "waivers": NAIVE, **policy})
    checked = check(data, parsed)
    protected = protect(checked, parsed, np.random.default_rng(2))
    assessment = assess(checked, protected, parsed, np.random.default_rng(3))
    return {reason.rule: reason.measured for reason in refuse(parsed, protected, assessment)}


RING = [(u, (u + 1) % 6, t) for t in (0, 1) for u in range(6)]
STARS = [(0, v, 0) for v in range(1, 6)] + [(1, v, 1) for v in (0, 2)]
"""By degrees over time 0 is alone, 1 is alone, 2 is alone, and 3, 4 and 5 are alike."""


def test_a_gate_looks_at_the_degrees_in_all_snapshots():
    quiet = {"utility": [], "attacks": []}
    assert reasons(dataset(RING), gate={"max_reidentified": 0.2, "min_candidate_set": 6}, report=quiet) == {}
    found = reasons(dataset(STARS), gate={"max_reidentified": 0.5, "min_candidate_set": 2}, report=quiet)
    assert found == {"max_reidentified": pytest.approx(4 / 6), "min_candidate_set": 1}


def test_a_gate_on_measured_risk_may_stand_in_for_a_guarantee():
    gated = {"kind": "temporal_graph", "method": {"name": "random_switch"}, "gate": {"max_reidentified": 0.5}}
    parse_policy(gated)
    with pytest.raises(InvalidPolicy):
        parse_policy(gated | {"gate": {"max_edges_changed": 0.5}})
    with pytest.raises(InvalidPolicy):
        parse_policy(gated | {"gate": {"max_reidentified": 0.5, "max_link_posterior": 0.5}})


def test_snapshots_that_came_out_as_they_were_need_the_waiver():
    policy = {"kind": "temporal_graph", "method": {"name": "random_switch", "share": 0.0001}}
    waived = [{"rule": "no_guarantee", "reason": "a test"}]
    parsed = parse_policy(policy | {"waivers": waived})
    checked = check(dataset(RING), parsed)
    protected = protect(checked, parsed, np.random.default_rng(2))
    assert [reason.rule for reason in refuse_unchanged(checked, protected, parsed)] == ["naive"]
    accepted = parse_policy(policy | {"waivers": waived + NAIVE})
    assert refuse_unchanged(checked, protected, accepted) == []


def test_methods_that_make_up_nodes_are_refused():
    policy = {
        "kind": "temporal_graph",
        "guarantees": [{"model": "k_degree_anonymity", "k": 2}],
        "method": {"name": "k_degree", "strategy": "vertex_addition"},
    }
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy(policy)
    assert caught.value.faults[0][0] == "/method"
    with pytest.raises(InvalidPolicy):
        parse_policy(policy | {"method": {"name": "supernodes"}})
