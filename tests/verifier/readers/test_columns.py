"""Which columns a release must have."""

from typing import Any

import numpy as np
import pytest

from verifier.readers.cells import Cells, Column
from verifier.readers.columns import column_faults, expected_columns, pseudonym_faults, pseudonyms, quasi_identifiers

POLICY: dict[str, Any] = {
    "attributes": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi_identifier", "recoding": "bounds"},
        "zip": {"role": "quasi_identifier"},
        "disease": {"role": "sensitive", "recoding": "bounds"},
    }
}


def cells(*names: str, rows: int = 1, text: str = "x") -> Cells:
    column = Column(np.zeros(rows, np.int64), [text], "t")
    return Cells("csv", "table", names, (column,) * len(names), rows)


def test_identifiers_are_left_out_and_bounds_are_two_columns() -> None:
    assert expected_columns(POLICY) == ["age_min", "age_max", "zip", "disease"]
    assert quasi_identifiers(POLICY) == ["age_min", "age_max", "zip"]


def test_the_order_of_columns_is_free() -> None:
    assert column_faults(cells("zip", "disease", "age_max", "age_min"), POLICY) == []


def test_repeated_columns_are_a_fault() -> None:
    faults = column_faults(cells("zip", "zip", "disease", "age_max", "age_min"), POLICY)
    assert faults == ["csv table: a column name is repeated"]


def test_a_policy_that_gives_two_columns_one_name_is_a_fault() -> None:
    policy = {"attributes": {**POLICY["attributes"], "age_min": {"role": "insensitive"}}}
    faults = column_faults(cells("zip", "disease", "age_max", "age_min"), policy)
    assert faults == ["csv table: the policy gives two released columns one name"]


def test_the_name_of_an_unknown_column_is_not_repeated() -> None:
    faults = column_faults(cells("zip", "disease", "age_max", "age_min", "secret"), POLICY)
    assert faults == ["csv table: column 5 is not named by the policy"]


def test_the_original_column_beside_its_bounds_is_a_fault() -> None:
    faults = column_faults(cells("zip", "disease", "age_max", "age_min", "age"), POLICY)
    assert faults == ["csv table: column 5 is not named by the policy"]


def test_a_leading_column_must_be_there_and_come_first() -> None:
    names = ("zip", "disease", "age_max", "age_min")
    assert column_faults(cells("node", *names), POLICY, ["node"]) == []
    assert column_faults(cells(*names, "node"), POLICY, ["node"]) == ["csv table: the first column is not 'node'"]
    assert column_faults(cells(*names), POLICY, ["node"]) == ["csv table: the column 'node' is missing"]


def test_a_table_without_rows_is_a_fault() -> None:
    assert column_faults(cells("zip", rows=0), POLICY) == ["csv table: no rows"]


def test_a_cell_that_a_spreadsheet_would_run_is_a_fault() -> None:
    faults = column_faults(cells("zip", "disease", "age_max", "age_min", text="=1"), POLICY)
    assert len(faults) == 4


NAMED: dict[str, Any] = {
    "attributes": {"name": {"role": "identifier", "pseudonym": True}, "key": {"role": "identifier"}}
}
HEX = ["0" * 32, "f" * 32, "0123456789abcdef" * 2]


def pseudonymous(codes: list[int], texts: list[str], form: str = "csv") -> Cells:
    return Cells(form, "table", ("name",), (Column(np.array(codes), texts, "t" * len(texts)),), len(codes))


def test_a_pseudonym_is_a_column_and_no_quasi_identifier() -> None:
    assert expected_columns(NAMED) == ["name"]
    assert quasi_identifiers(NAMED) == []
    assert column_faults(pseudonymous([0], HEX[:1]), NAMED) == []
    assert pseudonyms(NAMED) == ["name"]


@pytest.mark.parametrize("text", ["Ana", "0" * 31, "0" * 33, "F" * 32, "g" * 32, "0" * 32 + "\n", "\u0660" * 32])
def test_a_name_among_pseudonyms_is_a_fault_that_does_not_repeat_it(text: str) -> None:
    (fault,) = pseudonym_faults(pseudonymous([0, 1], [HEX[0], text]), NAMED, None)
    assert "no pseudonym" in fault
    assert text not in fault


def test_a_missing_name_has_no_pseudonym() -> None:
    assert pseudonym_faults(pseudonymous([0, 1], ["", HEX[0]]), NAMED, {"pseudonyms": {"name": [5, 6]}}) == []


@pytest.mark.parametrize(
    ("values", "codes", "holds"),
    [
        ([1, 1, 2], [0, 0, 1], True),
        ([9, 9, 4], [1, 1, 0], True),
        ([1, 1, 2], [0, 1, 2], False),
        ([1, 2, 3], [0, 0, 1], False),
        ([1, 1, 2], [0, 1, 1], False),
        ([1, 1], [0, 0, 1], False),
        ([[1, 1, 2]], [0, 0, 1], False),
    ],
)
def test_pseudonyms_follow_values(values: list[Any], codes: list[int], holds: bool) -> None:
    faults = pseudonym_faults(pseudonymous(codes, HEX), NAMED, {"pseudonyms": {"name": values}})
    assert (faults == []) is holds


def test_a_pseudonym_of_anything_but_an_identifier_is_not_known() -> None:
    assert expected_columns({"attributes": {"name": {"role": "identifier", "pseudonym": "yes"}}}) == []
    assert pseudonyms({"attributes": {"age": {"role": "quasi_identifier", "pseudonym": True}}}) == []
