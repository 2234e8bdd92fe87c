"""Guarantees about sensitive values count values, not spellings, and the verifier confirms the engine's results."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antifaz.errors import Infeasible
from antifaz.hierarchies.levels import Levels
from antifaz.kinds.kind import Dataset
from antifaz.kinds.records import persons
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from antifaz.tables.attacks.homogeneity import Homogeneity as HomogeneityAttack
from antifaz.tables.guarantees.l_diversity import LDiversity
from antifaz.tables.guarantees.t_closeness import TCloseness
from antifaz.tables.masking.masking import release_changed
from antifaz.tables.risk.homogeneity import Homogeneity
from antifaz.tables.table import Role, Table
from antifaz.watch import unwatched
from formats.core.raw import RawColumn
from formats.writing import render_table
from verifier import Artifact, verify

HIV = ("HIV", "HIV ", "hiv", "H\u200bIV", "HIV\u00a0", "\uff28\uff29\uff36")
VALUES = (*HIV, "flu", "Flu", "7", "07", "7.0", "2020-01-31 10:00", "2020-01-31T10:00:00Z", "", "\u00a0", "=1", "cold")
GUARANTEES: tuple[dict[str, Any], ...] = (
    {"model": "l_diversity", "variant": "distinct", "l": 2},
    {"model": "l_diversity", "variant": "entropy", "l": 2},
    {"model": "l_diversity", "variant": "recursive", "l": 2, "c": 2.0},
    {"model": "alpha_k", "alpha": 0.7, "k": 2},
    {"model": "t_closeness", "t": 0.4, "distance": "equal"},
    {"model": "t_closeness", "t": 0.3, "distance": "ordered"},
    {"model": "t_closeness", "t": 0.4, "distance": "hierarchical"},
    {"model": "beta_likeness", "beta": 1.5},
    {"model": "beta_likeness", "beta": 1.5, "variant": "enhanced"},
)
ROWS = [[value, "odd" if number % 2 else "even", "*"] for number, value in enumerate(VALUES) if value]


def column(name: str, cells: list[str]) -> RawColumn:
    texts, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
    return RawColumn(name, codes.astype(np.int32), texts)


def policy_of(guarantee: dict[str, Any], method: dict[str, Any]) -> dict[str, Any]:
    sensitive: dict[str, Any] = {"role": "sensitive", "type": "text"}
    if guarantee.get("distance") == "hierarchical":
        sensitive["hierarchy"] = {"kind": "levels", "rows": ROWS}
    return {
        "kind": "table",
        "attributes": {"age": {"role": "quasi_identifier"}, "illness": sensitive},
        "guarantees": [{**guarantee, "attribute": "illness"}],
        "method": method,
        "waivers": [{"rule": "free_text", "reason": "few invented rows may all have values of their own"}],
    }


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda each: "-".join(map(str, each.values())))
@pytest.mark.parametrize("method", [{"name": "mondrian"}, {"name": "suppress"}], ids=lambda each: str(each["name"]))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(20, 26), st.sampled_from(VALUES)), min_size=4, max_size=24))
def test_what_the_engine_makes_of_spellings_the_verifier_grants(
    guarantee: dict[str, Any], method: dict[str, Any], rows: list[tuple[int, str]]
) -> None:
    policy = parse_policy(policy_of(guarantee, method))
    cells = [column("age", [str(age) for age, _ in rows]), column("illness", [value for _, value in rows])]
    try:
        checked = check(Dataset(tuple(cells), len(rows)), policy)
        released = protect(checked, policy, np.random.default_rng(1)).table
    except Infeasible:
        return
    assert released is not None
    artifacts = [Artifact(form, "table", b"".join(render_table(released.columns, form))) for form in ("csv", "jsonl")]
    found = verify(policy.canonical(), artifacts).findings[0]
    assert found.holds, found


def six_spellings(table_of: Any, **more: Any) -> Table:
    values = [*HIV, "flu", "cold", "ulcer", "fever", "colic", "cough"]
    return table_of({"town": ["Vic"] * 6 + ["Olot"] * 6, "s": values}, {"s": "sensitive"}, **more)


def test_six_spellings_of_one_value_have_no_diversity(table_of):
    table = table_of({"a": ["1"] * 6, "s": list(HIV)}, {"s": "sensitive"})
    with pytest.raises(Infeasible) as caught:
        LDiversity(l=2, attribute="s").admit(table)
    assert caught.value.reasons[0].measured == 1


def test_classes_of_spellings_are_homogeneous(table_of):
    table = six_spellings(table_of)
    assert Homogeneity().before(table)["value"] == 0.5
    released = release_changed(table, {}, None, {})
    assert Homogeneity().after(released)["value"] == 0.5
    attack = HomogeneityAttack().attempt(table, released, np.random.default_rng(1), unwatched)
    assert attack["certain"] == 0.5


def test_a_release_keeps_the_spelling(table_of):
    released = release_changed(six_spellings(table_of), {}, None, {})
    assert set(HIV) <= set(released.column("s").labels)


def test_a_hierarchy_is_cut_to_the_first_spelling_of_each_value(table_of):
    rows = [["HIV", "virus", "body", "*"], ["hiv", "letters", "words", "*"], ["flu", "virus", "body", "*"]]
    table = table_of({"a": ["1"] * 3, "s": ["hiv", "HIV", "flu"]}, {"s": "sensitive"}, {"s": Levels(rows=rows)})
    folded = table.attribute("s").folded
    assert folded.column.values.tolist() == ["HIV", "flu"]
    assert folded.column.codes.tolist() == [0, 0, 1]
    assert folded.generalization is not None
    assert folded.generalization.groups.tolist() == [[0, 1], [0, 0], [0, 0], [0, 0]]
    assert folded.generalization.paths()[0] == ["HIV", "virus", "body", "*"]
    assert len(TCloseness(t=0.5, distance="hierarchical", attribute="s").rules(table)) == 2


def test_numbers_and_single_spellings_are_left_as_they_are(table_of):
    table = table_of({"n": ["10", "9", ""], "s": ["a", "b", "c"]}, {"n": "sensitive", "s": "sensitive"})
    assert all(attribute.folded is attribute for attribute in table.having(Role.SENSITIVE))


def test_spellings_of_one_unit_are_one_person():
    document = {
        "kind": "table",
        "attributes": {"name": {"role": "identifier"}, "age": {"role": "quasi_identifier"}},
        "guarantees": [{"model": "k_anonymity", "k": 2}],
        "method": {"name": "mondrian"},
        "privacy_unit": "name",
    }
    names = ["Ann", "ann ", "ANN", "Bob", "", "\u200b"]
    dataset = Dataset((column("name", names), column("age", ["20"] * 6)), 6)
    units = persons(dataset, parse_policy(document))
    assert units is not None
    assert len(set(units.tolist())) == 3
    assert len(set(units[:3].tolist())) == 1
    assert units[4] == units[5]
