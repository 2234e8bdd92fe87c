from dataclasses import replace

import numpy as np

from antifaz.tables.table import ReleasedColumn, Role
from antifaz.tables.texts.value_types import ValueType
from publication.dictionary import describe_columns


def column(labels: list[str], type_: ValueType, codes: list[int]) -> ReleasedColumn:
    return ReleasedColumn(
        "age_min",
        "age",
        Role.QUASI_IDENTIFIER,
        type_,
        np.array(codes, np.int32),
        np.array(labels, object),
        "lower bound",
    )


def test_says_what_a_column_is_and_how_to_read_it():
    assert describe_columns([column(["1", "2"], ValueType.INTEGER, [0, 1])]) == [
        {
            "name": "age_min",
            "source": "age",
            "type": "integer",
            "role": "quasi_identifier",
            "meaning": "lower bound",
            "formula_guard": False,
        }
    ]


def test_says_whether_csv_has_apostrophes_that_the_labels_do_not():
    assert describe_columns([column(["=x", "y"], ValueType.TEXT, [0, 1])])[0]["formula_guard"] is True
    assert describe_columns([column(["=x", "y"], ValueType.TEXT, [1, 1])])[0]["formula_guard"] is False
    assert describe_columns([column(["-5"], ValueType.INTEGER, [0])])[0]["formula_guard"] is False


def test_says_that_csv_has_an_apostrophe_before_the_columns_name():
    plain = column(["x"], ValueType.TEXT, [0])
    assert describe_columns([replace(plain, name="＝x"), plain])[0]["formula_guard"] is True
    assert describe_columns([replace(plain, name="＝x"), plain])[1]["formula_guard"] is False
