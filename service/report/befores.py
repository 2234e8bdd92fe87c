"""Befores: how often an attacker would succeed on the original with names removed, from the measured risks.

Attacks run only on the release. For some attackers, the risks of the original give their success there: a figure if
the risk is that share itself, otherwise a lower bound, written ``>=0.2``. For others nothing is known.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from service.report.numbers import is_number

Figures = Mapping[str, Any]


def success_before(attack: Figures, report: Figures) -> float | str | None:
    """The share of people whom the attacker would find in the original; None if no risk gives it."""
    name = str(attack.get("attack") if attack.get("name") == "static" else attack.get("name"))
    find = _FOUND.get(name)
    if find is None or attack.get("on") == "aggregate":
        return None
    before = _part(_part(report, "risk"), "before")
    return find(before, attack, _part(report, "dataset"))


def _linked(before: Figures, attack: Figures, dataset: Figures) -> float | None:
    """An attacker who knows the quasi-identifiers picks one of the n people who share them: the mean of 1/n."""
    mean = _part(before, "prosecutor").get("mean")
    return float(mean) if is_number(mean) else None  # type: ignore[arg-type]


def _composed(before: Figures, attack: Figures, dataset: Figures) -> float | None:
    """For one release it is the same attacker; several have no common original."""
    return _linked(before, attack, dataset) if attack.get("releases") == 1 else None


def _homogeneous(before: Figures, attack: Figures, dataset: Figures) -> float | str | None:
    """People in a class with a single value are always guessed correctly; of the others, some are too."""
    share = _part(before, "homogeneity").get("value")
    return _at_least(float(share)) if is_number(share) else None  # type: ignore[arg-type]


def _by_degree(before: Figures, attack: Figures, dataset: Figures) -> float | str | None:
    nodes = dataset.get("nodes")
    counts = _part(_part(before, "degree"), "candidate_sets")
    return _from_crowds(counts, float(nodes)) if is_number(nodes) and nodes else None  # type: ignore[arg-type]


def _by_neighborhood(before: Figures, attack: Figures, dataset: Figures) -> float | str | None:
    return _from_crowds(_part(_part(before, "neighborhood"), "shares"), 1.0)


def _by_refinement(before: Figures, attack: Figures, dataset: Figures) -> float | str | None:
    queries = _part(before, "vertex_refinement")
    return _from_crowds(_part(_part(queries, str(attack.get("query"))), "shares"), 1.0)


def _by_trajectory(before: Figures, attack: Figures, dataset: Figures) -> float | str | None:
    return _from_crowds(_part(_part(before, "trajectory"), "shares"), 1.0)


def _from_crowds(crowds: Figures, whole: float) -> float | str | None:
    """A person in a crowd of n is found once in n tries, and n is at most the end of its range.

    Withheld ranges, and the last one, which has no end, count as zero.
    """
    ends = {size: re.fullmatch(r"(?:\d+-)?(\d+)", size) for size in crowds}
    known = [float(count) / int(end[1]) for size, count in crowds.items() if (end := ends[size]) and is_number(count)]
    return _at_least(sum(known) / whole) if known and sum(known) else None


def _at_least(share: float) -> float | str:
    """A lower bound; a bound of 1 is a figure."""
    return 1.0 if share >= 1.0 else f">={share:.4f}"


def _part(section: Figures, name: str) -> Figures:
    found = section.get(name)
    return found if isinstance(found, Mapping) else {}


_FOUND: dict[str, Callable[[Figures, Figures, Figures], float | str | None]] = {
    "prosecutor": _linked,
    "record_linkage": _linked,
    "composition": _composed,
    "homogeneity": _homogeneous,
    "degree": _by_degree,
    "neighborhood": _by_neighborhood,
    "vertex_refinement": _by_refinement,
    "degree_trajectory": _by_trajectory,
}
