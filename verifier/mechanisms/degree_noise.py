"""Findings about graphs drawn from noisy figures: edge differential privacy, verified by the scales of the noise.

Hay, Li, Miklau and Jensen, ICDM 2009: one pair of nodes changes the degrees by two in sum, whether they are sorted or
in the order of the nodes, so Laplace noise of scale b on each of them loses 2/b. It changes one of the numbers of
edges between groups of nodes by one, which loses 1/b. Pairs that are reported at random lose the log ratio of their
chances. Losses add up (Dwork, McSherry, Nissim and Smith, TCC 2006).

The sealed map gives the scale under ``degree_noise``, or all parts of a mechanism under ``community_noise``. Their use
is taken from the mechanism; the bytes show that the release is one simple graph over a list of nodes.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verifier.evidence.evidence import Evidence
from verifier.mechanisms.charged import covers
from verifier.mechanisms.pairs import Mechanism, flaw_of_chances, fraction_of
from verifier.verdict.exact import exact, rounded_up
from verifier.verdict.verdict import Finding, Missing

_ASSUMES = "nothing: it holds for any attacker, for whether any one pair of nodes is joined"
_ENDS = 2
_CHANGES = {"ascending degrees": _ENDS, "degrees of nodes": _ENDS, "edges between communities": 1}
"""Total change that one pair makes to each kind of count."""
_SLACK = Fraction(1, 10**9)
"""Relative amount by which a loss may exceed its bound: the rounding of a scale that is written as a decimal."""


class _Flaw(Exception):
    """Why the loss of a mechanism cannot be computed."""


def find_edge_differential_privacy(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The privacy loss of a pair, from the scales of the noise and the chances of reports."""
    required = {"epsilon": guarantee.get("epsilon")}
    bound = exact(required["epsilon"])
    known = evidence.sealed_map or {}
    sealed = known.get("community_noise") or known.get("degree_noise") or {}
    flaw = evidence.graph_flaw or ("" if bound is not None and bound > 0 else "epsilon is not a number above 0")
    if not flaw and not sealed:
        flaw = Missing("there is no mechanism by which the graph was drawn")
    achieved: dict[str, Any] = {}
    if not flaw and bound is not None:
        try:
            loss = _loss_of_parts(sealed) if known.get("community_noise") else _loss_of_count(_ENDS, sealed)
            flaw = _flaw(sealed, loss, bound, evidence.directed)
            achieved = {} if flaw else {"epsilon": min(rounded_up(float(loss)), float(bound))}
        except _Flaw as fault:
            flaw = str(fault)
    return Finding("edge_differential_privacy", required, achieved, not flaw, "mechanism", _ASSUMES, flaw)


def _flaw(sealed: Mapping[str, Any], loss: Fraction, bound: Fraction, directed: bool) -> str:
    if directed:
        return "the mechanism is one for undirected graphs"
    if loss > bound * (1 + _SLACK):
        return "the mechanism loses more than epsilon"
    ledger = sealed.get("ledger")
    return "" if ledger is None or covers(ledger, bound) else "the budget was charged less than epsilon"


def _loss_of_parts(sealed: Mapping[str, Any]) -> Fraction:
    """The sum of the losses of all counts, and of the reports of pairs if there are any."""
    counts = sealed.get("counts")
    if not isinstance(counts, list) or not all(isinstance(count, dict) for count in counts) or not counts:
        raise _Flaw("the mechanism does not state what was counted")
    if any(count.get("of") not in _CHANGES for count in counts):
        raise _Flaw("it is not known how a pair changes one of the counts")
    loss = sum((_loss_of_count(_CHANGES[count["of"]], count) for count in counts), Fraction(0))
    return loss + _loss_of_reports(sealed.get("pairs"))


def _loss_of_count(change: int, count: Mapping[str, Any]) -> Fraction:
    scale = exact(count.get("scale"))
    if scale is None or scale <= 0:
        raise _Flaw("the scale of the noise is not a number above 0")
    return change / scale


def _loss_of_reports(pairs: object) -> Fraction:
    """The loss of pairs that are reported wrongly with the same chance whether joined or not."""
    if pairs is None:
        return Fraction(0)
    stated = pairs if isinstance(pairs, dict) else {}
    rate, keep, loss = (fraction_of(stated.get(name)) for name in ("rate", "keep", "epsilon"))
    if rate is None or keep is None or loss is None:
        raise _Flaw("the mechanism does not state the chances of the pairs")
    flaw = flaw_of_chances(Mechanism(rate, keep, Fraction(1, 2), loss, Fraction(0), "declared"), loss)
    if flaw:
        raise _Flaw(flaw)
    return loss
