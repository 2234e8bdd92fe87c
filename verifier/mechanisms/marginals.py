"""Findings about synthetic tables under differential privacy, verified by their draws and declarations.

Dwork, McSherry, Nissim and Smith, TCC 2006, for Laplace noise; McSherry and Talwar, FOCS 2007, for a noisy choice; Bun
and Steinke, TCC 2016, for concentrated losses, which add up; Canonne, Kamath and Steinke, NeurIPS 2020, proposition 12,
for their conversion to epsilon and delta.

Under ``marginals``, the sealed map gives every draw: its kind, its columns and its scale (in records). Its loss is
recomputed from the scale and from the number of records of one person that count. The use of these scales is taken
from the mechanism; the bytes show that the release has no value that the policy does not declare.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from verifier.evidence.evidence import Evidence
from verifier.mechanisms.charged import covers
from verifier.readers.cells import Cells
from verifier.readers.columns import attributes_of, plain_texts
from verifier.verdict.exact import exact, rounded_up
from verifier.verdict.folding import folded
from verifier.verdict.verdict import Finding, Missing

_RECORD = "nothing: it holds for any attacker, for whether any one record is in the table and what it says"
_PERSON = "nothing: it holds for any attacker, for whether any one person is in the table and what their records say"
_NUMBER = re.compile(r"-?[0-9]{1,13}(?:\.([0-9]{1,9}))?", re.ASCII)
_SLACK = Fraction(1, 10**9)
"""Relative amount by which a loss may exceed its bound: the rounding of scales that are written as decimals."""
_SEARCH = 200


def find_differential_privacy(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The privacy loss of all draws."""
    required = {"epsilon": guarantee.get("epsilon"), "delta": guarantee.get("delta", 0)}
    epsilon, delta = exact(required["epsilon"]), exact(required["delta"])
    sealed = (evidence.sealed_map or {}).get("marginals") or {}
    flaw = evidence.flaw
    if not flaw and (epsilon is None or epsilon <= 0 or delta is None or not 0 <= delta < 1):
        flaw = "epsilon is not a number above 0, or delta not one from 0 to 1"
    if not flaw and not sealed:
        flaw = Missing("there is no mechanism by which the table was drawn")
    achieved: dict[str, Any] = {}
    if not flaw and epsilon is not None and delta is not None:
        loss = _loss(sealed, evidence.policy, "pure" if delta == 0 else "zcdp")
        spent = _epsilon_of(loss, delta) if isinstance(loss, Fraction) else math.inf
        flaw = loss if isinstance(loss, str) else ""
        flaw = flaw or ("the mechanism loses more than epsilon" if spent > epsilon * (1 + _SLACK) else "")
        flaw = flaw or _flaw_of_ledger(sealed, epsilon, loss if delta else None) or _flaw_of_domains(evidence)
        achieved = {} if flaw else {"epsilon": min(rounded_up(spent), float(epsilon)), "delta": float(delta)}
    assumes = _PERSON if evidence.policy.get("privacy_unit") else _RECORD
    return Finding("differential_privacy", required, achieved, not flaw, "mechanism", assumes, flaw)


# --- draws -----------------------------------------------------------------------------------------------------------


def _loss(sealed: Mapping[str, Any], policy: Mapping[str, Any], measure: str) -> Fraction | str:
    """The sum of all losses, or why it cannot be computed."""
    contributions = (policy.get("method") or {}).get("contributions", 1)
    if sealed.get("measure") != measure:
        return "the measure of the losses does not match delta"
    if not _is_count(contributions) or sealed.get("contributions") != contributions:
        return "the number of records counted per person is not the policy's"
    if sealed.get("unit") != ("a person" if policy.get("privacy_unit") else "a record"):
        return "the unit of the mechanism is not that of the policy"
    steps = sealed.get("steps")
    if not isinstance(steps, list) or not steps:
        return "the draws are not stated"
    released = {name for name, settings in attributes_of(policy).items() if settings.get("role") != "identifier"}
    losses = [_loss_of(step, contributions, measure, released) for step in steps]
    if None in losses:
        return "the mechanism makes no such draw"
    return sum((loss for loss in losses if loss is not None), Fraction(0))


