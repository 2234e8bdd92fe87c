"""Joint check of repeated releases: what an attacker learns who holds all of them.

Ganta, Kasiviswanathan and Smith, "Composition Attacks and Auxiliary Information in Data Privacy", KDD 2008. Xiao and
Tao, "m-Invariance: Towards Privacy Preserving Re-publication of Dynamic Datasets", SIGMOD 2007.

A person who stands in several releases of one table stands in the intersection of its classes. The sealed maps say
which original record each released one was, so the intersections are exact; k and l must hold in each of them.

Between versions of a table records cannot be followed, but people can. Whoever knows one record of a person in each
version looks for those who have a record in each of the same classes, and for nobody in the versions in which the
person is not: so many people there must be k of, and l of their values in each version. Those whose value is the same
in all versions are looked for by an attacker who counts on that: there must be l values among them as well.
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
ASSUMES_OF_VERSIONS = (
    "the attacker holds every release of all versions of this table, and knows the quasi-identifiers of one record of "
    "a person in each version, and in which versions there is none"
)
UNTOLD = np.iinfo(np.int64).min
"""The number of a value that no release shows."""
_MOST_PLACES = 20_000_000


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


@dataclass(frozen=True)
class Version:
    """One version of a table: its releases, and for each of its records whose it is.

    Persons and values have the same numbers in all versions.
    """

    releases: Sequence[EarlierRelease]
    persons: NDArray[np.int64]
    sensitive: Mapping[str, NDArray[np.int64]]
    """For attributes that the releases show as they are; `UNTOLD` where none shows that of a record."""


@dataclass(frozen=True)
class _Stand:
    """Where people stand in one version: distinct pairs of a person and a class, by person; no class is 0."""

    person: NDArray[np.int64]
    class_: NDArray[np.int64]
    pair_of_record: NDArray[np.int64]
    records: NDArray[np.int64]


@dataclass(frozen=True)
class _Places:
    """A person and a class of each version in which the person is, in every combination."""

    cells: NDArray[np.int64]
    """Number of the combination of classes."""
    pairs: tuple[NDArray[np.int64], ...]
    """For every version which pair of its stand."""


def joint_finding_of_versions(policy: Mapping[str, Any], versions: Sequence[Version], nobody: int) -> Finding:
    """Whether k and l of the newest policy hold for those who stand in the same classes of all versions, newest last.

    ``nobody`` is the person of records that name none: it is no sign that two versions speak of the same people.
    """
    required = _required(policy)
    if _strangers(versions, nobody):
        flaw = "two versions have nobody in common, so whom they speak of cannot be told"
        return _finding(required, {}, [flaw], ASSUMES_OF_VERSIONS)
    stands = _stands(versions)
    places = _combined(stands)
    if places is None:
        flaw = "people stand in too many classes to look at every combination"
        return _finding(required, {}, [flaw], ASSUMES_OF_VERSIONS)
    achieved: dict[str, Any] = {"k": int(np.bincount(places.cells).min())}
    flaws = ["the versions together break k"] if achieved["k"] < required["k"] else []
    for guarantee in _of_model(policy, "l_diversity"):
        for cells, values in _values_in_common(places, stands, versions, str(guarantee.get("attribute"))):
            reached, holds = _reached(guarantee, cells, values)
            achieved["l"] = min(achieved.get("l", reached), reached)
            if not holds:
                flaws.append("the versions together break l")
    return _finding(required, achieved, flaws, ASSUMES_OF_VERSIONS)


def _inside(version: Version) -> NDArray[np.bool_]:
    inside = np.zeros(len(version.persons), dtype=bool)
    for release in version.releases:
        inside[release.records] = True
    return inside


def _strangers(versions: Sequence[Version], nobody: int) -> bool:
    """Whether the newest version shares no person with another."""
    shown = [np.setdiff1d(version.persons[_inside(version)], [nobody]) for version in versions]
    return any(not np.intersect1d(shown[-1], other).size for other in shown[:-1])


def _stands(versions: Sequence[Version]) -> list[_Stand]:
    """Where everybody who is in any release stands in each version."""
    insides = [_inside(version) for version in versions]
    everybody = np.unique(np.concatenate([v.persons[inside] for v, inside in zip(versions, insides, strict=True)]))
    stands = []
    for version, inside in zip(versions, insides, strict=True):
        records = np.flatnonzero(inside)
        persons = np.searchsorted(everybody, version.persons[records])
        cells = _intersections(version.releases, len(inside))[records] + 1
        bound = np.int64(cells.max() + 1)
        absent = np.setdiff1d(np.arange(len(everybody)), persons)
        pairs, numbers = np.unique(np.concatenate([persons * bound + cells, absent * bound]), return_inverse=True)
        stands.append(_Stand(pairs // bound, pairs % bound, numbers[: len(records)].astype(np.int64), records))
    return stands


def _combined(stands: Sequence[_Stand]) -> _Places | None:
    """Every person in every combination of classes, or None where there are too many."""
    persons = np.unique(stands[0].person)
    cells = np.zeros(len(persons), dtype=np.int64)
    pairs: tuple[NDArray[np.int64], ...] = ()
    for stand in stands:
        starts = np.searchsorted(stand.person, persons)
        counts = np.searchsorted(stand.person, persons, side="right") - starts
        if counts.sum() > _MOST_PLACES:
            return None
        again = np.repeat(np.arange(len(persons)), counts)
        own = _runs(starts, counts)
        keys = cells[again] * np.int64(stand.class_.max() + 1) + stand.class_[own]
        cells = np.unique(keys, return_inverse=True)[1].astype(np.int64)
        persons, pairs = persons[again], (*(each[again] for each in pairs), own)
    return _Places(cells, pairs)


def _runs(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from each start on, as many as it has, one run after another."""
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - ends + counts, counts)


