"""Protect: the place where tables and graphs meet, and where every link to the original's order is broken."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from antifaz.assessment import assess, refuse
from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.graphs.graph import Graph
from antifaz.kinds.graph import GraphDataset
from antifaz.kinds.kind import Dataset
from antifaz.kinds.records import column_types
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from antifaz.tables.reading.dialect import Dialect
from antifaz.tables.texts.value_types import ValueType
from tests.antifaz.protection_samples import cells_of, encoded, graph_policy


def people(n: int = 90) -> Dataset:
    rng = np.random.default_rng(3)
    return Dataset(
        (
            encoded("name", [f"p{i}" for i in range(n)]),
            encoded("age", [str(a) for a in rng.integers(20, 60, n)]),
            encoded("disease", [f"d{d}" for d in rng.integers(0, 3, n)]),
        ),
        n,
    )


def table_policy(**changes: Any) -> Any:
    return parse_policy(
        {
            "kind": "table",
            "attributes": {
                "name": {"role": "identifier"},
                "age": {"role": "quasi_identifier"},
                "disease": {"role": "sensitive"},
            },
            "guarantees": [{"model": "k_anonymity", "k": 4}],
            "method": {"name": "mondrian"},
            **changes,
        }
    )


def test_identifiers_are_never_in_what_is_protected():
    protected = protect(check(people(), table_policy()), table_policy(), np.random.default_rng(1))
    assert protected.table is not None
    assert [column.source for column in protected.table.columns] == ["age", "disease"]


def test_every_released_record_is_that_of_its_original():
    dataset, policy = people(), table_policy()
    protected = protect(check(dataset, policy), policy, np.random.default_rng(1))
    assert protected.table is not None
    original = dataset.columns[2].values[dataset.columns[2].codes]
    assert cells_of(protected.table.column("disease")) == list(original[protected.table.records])


def test_rows_come_out_in_an_order_that_says_nothing():
    policy = table_policy()
    checked = check(people(4000), policy)
    first = protect(checked, policy, np.random.default_rng(1))
    second = protect(checked, policy, np.random.default_rng(2))
    assert first.table is not None
    assert second.table is not None
    rho = spearmanr(np.arange(4000), first.table.records).statistic
    assert abs(rho) < 0.08
    assert not np.array_equal(first.table.records, second.table.records)


def test_nodes_get_new_numbers_in_a_random_order():
    n = 4000
    path = Graph.from_pairs(n, np.arange(n - 1), np.arange(1, n))
    policy = graph_policy()
    protected = protect(check(GraphDataset((), n, graph=path), policy), policy, np.random.default_rng(4))
    assert protected.graph is not None
    assert sorted(protected.graph.origin) == list(range(n))
    assert abs(spearmanr(np.arange(n), protected.graph.origin).statistic) < 0.08


def test_a_node_keeps_its_own_attributes_under_its_new_number():
    n = 30
    ring = Graph.from_pairs(n, np.arange(n), (np.arange(n) + 1) % n)
    dataset = GraphDataset((encoded("town", [f"t{i % 5}" for i in range(n)]),), n, graph=ring)
    policy = graph_policy(attributes={"town": {"role": "insensitive"}})
    protected = protect(check(dataset, policy), policy, np.random.default_rng(4))
    assert protected.graph is not None
    assert protected.nodes is not None
    assert cells_of(protected.nodes.column("town")) == [f"t{i % 5}" for i in protected.graph.origin]


def test_quasi_identifiers_of_nodes_are_protected_too():
    n = 30
    ring = Graph.from_pairs(n, np.arange(n), (np.arange(n) + 1) % n)
    dataset = GraphDataset((encoded("age", [str(20 + i) for i in range(n)]),), n, graph=ring)
    policy = graph_policy(attributes={"age": {"role": "quasi_identifier"}}, more=[{"model": "k_anonymity", "k": 5}])
    protected = protect(check(dataset, policy), policy, np.random.default_rng(4))
    assert protected.nodes is not None
    assert min(Counter(cells_of(protected.nodes.column("age"))).values()) >= 5


def test_rows_with_a_missing_value_are_left_out_where_the_policy_says_so():
    cells = [str(20 + i % 10) for i in range(40)]
    cells[7] = cells[11] = ""
    dataset = Dataset((encoded("age", cells),), 40)
    attributes = {"age": {"role": "quasi_identifier", "missing": "suppress_row"}}
    policy = table_policy(attributes=attributes)
    checked = check(dataset, policy)
    protected = protect(checked, policy, np.random.default_rng(1))
    assert protected.account["rows_suppressed"] == 2
    assert protected.table is not None
    assert not {7, 11} & set(checked.rows[protected.table.records])


def test_mostly_unique_text_is_refused_unless_waived():
    attributes = {
        "name": {"role": "insensitive"},
        "age": {"role": "quasi_identifier"},
        "disease": {"role": "sensitive"},
    }
    with pytest.raises(InvalidDataset) as caught:
        check(people(), table_policy(attributes=attributes))
    assert caught.value.column == "name"
    waived = table_policy(attributes=attributes, waivers=[{"rule": "free_text", "reason": "invented names"}])
    assert check(people(), waived).table is not None


def test_a_dataset_with_a_column_that_the_policy_leaves_out_is_refused():
    with pytest.raises(InvalidPolicy):
        check(people(), table_policy(attributes={"age": {"role": "quasi_identifier"}}))


def test_an_empty_table_is_refused_and_destroyed():
    dataset = Dataset((encoded("age", []),), 0)
    with pytest.raises(InvalidDataset) as caught:
        check(dataset, table_policy(attributes={"age": {"role": "quasi_identifier"}}))
    assert caught.value.shred


def test_types_are_told_by_the_values():
    assert [column["type"] for column in column_types(people())] == ["text", "integer", "text"]


def test_a_column_is_typed_once_however_often_it_is_asked_for():
    dataset = people()
    column_types(dataset)
    checked = check(dataset, table_policy())
    age = checked.table.attribute("age").column
    assert age is dataset.typed("age")
    assert age is dataset.typed("age", ValueType.INTEGER)
    assert dataset.typed("age", ValueType.DECIMAL) is not age
    assert replace(dataset, dialect=Dialect(decimal=",")).typed("age") is not age


def test_the_gate_measures_what_it_limits():
    limits = {
        "max_suppressed": 0.0,
        "max_prosecutor_risk": 0.25,
        "max_journalist_risk": 0.25,
        "max_marketer_risk": 0.25,
    }
    policy = table_policy(gate={"max_loss": 0.0, **limits})
    checked = check(people(), policy)
    protected = protect(checked, policy, np.random.default_rng(1))
    assessment = assess(checked, protected, policy, np.random.default_rng(2))
    reasons = {reason.rule: reason for reason in refuse(policy, protected, assessment)}
    assert set(reasons) == {"max_loss"}
    assert reasons["max_loss"].measured == assessment.utility["ncp"]["value"] > 0


def test_a_figure_that_the_gate_needs_is_measured_although_the_report_does_not_ask_for_it():
    policy = table_policy(gate={"max_linkage_rate": 1.0}, report={"utility": [], "attacks": []})
    checked = check(people(), policy)
    protected = protect(checked, policy, np.random.default_rng(1))
    assessment = assess(checked, protected, policy, np.random.default_rng(2))
    assert [attack["name"] for attack in assessment.attacks] == ["record_linkage"]
    assert assessment.utility == {}


KEY = bytes(32)


def visits(n: int = 120, each: int = 4) -> Dataset:
    """People with several rows each, all of one age: rows alone make every class large."""
    rng = np.random.default_rng(5)
    ages = [str(20 + person % 10) for person in range(n // each)]
    return Dataset(
        (
            encoded("name", [f"p{row // each}" for row in range(n)]),
            encoded("age", [ages[row // each] for row in range(n)]),
            encoded("disease", [f"d{d}" for d in rng.integers(0, 3, n)]),
        ),
        n,
    )


@pytest.mark.parametrize("method", ["mondrian", "datafly", "optimal"])
def test_k_counts_people_where_the_policy_names_a_privacy_unit(method):
    policy = table_policy(privacy_unit="name", method={"name": method})
    checked = check(visits(), policy)
    released = protect(checked, policy, np.random.default_rng(1)).table
    assert checked.table is not None
    assert released is not None
    whose = checked.table.unit[released.records]
    assert released.unit.tolist() == whose.tolist()
    people = Counter(label for label, _ in set(zip(cells_of(released.columns[0]), whose.tolist(), strict=True)))
    assert min(people.values()) >= 4


def test_microaggregation_groups_people_and_not_their_rows():
    policy = table_policy(privacy_unit="name", method={"name": "microaggregation"})
    released = protect(check(visits(), policy), policy, np.random.default_rng(1)).table
    assert released is not None
    assert released.unit is not None
    people: dict[str, set[int]] = {}
    for age, person in zip(cells_of(released.columns[0]), released.unit.tolist(), strict=True):
        people.setdefault(age, set()).add(person)
    assert min(map(len, people.values())) >= 4


def test_rows_of_nobody_count_as_one_person():
    dataset = Dataset((encoded("name", ["", "", "", "a"]), encoded("age", ["1"] * 4), encoded("disease", ["d"] * 4)), 4)
    with pytest.raises(InvalidDataset, match="persons"):
        check(dataset, table_policy(privacy_unit="name", guarantees=[{"model": "k_anonymity", "k": 3}]))


def named(**more: Any) -> dict[str, Any]:
    return {
        "name": {"role": "identifier", "pseudonym": True, **more},
        "age": {"role": "quasi_identifier"},
        "disease": {"role": "sensitive"},
    }


def test_pseudonyms_stand_where_the_identifier_was_and_agree_between_releases():
    policy, dataset = table_policy(attributes=named()), visits()
    first, second = (protect(check(dataset, policy), policy, np.random.default_rng(s), key=KEY).table for s in (1, 2))
    assert first is not None
    assert second is not None
    assert [column.name for column in first.columns] == ["name", "age", "disease"]
    known = [dict(zip((t.records // 4).tolist(), cells_of(t.columns[0]), strict=True)) for t in (first, second)]
    assert known[0] == known[1]
    assert len(set(known[0].values())) == 30
    other = protect(check(dataset, policy), policy, np.random.default_rng(1), key=bytes(31) + b"x").table
    assert other is not None
    assert set(cells_of(other.columns[0])).isdisjoint(known[0].values())


def test_names_that_look_like_numbers_are_names():
    dataset = Dataset(
        (encoded("name", ["7", "7.0", "07", "7"]), *(encoded(c, ["1"] * 4) for c in ("age", "disease"))), 4
    )
    policy = table_policy(attributes=named(), guarantees=[{"model": "k_anonymity", "k": 2}])
    released = protect(check(dataset, policy), policy, np.random.default_rng(1), key=KEY).table
    assert released is not None
    assert sorted(Counter(cells_of(released.columns[0])).values()) == [1, 1, 2]


def test_pseudonyms_are_not_made_without_a_key():
    policy = table_policy(attributes=named())
    with pytest.raises(ValueError, match="key"):
        protect(check(visits(), policy), policy, np.random.default_rng(1))


def test_a_report_measures_with_the_parameters_of_the_policy():
    report = {
        "utility": [{"name": "ml_accuracy", "target": "disease", "held_out": 0.5}],
        "attacks": [],
        "sampling_fraction": 0.1,
        "threshold": 0.05,
    }
    policy = table_policy(report=report)
    checked = check(people(), policy)
    protected = protect(checked, policy, np.random.default_rng(4))
    found = assess(checked, protected, policy, np.random.default_rng(5))
    assert list(found.utility) == ["ml_accuracy"]
    assert found.utility["ml_accuracy"]["judged"] == 45
    assert found.attacks == []
    assert found.after["journalist"]["sampling_fraction"] == 0.1
    assert found.after["journalist"]["max"] <= 0.1 / 4
    assert found.before["population_uniqueness"]["sampling_fraction"] == 0.1
    assert found.after["prosecutor"]["threshold"] == 0.05


def test_earlier_releases_are_attacked_together_whatever_the_report_asks_for():
    policy = table_policy(report={"attacks": []})
    checked = check(people(), policy)
    assert checked.table is not None
    halves = (np.arange(90) % 2).astype(np.int64)
    checked = replace(checked, table=replace(checked.table, earlier=(halves,)))
    protected = protect(checked, policy, np.random.default_rng(4))
    found = assess(checked, protected, policy, np.random.default_rng(5))
    assert [attack["name"] for attack in found.attacks] == ["composition"]
    assert found.attacks[0]["rate"] > found.attacks[0]["baseline"]
