"""Postal codes: prefixes that name an area."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.lists.postal_codes import FORMS
from antifaz.hierarchies.postal_codes import PostalCodes
from tests.antifaz.hierarchies.walks import nests, walk


@pytest.mark.parametrize(
    ("country", "code", "labels"),
    [
        ("ES", "08001", ["080*", "08*"]),
        ("ES", "8001", ["080*", "08*"]),
        ("ES", "ES-08001", ["080*", "08*"]),
        ("DE", "80331", ["803*", "80*", "8*"]),
        ("FR", "75011", ["750*", "75*"]),
        ("US", "02139-4307", ["021*", "0*"]),
        ("US", "501", ["005*", "0*"]),
        ("GB", "SW1A 1AA", ["SW1A*", "SW*"]),
        ("GB", "m11ae", ["M1*", "M*"]),
        ("NL", "1012 AB", ["1012*", "10*", "1*"]),
        ("CA", "K1A 0B1", ["K1A*", "K*"]),
        ("PT", "1000-205", ["1000*", "10*", "1*"]),
        ("BR", "01310-100", ["01310*", "013*", "0*"]),
        ("CH", "CH-8001", ["80*", "8*"]),
        ("PL", "00-950", ["009*", "00*", "0*"]),
        ("AD", "AD500", ["AD50*", "AD*"]),
    ],
)
def test_places_codes_in_the_areas_of_their_country(country, code, labels):
    assert walk(PostalCodes(country=country), code) == [[code, *labels, "*"]]


def test_codes_of_another_form_are_an_error_or_are_hidden():
    for text in ("1234567", "ABCDE", "SW1A 1AA", "123"):
        with pytest.raises(InvalidDataset) as caught:
            walk(PostalCodes(country="NL"), text)
        assert "postal codes of NL" in str(caught.value)
        assert text not in str(caught.value)
        assert walk(PostalCodes(country="NL", otherwise="*"), text) == [[text, "*", "*", "*", "*"]]


def test_an_unknown_country_is_refused_and_mask_is_named():
    with pytest.raises(ValidationError, match="mask"):
        PostalCodes(country="XX")


def test_prefixes_become_shorter_and_are_shorter_than_the_code():
    for country, (form, lengths) in FORMS.items():
        assert re.fullmatch("[9A]+", form), country
        assert len(form) > lengths[0], country
        assert list(lengths) == sorted(set(lengths), reverse=True), country


@settings(deadline=None, max_examples=30)
@given(st.lists(st.from_regex(r"[0-9]{5}", fullmatch=True), min_size=1, max_size=40, unique=True))
def test_levels_nest(codes):
    assert nests(PostalCodes(country="DE").resolve("c", np.array(codes, dtype=object), None))
