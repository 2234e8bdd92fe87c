"""Joint check of repeated releases: what an attacker learns who holds all of them.

Ganta, Kasiviswanathan and Smith, "Composition Attacks and Auxiliary Information in Data Privacy", KDD 2008.

A person who stands in several releases of one table stands in the intersection of its classes. The sealed maps say
which original record each released one was, so the intersections are exact; k and l must hold in each of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.models import Classes, distinct_l, entropy_l, recursive_l, smallest_class, tally
from verifier.verdict import Finding

ASSUMES = "the attacker holds every release of this table and knows the quasi-identifiers"


@dataclass(frozen=True)
class EarlierRelease:
    """The sealed map of one release: original record and class of every released one."""

    records: NDArray[np.int64]
    classes: NDArray[np.int64]


def joint_finding(
    policy: Mapping[str, Any],
    releases: Sequence[EarlierRelease],
    n: int | None,
    sensitive: Mapping[str, NDArray[np.integer[Any]]],
    units: NDArray[np.int64] | None = None,
) -> Finding:
    """Whether k and l of the newest policy hold in the intersections of the classes of all releases, newest last.

    Whoever stands in any release is judged: a record that the newest one leaves out is the difference of the two.
    ``units`` gives for every original record the number of the person it belongs to, where k counts people.
    """
    required = _required(policy)
    if n is None or not releases:
        return _finding(required, {}, ["the map of an earlier release is gone, so nothing can be shown"])
    inside = np.zeros(n, dtype=bool)
    for release in releases:
        inside[release.records] = True
    cells = np.unique(_intersections(releases, n)[inside], return_inverse=True)[1].astype(np.int64)
    classes = Classes(cells, int(cells.max()) + 1)
    if policy.get("privacy_unit") and units is None:
        return _finding(required, {}, ["there is no sealed map that says which rows belong to one person"])
    achieved: dict[str, Any] = {"k": smallest_class(classes, None if units is None else units[inside])}
    flaws = ["the releases together break k"] if achieved["k"] < required["k"] else []
    for guarantee in _of_model(policy, "l_diversity"):
        reached, holds = _diversity(guarantee, classes, sensitive, inside)
        achieved["l"] = min(achieved.get("l", reached), reached)
        if not holds:
            flaws.append("the releases together break l")
    return _finding(required, achieved, flaws)


def _required(policy: Mapping[str, Any]) -> dict[str, Any]:
    required: dict[str, Any] = {"k": max((int(g["k"]) for g in _of_model(policy, "k_anonymity")), default=2)}
    diversities = [g["l"] for g in _of_model(policy, "l_diversity")]
    return required | ({"l": max(diversities)} if diversities else {})


def _of_model(policy: Mapping[str, Any], model: str) -> list[Mapping[str, Any]]:
    return [guarantee for guarantee in policy.get("guarantees", ()) if guarantee["model"] == model]


def _intersections(releases: Sequence[EarlierRelease], n: int) -> NDArray[np.int64]:
    """Number of the intersection that each original record stands in; absence from a release is a class too."""
    cells = np.zeros(n, dtype=np.int64)
    for release in releases:
        classes = np.zeros(n, dtype=np.int64)
        classes[release.records] = release.classes + 1
        cells = np.unique(cells * (int(classes.max()) + 1) + classes, return_inverse=True)[1].astype(np.int64)
    return cells


def _diversity(
    guarantee: Mapping[str, Any],
    classes: Classes,
    sensitive: Mapping[str, NDArray[np.integer[Any]]],
    inside: NDArray[np.bool_],
) -> tuple[float, bool]:
    """The l that the intersections reach, and whether it is enough; nothing is known of an absent attribute."""
    codes = sensitive.get(str(guarantee.get("attribute")))
    if codes is None:
        return 0, False
    tallies = tally(classes, codes[inside].astype(np.int64), int(codes.max(initial=0)) + 1)
    required = Fraction(str(guarantee["l"]))
    match guarantee.get("variant", "distinct"):
        case "entropy":
            return entropy_l(tallies, required)
        case "recursive":
            reached = recursive_l(tallies, Fraction(str(guarantee["c"])))
        case _:
            reached = distinct_l(tallies)
    return reached, reached >= required


def _finding(required: dict[str, Any], achieved: dict[str, Any], flaws: Sequence[str]) -> Finding:
    detail = "; ".join(dict.fromkeys(flaws))
    return Finding("joint_releases", required, achieved, not flaws, "bytes+sealed_map", ASSUMES, detail)
