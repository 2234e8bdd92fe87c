"""Twenty pitfalls of table protection, each with our answer: from the policy to the bytes, judged by the verifier.

Those that concern only the reading of a release (an index, a missing value, a star) are also in the verifier's tests.
"""

import csv
import io
import json
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import Infeasible, InvalidDataset, InvalidPolicy
from antifaz.hierarchies.intervals import Intervals
from antifaz.hierarchies.levels import Levels
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from formats.core.raw import RawColumn
from formats.writing import render_table
from verifier import Artifact, Verdict, verify

K2 = {"model": "k_anonymity", "k": 2}
QUASI = {"role": "quasi_identifier"}
SENSITIVE = {"role": "sensitive"}


@dataclass(frozen=True)
class Published:
    """A release as its consumer sees it, and the verifier's result."""

    rows: list[dict[str, str]]
    verdict: Verdict
    account: dict[str, Any]

    def labels(self, *names: str) -> Counter[tuple[str, ...]]:
        return Counter(tuple(row[name] for name in names) for row in self.rows)


def publish(
    columns: dict[str, Sequence[str]], attributes: dict[str, Any], *guarantees: dict[str, Any], **method: Any
) -> Published:
    document = {
        "kind": "table",
        "attributes": attributes,
        "guarantees": list(guarantees),
        "method": {"name": "mondrian", **method},
        "waivers": [{"rule": "free_text", "reason": "a small example"}],
    }
    policy = parse_policy(document)
    rng = np.random.default_rng(11)
    protected = protect(check(dataset_of(columns), policy), policy, rng)
    assert protected.table is not None
    content = b"".join(render_table(protected.table.columns, "csv"))
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    return Published(rows, verify(document, [Artifact("csv", "table", content)]), protected.account)


def dataset_of(columns: dict[str, Sequence[str]]) -> Dataset:
    encoded = []
    for name, cells in columns.items():
        values = sorted(set(cells))
        codes = np.array([values.index(cell) for cell in cells], dtype=np.int32)
        encoded.append(RawColumn(name, codes, np.array(values, dtype=object)))
    return Dataset(tuple(encoded), len(next(iter(columns.values()))))


def judge(rows: Sequence[tuple[str, str]], **guarantee: Any) -> Any:
    """The verifier's findings for a release of one quasi-identifier and one sensitive attribute."""
    content = "q,s\n" + "".join(f"{q},{s}\n" for q, s in rows)
    document = {"kind": "table", "attributes": {"q": QUASI, "s": SENSITIVE}, "guarantees": [guarantee]}
    return verify(document, [Artifact("csv", "table", content.encode())]).findings[0]


def test_p01_a_missing_value_hides_nobody():
    release = publish({"age": ["20", "20", "21", "21", ""]}, {"age": QUASI}, K2)
    assert release.verdict.holds
    assert sum(release.labels("age").values()) == 5
    assert min(release.labels("age").values()) >= 2


def test_p02_the_order_of_rows_decides_nothing():
    rows = [("1", "a"), ("1", "a"), ("2", "b"), ("2", "c")]
    for order in ((0, 1, 2, 3), (0, 2, 1, 3), (3, 0, 2, 1)):
        shuffled = [rows[place] for place in order]
        assert judge(shuffled, model="l_diversity", l=2, attribute="s").achieved["l"] == 1
        assert judge(shuffled, model="t_closeness", t=0.1, distance="equal", attribute="s").achieved["t"] == 0.5
    ages, values = ["20", "20", "21", "21", "30", "30", "31", "31"], list("aabbaabb")
    for order in (range(8), (0, 2, 4, 6, 1, 3, 5, 7)):
        columns = {"age": [ages[place] for place in order], "s": [values[place] for place in order]}
        diverse = {"model": "l_diversity", "l": 2, "attribute": "s"}
        release = publish(columns, {"age": QUASI, "s": SENSITIVE}, K2, diverse)
        assert release.verdict.holds


@pytest.mark.parametrize("values", [2, 3, 6])
def test_p03_equal_shares_are_as_diverse_as_they_are_many(values):
    rows = [("x", f"s{value}") for value in range(values)]
    finding = judge(rows, model="l_diversity", variant="entropy", l=values, attribute="s")
    assert finding.holds
    assert finding.achieved["l"] == values


def test_p04_a_value_that_a_class_lacks_is_a_difference():
    rows = [("1", "a"), ("1", "b"), ("2", "b"), ("2", "b")]
    assert judge(rows, model="t_closeness", t=1, distance="equal", attribute="s").achieved["t"] == 0.25
    # In class 1 the rare value is twice as frequent as everywhere.
    assert judge(rows, model="beta_likeness", beta=9, attribute="s").achieved["beta"] == 1.0


