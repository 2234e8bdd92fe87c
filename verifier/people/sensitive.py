"""Findings about sensitive values: t-closeness, (α, k), β-likeness, and local differential privacy.

Texts that fold to the same value are one value (see `verifier.verdict.folding`). Two such spellings may still mean two
things, and merging them could make a class look closer to the release than it is; then the guarantee must hold either
way.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verifier.evidence.evidence import Evidence
from verifier.evidence.models import Classes, Whole
from verifier.people.closeness import (
    Spread,
    equal_distance,
    hierarchical_distance,
    largest_gain,
    largest_share,
    ordered_distance,
    renumbered,
    spread,
)
from verifier.people.domains import domain_flaw
from verifier.readers.cells import Cells
from verifier.readers.columns import attributes_of, plain_texts
from verifier.readers.sizes import moment_of
from verifier.verdict.exact import exact, rounded_up
from verifier.verdict.notations import merged_codes
from verifier.verdict.verdict import DECIDES_BLINDLY, Finding, Missing

_T_ASSUMES = (
    "the attacker knows the quasi-identifiers and how often each sensitive value occurs in the whole release"
    + DECIDES_BLINDLY
)
_ALPHA_ASSUMES = "the attacker knows the quasi-identifiers" + DECIDES_BLINDLY
_LOCAL_ASSUMES = "nothing: it holds for any attacker, for the values of the sensitive attributes"
_ROOT = "*"
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_PLAIN = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}")

Outcome = tuple[float, bool] | str
"""The achieved figure and whether it is enough, or why it cannot be determined."""


@dataclass(frozen=True)
class Reading:
    """The values of a sensitive column, and their counts in every class."""

    texts: Sequence[str]
    counted: Spread


def _spelled(cells: Cells, classes: Classes, attribute: str) -> Reading:
    """Every spelling as a separate value."""
    values = cells.column(attribute)
    return Reading(plain_texts(cells, attribute), spread(classes, values.codes, len(values.texts)))


def fold_texts(texts: Sequence[str], settings: Mapping[str, Any]) -> tuple[Whole, list[str]]:
    """The number of the value of every text, and the first spelling of every value. The first spelling is determined by
    the order that the policy states, or by code point."""
    numbers = merged_codes(texts)
    place = {unicodedata.normalize("NFC", text): rank for rank, text in enumerate(settings.get("order") or ())}
    first: dict[int, str] = {}
    for text, number in sorted(
        zip(texts, numbers.tolist(), strict=True), key=lambda each: (each[0] != "", place.get(each[0], 0), each[0])
    ):
        first.setdefault(number, text)
    return numbers, [first[number] for number in range(len(first))]


def _folded(spelled: Reading, settings: Mapping[str, Any]) -> Reading:
    """The spellings of each value merged."""
    numbers, texts = fold_texts(spelled.texts, settings)
    return Reading(texts, renumbered(spelled.counted, numbers.tolist()))


def _both(spelled: Reading, settings: Mapping[str, Any]) -> list[Reading]:
    folded = _folded(spelled, settings)
    return [spelled] if len(folded.texts) == len(spelled.texts) else [spelled, folded]


def _judge(
    model: str,
    required: dict[str, Any],
    evidence: Evidence,
    flaw: str,
    measure: Callable[[Reading], Outcome],
    figure: str,
    failure: str,
    readings: Callable[[Reading, Mapping[str, Any]], list[Reading]] = _both,
) -> Finding:
    """Make one finding over all tables of a release; the worst table decides."""
    attribute = required["attribute"]
    flaw = evidence.flaw or flaw or _attribute_flaw(evidence.policy, attribute)
    achieved: dict[str, Any] = {}
    if not flaw:
        outcomes = [
            outcome
            for place in range(len(evidence.tables))
            for outcome in _measured(evidence, place, attribute, measure, readings)
        ]
        flaw = next((outcome for outcome in outcomes if isinstance(outcome, str)), "")
        judged = [outcome for outcome in outcomes if not isinstance(outcome, str)]
        holds = not flaw and all(enough for _, enough in judged)
        if judged:
            worst = rounded_up(max(reached for reached, _ in judged))
            achieved = {"attribute": attribute, figure: min(worst, required[figure]) if holds else worst}
        flaw = flaw or ("" if holds else failure)
    return Finding(model, required, achieved, not flaw, "bytes", _T_ASSUMES, flaw)


def _attribute_flaw(policy: Mapping[str, Any], attribute: object) -> str:
    role = attributes_of(policy).get(str(attribute), {}).get("role")
    return "" if role == "sensitive" else "the attribute is not a sensitive one of the policy"


def _measured(
    evidence: Evidence,
    place: int,
    attribute: str,
    measure: Callable[[Reading], Outcome],
    readings: Callable[[Reading, Mapping[str, Any]], list[Reading]],
) -> list[Outcome]:
    cells, classes = evidence.tables[place], evidence.classes[place]
    if classes is None:
        return ["a quasi-identifier is missing"]
    if attribute not in cells.names:
        return ["the sensitive attribute is missing"]
    settings = attributes_of(evidence.policy)[attribute]
    return [measure(reading) for reading in readings(_spelled(cells, classes, attribute), settings)]


# --- t-closeness -----------------------------------------------------------------------------------------------------


def find_t_closeness(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The largest earth mover's distance between a class and the whole release."""
    distance, attribute = guarantee.get("distance"), guarantee.get("attribute")
    required = {"t": guarantee.get("t"), "distance": distance, "attribute": attribute}
    bound = exact(required["t"])
    flaw = "" if bound is not None and 0 <= bound <= 1 else "t is not a number from 0 to 1"
    if distance not in ("equal", "ordered", "hierarchical"):
        flaw = flaw or "no verifier of this distance"

    def measure(reading: Reading) -> Outcome:
        limit = bound or Fraction(0)
        if distance == "equal":
            return equal_distance(reading.counted, limit)
        settings = attributes_of(evidence.policy)[str(attribute)]
        if distance == "ordered":
            ranks = ranks_of(reading.texts, settings)
            return ranks if isinstance(ranks, str) else ordered_distance(renumbered(reading.counted, ranks), limit)
        levels = levels_of(reading.texts, _rows(str(attribute), settings, evidence.sealed_map))
        return levels if isinstance(levels, str) else hierarchical_distance(reading.counted, levels, limit)

    # Ranks merge spellings by themselves, and need all of them to distinguish numbers from texts.
    readings = (lambda spelled, _: [spelled]) if distance == "ordered" else _both
    failure = "a class is farther than t from the release"
    return _judge("t_closeness", required, evidence, flaw, measure, "t", failure, readings)


