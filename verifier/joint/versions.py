"""Joint check of versions: what an attacker who holds releases of several versions of a table learns.

Xiao and Tao, "m-Invariance: Towards Privacy Preserving Re-publication of Dynamic Datasets", SIGMOD 2007.

Between versions of a table, records cannot be traced, but people can. An attacker who knows one record of a person in
each version searches for the people who have a record in each of the same classes, and no record in the versions
without the person. There must be k such people, and every promise must hold for their values in each version. An
attacker may also assume that a value did not change, and search only for people with the same value in all versions:
every promise must hold for these values as well.

The values of a version are compared with all values that its releases show; unchanged values with all unchanged values.
Values are numbers that only show whether two are equal, so distances by order or hierarchy are not verified.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from verifier.joint.joint import EarlierRelease, changed_values, intersections, shown_records
from verifier.joint.promises import (
    Promise,
    Sample,
    find_k,
    find_values,
    joint,
    promised_k,
    promises_about_values,
    unjudged,
)
from verifier.verdict.arrays import distinct
from verifier.verdict.verdict import DECIDES_BLINDLY, Finding

ASSUMES = (
    "the attacker holds every release of all versions of this table, and knows the quasi-identifiers of one record of "
    "a person in each version, and in which versions there is none" + DECIDES_BLINDLY
)
UNTOLD = np.iinfo(np.int64).min
"""The number of a value that no release shows."""
_MOST_PLACES = 20_000_000
_TOGETHER = "the versions together"


@dataclass(frozen=True)
class Version:
    """One version of a table: its releases, and the person of each of its records.

    Persons and values have the same numbers in all versions.
    """

    releases: Sequence[EarlierRelease]
    persons: NDArray[np.int64]
    sensitive: Mapping[str, NDArray[np.int64]]
    """Values of the attributes that releases show unchanged; `UNTOLD` if no release shows that of a record."""


@dataclass(frozen=True)
class _Stand:
    """The classes of people in one version: distinct pairs of a person and a class, by person; 0 means no class."""

    person: NDArray[np.int64]
    class_: NDArray[np.int64]
    pair_of_record: NDArray[np.int64]
    records: NDArray[np.int64]


@dataclass(frozen=True)
class _Places:
    """Every combination of a person with one class of each version that contains the person."""

    persons: NDArray[np.int64]
    cells: NDArray[np.int64]
    """Number of the combination of classes."""
    pairs: tuple[NDArray[np.int64], ...]
    """For every version, the position of the pair in its `_Stand`."""


def joint_findings_of_versions(promises: Sequence[Promise], versions: Sequence[Version], nobody: int) -> list[Finding]:
    """Whether every promise holds for the people in the same classes of all versions; the newest version is last.

    ``nobody`` is the number for records without a person: it does not show that two versions contain the same people.
    """
    k = max(k for k, _ in promised_k(promises).values())
    if _strangers(versions, nobody):
        flaw = "two versions have no person in common, so people cannot be matched"
        return [joint({"k": k}, {}, flaw, ASSUMES)]
    stands = _stands(versions)
    places = _combined(stands)
    if places is None:
        flaw = "people are in too many classes to check every combination"
        return [joint({"k": k}, {}, flaw, ASSUMES)]
    found = [find_k(k, int(np.bincount(places.cells).min()), _TOGETHER, ASSUMES)]
    releases = [release for version in versions for release in version.releases]
    for about, _ in promises_about_values(promises):
        flaw = changed_values(about.attribute, releases)
        samples = flaw or _samples(places, stands, versions, about.attribute)
        found.append(find_values(about, samples, None, _TOGETHER, ASSUMES))
    return [*found, *unjudged(promises, ASSUMES)]


def _inside(version: Version) -> NDArray[np.bool_]:
    return shown_records(version.releases, len(version.persons))


def _strangers(versions: Sequence[Version], nobody: int) -> bool:
    """Whether the newest version shares no person with another."""
    people = [distinct(version.persons[_inside(version)]) for version in versions]
    shown = [each[each != nobody] for each in people]
    return any(not np.intersect1d(shown[-1], other, assume_unique=True).size for other in shown[:-1])


def _stands(versions: Sequence[Version]) -> list[_Stand]:
    """The classes in each version of everyone who is in any release."""
    insides = [_inside(version) for version in versions]
    everyone = distinct(np.concatenate([v.persons[inside] for v, inside in zip(versions, insides, strict=True)]))
    stands = []
    for version, inside in zip(versions, insides, strict=True):
        records = np.flatnonzero(inside)
        persons = np.searchsorted(everyone, version.persons[records])
        cells = intersections(version.releases, len(inside))[records] + 1
        bound = np.int64(cells.max() + 1)
        absent = np.delete(np.arange(len(everyone)), persons)
        pairs, numbers = np.unique(np.concatenate([persons * bound + cells, absent * bound]), return_inverse=True)
        stands.append(_Stand(pairs // bound, pairs % bound, numbers[: len(records)].astype(np.int64), records))
    return stands


def _combined(stands: Sequence[_Stand]) -> _Places | None:
    """Every person in every combination of classes, or None if there are too many."""
    persons = distinct(stands[0].person)
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
    return _Places(persons, cells, pairs)


def _runs(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Consecutive numbers from each start, as many as its count, run by run."""
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - ends + counts, counts)


def _samples(places: _Places, stands: Sequence[_Stand], versions: Sequence[Version], attribute: str) -> list[Sample]:
    """The values of an attribute with their combination of classes, each person's counted once: the values of every
    version that shows them, and the values that did not change."""
    known = [version.sensitive[attribute] for version in versions if attribute in version.sensitive]
    names = distinct(np.concatenate([np.zeros(0, dtype=np.int64), *known]))
    samples, sightings, often = [], [], np.zeros(len(places.cells), dtype=np.int64)
    for stand, version, pairs in zip(stands, versions, places.pairs, strict=True):
        if attribute not in version.sensitive:
            continue
        values = version.sensitive[attribute][stand.records]
        shows = values != UNTOLD
        numbers = np.searchsorted(names, values[shows])
        combined = distinct(stand.pair_of_record[shows] * np.int64(len(names)) + numbers)
        starts = np.searchsorted(combined // len(names), pairs)
        counts = np.searchsorted(combined // len(names), pairs, side="right") - starts
        where = np.repeat(np.arange(len(pairs)), counts)
        own = combined[_runs(starts, counts)] % len(names)
        often += counts > 0
        sightings.append(where * np.int64(len(names)) + own)
        if len(where):
            samples.append(Sample(places.cells[where], own, numbers))
    lasting = _lasting(places, sightings, often, len(names)) if sightings else None
    return samples if lasting is None else [*samples, lasting]


def _lasting(
    places: _Places, sightings: Sequence[NDArray[np.int64]], often: NDArray[np.int64], size: int
) -> Sample | None:
    """The values that people have in all versions that show theirs, at least two; a sighting is a place and a value.
    They are compared with all such values, each person's counted once, whatever the number of places."""
    seen, times = np.unique(np.concatenate(sightings), return_counts=True)
    kept = seen[(times == often[seen // size]) & (times > 1)]
    if not len(kept):
        return None
    where, values = kept // size, kept % size
    everyone = distinct(places.persons[where] * np.int64(size) + values)
    return Sample(places.cells[where], values, everyone % size)