def test_p05_the_threshold_of_closeness_is_the_one_of_the_policy():
    columns = {"age": ["1"] * 3 + ["2"] * 3 + ["9"] * 3 + ["8"] * 3, "s": ["a"] * 6 + ["b"] * 6}
    close = {"model": "t_closeness", "t": 0.01, "distance": "equal", "attribute": "s"}
    release = publish(columns, {"age": QUASI, "s": SENSITIVE}, {"model": "k_anonymity", "k": 3}, close)
    assert release.verdict.holds
    for label in release.labels("age"):
        values = Counter(row["s"] for row in release.rows if (row["age"],) == label)
        assert values["a"] == values["b"]
    homogeneous = [("[1, 2]", "a")] * 6 + [("[8, 9]", "b")] * 6
    assert not judge(homogeneous, model="t_closeness", t=0.01, distance="equal", attribute="s").holds


def test_p06_no_row_vanishes():
    ages = ["1", "", "3", "4", "", "6", "7", "8", "9", "10"]
    assert len(publish({"age": ages}, {"age": QUASI}, K2).rows) == 10
    columns = {"age": ["1", "1", "2", "2"], "s": ["a", "", "b", "c"]}
    release = publish(columns, {"age": QUASI, "s": SENSITIVE}, K2)
    assert len(release.rows) == 4
    assert release.account["rows_suppressed"] == 0
    assert min(release.labels("age").values()) >= 2


def test_p07_repeated_rows_are_divided_and_the_division_ends():
    for ages in (["1", "2", "3", "4", "5", "6"] * 2, ["7"] * 50):
        for cut in ("loss", "range"):
            release = publish({"age": ages}, {"age": QUASI}, K2, cut=cut)
            assert len(release.rows) == len(ages)
            assert release.verdict.holds


def test_p08_fewer_rows_than_k_are_refused_and_not_released():
    with pytest.raises(InvalidDataset) as caught:
        publish({"age": ["1", "2", "3", "4"]}, {"age": QUASI}, {"model": "k_anonymity", "k": 10})
    assert caught.value.rule == "k_above_rows"
    assert not judge([("1", "a"), ("1", "b")], model="k_anonymity", k=10).holds


def test_p09_what_is_suppressed_is_not_exempt():
    columns = {"age": ["20", "20", "30", "30"], "s": ["a", "b", "c", "c"]}
    diverse = {"model": "l_diversity", "l": 2, "attribute": "s"}
    release = publish(columns, {"age": QUASI, "s": SENSITIVE}, K2, diverse)
    assert release.verdict.holds
    # The published counterexample: the star class is homogeneous, and so it is refused.
    starred = [("20", "a"), ("20", "b"), ("*", "c"), ("*", "c")]
    assert judge(starred, model="k_anonymity", k=2).holds
    assert not judge(starred, **diverse).holds


def test_p10_no_row_number_is_released_and_the_order_is_another():
    columns = {"age": [str(value) for value in range(60)], "s": [f"s{value:02d}" for value in range(60)]}
    release = publish(columns, {"age": QUASI, "s": SENSITIVE}, K2)
    assert set(release.rows[0]) == {"age", "s"}
    assert [row["s"] for row in release.rows] != columns["s"]
    document = {"kind": "table", "attributes": {"q": QUASI}, "guarantees": []}
    assert verify(document, [Artifact("csv", "table", b"index,q\n0,a\n1,a\n")]).faults


def test_p11_a_bin_holds_its_values_and_every_value_has_one():
    values = np.array(["0", "9", "10", "20", "30", "35"], dtype=object)
    numbers = values.astype(float)
    placed = Intervals(bounds=[[0, 10, 20, 30]]).resolve("age", values, numbers)
    assert placed.labels[1][placed.groups[1]].tolist() == ["[0, 9]", "[0, 9]", "[10, 19]", "[20, 29]", ">= 30", ">= 30"]


def test_p12_decimals_keep_their_decimals():
    release = publish({"x": ["1.2", "1.4", "1.6", "1.9"]}, {"x": QUASI}, K2)
    assert release.labels("x") == {("[1.2, 1.4]",): 2, ("[1.6, 1.9]",): 2}


@pytest.mark.parametrize("stranger", ["cnry91", "", "NULL"])
def test_p13_a_value_without_a_place_is_an_error_that_names_the_column(stranger):
    tree = {"kind": "levels", "rows": [["20", "young", "*"], ["30", "old", "*"]]}
    columns = {"age": ["20", "30", "20", stranger]}
    if stranger == "":  # the missing value hangs from the root unless the policy rejects it
        assert publish(columns, {"age": {**QUASI, "type": "text", "hierarchy": tree}}, K2).verdict.holds
        columns = {"age": ["20", "30", "20", "31"]}
    with pytest.raises(InvalidDataset) as caught:
        publish(columns, {"age": {**QUASI, "type": "text", "hierarchy": tree}}, K2)
    assert caught.value.column == "age"
    assert "1 distinct value" in caught.value.detail
    assert "cnry91" not in str(caught.value)


