"""Joint check of repeated releases: what an attacker learns who holds all of them.

Ganta, Kasiviswanathan and Smith, "Composition Attacks and Auxiliary Information in Data Privacy", KDD 2008.

A person who stands in several releases of one table stands in the intersection of its classes. The sealed maps say which
original record each released one was, so the intersections are exact; k and l must hold in each of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
) -> Finding:
    """Whether k and l of the newest policy hold in the intersections of the classes of all releases, newest last."""
    required = _required(policy)
    if n is None or not releases:
        return _finding(required, {}, "the map of an earlier release is gone, so nothing can be shown")
    cells = _intersections(releases, n)
    inside = np.zeros(n, dtype=bool)
    inside[releases[-1].records] = True
    sizes = np.bincount(cells[inside])
    achieved: dict[str, Any] = {"k": int(sizes[sizes > 0].min())}
    diversity = {name: _least_distinct(cells[inside], codes[inside]) for name, codes in sensitive.items()}
    if diversity and "l" in required:
        achieved["l"] = min(diversity[name] for name in _named(policy) if name in diversity)
    short = [name for name in required if achieved.get(name, 0) < required[name]]
    return _finding(required, achieved, f"the releases together break {' and '.join(short)}" if short else "")


def _required(policy: Mapping[str, Any]) -> dict[str, Any]:
    required: dict[str, Any] = {}
    for guarantee in policy.get("guarantees", ()):
        if guarantee["model"] == "k_anonymity":
            required["k"] = max(required.get("k", 2), int(guarantee["k"]))
        if guarantee["model"] == "l_diversity":
            required["l"] = max(required.get("l", 2), int(guarantee["l"]))
    return required or {"k": 2}


def _named(policy: Mapping[str, Any]) -> list[str]:
    return [g["attribute"] for g in policy.get("guarantees", ()) if g["model"] == "l_diversity"]


def _intersections(releases: Sequence[EarlierRelease], n: int) -> NDArray[np.int64]:
    """Number of the intersection that each original record stands in; absence from a release is a class too."""
    cells = np.zeros(n, dtype=np.int64)
    for release in releases:
        classes = np.zeros(n, dtype=np.int64)
        classes[release.records] = release.classes + 1
        _, cells = np.unique(cells * (int(classes.max()) + 1) + classes, return_inverse=True)
    return cells


def _least_distinct(cells: NDArray[np.int64], codes: NDArray[np.integer[Any]]) -> int:
    pairs = np.unique(cells * (int(codes.max(initial=0)) + 1) + codes)
    distinct = np.bincount(pairs // (int(codes.max(initial=0)) + 1))
    return int(distinct[distinct > 0].min())


def _finding(required: dict[str, Any], achieved: dict[str, Any], detail: str) -> Finding:
    return Finding("joint_releases", required, achieved, not detail, "bytes+sealed_map", ASSUMES, detail)
