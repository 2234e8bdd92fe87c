"""k-Map and δ-presence: hand-checked releases, an oracle, and releases that must be refused."""

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from verifier import Artifact, verify

Write = Callable[..., Artifact]
Row = tuple[str, str]
FORMATS = ("csv", "parquet", "jsonl")


def policy_for(*guarantees: dict[str, Any], **attributes: dict[str, Any]) -> dict[str, Any]:
    stated = attributes or {"age": {}, "city": {}}
    return {
        "kind": "table",
        "attributes": {name: {"role": "quasi_identifier", **settings} for name, settings in stated.items()},
        "guarantees": [{"population": "p", **guarantee} for guarantee in guarantees],
    }


def sealed(rows: Sequence[Sequence[str]], *columns: tuple[str, str]) -> dict[str, Any]:
    found = {}
    for (name, type_), cells in zip(columns, zip(*rows, strict=True), strict=True):
        values = sorted(set(cells))
        found[name] = {"codes": [values.index(cell) for cell in cells], "values": values, "type": type_}
    return {"populations": {"p": {"columns": found}}}


COLUMNS = (("age", "integer"), ("city", "text"))
PEOPLE: list[Row] = [("20", "Vic"), ("21", "Vic"), ("22", "Vic"), ("40", "Lugo"), ("41", "Lugo"), ("42", "Olot")]


@pytest.mark.parametrize("form", FORMATS)
def test_counts_the_people_whom_ranges_and_sets_cover(write: Write, form: str) -> None:
    rows = [("[20, 22]", "Vic"), ("[20, 22]", "Vic"), ("[40, 42]", '["Lugo", "Olot"]')]
    artifact = write(form, ("age", "city"), rows)
    found = verify(policy_for({"model": "k_map", "k": 3}), [artifact], sealed(PEOPLE, *COLUMNS)).findings[0]
    assert found.holds
    assert found.achieved == {"k": 3}
    assert found.evidence == "bytes+sealed_map"
    presence = policy_for({"model": "delta_presence", "minimum": 0.3, "maximum": 0.7})
    found = verify(presence, [artifact], sealed(PEOPLE, *COLUMNS)).findings[0]
    assert found.holds
    assert found.achieved == {"minimum": 0.333333, "maximum": 0.666667}


def test_a_label_for_fewer_people_is_refused(write: Write) -> None:
    rows = [("[20, 22]", "Vic"), ("[40, 42]", "Lugo")]
    found = verify(
        policy_for({"model": "k_map", "k": 3}), [write("csv", ("age", "city"), rows)], sealed(PEOPLE, *COLUMNS)
    )
    assert found.findings[0].achieved == {"k": 2}
    assert not found.holds


def test_whom_no_label_covers_is_surely_absent(write: Write) -> None:
    artifact = write("csv", ("age", "city"), [("[20, 22]", "Vic")])
    sealed_map = sealed(PEOPLE, *COLUMNS)
    low = policy_for({"model": "delta_presence", "minimum": 0.1, "maximum": 0.5})
    assert not verify(low, [artifact], sealed_map).holds
    assert verify(policy_for({"model": "delta_presence", "maximum": 0.5}), [artifact], sealed_map).holds


def test_classes_that_cover_the_same_people_add_up(write: Write) -> None:
    rows = [("[20, 22]", "Vic"), ("[20, 21]", "Vic")]
    artifact = write("csv", ("age", "city"), rows)
    found = verify(
        policy_for({"model": "delta_presence", "maximum": 0.8}), [artifact], sealed(PEOPLE, *COLUMNS)
    ).findings[0]
    assert found.achieved["maximum"] == pytest.approx(1 / 3 + 1 / 2, abs=2e-6)
    assert not found.holds


def test_a_bound_that_is_met_exactly_holds(write: Write) -> None:
    artifact = write("csv", ("age", "city"), [("[20, 21]", "Vic")])
    for maximum, holds in ((0.5, True), (0.4999999999, False)):
        policy = policy_for({"model": "delta_presence", "maximum": maximum})
        assert verify(policy, [artifact], sealed(PEOPLE, *COLUMNS)).holds is holds


@pytest.mark.parametrize(
    ("label", "covered"),
    [("*", 4), ("13053", 1), ("1305*", 2), ("130**", 3)],
)
def test_reads_the_groups_of_a_hierarchy(write: Write, label: str, covered: int) -> None:
    codes = ["13053", "13054", "13068", "14850"]
    rows = [[code, code[:4] + "*", code[:3] + "**", "*"] for code in codes]
    people = sealed([[code] for code in codes], ("zip", "text"))
    written = policy_for({"model": "k_map", "k": 2}, zip={"hierarchy": {"kind": "levels", "rows": rows}})
    masked = policy_for({"model": "k_map", "k": 2}, zip={"hierarchy": {"kind": "mask"}})
    for policy, sealed_map in ((written, people), (masked, {**people, "hierarchies": {"zip": rows}})):
        finding = verify(policy, [write("csv", ["zip"], [[label]])], sealed_map).findings[0]
        assert finding.achieved == {"k": covered}


