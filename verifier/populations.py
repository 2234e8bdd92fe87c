"""Findings against a population: k-map and δ-presence.

Sweeney, "Computational Disclosure Control", PhD thesis, MIT 2001 (k-map). Nergiz, Atzori and Clifton, "Hiding the
Presence of Individuals from Shared Databases", SIGMOD 2007 (δ-presence).

The sealed map gives the population: ``{"populations": {id: {"columns": {name: {"codes": [...], "values": [...], "type":
"integer"}}}}, "hierarchies": {name: [[value, ancestor, ..., "*"], ...]}}``, a code per person and the distinct texts
they index; the rows of a hierarchy only where the policy does not write them out. What a label covers is read from its
text: a value, a closed range, a set, a group of the hierarchy, or ``*``.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from verifier.cells import Cells, class_of_rows
from verifier.columns import attributes_of, released_names
from verifier.exact import exact, rounded_down, rounded_up
from verifier.models import Classes, Whole
from verifier.sensitive import moment_of, paths_of, plain_texts
from verifier.verdict import Finding

if TYPE_CHECKING:
    from verifier.findings import Evidence

_MAP_ASSUMES = (
    "the attacker knows the quasi-identifiers of everybody in the population, and not who of them is in the table"
)
_PRESENCE_ASSUMES = "the attacker knows the quasi-identifiers of everybody in the population"
_MEASURED = ("integer", "decimal", "date", "datetime")
_DOUBT = 1e-9

Covers = Callable[[str, str], bool]
"""Whether a label covers a value."""


@dataclass(frozen=True)
class Crowd:
    """The people of a population against the classes of one table."""

    records: Whole
    """Rows of every class."""
    people: Whole
    """People whom the labels of the class cover."""
    covering: list[NDArray[np.intp]]
    """For every class the combinations of quasi-identifiers that it covers."""
    sizes: Whole
    """People of every combination."""


def find_k_map(guarantee: Mapping[str, Any], evidence: "Evidence") -> Finding:
    """The fewest people of the population behind a class."""
    required = {"k": guarantee.get("k"), "population": guarantee.get("population")}
    k = required["k"]
    flaw = "" if isinstance(k, int) and not isinstance(k, bool) and k >= 2 else "k is not a whole number above 1"
    crowds, flaw = _crowds(evidence, str(required["population"]), flaw)
    achieved: dict[str, Any] = {}
    if not flaw:
        achieved = {"k": min(int(crowd.people.min()) for crowd in crowds)}
        flaw = "" if achieved["k"] >= guarantee["k"] else "a class matches fewer than k people of the population"
    return Finding("k_map", required, achieved, not flaw, "bytes+sealed_map", _MAP_ASSUMES, flaw)


def find_delta_presence(guarantee: Mapping[str, Any], evidence: "Evidence") -> Finding:
    """The least and the largest chance that somebody of the population is in the table.

    Of the people whom a class covers, each is in it with the chance rows / people. Where several classes cover a
    person, the chance is at most the sum and at least the largest of theirs; whom none covers is surely absent.
    """
    required = {
        "minimum": guarantee.get("minimum", 0),
        "maximum": guarantee.get("maximum"),
        "population": guarantee.get("population"),
    }
    low, high = exact(required["minimum"]), exact(required["maximum"])
    flaw = "" if low is not None and high is not None and 0 <= low <= high <= 1 else "the bounds are not shares"
    crowds, flaw = _crowds(evidence, str(required["population"]), flaw)
    achieved: dict[str, Any] = {}
    if not flaw and low is not None and high is not None:
        told = [_presence(crowd, low, high) for crowd in crowds]
        achieved = {
            "minimum": rounded_down(min(least for least, _, _ in told)),
            "maximum": rounded_up(max(most for _, most, _ in told)),
        }
        flaw = next((failure for _, _, failure in told if failure), "")
    return Finding("delta_presence", required, achieved, not flaw, "bytes+sealed_map", _PRESENCE_ASSUMES, flaw)


def _presence(crowd: Crowd, low: Fraction, high: Fraction) -> tuple[float, float, str]:
    """The least and the largest chance of presence, and what is wrong with them."""
    most, least = np.zeros(len(crowd.sizes)), np.zeros(len(crowd.sizes))
    for number, inside in enumerate(crowd.covering):
        share = crowd.records[number] / crowd.people[number]
        most[inside] += share
        least[inside] = np.maximum(least[inside], share)
    doubtful = np.flatnonzero((np.abs(most - float(high)) <= _DOUBT) | (np.abs(least - float(low)) <= _DOUBT))
    chances = _exact_chances(crowd, doubtful)
    sure = np.setdiff1d(np.arange(len(most)), doubtful)
    failure = ""
    if (most[sure] > float(high)).any() or any(sum(shares) > high for shares in chances):
        failure = "somebody's presence is likelier than the maximum"
    elif (least[sure] < float(low)).any() or any(max(shares, default=Fraction(0)) < low for shares in chances):
        failure = "somebody's presence is less likely than the minimum"
    return float(least.min()), float(most.max()), failure


def _exact_chances(crowd: Crowd, chosen: NDArray[np.intp]) -> set[tuple[Fraction, ...]]:
    """For each chosen combination the shares rows / people of the classes that cover it, in whole numbers."""
    shares: dict[int, list[Fraction]] = {int(place): [] for place in chosen}
    if not shares:
        return set()
    for number, inside in enumerate(crowd.covering):
        share = Fraction(int(crowd.records[number]), int(crowd.people[number]))
        for place in np.intersect1d(inside, chosen).tolist():
            shares[place].append(share)
    return {tuple(found) for found in shares.values()}


def _crowds(evidence: "Evidence", population: str, flaw: str) -> tuple[list[Crowd], str]:
    """The population against every table of the release, or why that cannot be told."""
    flaw = evidence.flaw or flaw
    sealed = (evidence.sealed_map or {}).get("populations") or {}
    people: Mapping[str, Any] = (sealed.get(population) or {}).get("columns") or {}
    if not flaw and not people:
        flaw = "there is no sealed map of the population"
    crowds: list[Crowd] = []
    for cells, classes in zip(evidence.tables, evidence.classes, strict=True) if not flaw else ():
        outcome = "a quasi-identifier is missing" if classes is None else _gather(evidence, cells, classes, people)
        if isinstance(outcome, str):
            return [], outcome
        crowds.append(outcome)
    if any((crowd.records > crowd.people).any() for crowd in crowds):
        return [], "a class has more rows than there are people whom it covers"
    return crowds, flaw


def _gather(evidence: "Evidence", cells: Cells, classes: Classes, people: Mapping[str, Any]) -> Crowd | str:
    """Count for every class the people whom its labels cover."""
    quasi = {n: s for n, s in attributes_of(evidence.policy).items() if s.get("role") == "quasi_identifier"}
    if set(quasi) - set(people):
        return "the population lacks a quasi-identifier"
    codes = [np.asarray(people[name]["codes"], np.int64) for name in quasi]
    if len({len(column) for column in codes}) != 1 or not len(codes[0]):
        return "the columns of the population have different lengths"
    domains = [list(people[name]["values"]) for name in quasi]
    sizes_ = [len(domain) for domain in domains]
    if any(column.min() < 0 or column.max() >= size for column, size in zip(codes, sizes_, strict=True)):
        return "the columns of the population do not fit their values"
    combination, count = class_of_rows(zip(codes, sizes_, strict=True), len(codes[0]))
    example = np.zeros(count, np.int64)
    example[combination] = np.arange(len(combination))
    sizes = np.bincount(combination, minlength=count).astype(np.int64)
    tables = []
    for place, (name, settings) in enumerate(quasi.items()):
        for released in released_names(name, settings):
            covers = _reader(released, name, settings, people[name].get("type"), evidence.sealed_map)
            tables.append((codes[place][example], *_covered(cells, released, domains[place], covers)))
    first = np.zeros(classes.count, np.int64)
    first[classes.of_row] = np.arange(len(classes.of_row))
    covering = []
    for row in first:
        inside = np.ones(count, np.bool_)
        for own, of_row, covered in tables:
            inside &= covered[of_row[row]][own]
        covering.append(np.flatnonzero(inside))
    people_ = np.array([int(sizes[inside].sum()) for inside in covering], np.int64)
    return Crowd(classes.sizes, people_, covering, sizes)


def _covered(cells: Cells, name: str, domain: Sequence[str], covers: Covers) -> tuple[Whole, NDArray[np.bool_]]:
    """The label of every row, and for every label which values of the population it covers."""
    labels = plain_texts(cells, name)
    table = np.array([[covers(label, value) for value in domain] for label in labels], np.bool_)
    return cells.column(name).codes, table.reshape(len(labels), len(domain))


def _reader(
    released: str, name: str, settings: Mapping[str, Any], type_: object, sealed_map: Mapping[str, Any] | None
) -> Covers:
    """How the labels of one released column are read."""
    stated = settings.get("hierarchy") or {}
    paths = paths_of(stated.get("rows") or ((sealed_map or {}).get("hierarchies") or {}).get(name))
    measured = type_ in _MEASURED
    if released != name:
        return _half_reader(released == f"{name}_min", str(type_))

    def covers(label: str, value: str) -> bool:
        if label in ("*", value) or label in paths.get(value, ()):
            return True
        members = _members(label)
        if measured and not _is_set(members, settings):
            ends = [_number(end, str(type_)) for end in (members or [label])]
            number = _number(value, str(type_))
            if number is None or None in ends or len(ends) > 2:
                return False
            return bool(ends[0] <= number <= ends[-1])
        return value in [str(member) for member in members]

    return covers


def _half_reader(lower: bool, type_: str) -> Covers:
    """Labels of a column that holds one end of a range."""

    def covers(label: str, value: str) -> bool:
        if label in ("*", value):
            return True
        end, number = _number(label, type_), _number(value, type_)
        if end is None or number is None:
            return False
        return bool(end <= number) if lower else bool(number <= end)

    return covers


def _members(label: str) -> list[Any]:
    if not label.startswith("["):
        return []
    try:
        members = json.loads(label, parse_float=str, parse_int=str)
    except ValueError:
        return []
    return members if isinstance(members, list) else []


def _is_set(members: Sequence[Any], settings: Mapping[str, Any]) -> bool:
    return settings.get("recoding") == "set" and len(members) > 0


def _number(text: object, type_: str) -> Any:
    """What a value of a measured type is compared by: a number, or a moment."""
    if not isinstance(text, str) or not text:
        return None
    try:
        return moment_of(text) if type_ in ("date", "datetime") else Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
