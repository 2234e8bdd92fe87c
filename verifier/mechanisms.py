"""Mechanisms: what the public report of a release says of the chances by which its values or edges were drawn."""

from collections.abc import Mapping
from typing import Any


def public_mechanism(report: Mapping[str, Any]) -> dict[str, Any]:
    """What a report, or the part `mechanism` of it, says of the chances by which values and pairs were reported."""
    mechanism = report.get("mechanism", report)
    if not isinstance(mechanism, dict):
        raise ValueError
    known: dict[str, Any] = {"mechanism": mechanism.get("randomized_response") or {}}
    if isinstance(mechanism.get("edge_local_dp"), dict):
        known["pairs"] = mechanism["edge_local_dp"]
    if isinstance(mechanism.get("noisy_degrees"), dict):
        known["degree_noise"] = mechanism["noisy_degrees"]
    if isinstance(mechanism.get("noisy_communities"), dict):
        known["community_noise"] = mechanism["noisy_communities"]
    if isinstance(mechanism.get("dp_marginals"), dict):
        known["marginals"] = mechanism["dp_marginals"]
    return known
