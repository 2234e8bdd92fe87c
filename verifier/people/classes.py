"""Findings about classes of rows: how many people are alike, and how diverse their sensitive values are."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from verifier.evidence.evidence import Evidence, k_flaw
from verifier.evidence.models import Classes, Tallies, distinct_l, entropy_l, recursive_l, tally
from verifier.readers.cells import Cells
from verifier.readers.columns import attributes_of
from verifier.verdict.exact import exact
from verifier.verdict.notations import merged_codes
from verifier.verdict.verdict import DECIDES_BLINDLY, Finding

_K_ASSUMES = "the attacker knows the quasi-identifiers" + DECIDES_BLINDLY
_L_ASSUMES = (
    "the attacker knows the quasi-identifiers and can rule out fewer than l - 1 sensitive values" + DECIDES_BLINDLY
)


def find_k_anonymity(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """Verify that every class has at least k rows, or k people if the policy names a privacy unit."""
    required = {"k": guarantee.get("k")}
    flaw = evidence.flaw or k_flaw(required["k"])
    reached = None
    if not flaw:
        reached, flaw = evidence.smallest()
    if not flaw and reached is not None and reached < guarantee["k"]:
        flaw = "a class is smaller than k"
    achieved = {} if reached is None else {"k": reached}
    return Finding("k_anonymity", required, achieved, not flaw, evidence.counted_by, _K_ASSUMES, flaw)


def find_l_diversity(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """Verify that the sensitive values of every class are diverse enough."""
    variant = guarantee.get("variant", "distinct")
    attribute = guarantee.get("attribute") or _only_sensitive(evidence.policy)
    required = {"variant": variant, "l": guarantee.get("l"), "attribute": attribute}
    if variant == "recursive":
        required["c"] = guarantee.get("c")
    measure = _MEASURES.get(str(variant))
    flaw = evidence.flaw or _l_flaw(required, measure is not None, evidence.policy)
    achieved: dict[str, Any] = {}
    if not flaw and measure is not None:
        measured = [
            _diversity(cells, classes, required, measure)
            for cells, classes in zip(evidence.tables, evidence.classes, strict=True)
        ]
        flaw = next((outcome for outcome in measured if isinstance(outcome, str)), "")
        judged = [outcome for outcome in measured if not isinstance(outcome, str)]
        achieved = _achieved(required, judged)
        if not flaw and not all(holds for _, holds in judged):
            flaw = "a class is not diverse enough"
    return Finding("l_diversity", required, achieved, not flaw, "bytes", _L_ASSUMES, flaw)


def _only_sensitive(policy: Mapping[str, Any]) -> str | None:
    names = [name for name, settings in attributes_of(policy).items() if settings.get("role") == "sensitive"]
    return names[0] if len(names) == 1 else None


def _l_flaw(required: Mapping[str, Any], known: bool, policy: Mapping[str, Any]) -> str:
    if not known:
        return "no verifier of this variant"
    if attributes_of(policy).get(str(required["attribute"]), {}).get("role") != "sensitive":
        return "the attribute is not a sensitive one of the policy"
    bound = exact(required["l"])
    if bound is None or bound < 1:
        return "l is not a number of at least 1"
    ratio = exact(required.get("c", 1))
    return "c is not a number above 0" if ratio is None or ratio <= 0 else ""


_Measure = Callable[[Tallies, Mapping[str, Any]], tuple[float, bool]]


def _diversity(
    cells: Cells, classes: Classes | None, required: Mapping[str, Any], measure: _Measure
) -> tuple[float, bool] | str:
    if classes is None:
        return "a quasi-identifier is missing"
    if required["attribute"] not in cells.names:
        return "the sensitive attribute is missing"
    values = cells.column(required["attribute"])
    numbers = merged_codes(values.texts)
    return measure(tally(classes, numbers[values.codes], len(numbers)), required)


def _achieved(required: Mapping[str, Any], judged: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    if not judged:
        return {}
    settled = {name: required[name] for name in ("variant", "attribute", "c") if name in required}
    return {**settled, "l": min(reached for reached, _ in judged)}


def _measure_distinct(tallies: Tallies, required: Mapping[str, Any]) -> tuple[float, bool]:
    reached = distinct_l(tallies)
    return reached, reached >= required["l"]


def _measure_entropy(tallies: Tallies, required: Mapping[str, Any]) -> tuple[float, bool]:
    return entropy_l(tallies, Fraction(str(required["l"])))


def _measure_recursive(tallies: Tallies, required: Mapping[str, Any]) -> tuple[float, bool]:
    reached = recursive_l(tallies, Fraction(str(required["c"])))
    return reached, reached >= required["l"]


_MEASURES: dict[str, _Measure] = {
    "distinct": _measure_distinct,
    "entropy": _measure_entropy,
    "recursive": _measure_recursive,
}