def ranks_of(texts: Sequence[str], settings: Mapping[str, Any]) -> list[int] | str:
    """The rank of every text: by size, by time, by the order that the policy states, or by code point; the missing
    value comes first. Spellings of one value share the rank of the first of them."""
    known = [text for text in texts if text]
    type_ = settings.get("type")
    keys: dict[str, Any]
    if settings.get("order") is not None:
        order = {unicodedata.normalize("NFC", text): place for place, text in enumerate(settings["order"])}
        if any(text not in order for text in known):
            return "a value has no place in the order that the policy states"
        keys = {text: order[text] for text in known}
    elif type_ in ("integer", "decimal") or (type_ is None and all(map(_PLAIN.fullmatch, known))):
        if not all(map(_DECIMAL.fullmatch, known)):
            return "a value is not a number"
        keys = {text: Fraction(text) for text in known}
    elif type_ == "datetime" or (type_ is None and known and all(map(_MOMENT.match, known))):
        try:
            keys = {text: moment_of(text) for text in known}
        except ValueError:
            return "a value is not a time"
    else:
        keys = {text: text for text in known}
    numbers = merged_codes(texts).tolist()
    missing = {number for text, number in zip(texts, numbers, strict=True) if not text}
    least: dict[int, Any] = {}
    for text, number in zip(texts, numbers, strict=True):
        if number not in missing:
            least[number] = min(least.get(number, keys[text]), keys[text])
    places = {key: place for place, key in enumerate(sorted(set(least.values())), start=1 if missing else 0)}
    return [0 if number in missing else places[least[number]] for number in numbers]


