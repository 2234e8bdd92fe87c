"""Which columns a release must have."""

from typing import Any

import numpy as np

from verifier.cells import Cells, Column
from verifier.columns import column_faults, expected_columns, quasi_identifiers

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
