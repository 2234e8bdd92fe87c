"""Sizes: a table that no spreadsheet could open is refused before any work is done."""

import numpy as np
import pytest

from antifaz.errors import InvalidDataset
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check
from formats.core.raw import RawColumn
from formats.tables.xlsx import XLSX
from publication.kinds import PUBLISHERS

ROWS, LETTERS = 1_048_575, 32_767


def refuse(formats: list[str], rows: int = 4, note: int = 1, name: int = 1) -> None:
    """A table with a note and a name of these lengths, for these formats."""
    columns = {"age": ["30"], "note": ["n" * note], "name": ["p" * name]}
    codes = np.zeros(rows, dtype=np.int32)
    raw = tuple(RawColumn(each, codes, np.array(cells, dtype=object)) for each, cells in columns.items())
    attributes = {
        "age": {"role": "quasi_identifier"},
        "note": {"role": "insensitive"},
        "name": {"role": "identifier"},
    }
    document = {
        "kind": "table",
        "attributes": attributes,
        "guarantees": [{"model": "k_anonymity", "k": 2}],
        "method": {"name": "mondrian"},
        "formats": formats,
    }
    policy = parse_policy(document)
    PUBLISHERS["table"].refuse_large(policy, check(Dataset(raw, rows), policy))


def test_the_limits_are_those_of_workbooks() -> None:
    assert (XLSX.most_rows, XLSX.longest_cell) == (ROWS, LETTERS)


@pytest.mark.parametrize(("rows", "note"), [(ROWS, 1), (4, LETTERS)])
def test_a_table_that_just_fits_a_workbook_passes(rows: int, note: int) -> None:
    refuse(["csv", "xlsx"], rows, note)


def test_one_row_too_many_for_a_workbook_is_refused() -> None:
    with pytest.raises(InvalidDataset, match="at most 1,048,575 rows below its header; leave xlsx out") as caught:
        refuse(["csv", "xlsx"], ROWS + 1)
    assert caught.value.rule == "format"
    assert not caught.value.shred


def test_one_character_too_many_for_a_cell_is_refused_with_its_column() -> None:
    with pytest.raises(InvalidDataset, match="at most 32,767 characters; leave xlsx out") as caught:
        refuse(["xlsx"], note=LETTERS + 1)
    assert (caught.value.rule, caught.value.column) == ("format", "note")


def test_identifiers_may_be_longer_because_they_are_not_released() -> None:
    refuse(["xlsx"], name=LETTERS + 1)


def test_other_formats_have_no_limit() -> None:
    refuse(["csv", "parquet", "jsonl"], ROWS + 1, LETTERS + 1)