def test_p14_two_spellings_of_one_letter_are_one_value():
    composed, decomposed = (unicodedata.normalize(form, "Málaga") for form in ("NFC", "NFD"))
    assert composed != decomposed
    release = publish({"city": [composed, decomposed]}, {"city": QUASI}, K2)
    assert release.labels("city") == {(composed,): 2}


def test_p15_labels_can_be_read_back():
    cities = ["a,b", "c", "a", "b,c"]
    release = publish({"city": cities}, {"city": QUASI}, {"model": "k_anonymity", "k": 4})
    assert json.loads(release.rows[0]["city"]) == sorted(cities)
    release = publish({"x": ["-5", "-3", "-4", "-5"]}, {"x": QUASI}, {"model": "k_anonymity", "k": 4})
    assert json.loads(release.rows[0]["x"]) == [-5, -3]


@pytest.mark.parametrize("cut", ["loss", "range"])
def test_p16_labels_are_as_narrow_as_their_members(cut):
    rng = np.random.default_rng(2)
    ages, towns = rng.integers(0, 90, 80), rng.integers(0, 9, 80)
    columns = {"age": ages.astype(str), "town": [f"t{t}" for t in towns], "s": [f"s{place:02d}" for place in range(80)]}
    attributes = {"age": QUASI, "town": QUASI, "s": {"role": "insensitive"}}
    release = publish(columns, attributes, {"model": "k_anonymity", "k": 4}, cut=cut)
    for age, town in release.labels("age", "town"):
        members = [int(row["s"][1:]) for row in release.rows if (row["age"], row["town"]) == (age, town)]
        ends = [ages[members].min(), ages[members].max()]
        assert json.loads(age) == (ends if ends[0] < ends[1] else ends[0])
        own = sorted({f"t{t}" for t in towns[members]})
        assert town == own[0] if len(own) == 1 else json.loads(town) == own


def test_p17_a_suppressed_row_is_a_class_and_counted_apart():
    assert judge([("20", "a"), ("20", "b"), ("*", "c")], model="k_anonymity", k=2).achieved == {"k": 1}
    attributes = {"age": {**QUASI, "missing": "suppress_row"}}
    release = publish({"age": ["20", "20", "21", "21", ""]}, attributes, K2)
    assert "*" not in {row["age"] for row in release.rows}
    assert release.account["rows_suppressed"] == 1
    assert release.verdict.findings[0].achieved == {"k": 2}


def test_p18_constant_missing_and_no_values_crash_nothing():
    for distance in ("equal", "ordered"):
        close = {"model": "t_closeness", "t": 0.1, "distance": distance, "attribute": "s"}
        for cells in (["7"] * 4, ["", "", "7", "7"], ["", "", "", ""]):
            columns = {"age": ["1", "9", "1", "9"], "s": cells}
            assert publish(columns, {"age": QUASI, "s": SENSITIVE}, K2, close).verdict.holds
    with pytest.raises(InvalidDataset) as caught:
        publish({"age": []}, {"age": QUASI}, K2)
    assert caught.value.rule == "empty"


def test_p19_the_policy_says_whether_codes_are_ordered():
    rows = [("x", "1"), ("x", "2"), ("y", "3"), ("y", "4")]
    ordered = judge(rows, model="t_closeness", t=1, distance="ordered", attribute="s")
    equal = judge(rows, model="t_closeness", t=1, distance="equal", attribute="s")
    assert ordered.achieved["t"] == pytest.approx(1 / 3, abs=1e-6)
    assert equal.achieved["t"] == 0.5
    with pytest.raises(InvalidPolicy) as caught:
        publish(
            {"q": ["1"], "s": ["1"]},
            {"q": QUASI, "s": SENSITIVE},
            {"model": "t_closeness", "t": 0.2, "attribute": "s"},
        )
    assert caught.value.pointer == "/guarantees/0/distance"


def test_p20_a_faulty_hierarchy_is_refused_by_row_and_never_changed():
    rows = [["20", "x", "p"], ["21", "x", "p"]]
    before = json.dumps(rows)
    Levels(rows=rows)
    assert json.dumps(rows) == before
    with pytest.raises(ValidationError, match="row 2 has 2 entries"):
        Levels(rows=[["20", "x", "p"], ["21", "x"]])
    with pytest.raises(ValidationError, match="row 2: the label at level 1 has another parent"):
        Levels(rows=[["20", "x", "p"], ["21", "x", "q"]])


def test_what_no_release_can_give_is_an_answer_and_not_an_empty_table():
    diverse = {"model": "l_diversity", "l": 3, "attribute": "s"}
    with pytest.raises(Infeasible) as caught:
        publish({"age": ["1", "2", "3"], "s": ["a", "a", "b"]}, {"age": QUASI, "s": SENSITIVE}, diverse)
    assert caught.value.nearest == {"l": 2}
