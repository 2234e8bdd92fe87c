"""Countries: codes and names of ISO 3166, regions of the United Nations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.countries import Countries
from antifaz.hierarchies.lists.countries import COUNTRIES, REGIONS
from tests.antifaz.hierarchies.walks import nests, walk

SPELLINGS = sorted({text for _, two, three, number, names in COUNTRIES for text in (two, three, number, names)})


def test_places_countries_however_they_are_written():
    assert walk(
        Countries(), "ES", "ESP", "724", "Spain", "SPAIN", "es", "4", "Cote d'ivoire", "Turkey", "Viet Nam"
    ) == [
        ["ES", "Southern Europe", "Europe", "*"],
        ["ESP", "Southern Europe", "Europe", "*"],
        ["724", "Southern Europe", "Europe", "*"],
        ["Spain", "Southern Europe", "Europe", "*"],
        ["SPAIN", "Southern Europe", "Europe", "*"],
        ["es", "Southern Europe", "Europe", "*"],
        ["4", "Southern Asia", "Asia", "*"],
        ["Cote d'ivoire", "Western Africa", "Africa", "*"],
        ["Turkey", "Western Asia", "Asia", "*"],
        ["Viet Nam", "South-eastern Asia", "Asia", "*"],
    ]


def test_the_list_has_all_countries_once_and_every_region():
    assert len(COUNTRIES) == 249
    for place in (1, 2, 3):
        assert len({country[place] for country in COUNTRIES}) == 249
    assert {country[0] for country in COUNTRIES} == set(REGIONS)
    assert len({region for _, region in REGIONS.values()}) == 6


def test_no_spelling_stands_for_countries_of_two_regions():
    seen: dict[str, str] = {}
    for region, *codes, names in COUNTRIES:
        for text in (*codes, *names.split(";")):
            assert seen.setdefault(text.casefold(), region) == region, text


@pytest.mark.parametrize("text", ["España", "XX", "999", "Europe", "Atlantis"])
def test_what_is_no_country_is_an_error_or_is_hidden(text):
    with pytest.raises(InvalidDataset) as caught:
        walk(Countries(), text)
    assert text not in str(caught.value)
    assert walk(Countries(otherwise="*"), text) == [[text, "*", "*", "*"]]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from(SPELLINGS), min_size=1, max_size=40, unique=True))
def test_levels_nest(countries):
    assert nests(Countries(otherwise="*").resolve("c", np.array(countries, dtype=object), None))