def _rows(attribute: str, settings: Mapping[str, Any], sealed_map: Mapping[str, Any] | None) -> Any:
    """The rows of the attribute's hierarchy: from the policy if it contains them, else from the sealed map."""
    stated = settings.get("hierarchy") or {}
    return stated.get("rows") or ((sealed_map or {}).get("hierarchies") or {}).get(attribute)


def levels_of(texts: Sequence[str], rows: Sequence[Sequence[str]] | None) -> list[list[int]] | str:
    """The group of every text at each level, from the values to the root; rows contain a value and its ancestors."""
    paths = paths_of(rows)
    if not paths:
        return Missing("there is no hierarchy of the attribute")
    height = len(next(iter(paths.values())))
    lost = ("", *[_ROOT] * (height - 1))
    placed = [paths.get(text) if text else paths.get("", lost) for text in texts]
    if any(path is None for path in placed):
        return "a value has no place in the hierarchy"
    levels = []
    for level in range(height):
        numbers: dict[tuple[str, ...], int] = {}
        levels.append([numbers.setdefault(path[level:], len(numbers)) for path in placed if path is not None])
    return levels


def paths_of(rows: Sequence[Sequence[str]] | None) -> dict[str, tuple[str, ...]]:
    """The path from every value of a hierarchy up to the root."""
    plain = [tuple(unicodedata.normalize("NFC", label) for label in row) for row in rows or ()]
    if any(len(row) < 2 or row[-1] != _ROOT for row in plain):
        plain = [(*row, _ROOT) for row in plain]
    return {row[0]: row for row in plain}


# --- (α, k) and β ----------------------------------------------------------------------------------------------------


