"""l-Diversity: its variants, and when it refuses immediately."""

import pytest
from pydantic import ValidationError

from antifaz.errors import Infeasible, InvalidPolicy
from antifaz.tables.guarantees.l_diversity import LDiversity


def table_with(table_of, values):
    return table_of({"a": ["1"] * len(values), "s": values}, {"s": "sensitive"})


def test_c_goes_with_recursive_alone():
    LDiversity(variant="recursive", l=2, c=3, attribute="s")
    for wrong in ({"variant": "recursive"}, {"variant": "distinct", "c": 2.0}):
        with pytest.raises(ValidationError):
            LDiversity(l=2, attribute="s", **wrong)


def test_l_is_at_least_two():
    with pytest.raises(ValidationError):
        LDiversity(l=1, attribute="s")


@pytest.mark.parametrize("attribute", ["a", "nowhere"])
def test_the_attribute_must_be_sensitive(table_of, attribute):
    with pytest.raises(InvalidPolicy) as caught:
        LDiversity(l=2, attribute=attribute).admit(table_with(table_of, ["x", "y"]))
    assert caught.value.pointer == "/attribute"


def test_names_the_nearest_l_where_the_whole_table_falls_short(table_of):
    with pytest.raises(Infeasible) as caught:
        LDiversity(l=5, attribute="s").admit(table_with(table_of, ["x", "y", "z"]))
    assert caught.value.nearest == {"l": 3}
    assert caught.value.reasons[0].measured == 3


@pytest.mark.parametrize("values", ["xy", "xyz", "uvwxyz"])
def test_equal_shares_reach_their_number_by_entropy(table_of, values):
    table = table_with(table_of, list(values))
    LDiversity(variant="entropy", l=len(values), attribute="s").admit(table)
    with pytest.raises(Infeasible):
        LDiversity(variant="entropy", l=len(values) + 1, attribute="s").admit(table)


def test_recursive_compares_the_most_frequent_with_the_tail(table_of):
    table = table_with(table_of, ["x"] * 5 + ["y"] * 2 + ["z"])
    LDiversity(variant="recursive", l=2, c=2.0, attribute="s").admit(table)  # 5 < 2 * (2 + 1)
    with pytest.raises(Infeasible):
        LDiversity(variant="recursive", l=3, c=2.0, attribute="s").admit(table)  # 5 < 2 * 1 is false


def test_says_no_value_in_its_refusal(table_of):
    with pytest.raises(Infeasible) as caught:
        LDiversity(l=3, attribute="s").admit(table_with(table_of, ["cnry1", "cnry2"]))
    assert "cnry" not in str(caught.value) + "".join(reason.detail for reason in caught.value.reasons)
