"""The minimality attack: an attacker who knows how a method decides learns from what it did not do.

Wong, Fu, Wang and Pei, "Minimality Attack in Privacy Preserving Data Publishing", VLDB 2007. Every guarantee over
classes states that it assumes an attacker who does not do so; these tests show that the assumption is needed.
"""

from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import verifier
from antifaz import catalogue
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from antifaz.tables.parts import TableGuarantee
from formats.core.raw import RawColumn
from formats.writing import render_table

AGES = ("1", "1", "2", "2", "2")
DISEASES = ("hiv", "hiv", "a", "b", "c")
STATED = "does not reason from how the method decides (minimality attack)"


def encoded(name: str, cells: tuple[str, ...]) -> RawColumn:
    values, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
    return RawColumn(name, codes.astype(np.int32), values)


def document(l_value: int | None) -> dict[str, Any]:
    guarantees: list[dict[str, Any]] = [{"model": "k_anonymity", "k": 2}]
    if l_value is not None:
        guarantees.append({"model": "l_diversity", "variant": "distinct", "l": l_value, "attribute": "disease"})
    return {
        "kind": "table",
        "attributes": {"age": {"role": "quasi_identifier", "type": "integer"}, "disease": {"role": "sensitive"}},
        "guarantees": guarantees,
        "method": {"name": "mondrian"},
    }


def released(diseases: tuple[str, ...], l_value: int | None) -> tuple[tuple[tuple[str, str], int], ...]:
    """The rows that go out if these are the diseases of the five people, in no order."""
    policy = parse_policy(document(l_value))
    dataset = Dataset((encoded("age", AGES), encoded("disease", diseases)), len(AGES))
    protected = protect(check(dataset, policy), policy, np.random.default_rng(1)).table
    assert protected is not None
    cells = [[str(column.labels[code]) for code in column.codes] for column in protected.columns]
    return tuple(sorted(Counter(zip(*cells, strict=True)).items()))


def chance_of_hiv(l_value: int | None) -> float:
    """What an attacker who runs the method on every possible table learns about the first person."""
    seen = released(DISEASES, l_value)
    worlds = [world for world in set(permutations(DISEASES)) if released(world, l_value) == seen]
    return sum(world[0] == "hiv" for world in worlds) / len(worlds)


def test_a_cut_that_was_not_made_tells_for_certain_what_two_people_have() -> None:
    """All five are one class with four diseases, of which two in five rows are hiv. But k alone would have cut between
    the ages, so l must have been in the way: the two of age 1 share a disease, and only one occurs twice."""
    assert {age for (age, _), _ in released(DISEASES, 2)} == {"[1, 2]"}
    assert chance_of_hiv(2) == 1


def test_a_method_that_looks_at_no_disease_tells_nothing_by_how_it_decides() -> None:
    """With k alone the cut between the ages is made whatever the diseases are, and the classes show what they show."""
    plain = ("a", "hiv", "hiv", "b", "c")
    seen = released(plain, None)
    assert {age for (age, _), _ in seen} == {"1", "2"}
    worlds = [world for world in set(permutations(plain)) if released(world, None) == seen]
    assert sum(world[0] == "hiv" for world in worlds) / len(worlds) == 0.5


CLASS_WISE = [
    part
    for part in catalogue.parts("guarantees", "table")
    if issubclass(part, TableGuarantee) and part.evidence != "mechanism"
]


@pytest.mark.parametrize("guarantee", CLASS_WISE, ids=lambda part: part.wire_name())
def test_every_guarantee_over_classes_states_the_assumption(guarantee: type[TableGuarantee]) -> None:
    assert guarantee.assumes.endswith(STATED)


def test_the_verifier_states_it_of_the_very_release() -> None:
    policy = parse_policy(document(2))
    dataset = Dataset((encoded("age", AGES), encoded("disease", DISEASES)), len(AGES))
    protected = protect(check(dataset, policy), policy, np.random.default_rng(1)).table
    assert protected is not None
    content = b"".join(render_table(protected.columns, "csv"))
    verdict = verifier.verify(document(2), [verifier.Artifact("csv", "table", content)])
    assert verdict.holds
    assert [finding.assumes.endswith(STATED) for finding in verdict.findings] == [True, True]
