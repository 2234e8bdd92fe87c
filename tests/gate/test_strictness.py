"""G3 to G6: the verifier is independent, reads labels literally, and accepts nothing less than the promise."""

import ast
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifier.conftest import table_artifact
from verifier import Artifact, Verdict, verify

ROOT = Path(__file__).resolve().parents[2]


def policy(k: int | None = None, diversity: int | None = None, names: str = "q", **more: Any) -> dict[str, Any]:
    guarantees: list[dict[str, Any]] = [{"model": "k_anonymity", "k": k}] if k else []
    if diversity:
        guarantees.append({"model": "l_diversity", "variant": "distinct", "l": diversity, "attribute": "s"})
    attributes = {name: {"role": "quasi_identifier"} for name in names} | {"s": {"role": "sensitive"}}
    return {"kind": "table", "attributes": attributes, "guarantees": guarantees, **more}


def judged(rows: list[list[str]], asked: dict[str, Any], **more: Any) -> Verdict:
    return verify(asked, [table_artifact("csv", list(asked["attributes"]), rows)], **more)


# G3


def test_a_contract_forbids_the_verifier_to_import_what_it_verifies() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (contract,) = [each for each in contracts if each.get("source_modules") == ["verifier"]]
    assert contract["type"] == "forbidden"
    assert {"antifaz", "workers", "service", "storage", "api_schemas"} <= set(contract["forbidden_modules"])


SIGNATURES = {"chain.py": {"cryptography"}}
"""Recomputing the audit trail includes its signature, which neither the standard library nor numpy can check."""


