"""Dates, amounts and missing values as people write them."""

import numpy as np
import pytest

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.auto import Auto
from antifaz.hierarchies.date import Date
from antifaz.kinds.kind import Dataset
from antifaz.kinds.records import column_types, found_dialect, reading_warnings
from antifaz.tables.reading.attributes import cast_column
from antifaz.tables.reading.dialect import DETECTED, PLAIN, ColumnDialect, DateForm, Dialect
from antifaz.tables.table import Column
from antifaz.tables.texts.value_types import ValueType
from formats.core.raw import RawColumn


def raw(name: str, cells: list[str]) -> RawColumn:
    texts, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
    return RawColumn(name, codes.astype(np.int32), texts)


def cast(cells: list[str], dialect: Dialect = DETECTED, declared: ValueType | None = None) -> Column:
    column = raw("c", cells)
    return cast_column("c", column.values, column.codes, declared, dialect)


@pytest.mark.parametrize(
    ("cells", "form", "first"),
    [
        (["31/01/2020", "02/03/2021"], "dd/mm/yyyy", "2020-01-31"),
        (["1/31/2020", "2/3/2021"], "mm/dd/yyyy", "2020-01-31"),
        (["01.02.2020"], "dd.mm.yyyy", "2020-02-01"),
        (["31-01-2020"], "dd-mm-yyyy", "2020-01-31"),
        (["2020/1/31"], "yyyy/mm/dd", "2020-01-31"),
        (["31/01/2020 00:00:00", "02/03/2021 00:00"], "dd/mm/yyyy", "2020-01-31"),
    ],
)
def test_reads_dates_as_people_write_them(cells, form, first):
    column = cast(cells)
    assert (column.type, column.form) == (ValueType.DATE, form)
    assert column.values[0] == first


def test_reads_the_times_of_day_beside_dates():
    column = cast(["31/01/2020 08:30", "01/02/2020 9:05:10"])
    assert column.type is ValueType.DATETIME
    assert list(column.values) == ["2020-01-31T08:30:00", "2020-02-01T09:05:10"]


def test_a_column_that_fits_day_first_and_month_first_stays_text():
    column = cast(["01/02/2020", "03/04/2021"])
    assert (column.type, column.form) == (ValueType.TEXT, "dd/mm/yyyy or mm/dd/yyyy")


def test_a_day_that_the_calendar_lacks_is_no_date():
    assert cast(["31/02/2020", "01/01/2020"]).type is ValueType.TEXT


def test_another_column_decides_what_one_leaves_open():
    dataset = Dataset((raw("open", ["01/02/2020", "03/04/2021"]), raw("sure", ["31/01/2020", "01/01/2020"])), 2)
    assert list(dataset.typed("open").values) == ["2020-02-01", "2021-04-03"]
    assert dataset.typed("open", ValueType.DATE).type is ValueType.DATE
    assert reading_warnings(dataset) == []


def test_a_column_that_stays_open_is_a_warning_that_says_how_to_state_it():
    dataset = Dataset((raw("birth", ["01/02/2020", "03/04/2021"]),), 2)
    (warning,) = reading_warnings(dataset)
    assert warning["column"] == "birth"
    assert '{"columns": {"birth": {"type": "date", "format": "dd/mm/yyyy"}}}' in warning["detail"]
    with pytest.raises(InvalidDataset, match="can be read as dd/mm/yyyy or mm/dd/yyyy") as caught:
        dataset.typed("birth", ValueType.DATE)
    assert caught.value.rule == "ambiguous_dates"


def test_two_digits_of_a_year_are_read_by_the_hundred_years_that_end_now():
    column = cast(["31/01/27", "31/01/26", "01/02/85"], Dialect(latest_year=2026))
    assert list(column.values) == ["1927-01-31", "1985-02-01", "2026-01-31"]
    assert cast(["31/01/27"]).type is ValueType.TEXT
    dataset = Dataset((raw("birth", ["31/01/27", "01/02/85"]),), 2, Dialect(latest_year=2026))
    assert "from 1927 to 2026" in reading_warnings(dataset)[0]["detail"]


def test_a_stated_form_is_the_one_that_is_read():
    stated = Dialect(columns={"c": ColumnDialect(ValueType.DATE, DateForm.of("mm/dd/yyyy"))})
    assert list(cast(["01/02/2020"], stated).values) == ["2020-01-02"]
    assert list(cast(["20200102"], Dialect(dates=DateForm.of("yyyymmdd")), ValueType.DATE).values) == ["2020-01-02"]
    assert DateForm.of("dd/dd/yyyy") is None


