"""Random rows of releases of one table, or of its versions, and what the definition says of their intersections."""

import itertools
import random
from fractions import Fraction
from typing import Any

import numpy as np

from tests.oracles import definitions as by
from verifier.joint import EarlierRelease, Version, joint_finding, joint_finding_of_versions


def disagreement_on_joint_releases(rng: random.Random) -> tuple[str, bool]:
    """Where verifier and definition differ on releases of one table; and what the definition says."""
    n, count, whole = rng.randint(1, 14), rng.randint(1, 3), rng.choice((0.8, 1, 1))
    shown = [[rng.random() < whole for _ in range(n)] for _ in range(count)]
    shown = [each if any(each) else [True] * n for each in shown]
    sizes = [rng.choice((1, 1, 1, 2, 3)) for _ in range(count)]
    labels = [[rng.randrange(size) for _ in range(n)] for size in sizes]
    values = [rng.randrange(4) for _ in range(n)]
    variant = rng.choice((None, "distinct", "entropy", "recursive"))
    guarantees: list[dict[str, Any]] = [{"model": "k_anonymity", "k": rng.choice((2, 2, 3))}]
    if variant:
        diverse = {"model": "l_diversity", "variant": variant, "l": rng.choice((1, 2)), "attribute": "s"}
        guarantees.append(diverse | ({"c": rng.choice((1, 1.5, 3))} if variant == "recursive" else {}))
    releases = []
    for present, classes in zip(shown, labels, strict=True):
        records = np.array([record for record in range(n) if present[record]])
        releases.append(EarlierRelease(records, np.array([classes[record] for record in records])))
    finding = joint_finding({"guarantees": guarantees}, releases, n, {"s": np.array(values)})
    seen = [record for record in range(n) if any(present[record] for present in shown)]
    keys = [
        [classes[record] if present[record] else None for present, classes in zip(shown, labels, strict=True)]
        for record in seen
    ]
    reached = by.k_of(keys)
    inside = [[values[seen[place]] for place in alike] for alike in by.classes(keys)]
    holds = reached >= guarantees[0]["k"] and (not variant or _diverse(inside, guarantees[1]))
    if finding.holds is not holds or finding.achieved["k"] != reached:
        return f"{finding.achieved} and {finding.holds} where the definition says {reached} and {holds}", holds
    return "", holds


def _diverse(inside: list[list[int]], guarantee: dict[str, Any]) -> bool:
    bound = Fraction(guarantee["l"])
    match guarantee["variant"]:
        case "entropy":
            return all(by.entropy_reaches(each, bound) for each in inside)
        case "recursive":
            return all(by.recursive_l(each, Fraction(str(guarantee["c"]))) >= bound for each in inside)
        case _:
            return all(by.distinct_l(each) >= bound for each in inside)


NOBODY = 0
Row = tuple[int, tuple[int | None, ...], int]
"""A record: whose it is, its class in each release of its version (None: it is not in it), its sensitive value."""


def disagreement_on_versions(rng: random.Random) -> tuple[str, bool]:
    """Where verifier and definition differ on releases of versions of one table; and what the definition says."""
    crowd = list(range(rng.choice((0, 1, 1)), rng.randint(3, 7)))
    tables = [_version(rng, crowd) for _ in range(rng.randint(2, 3))]
    variant = rng.choice((None, None, "distinct", "entropy", "recursive"))
    guarantees: list[dict[str, Any]] = [{"model": "k_anonymity", "k": 2}]
    if variant:
        diverse = {"model": "l_diversity", "variant": variant, "l": rng.choice((1, 1, 2)), "attribute": "s"}
        guarantees.append(diverse | ({"c": rng.choice((1.5, 3))} if variant == "recursive" else {}))
    told = [place == len(tables) - 1 or rng.random() < 0.8 for place in range(len(tables))]
    versions = [_as_arrays(rows, shown) for rows, shown in zip(tables, told, strict=True)]
    finding = joint_finding_of_versions({"guarantees": guarantees}, versions, NOBODY)
    reached, holds = judged_versions(tables, told, guarantees)
    if finding.holds is not holds or finding.achieved.get("k") != reached:
        return f"{finding.achieved} and {finding.holds} where the definition says {reached} and {holds}", holds
    return "", holds


def _version(rng: random.Random, crowd: list[int]) -> list[Row]:
    """One or two releases of a few records of some of the people; each record is in at least one of them."""
    people = [person for person in crowd if rng.random() < 0.7] if rng.random() < 0.3 else crowd
    people, releases, classes = people or crowd, rng.choice((1, 1, 2)), rng.choice((1, 1, 1, 2))
    rows: list[Row] = []
    for person in people:
        for _ in range(rng.choice((1, 1, 1, 2))):
            stands = [rng.randrange(classes) if rng.random() < 0.95 else None for _ in range(releases)]
            rows.append((person, tuple(stands), rng.randrange(3)))
    return [row for row in rows if any(stand is not None for stand in row[1])] or [(crowd[-1], (0,) * releases, 0)]


def _as_arrays(rows: list[Row], told: bool) -> Version:
    releases = []
    for place in range(len(rows[0][1])):
        shown = [(number, row[1][place]) for number, row in enumerate(rows) if row[1][place] is not None]
        records = np.array([number for number, _ in shown], dtype=np.int64)
        releases.append(EarlierRelease(records, np.array([class_ for _, class_ in shown], dtype=np.int64)))
    persons, values = np.array([row[0] for row in rows]), np.array([row[2] for row in rows])
    return Version(releases, persons, {"s": values} if told else {})


def judged_versions(
    tables: list[list[Row]], told: list[bool], guarantees: list[dict[str, Any]]
) -> tuple[int | None, bool]:
    """Person by person and combination by combination, as the definition says."""
    if any(not _people(tables[-1]) & _people(other) for other in tables[:-1]):
        return None, False
    everybody = set().union(*({row[0] for row in rows} for rows in tables))
    cells: dict[tuple[Any, ...], list[int]] = {}
    for person in everybody:
        for combination in itertools.product(*(_stands(rows, person) for rows in tables)):
            cells.setdefault(combination, []).append(person)
    reached = min(len(people) for people in cells.values())
    holds = reached >= guarantees[0]["k"]
    for guarantee in guarantees[1:]:
        for combination, people in cells.items():
            holds = holds and all(
                _diverse([values], guarantee) for values in _value_lists(tables, told, combination, people)
            )
    return reached, holds


def _people(rows: list[Row]) -> set[int]:
    return {row[0] for row in rows} - {NOBODY}


def _stands(rows: list[Row], person: int) -> list[tuple[int | None, ...] | None]:
    """The classes of a person's records in one version, or that there are none."""
    return list({row[1] for row in rows if row[0] == person}) or [None]


def _value_lists(
    tables: list[list[Row]], told: list[bool], combination: tuple[Any, ...], people: list[int]
) -> list[list[int]]:
    """What those of one combination have in each version that tells it, and what they have in all of these."""
    lists, seen = [], {person: [] for person in people}
    for rows, shown, stand in zip(tables, told, combination, strict=True):
        if shown and stand is not None:
            values = {person: {row[2] for row in rows if row[:2] == (person, stand)} for person in people}
            lists.append([value for person in people for value in values[person]])
            for person in people:
                seen[person].append(values[person])
    lasting = [value for each in seen.values() if len(each) > 1 for value in set.intersection(*each)]
    return lists + ([lasting] if lasting else [])