def test_reads_bounds_dates_and_sets_of_numbers(write: Write) -> None:
    ages = sealed([["20"], ["21"], ["22"]], ("age", "integer"))
    bounds = policy_for({"model": "k_map", "k": 2}, age={"recoding": "bounds"})
    assert verify(bounds, [write("csv", ["age_min", "age_max"], [["20", "21"]])], ages).findings[0].achieved["k"] == 2
    listed = policy_for({"model": "k_map", "k": 2}, age={"recoding": "set"})
    assert verify(listed, [write("csv", ["age"], [['["20", "22"]']])], ages).findings[0].achieved["k"] == 2
    days = sealed([["2020-01-01"], ["2020-02-01"], ["2021-01-01"]], ("day", "date"))
    dated = policy_for({"model": "k_map", "k": 2}, day={})
    label = json.dumps(["2020-01-01", "2020-12-31"])
    assert verify(dated, [write("csv", ["day"], [[label]])], days).findings[0].achieved["k"] == 2


@pytest.mark.parametrize(
    "sealed_map",
    [
        None,
        {},
        {"populations": {}},
        {"populations": {"p": {"columns": {"age": {"codes": [0], "values": ["20"]}}}}},
        {"populations": {"p": {"columns": {n: {"codes": [3], "values": ["20"]} for n in ("age", "city")}}}},
        {"populations": {"p": {"columns": {n: {"codes": [], "values": []} for n in ("age", "city")}}}},
    ],
    ids=str,
)
@pytest.mark.parametrize("model", [{"model": "k_map", "k": 2}, {"model": "delta_presence", "maximum": 0.9}], ids=str)
def test_without_a_usable_population_nothing_holds(write: Write, sealed_map: Any, model: dict[str, Any]) -> None:
    finding = verify(policy_for(model), [write("csv", ("age", "city"), [("20", "Vic")])], sealed_map).findings[0]
    assert not finding.holds
    assert finding.detail


def test_a_table_that_is_not_of_the_population_is_refused(write: Write) -> None:
    artifact = write("csv", ("age", "city"), [("20", "Vic"), ("20", "Vic"), ("20", "Vic")])
    finding = verify(policy_for({"model": "k_map", "k": 2}), [artifact], sealed(PEOPLE, *COLUMNS)).findings[0]
    assert not finding.holds
    assert "more rows than there are people" in finding.detail


def brute_force(labels: list[list[set[str]]], people: list[Row]) -> tuple[int, Fraction, Fraction]:
    """Fewest people behind a label, and the least and the largest chance of presence."""
    classes: dict[str, tuple[list[set[str]], int]] = {}
    for label in labels:
        key = repr([sorted(part) for part in label])
        classes[key] = (label, classes.get(key, (label, 0))[1] + 1)
    matching = {
        key: [place for place, person in enumerate(people) if all(p in s for p, s in zip(person, label, strict=True))]
        for key, (label, _) in classes.items()
    }
    shares = {key: Fraction(classes[key][1], len(matching[key])) for key in classes}
    sums = [sum((shares[k] for k in classes if place in matching[k]), Fraction(0)) for place in range(len(people))]
    most = [
        max((shares[k] for k in classes if place in matching[k]), default=Fraction(0)) for place in range(len(people))
    ]
    return min(map(len, matching.values())), min(most), max(sums)


def compare_with_the_oracle(write: Write, seed: int, tables: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(tables):
        people = [(str(rng.integers(0, 6)), "abc"[rng.integers(0, 3)]) for _ in range(rng.integers(2, 20))]
        chosen = rng.choice(len(people), rng.integers(1, len(people) + 1), replace=False)
        rows, sets = [], []
        for place in chosen:
            age, city = people[place]
            low, high = max(int(age) - rng.integers(0, 2), 0), int(age) + rng.integers(0, 3)
            cities = sorted({city, *map(str, rng.choice(list("abc"), 2))})
            rows.append(
                (f"[{low}, {high}]" if low < high else age, json.dumps(cities) if len(cities) > 1 else cities[0])
            )
            sets.append([{str(value) for value in range(low, high + 1)}, set(cities)])
        fewest, least, most = brute_force(sets, people)
        low_bound, high_bound = 0.2, float(rng.choice([0.25, 0.5, 0.75, 1.0]))
        policy = policy_for(
            {"model": "k_map", "k": 3},
            {"model": "delta_presence", "maximum": high_bound},
            {"model": "delta_presence", "minimum": low_bound, "maximum": 1.0},
        )
        artifact = write(str(rng.choice(FORMATS)), ("age", "city"), rows)
        mapped, above, below = verify(policy, [artifact], sealed(people, *COLUMNS)).findings
        if "more rows" in mapped.detail:
            continue
        assert mapped.achieved == {"k": fewest}
        assert mapped.holds is (fewest >= 3)
        assert above.holds is (most <= Fraction(str(high_bound)))
        assert below.holds is (least >= Fraction(str(low_bound)) and most <= 1)


def test_agrees_with_brute_force(write: Write) -> None:
    compare_with_the_oracle(write, 1, 200)


@pytest.mark.long
def test_agrees_with_brute_force_on_many_tables(write: Write) -> None:
    compare_with_the_oracle(write, 2, 3000)
