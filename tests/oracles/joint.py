"""Random rows of releases of one table, and what the definition says of their intersections."""

import random
from fractions import Fraction
from typing import Any

import numpy as np

from tests.oracles import definitions as by
from verifier.joint import EarlierRelease, joint_finding


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
