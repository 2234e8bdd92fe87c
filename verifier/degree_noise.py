"""Findings about graphs that were drawn from noisy degrees: edge differential privacy, judged by the noise's scale.

Hay, Li, Miklau and Jensen, ICDM 2009: one pair of nodes changes the ascending degrees by two in sum, so Laplace noise
of a scale b on each of them loses 2/b. The sealed map gives the scale under ``degree_noise``. That it was used is for
the mechanism to say; that the release is one simple graph over a list of nodes is seen in its bytes.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from verifier.charged import covers
from verifier.exact import exact, rounded_up
from verifier.verdict import Finding, Missing

if TYPE_CHECKING:
    from verifier.findings import Evidence

_ASSUMES = "nothing: it holds for any attacker, for whether any one pair of nodes is joined"
_ENDS = 2
_SLACK = Fraction(1, 10**9)
"""By how much of itself a loss may be above its bound: what rounding does to a scale that is written as a decimal."""


def find_edge_differential_privacy(guarantee: Mapping[str, Any], evidence: "Evidence") -> Finding:
    """The privacy loss of a pair, from the scale of the noise on the degrees."""
    required = {"epsilon": guarantee.get("epsilon")}
    bound = exact(required["epsilon"])
    sealed = (evidence.sealed_map or {}).get("degree_noise") or {}
    flaw = evidence.graph_flaw or ("" if bound is not None and bound > 0 else "epsilon is not a number above 0")
    if not flaw and not sealed:
        flaw = Missing("there is no mechanism by which the graph was drawn")
    achieved: dict[str, Any] = {}
    if not flaw and bound is not None:
        scale = exact(sealed.get("scale"))
        flaw = _flaw(sealed, scale, bound, evidence.directed)
        achieved = {} if flaw or scale is None else {"epsilon": min(rounded_up(float(_ENDS / scale)), float(bound))}
    return Finding("edge_differential_privacy", required, achieved, not flaw, "mechanism", _ASSUMES, flaw)


def _flaw(sealed: Mapping[str, Any], scale: Fraction | None, bound: Fraction, directed: bool) -> str:
    if directed:
        return "the mechanism is one for undirected graphs"
    if scale is None or scale <= 0:
        return "the scale of the noise is not a number above 0"
    if _ENDS / scale > bound * (1 + _SLACK):
        return "the mechanism loses more than epsilon"
    ledger = sealed.get("ledger")
    return "" if ledger is None or covers(ledger, bound) else "the budget was charged less than epsilon"