def test_a_declared_date_counts_the_cells_that_are_none():
    with pytest.raises(InvalidDataset) as caught:
        cast(["31/01/2020", "30/02/2020", "soon", "30/02/2020"], declared=ValueType.DATE)
    assert (caught.value.rule, caught.value.row, caught.value.count) == ("type_mismatch", 2, 3)


@pytest.mark.parametrize(
    ("cells", "decimal", "form", "values"),
    [
        (["1.234,56", "12,5", "7"], ",", "1.234,56", ["7", "12.5", "1234.56"]),
        (["1,234.56", "12.5"], ".", "1,234.56", ["12.5", "1234.56"]),
        (["1 234,56", "12,5"], ",", "1 234,56", ["12.5", "1234.56"]),
        (["1\u202f234,56", "12,5"], ",", "1 234,56", ["12.5", "1234.56"]),
        (["1'234.56", "-1'234'567.8"], ".", "1'234.56", ["-1234567.8", "1234.56"]),
        (["1.234", "7"], ",", "1.234,56", ["7", "1234"]),
    ],
)
def test_reads_amounts_with_marks_between_thousands(cells, decimal, form, values):
    column = cast(cells, Dialect(decimal=decimal))
    assert (column.form, list(column.values)) == (form, values)


def test_a_point_is_no_mark_between_thousands_unless_the_decimals_have_commas():
    assert list(cast(["1.234", "7.5"]).values) == ["1.234", "7.5"]


def test_numbers_in_groups_that_all_have_one_length_are_codes():
    assert cast(["612 345 678", "699 999 999"]).type is ValueType.TEXT


def test_marks_of_missing_cells_are_missing():
    assert list(cast(["N/A", "yes", "no"]).values) == ["", "no", "yes"]
    column = cast(["-", "1", "NA"])
    assert (column.type, list(column.values), column.marks) == (ValueType.INTEGER, ["", "1"], {"-", "NA"})


def test_what_is_often_a_mark_stays_a_value_among_texts():
    assert list(cast(["NA", "ES"]).values) == ["ES", "NA"]
    assert list(cast(["none", "severe"]).values) == ["none", "severe"]


def test_stated_marks_are_the_only_ones():
    dialect = Dialect(missing=frozenset({"unknown"}))
    assert list(cast(["unknown", "N/A", "x"], dialect).values) == ["", "N/A", "x"]
    assert list(cast(["unknown", "1"], dialect).values) == ["", "1"]


def test_a_column_that_is_declared_as_text_is_read_to_the_letter():
    assert list(cast([" 01/02/2020", "N/A"], declared=ValueType.TEXT).values) == [" 01/02/2020", "N/A"]


def test_the_plain_dialect_detects_nothing():
    assert cast(["31/01/2020"], PLAIN).type is ValueType.TEXT
    assert list(cast(["N/A"], PLAIN).values) == ["N/A"]


def test_integers_that_64_bits_cannot_hold_are_named_as_such():
    with pytest.raises(InvalidDataset, match="more than 18 digits"):
        cast(["12345678901234567890"], declared=ValueType.INTEGER)


def test_hierarchies_of_dates_drop_the_day_then_the_month_then_digits_of_the_year():
    column = cast(["31/01/1984", "02/03/1985"])
    paths = Date().resolve("c", column.values, column.numbers).paths()
    assert paths[0] == ["1984-01-31", "1984-01", "1984", "1980s", "*"]
    walked = Auto().resolve("c", column.values, column.numbers).paths()
    assert walked[0] == ["1984-01-31", "1984-01", "1984", "1980", "1900", "1000", "0"]


def test_a_profile_has_types_forms_and_bands_and_no_value():
    dataset = Dataset((raw("cost", ["1.234,5", "N/A", "7,5"]), raw("day", ["31/01/2020", "", ""])), 3, Dialect(","))
    assert column_types(dataset) == [
        {"name": "cost", "type": "decimal", "form": "1.234,56", "distinct": "1-9", "missing": "1-9"},
        {"name": "day", "type": "date", "form": "dd/mm/yyyy", "distinct": "1-9", "missing": "1-9"},
    ]
    found = {"decimal": ",", "thousands": ".", "dates": "dd/mm/yyyy", "missing": ["", "N/A"]}
    assert found_dialect(dataset) == found
