"""Findings: the check of one guarantee of the policy against the content of the release.

Every artifact must satisfy every guarantee by itself; the finding reports the worst. An artifact that could not be
read, or that lacks what the guarantee is about, satisfies nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.evidence.models import (
    Classes,
    Tallies,
    degree_groups,
    distinct_l,
    entropy_l,
    recursive_l,
    smallest_class,
    tally,
)
from verifier.mechanisms.degree_noise import find_edge_differential_privacy
from verifier.mechanisms.marginals import find_differential_privacy
from verifier.mechanisms.pairs import find_edge_local_dp
from verifier.people.populations import find_delta_presence, find_k_map
from verifier.people.sensitive import (
    find_alpha_k,
    find_beta_likeness,
    find_local_differential_privacy,
    find_t_closeness,
)
from verifier.readers.cells import Cells, class_of_rows
from verifier.readers.columns import attributes_of, quasi_identifiers
from verifier.readers.networks import Network
from verifier.readers.policies import lacks_classes
from verifier.structures.generalized import find_supernode_size
from verifier.structures.neighborhood_labels import find_k_neighborhood
from verifier.structures.structure import find_k_automorphism, find_k_candidate, find_twins
from verifier.structures.subsets import find_kl
from verifier.structures.uncertain import find_k_eps_obfuscation
from verifier.verdict.exact import exact
from verifier.verdict.folding import folded_codes
from verifier.verdict.notations import merged_codes
from verifier.verdict.verdict import DECIDES_BLINDLY, Finding, Missing
from verifier.verdict.watch import look

_K_ASSUMES = "the attacker knows the quasi-identifiers" + DECIDES_BLINDLY
_L_ASSUMES = (
    "the attacker knows the quasi-identifiers and can rule out fewer than l - 1 sensitive values" + DECIDES_BLINDLY
)
_DEGREE_ASSUMES = "the attacker knows the degree of a node and nothing else about the graph"
_PAIR_ASSUMES = "the attacker knows the in- and out-degree of a node and nothing else about the graph"


@dataclass(frozen=True)
class Evidence:
    """The content of the release."""

    policy: Mapping[str, Any]
    tables: Sequence[Cells] = ()
    flaw: str = Missing("there is no table")
    """Why no guarantee of tables can hold, whatever the readable tables show."""
    networks: Sequence[Network] = ()
    n: int = 0
    graph_flaw: str = Missing("there is no graph")
    """Why no guarantee of graphs can hold, whatever the readable graphs show."""
    directed: bool = False
    sealed_map: Mapping[str, Any] | None = None

    @cached_property
    def classes(self) -> list[Classes | None]:
        """The equivalence classes of every table, or None if a quasi-identifier is missing."""
        return [_classes_of(cells, quasi_identifiers(self.policy)) for cells in self.tables]

    @property
    def counted_by(self) -> str:
        """Evidence of a finding that counts people: the bytes contain the rows, but not whose they are."""
        return "bytes+sealed_map" if self.policy.get("privacy_unit") else "bytes"

    def persons(self) -> NDArray[np.int64] | None:
        """The number of the person of every row, if the policy names a privacy unit and the sealed map states it."""
        return _units(self.sealed_map) if self.policy.get("privacy_unit") else None

    def smallest(self) -> tuple[int, str]:
        """Size of the smallest class of any table, in rows, or in persons if the policy names a privacy unit; and why
        it cannot be determined, if so."""
        by_person = bool(self.policy.get("privacy_unit"))
        sizes = [_smallest(classes, self.sealed_map, by_person) for classes in self.classes]
        flaw = next((size for size in sizes if isinstance(size, str)), "")
        return min((size for size in sizes if isinstance(size, int)), default=0), flaw


def find(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """Verify one guarantee; a model without a verifier never holds."""
    look()
    model = str(guarantee.get("model"))
    judge = _JUDGES.get(model)
    if judge is not None and not lacks_classes(model, evidence.policy):
        return judge(guarantee, evidence)
    required = {name: value for name, value in guarantee.items() if name != "model"}
    flaw = "no verifier" if judge is None else "the policy names no quasi-identifier"
    return Finding(model, required, {}, False, "bytes", "", flaw)


def unfounded(policy: Mapping[str, Any], flaw: str) -> Iterator[Finding]:
    """The findings if the policy itself is invalid: none of its guarantees holds."""
    guarantees = policy.get("guarantees")
    for asked in guarantees if isinstance(guarantees, list | tuple) else ():
        settings = dict(asked) if isinstance(asked, Mapping) else {}
        model = str(settings.pop("model", None))
        yield Finding(model, settings, {}, False, "bytes", "", flaw)


def _classes_of(cells: Cells, names: Sequence[str]) -> Classes | None:
    if not set(names) <= set(cells.names):
        return None
    columns = ((column.codes, len(column.texts)) for column in map(cells.column, names))
    return Classes(*class_of_rows(columns, cells.rows))


def _find_k_anonymity(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    required = {"k": guarantee.get("k")}
    flaw = evidence.flaw or _k_flaw(required["k"])
    reached = None
    if not flaw:
        reached, flaw = evidence.smallest()
    if not flaw and reached is not None and reached < guarantee["k"]:
        flaw = "a class is smaller than k"
    achieved = {} if reached is None else {"k": reached}
    return Finding("k_anonymity", required, achieved, not flaw, evidence.counted_by, _K_ASSUMES, flaw)


def _k_flaw(k: object) -> str:
    return "" if isinstance(k, int) and not isinstance(k, bool) and k >= 2 else "k is not a whole number above 1"


def _smallest(classes: Classes | None, sealed_map: Mapping[str, Any] | None, by_person: bool) -> int | str:
    """The size of the smallest class, or why it cannot be determined."""
    if classes is None:
        return "a quasi-identifier is missing"
    if not by_person:
        return smallest_class(classes, None)
    units = _units(sealed_map)
    if units is None:
        return Missing("there is no sealed map that says which rows belong to one person")
    if len(units) != len(classes.of_row):
        return "the sealed map and the release have different numbers of rows"
    return smallest_class(classes, units)


def _units(sealed_map: Mapping[str, Any] | None) -> NDArray[np.int64] | None:
    units = np.asarray((sealed_map or {}).get("units", ()))
    if units.ndim != 1 or not units.size or units.dtype.kind not in "iu":
        return None
    texts = (sealed_map or {}).get("unit_texts")
    if texts is None:
        return units.astype(np.int64)
    if units.min() < 0 or units.max() >= len(texts):
        return None
    return folded_codes(texts)[units.astype(np.int64)]


def _find_l_diversity(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    variant = guarantee.get("variant", "distinct")
    attribute = guarantee.get("attribute") or _only_sensitive(evidence.policy)
    required = {"variant": variant, "l": guarantee.get("l"), "attribute": attribute}
    if variant == "recursive":
        required["c"] = guarantee.get("c")
    measure = _MEASURES.get(str(variant))
    flaw = evidence.flaw or _l_flaw(required, measure is not None, evidence.policy)
    achieved: dict[str, Any] = {}
    if not flaw and measure is not None:
        measured = [
            _diversity(cells, classes, required, measure)
            for cells, classes in zip(evidence.tables, evidence.classes, strict=True)
        ]
        flaw = next((outcome for outcome in measured if isinstance(outcome, str)), "")
        judged = [outcome for outcome in measured if not isinstance(outcome, str)]
        achieved = _achieved(required, judged)
        if not flaw and not all(holds for _, holds in judged):
            flaw = "a class is not diverse enough"
    return Finding("l_diversity", required, achieved, not flaw, "bytes", _L_ASSUMES, flaw)


def _only_sensitive(policy: Mapping[str, Any]) -> str | None:
    names = [name for name, settings in attributes_of(policy).items() if settings.get("role") == "sensitive"]
    return names[0] if len(names) == 1 else None


def _l_flaw(required: Mapping[str, Any], known: bool, policy: Mapping[str, Any]) -> str:
    if not known:
        return "no verifier of this variant"
    if attributes_of(policy).get(str(required["attribute"]), {}).get("role") != "sensitive":
        return "the attribute is not a sensitive one of the policy"
    bound = exact(required["l"])
    if bound is None or bound < 1:
        return "l is not a number of at least 1"
    ratio = exact(required.get("c", 1))
    return "c is not a number above 0" if ratio is None or ratio <= 0 else ""


_Measure = Callable[[Tallies, Mapping[str, Any]], tuple[float, bool]]


def _diversity(
    cells: Cells, classes: Classes | None, required: Mapping[str, Any], measure: _Measure
) -> tuple[float, bool] | str:
    if classes is None:
        return "a quasi-identifier is missing"
    if required["attribute"] not in cells.names:
        return "the sensitive attribute is missing"
    values = cells.column(required["attribute"])
    numbers = merged_codes(values.texts)
    return measure(tally(classes, numbers[values.codes], len(numbers)), required)


def _achieved(required: Mapping[str, Any], judged: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    if not judged:
        return {}
    settled = {name: required[name] for name in ("variant", "attribute", "c") if name in required}
    return {**settled, "l": min(reached for reached, _ in judged)}


def _measure_distinct(tallies: Tallies, required: Mapping[str, Any]) -> tuple[float, bool]:
    reached = distinct_l(tallies)
    return reached, reached >= required["l"]


def _measure_entropy(tallies: Tallies, required: Mapping[str, Any]) -> tuple[float, bool]:
    return entropy_l(tallies, Fraction(str(required["l"])))


def _measure_recursive(tallies: Tallies, required: Mapping[str, Any]) -> tuple[float, bool]:
    reached = recursive_l(tallies, Fraction(str(required["c"])))
    return reached, reached >= required["l"]


_MEASURES: dict[str, _Measure] = {
    "distinct": _measure_distinct,
    "entropy": _measure_entropy,
    "recursive": _measure_recursive,
}


def _find_k_degree(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    required = {"k": guarantee.get("k")}
    flaw = evidence.graph_flaw or _k_flaw(required["k"])
    achieved: dict[str, Any] = {}
    if not flaw:
        groups = [
            degree_groups(evidence.n, network.sources, network.targets, evidence.directed)[2]
            for network in evidence.networks
        ]
        achieved = {"k": min(int(sizes.min()) for sizes in groups)}
        flaw = "" if achieved["k"] >= guarantee["k"] else "a group of nodes with one degree is smaller than k"
    assumes = _PAIR_ASSUMES if evidence.directed else _DEGREE_ASSUMES
    return Finding("k_degree_anonymity", required, achieved, not flaw, "bytes", assumes, flaw)


_JUDGES: dict[str, Callable[[Mapping[str, Any], Evidence], Finding]] = {
    "k_anonymity": _find_k_anonymity,
    "l_diversity": _find_l_diversity,
    "t_closeness": find_t_closeness,
    "alpha_k": find_alpha_k,
    "beta_likeness": find_beta_likeness,
    "k_map": find_k_map,
    "delta_presence": find_delta_presence,
    "local_differential_privacy": find_local_differential_privacy,
    "differential_privacy": find_differential_privacy,
    "k_degree_anonymity": _find_k_degree,
    "supernode_size": find_supernode_size,
    "k_eps_obfuscation": find_k_eps_obfuscation,
    "edge_local_dp": find_edge_local_dp,
    "edge_differential_privacy": find_edge_differential_privacy,
    "k_candidate_anonymity": find_k_candidate,
    "neighborhood_twins": find_twins,
    "k_automorphism": find_k_automorphism,
    "kl_anonymity": find_kl,
    "k_neighborhood_anonymity": find_k_neighborhood,
}