def _values_in_common(
    places: _Places, stands: Sequence[_Stand], versions: Sequence[Version], attribute: str
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The values of an attribute beside the combination of classes that they stand in, each person's counted once:
    those of every version that shows them, and those that did not change."""
    if attribute not in versions[-1].sensitive:
        return [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
    shown, often = [], np.zeros(len(places.cells), dtype=np.int64)
    known = [v.sensitive[attribute] for v in versions if attribute in v.sensitive]
    names = np.unique(np.concatenate(known))
    for stand, version, pairs in zip(stands, versions, places.pairs, strict=True):
        if attribute in version.sensitive:
            values = version.sensitive[attribute][stand.records]
            shows = values != UNTOLD
            told = np.unique(stand.pair_of_record[shows] * np.int64(len(names)) + np.searchsorted(names, values[shows]))
            starts = np.searchsorted(told // len(names), pairs)
            counts = np.searchsorted(told // len(names), pairs, side="right") - starts
            where = np.repeat(np.arange(len(pairs)), counts)
            shown.append((where, told[_runs(starts, counts)] % len(names)))
            often += counts > 0
    sightings = np.concatenate([where * np.int64(len(names)) + values for where, values in shown])
    seen, times = np.unique(sightings, return_counts=True)
    lasting = seen[(times == often[seen // len(names)]) & (times > 1)]
    common = [(where, values) for where, values in shown if len(where)]
    if len(lasting):
        common.append((lasting // len(names), lasting % len(names)))
    return [(places.cells[where], values) for where, values in common]


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
    return (0, False) if codes is None else _reached(guarantee, classes.of_row, codes[inside].astype(np.int64))


def _reached(guarantee: Mapping[str, Any], cells: NDArray[np.int64], values: NDArray[np.int64]) -> tuple[float, bool]:
    """The l of the values beside their cells, of which some may have no values and are not looked at."""
    numbers = np.unique(cells, return_inverse=True)[1].astype(np.int64)
    tallies = tally(Classes(numbers, len(cells)), values, int(values.max(initial=0)) + 1)
    required = Fraction(str(guarantee["l"]))
    match guarantee.get("variant", "distinct"):
        case "entropy":
            return entropy_l(tallies, required)
        case "recursive":
            reached = recursive_l(tallies, Fraction(str(guarantee["c"])))
        case _:
            reached = distinct_l(tallies)
    return reached, reached >= required


def _finding(
    required: dict[str, Any], achieved: dict[str, Any], flaws: Sequence[str], assumes: str = ASSUMES
) -> Finding:
    detail = "; ".join(dict.fromkeys(flaws))
    return Finding("joint_releases", required, achieved, not flaws, "bytes+sealed_map", assumes, detail)
