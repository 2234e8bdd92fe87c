"""ISCO-08: groups of occupations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.isco08 import Isco08
from antifaz.hierarchies.lists.isco08 import UNIT_GROUPS
from tests.antifaz.hierarchies.walks import nests, walk


def test_places_codes_in_their_groups():
    assert walk(Isco08(), "2221", "0110", "9629", "226", "22", "2") == [
        ["2221", "222", "22", "2", "*"],
        ["0110", "011", "01", "0", "*"],
        ["9629", "962", "96", "9", "*"],
        ["226", "226", "22", "2", "*"],
        ["22", "22", "22", "2", "*"],
        ["2", "2", "2", "2", "*"],
    ]


def test_the_list_has_as_many_groups_as_the_classification():
    assert [len({unit[:length] for unit in UNIT_GROUPS}) for length in (1, 2, 3, 4)] == [10, 43, 130, 436]


@pytest.mark.parametrize("text", ["2268", "9999", "22211", "nurse", "", "٢٢٢١"])
def test_what_is_no_code_is_an_error_or_is_hidden(text):
    assert walk(Isco08(otherwise="*"), "2221", text)[1] == [text, "*", "*", "*", "*"]
    if text:
        with pytest.raises(InvalidDataset) as caught:
            walk(Isco08(), "2221", text)
        assert text not in str(caught.value)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from(sorted(UNIT_GROUPS)), min_size=1, max_size=40, unique=True))
def test_levels_nest(codes):
    assert nests(Isco08().resolve("c", np.array(codes, dtype=object), None))