def find_alpha_k(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The largest share of a value in a class, and the smallest class."""
    required = {name: guarantee.get(name) for name in ("alpha", "k", "attribute")}
    bound, k = exact(required["alpha"]), required["k"]
    flaw = "" if bound is not None and 0 < bound <= 1 else "alpha is not a share"
    if not isinstance(k, int) or isinstance(k, bool) or k < 2:
        flaw = flaw or "k is not a whole number above 1"

    def measure(reading: Reading) -> Outcome:
        return largest_share(reading.counted, bound or Fraction(0))

    failure = "a value is too frequent in a class"
    finding = _judge("alpha_k", required, evidence, flaw, measure, "alpha", failure)
    achieved, detail = finding.achieved, finding.detail
    if achieved:
        smallest, lacking = evidence.smallest()
        achieved = {**achieved, "k": smallest}
        detail = detail or lacking or ("" if smallest >= guarantee["k"] else "a class is smaller than k")
    return Finding("alpha_k", required, achieved, not detail, evidence.counted_by, _ALPHA_ASSUMES, detail)


def find_beta_likeness(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The largest relative gain of a value's share in a class."""
    variant = guarantee.get("variant", "basic")
    required = {"beta": guarantee.get("beta"), "variant": variant, "attribute": guarantee.get("attribute")}
    bound = exact(required["beta"])
    flaw = "" if bound is not None and bound > 0 else "beta is not a number above 0"
    if variant not in ("basic", "enhanced"):
        flaw = flaw or "no verifier of this variant"

    def measure(reading: Reading) -> Outcome:
        return largest_gain(reading.counted, bound or Fraction(0), variant == "enhanced")

    failure = "a value is much likelier in a class than in the release"
    return _judge("beta_likeness", required, evidence, flaw, measure, "beta", failure)


# --- local differential privacy --------------------------------------------------------------------------------------


def find_local_differential_privacy(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The total privacy loss of the matrices that randomized the sensitive columns.

    Under ``mechanism``, the sealed map gives for every sensitive column the probability of each released value (column)
    for each true value (row), or if all values are treated alike ``{"values": d, "keep": p, "other": q}``: the chances
    of the true value and of each other value. Their use is taken from the mechanism; the bytes cannot show it.
    """
    required = {"epsilon": guarantee.get("epsilon")}
    bound = exact(required["epsilon"])
    flaw = evidence.flaw or ("" if bound is not None and bound > 0 else "epsilon is not a number above 0")
    names = [name for name, settings in attributes_of(evidence.policy).items() if settings.get("role") == "sensitive"]
    matrices = (evidence.sealed_map or {}).get("mechanism") or {}
    if not flaw and (not names or set(names) - set(matrices)):
        lacking = "a sensitive column has no matrix by which it was randomized"
        flaw = lacking if matrices or not names else Missing(lacking)
    achieved: dict[str, Any] = {}
    if not flaw:
        losses = [_loss(matrices[name], _released_values(evidence, name)) for name in names]
        flaw = next((loss for loss in losses if isinstance(loss, str)), "")
        if not flaw and bound is not None:
            total = sum(loss for loss in losses if not isinstance(loss, str))
            flaw = "" if total <= float(bound) * (1 + 1e-12) + 1e-12 else "the mechanism loses more than epsilon"
            flaw = flaw or next(filter(None, (domain_flaw(evidence, name, matrices[name]) for name in names)), "")
            achieved = {"epsilon": rounded_up(total) if flaw else min(rounded_up(total), float(bound))}
    model = "local_differential_privacy"
    return Finding(model, required, achieved, not flaw, "mechanism", _LOCAL_ASSUMES, flaw)


def _released_values(evidence: Evidence, name: str) -> int:
    """The largest number of distinct values of a column in a table of the release."""
    return max((len(cells.column(name).texts) for cells in evidence.tables if name in cells.names), default=0)


def _loss(mechanism: Any, released: int) -> float | str:
    if isinstance(mechanism, Mapping):
        return alike_loss(mechanism, released)
    return matrix_loss(mechanism, released)


def alike_loss(mechanism: Mapping[str, Any], released: int) -> float | str:
    """The log ratio of the two chances if all values are treated alike, or why there is none."""
    values, keep, other = (exact(mechanism.get(name)) for name in ("values", "keep", "other"))
    if values is None or keep is None or other is None or values.denominator != 1 or values < max(released, 1):
        return "the matrix does not fit the column"
    if min(keep, other) < 0 or abs(keep + (values - 1) * other - 1) > Fraction(1, 10**9):
        return "the rows of the matrix are not probabilities"
    if values == 1:
        return 0.0
    if min(keep, other) == 0:
        return "a released value rules a true one out"
    return abs(math.log(keep / other))


def matrix_loss(matrix: Sequence[Sequence[float]], released: int) -> float | str:
    """The largest log ratio between two true values' probabilities of one released value, or why there is none."""
    rows = [[float(entry) for entry in row] for row in matrix]
    if not rows or any(len(row) != len(rows[0]) for row in rows) or len(rows[0]) < released:
        return "the matrix does not fit the column"
    if any(not 0 <= entry <= 1 for row in rows for entry in row) or any(abs(math.fsum(row) - 1) > 1e-9 for row in rows):
        return "the rows of the matrix are not probabilities"
    loss = 0.0
    for column in zip(*rows, strict=True):
        if min(column) <= 0 < max(column):
            return "a released value rules a true one out"
        if max(column) > 0:
            loss = max(loss, math.log(max(column) / min(column)))
    return loss