def test_the_verifier_imports_nothing_but_itself_the_standard_library_numpy_and_pyarrow() -> None:
    common = {"verifier", "numpy", "pyarrow", *sys.stdlib_module_names}
    for file in sorted((ROOT / "verifier").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert {name.split(".")[0] for name in names} <= common | SIGNATURES.get(file.name, set()), file.name


# G4


def test_a_missing_value_is_a_value_and_no_wildcard() -> None:
    """If a missing value equaled all others, this table would be 3-anonymous; it does not, so one row is unique."""
    rows = [["a", "", "s"], ["a", "1", "s"], ["a", "1", "s"], ["", "1", "s"]]
    verdict = judged(rows, policy(2, names="qr"))
    assert not verdict.holds
    assert verdict.findings[0].achieved == {"k": 1}


@pytest.mark.parametrize("odd", ["1 ", " 1", "01", "1.0", "*", "", "\u00a01", "\uff11"])
def test_labels_are_compared_as_they_are(odd: str) -> None:
    verdict = judged([["1", "a"], ["1", "b"], [odd, "a"]], policy(2))
    assert not verdict.holds
    assert verdict.findings[0].achieved == {"k": 1}


def test_five_rows_of_one_person_are_one_person() -> None:
    asked = policy(5, privacy_unit="person")
    rows = [["x", "a"]] * 5
    assert not judged(rows, asked, sealed_map={"units": [7] * 5}).holds
    assert judged(rows, asked, sealed_map={"units": [1, 2, 3, 4, 5]}).holds
    assert not judged(rows, asked).holds


# G5


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_a_release_without_rows_satisfies_nothing(form: str) -> None:
    verdict = verify(policy(2), [table_artifact(form, ["q", "s"], [])])
    assert not verdict.holds
    assert not verdict.findings[0].holds


def test_no_release_at_all_satisfies_nothing() -> None:
    assert not verify(policy(2), []).holds


def test_three_people_who_are_alike_in_nothing_do_not_pass_for_two() -> None:
    assert not judged([["1", "a"], ["2", "b"], ["3", "c"]], policy(2)).holds


# N5

SPELLINGS = {
    "spaces and case": ("HIV", "HIV ", "hiv", "H\u200bIV", "HIV\u00a0", "\uff28\uff29\uff36"),
    "numbers": ("7", "07", "007", "7.0", "+7", "70e-1"),
    "times": ("2020-01-31 10:00", "2020-01-31T10:00:00Z", "2020-01-31T12:00+02:00"),
}


@pytest.mark.parametrize("spellings", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize(
    "asked",
    [
        {"model": "l_diversity", "variant": "distinct", "l": 2},
        {"model": "l_diversity", "variant": "entropy", "l": 2},
        {"model": "l_diversity", "variant": "recursive", "l": 2, "c": 2},
        {"model": "alpha_k", "alpha": 0.9, "k": 2},
        {"model": "t_closeness", "t": 0.3, "distance": "equal"},
        {"model": "beta_likeness", "beta": 0.9},
        {"model": "beta_likeness", "beta": 0.9, "variant": "enhanced"},
    ],
    ids=lambda asked: "-".join(map(str, asked.values())),
)
@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_a_class_with_several_spellings_of_one_value_has_one_value(
    form: str, asked: dict[str, Any], spellings: tuple[str, ...]
) -> None:
    """One class has every spelling of a single value; the other class has no value in common with it."""
    alone = [["x", text] for text in spellings]
    mixed = [["y", f"other {number}"] for number in range(len(spellings))]
    wanted = policy() | {"guarantees": [{**asked, "attribute": "s"}]}
    assert not verify(wanted, [table_artifact(form, ["q", "s"], alone + mixed)]).findings[0].holds


@pytest.mark.parametrize(
    "asked",
    [{"model": "t_closeness", "t": 0.3, "distance": "equal"}, {"model": "beta_likeness", "beta": 0.9}],
    ids=["t_closeness", "beta_likeness"],
)
def test_spellings_that_keep_to_their_classes_do_not_pass_for_one_distribution(asked: dict[str, Any]) -> None:
    """250.1 and 250.10 may be two diagnoses: then a class of the one differs from a class of the other."""
    rows = [["x", "250.1"]] * 5 + [["y", "250.10"]] * 5
    assert not judged(rows, policy() | {"guarantees": [{**asked, "attribute": "s"}]}).holds


def test_the_values_of_a_class_are_folded_and_its_labels_are_not() -> None:
    rows = [["x", "a"], ["x", "b"], ["x ", "A"], ["x ", "B"]]
    verdict = judged(rows, policy(4, 2))
    assert [finding.achieved for finding in verdict.findings] == [
        {"k": 2},
        {"variant": "distinct", "attribute": "s", "l": 2},
    ]
    assert [finding.holds for finding in verdict.findings] == [False, True]


def test_people_whose_names_are_spellings_of_one_are_one_person() -> None:
    asked = policy(2, privacy_unit="person")
    rows = [["x", "a"], ["x", "b"]]
    assert judged(rows, asked, sealed_map={"units": [0, 1], "unit_texts": ["ann", "bob"]}).holds
    assert not judged(rows, asked, sealed_map={"units": [0, 1], "unit_texts": ["ann", "Ann "]}).holds
    assert not judged(rows, asked, sealed_map={"units": [0, 1], "unit_texts": ["007", "7"]}).holds
    assert not judged(rows, asked, sealed_map={"units": [0, 2], "unit_texts": ["ann", "bob"]}).holds
    assert not judged(rows, asked, sealed_map={"units": [0, -1], "unit_texts": ["ann", "bob"]}).holds


# G6


def test_a_homogeneous_class_is_not_diverse_however_diverse_the_table_is() -> None:
    rows = [["x", "a"], ["x", "a"], ["y", "b"], ["y", "c"], ["y", "d"]]
    verdict = judged(rows, policy(2, 2))
    assert verdict.findings[0].holds
    assert not verdict.findings[1].holds
    assert verdict.findings[1].achieved["l"] == 1


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("abc")), min_size=1, max_size=20))
def test_the_verifier_accepts_exactly_up_to_what_brute_force_counts(rows: list[tuple[str, str]]) -> None:
    smallest = min(sum(other[0] == row[0] for other in rows) for row in rows)
    fewest = min(len({other[1] for other in rows if other[0] == row[0]}) for row in rows)
    listed = [list(row) for row in rows]
    for k in (2, smallest, smallest + 1):
        if k > 1:
            assert judged(listed, policy(k)).holds is (k <= smallest)
    assert judged(listed, policy(None, fewest)).holds
    assert not judged(listed, policy(None, fewest + 1)).holds


def test_every_single_change_of_a_tight_release_is_noticed() -> None:
    """In a table whose classes have exactly k rows, any change of a quasi-identifier is detected."""
    rows = [[label, "ab"[n]] for label in ("[20, 29]", "[30, 39]", "*") for n in range(2)]
    assert judged(rows, policy(2, 2)).holds
    for place in range(len(rows)):
        for label in {row[0] for row in rows} - {rows[place][0]}:
            changed = [*rows[:place], [label, rows[place][1]], *rows[place + 1 :]]
            assert not judged(changed, policy(2)).holds
            assert not judged(changed, policy(2, 2)).holds


def test_formats_that_disagree_are_no_release() -> None:
    first = table_artifact("csv", ["q", "s"], [["x", "a"], ["x", "b"]])
    second = table_artifact("jsonl", ["q", "s"], [["x", "a"], ["x", "c"]])
    assert verify(policy(2), [first]).holds
    assert not verify(policy(2), [first, second]).holds


def test_a_policy_with_a_larger_k_refuses_the_same_bytes() -> None:
    artifact = Artifact("csv", "table", b"q,s\n" + b"x,a\n" * 3 + b"y,b\n" * 4)
    assert [verify(policy(k), [artifact]).holds for k in (2, 3, 4, 5)] == [True, True, False, False]
