"""Joint check of repeated releases: what an attacker who holds all of them learns.

Ganta, Kasiviswanathan and Smith, "Composition Attacks and Auxiliary Information in Data Privacy", KDD 2008.

A person who appears in several releases of one table is in the intersection of the classes. The sealed maps link each
released record to its original record, so the intersections are exact. Every promise of any of the releases must hold
in each intersection.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from verifier.evidence.models import Classes, smallest_class
from verifier.joint.promises import (
    AboutValues,
    Promise,
    Sample,
    find_k,
    find_values,
    joint,
    promised_k,
    promises_about_values,
    unjudged,
)
from verifier.verdict.folding import folded_codes
from verifier.verdict.verdict import DECIDES_BLINDLY, Finding

ASSUMES = "the attacker holds every release of this table and knows the quasi-identifiers" + DECIDES_BLINDLY
_TOGETHER = "the releases together"


@dataclass(frozen=True)
class EarlierRelease:
    """The sealed map of one release: original record and class of every released record."""

    records: NDArray[np.int64]
    classes: NDArray[np.int64]
    changed: frozenset[str] = frozenset()
    """Attributes whose released values differ from the original's."""


def joint_findings(promises: Sequence[Promise], releases: Sequence[EarlierRelease], n: int) -> list[Finding]:
    """Whether every promise holds in the intersections of the classes of all releases; the newest release is last.

    Every record of any release counts: a record that the newest release leaves out is the difference of two releases.
    Original records are numbered below ``n``.
    """
    inside = shown_records(releases, n)
    classes = np.unique(intersections(releases, n)[inside], return_inverse=True)[1].astype(np.int64)
    found = [_find_k(k, promise, classes, inside) for k, promise in promised_k(promises).values()]
    for about, promise in promises_about_values(promises):
        found.append(_find_values(about, promise, releases, classes, inside))
    return [*found, *unjudged(promises, ASSUMES)]


def lost_map(promises: Sequence[Promise]) -> list[Finding]:
    """The findings for releases whose records cannot be traced."""
    flaw = "the map of an earlier release is gone, so nothing can be verified"
    return [joint({"k": k}, {}, flaw, ASSUMES) for k, _ in promised_k(promises).values()]


def shown_records(releases: Sequence[EarlierRelease], n: int) -> NDArray[np.bool_]:
    """Which original records appear in any release."""
    inside = np.zeros(n, dtype=bool)
    for release in releases:
        inside[release.records] = True
    return inside


def intersections(releases: Sequence[EarlierRelease], n: int) -> NDArray[np.int64]:
    """Number of the intersection of each original record; absence from a release is a class too."""
    cells = np.zeros(n, dtype=np.int64)
    for release in releases:
        classes = np.zeros(n, dtype=np.int64)
        classes[release.records] = release.classes + 1
        cells = np.unique(cells * (int(classes.max()) + 1) + classes, return_inverse=True)[1].astype(np.int64)
    return cells


def changed_values(attribute: str, releases: Sequence[EarlierRelease]) -> str:
    """Why nothing can be verified about an attribute whose released values were changed: what two different values of
    one record reveal together is not a count over classes."""
    changed = any(attribute in release.changed for release in releases)
    return "a release shows other values of the attribute than the original has" if changed else ""


def _find_k(k: int, promise: Promise, classes: NDArray[np.int64], inside: NDArray[np.bool_]) -> Finding:
    if promise.unit and promise.units is None:
        flaw = "there is no sealed map that says which rows belong to one person"
        return joint({"k": k}, {}, flaw, ASSUMES)
    units = None
    if promise.unit and promise.units is not None:
        units = folded_codes(promise.units.texts)[promise.units.codes[inside]]
    return find_k(k, smallest_class(Classes(classes, int(classes.max()) + 1), units), _TOGETHER, ASSUMES)


def _find_values(
    about: AboutValues,
    promise: Promise,
    releases: Sequence[EarlierRelease],
    classes: NDArray[np.int64],
    inside: NDArray[np.bool_],
) -> Finding:
    """Verify one promise about the values of the records in any release, against the distribution of all of them."""
    flaw = changed_values(about.attribute, releases)
    known = promise.values.get(about.attribute)
    if flaw or known is None:
        return find_values(about, flaw or "nothing is known of the attribute", None, _TOGETHER, ASSUMES)
    # Ranks count only visible values, as in a single release.
    used, values = np.unique(known.codes[inside], return_inverse=True)
    texts = [known.texts[code] for code in used.tolist()]
    codes = values.astype(np.int64)
    return find_values(about, [Sample(classes, codes, codes)], texts, _TOGETHER, ASSUMES)
