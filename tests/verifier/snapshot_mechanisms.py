"""Mechanisms of snapshots, for tests of the verifier."""

from typing import Any

import numpy as np

from antifaz.temporal.guarantees.edge_local_dp import TemporalEdgeLocalDp
from antifaz.temporal.methods.edge_local_dp import TemporalEdgeLocalNoise
from antifaz.temporal.snapshots import Snapshots
from antifaz.watch import unwatched
from tests.verifier.temporal.test_temporal import files, snapshots
from verifier import verify

ROWS = [(0, 1, 0), (1, 2, 0), (2, 3, 2), (0, 3, 2), (4, 5, 2)]
WAIVER = [{"rule": "exact_density", "reason": "published"}]


def released(
    density: Any, epsilon: float = 6.0, waivers: Any = (), series: Snapshots | None = None, **method: Any
) -> tuple[dict[str, Any], list[Any], dict[str, Any]]:
    """A policy, the files of a release by it, and the verifier's evidence of the mechanism."""
    stated = {"model": "edge_local_dp", "epsilon": epsilon, "density": density}
    policy = {
        "kind": "temporal_graph",
        "guarantees": [stated],
        "method": {"name": "edge_local_dp", **method},
        "waivers": list(waivers),
    }
    guarantee = TemporalEdgeLocalDp.model_validate(stated)
    original = series or snapshots(ROWS, n=6)
    found = TemporalEdgeLocalNoise(least_survival=0, **method).apply(
        original, [guarantee], np.random.default_rng(2), unwatched
    )
    return policy, files(found.snapshots), {"pairs": found.account["public"]["edge_local_dp"]}


def finding(policy: Any, artifacts: Any, sealed: Any) -> Any:
    return verify(policy, artifacts, sealed).findings[0]
