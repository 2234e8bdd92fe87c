"""NUTS: regions of Europe by prefix."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.nuts import Nuts
from tests.antifaz.hierarchies.walks import nests, walk


def test_places_codes_in_regions_and_country():
    assert walk(Nuts(), "DE212", "ES511", "FRK26", "de3", "EL30", "UK") == [
        ["DE212", "DE21", "DE2", "DE", "*"],
        ["ES511", "ES51", "ES5", "ES", "*"],
        ["FRK26", "FRK2", "FRK", "FR", "*"],
        ["de3", "DE3", "DE3", "DE", "*"],
        ["EL30", "EL30", "EL3", "EL", "*"],
        ["UK", "UK", "UK", "UK", "*"],
    ]


@pytest.mark.parametrize("text", ["GR30", "US1", "DE2123", "08001", "D"])
def test_what_is_no_code_is_an_error_or_is_hidden(text):
    with pytest.raises(InvalidDataset) as caught:
        walk(Nuts(), text)
    assert text not in str(caught.value)
    assert walk(Nuts(otherwise="*"), text) == [[text, "*", "*", "*", "*"]]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.from_regex(r"(DE|FR|ES)[0-9A-C]{0,3}", fullmatch=True), min_size=1, max_size=30, unique=True))
def test_levels_nest(codes):
    assert nests(Nuts().resolve("c", np.array(codes, dtype=object), None))
