"""Pseudonyms: a keyed digest instead of a name, equal only for equal names."""

import hashlib
import hmac

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antifaz.tables.masking.pseudonyms import FORM, pseudonym, write_pseudonyms
from antifaz.tables.table import Attribute, Column, Role
from antifaz.tables.texts.value_types import ValueType

KEY = bytes(range(32))


def test_a_pseudonym_is_half_of_an_hmac_over_the_column_and_the_value():
    message = b"\x00\x00\x00\x04name" + "Núria".encode()
    assert pseudonym(KEY, "name", "Núria") == hmac.new(KEY, message, hashlib.sha256).hexdigest()[:32]


def test_a_missing_value_stays_missing():
    assert pseudonym(KEY, "name", "") == ""


def test_another_key_or_column_gives_another_pseudonym():
    made = {pseudonym(KEY, "name", "Ana"), pseudonym(KEY[::-1], "name", "Ana"), pseudonym(KEY, "nam", "eAna")}
    assert len(made) == 3


@given(st.lists(st.text(min_size=1), unique=True, max_size=50))
def test_different_values_have_different_pseudonyms_of_one_form(values):
    made = [pseudonym(KEY, "id", value) for value in values]
    assert len(set(made)) == len(values)
    assert all(FORM.fullmatch(text) for text in made)


def test_a_column_of_pseudonyms_follows_the_records_and_shows_no_order():
    values = np.array(["", *(f"p{number:03d}" for number in range(200))], dtype=object)
    codes = np.arange(201, dtype=np.int32)
    attribute = Attribute(Column("id", ValueType.TEXT, codes, values), Role.IDENTIFIER)
    records = np.array([5, 0, 7, 5, *range(50, 201)])
    released = write_pseudonyms(attribute, records, KEY)
    cells = released.labels[released.codes]
    assert cells[0] == cells[3] == pseudonym(KEY, "id", "p004")
    assert cells[1] == ""
    assert len(released.labels) == 154
    assert sorted(released.labels) == list(released.labels)
    assert released.role is Role.IDENTIFIER
