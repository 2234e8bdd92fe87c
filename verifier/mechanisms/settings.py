"""Mechanisms: the chances of the draws of values or edges, from the public report of a release."""

from collections.abc import Mapping
from typing import Any


def public_mechanism(report: Mapping[str, Any]) -> dict[str, Any]:
    """The chances of reported values and pairs, from a report or from its `mechanism` section."""
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
