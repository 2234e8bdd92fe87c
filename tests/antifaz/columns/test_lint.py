"""Lint: a column that identifies people is refused by name, whatever its role."""

import numpy as np
import pytest

from antifaz.columns.lint import findings_in
from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check
from tests.antifaz.advice.samples import dataset_of

N = 200
TELLING = {
    "mail": [f"p{i % 40}@example.org" for i in range(N)],
    "phone": [f"+34 600 {i % 50:03d} 111" for i in range(N)],
    "id": [f"{i % 50 + 10_000_000}{'TRWAGMYFPDXBNJZSQVHLCKE'[(i % 50 + 10_000_000) % 23]}" for i in range(N)],
    "person": [f"{['Ana', 'Jordi', 'Maria', 'Luis'][i % 4]} {['Puig', 'Roca', 'Sala'][i % 3]}" for i in range(N)],
    "unique": [i * 37 for i in range(N)],
    "sequential": [i // 4 for i in range(N)],
    "long": [f"a long label that goes on and on, as number {i % 50} does" for i in range(N)],
}
PLAIN = {
    "ward": [("north", "south", "east")[i % 3] for i in range(N)],
    "visits": [i % 12 for i in range(N)],
    "label": [f"a long label that goes on and on, number {i % 4}" for i in range(N)],
    "year": [1990 + i % 30 for i in range(N)],
    "place": [f"Town {i % 30}" for i in range(N)],
}


def table(values: list, role: str, waivers: tuple = ()) -> tuple[Dataset, dict]:
    dataset = dataset_of({"age": [20 + i % 9 for i in range(N)], "it": values})
    return dataset, {
        "kind": "table",
        "attributes": {"age": {"role": "quasi_identifier"}, "it": {"role": role}},
        "guarantees": [{"model": "k_anonymity", "k": 2}],
        "method": {"name": "mondrian"},
        "waivers": list(waivers),
    }


@pytest.mark.parametrize("name", TELLING)
def test_a_telling_column_is_refused_unless_a_waiver_names_it(name: str) -> None:
    dataset, policy = table(TELLING[name], "insensitive")
    with pytest.raises(InvalidDataset) as caught:
        check(dataset, parse_policy(policy))
    assert caught.value.column == "it"
    assert caught.value.rule == ("free_text" if name == "unique" else "as_it_is")
    assert "as_it_is" in caught.value.detail
    for waiver in ({"rule": "as_it_is", "column": "it"}, {"rule": "free_text"}):
        check(dataset, parse_policy({**policy, "waivers": [{**waiver, "reason": "a test"}]}))


@pytest.mark.parametrize("name", ["mail", "phone", "id", "person", "long", "unique"])
def test_sensitive_text_is_looked_at_as_well(name: str) -> None:
    dataset, policy = table(TELLING[name], "sensitive")
    with pytest.raises(InvalidDataset):
        check(dataset, parse_policy(policy))


@pytest.mark.parametrize("role", ["sensitive", "insensitive"])
@pytest.mark.parametrize("name", PLAIN)
def test_plain_columns_pass(name: str, role: str) -> None:
    dataset, policy = table(PLAIN[name], role)
    check(dataset, parse_policy(policy))


def test_a_waiver_for_another_column_is_none_for_this_one() -> None:
    dataset, policy = table(TELLING["mail"], "insensitive", [{"rule": "as_it_is", "column": "age", "reason": "x"}])
    with pytest.raises(InvalidDataset):
        check(dataset, parse_policy(policy))


@pytest.mark.parametrize(
    ("waiver", "pointer"),
    [
        ({"rule": "as_it_is", "reason": "x"}, "/waivers/0"),
        ({"rule": "free_text", "column": "it", "reason": "x"}, "/waivers/0"),
        ({"rule": "as_it_is", "column": "no such", "reason": "x"}, "/waivers/0/column"),
    ],
)
def test_as_it_is_names_a_column_and_nothing_else_does(waiver: dict, pointer: str) -> None:
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy(table(PLAIN["ward"], "insensitive", [waiver])[1])
    assert caught.value.faults[0][0] == pointer


def test_findings_repeat_no_value() -> None:
    dataset = dataset_of(TELLING)
    found = findings_in(dataset.typed(name) for name in TELLING)
    assert set(found) == set(TELLING)
    assert not any(str(value) in str(found) for name in ("mail", "person", "id") for value in TELLING[name])
    assert np.all([entry["sensitive"] for name, entry in found.items() if name != "sequential"])


CONTACTS = {
    "badge_a": [f"badge{1 + i % 31:03d}" for i in range(600)],
    "badge_b": [f"badge{1 + (7 * i) % 29:03d}" for i in range(600)],
    "hall": [("east", "west")[i % 2] for i in range(600)],
}


@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
def test_a_column_with_the_values_of_an_identifier_is_refused_however_many_rows_share_them(role: str) -> None:
    roles = {"badge_a": "identifier", "badge_b": role, "hall": "quasi_identifier"}
    policy = {
        "kind": "table",
        "attributes": {name: {"role": each} for name, each in roles.items()},
        "guarantees": [{"model": "k_anonymity", "k": 2}],
        "method": {"name": "mondrian"},
    }
    with pytest.raises(InvalidDataset, match="also stand in an identifier") as caught:
        check(dataset_of(CONTACTS), parse_policy(policy))
    assert (caught.value.rule, caught.value.column) == ("as_it_is", "badge_b")
    waiver = {"rule": "as_it_is", "column": "badge_b", "reason": "a test"}
    check(dataset_of(CONTACTS), parse_policy({**policy, "waivers": [waiver]}))


def test_small_numbers_that_two_columns_share_are_no_identifier() -> None:
    rows = {"number": list(range(1, 601)), "age": [20 + i % 60 for i in range(600)], "sex": ["f", "m"] * 300}
    roles = {"number": "identifier", "age": "sensitive", "sex": "quasi_identifier"}
    attributes = {name: {"role": each} for name, each in roles.items()}
    guarantees = [{"model": "k_anonymity", "k": 2}]
    method = {"name": "mondrian"}
    check(
        dataset_of(rows),
        parse_policy({"kind": "table", "attributes": attributes, "guarantees": guarantees, "method": method}),
    )