def _is_count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 1


def _loss_of(step: Any, contributions: int, measure: str, released: set[str]) -> Fraction | None:
    if not isinstance(step, Mapping):
        return None
    scale, columns = exact(step.get("scale")), step.get("columns")
    if scale is None or scale <= 0 or not isinstance(columns, list) or not set(map(str, columns)) <= released:
        return None
    if step.get("kind") == "count" and 1 <= len(columns) <= 2:
        ratio = contributions / scale
        return ratio if measure == "pure" else ratio**2 / 2
    if step.get("kind") == "choice" and not columns:
        ratio = 2 * contributions / scale
        return ratio if measure == "pure" else ratio**2 / 8
    return None


def _epsilon_of(loss: Fraction, delta: Fraction) -> float:
    """The epsilon of a loss: the loss itself if it is pure, else the smallest epsilon for which the given delta is
    enough. Every order gives a valid bound; the bound falls and then rises, so the best order is found by a search."""
    if delta == 0:
        return float(loss)
    rho, unlikely = float(loss), math.log(float(delta))

    def bound(power: float) -> float:
        order = 1.0 + math.exp(power)
        return order * rho + (order * math.log1p(-1.0 / order) - math.log(order - 1.0) - unlikely) / (order - 1.0)

    low, high = -20.0, 40.0
    for _ in range(_SEARCH):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if bound(left) < bound(right) else (left, high)
    return max(0.0, bound((low + high) / 2))


def _flaw_of_ledger(sealed: Mapping[str, Any], epsilon: Fraction, rho: Fraction | str | None) -> str:
    """If there is a budget, it must have been charged at least epsilon, or rho if the budget counts rho."""
    if sealed.get("ledger") is None:
        return ""
    paid = not isinstance(rho, str) and covers(sealed["ledger"], epsilon, rho)
    return "" if paid else "the budget was charged less than epsilon"


# --- released values -------------------------------------------------------------------------------------------------


def _flaw_of_domains(evidence: Evidence) -> str:
    method = evidence.policy.get("method") or {}
    for name, settings in attributes_of(evidence.policy).items():
        if settings.get("role") == "identifier":
            continue
        stated = [field for field in ("values", "edges", "bounds") if name in (method.get(field) or {})]
        if len(stated) != 1:
            return "the domain of a released column is not declared"
        for cells in evidence.tables:
            if name not in cells.names or not _is_declared(cells, name, method, stated[0]):
                return "a released value is not a declared one"
    rows = method.get("rows")
    if rows is not None and any(cells.rows != rows for cells in evidence.tables):
        return "the number of records is not the declared one"
    return ""


def _is_declared(cells: Cells, name: str, method: Mapping[str, Any], field: str) -> bool:
    stated, texts = method[field][name], plain_texts(cells, name)
    if field == "values":
        return {folded(text) for text in texts} <= {folded(str(value)) for value in stated}
    missing = (method.get("other") or {}).get(name) == ""
    numbers = [text for text in texts if text or not missing]
    return _lie_within(numbers, stated, field == "edges")


def _lie_within(texts: Iterable[str], stated: Sequence[Any], as_written: bool) -> bool:
    """Whether all texts are numbers between the first and the last stated one; if these are edges, with no more
    decimals than the edges, and with none if all edges are whole."""
    ends = [exact(number) for number in stated]
    if not ends or any(end is None for end in ends):
        return False
    low, high = (end if end is not None else Fraction(0) for end in (ends[0], ends[-1]))
    whole = all(end is not None and end.denominator == 1 for end in ends)
    places = 0 if whole else max(map(_places, stated)) if as_written else 9
    found = [_NUMBER.fullmatch(text) for text in texts]
    return all(
        match is not None and low <= Fraction(match[0]) <= high and len((match[1] or "").rstrip("0")) <= places
        for match in found
    )


def _places(number: Any) -> int:
    fraction = exact(number) or Fraction(0)
    return next((places for places in range(10) if (fraction * 10**places).denominator == 1), 9)
