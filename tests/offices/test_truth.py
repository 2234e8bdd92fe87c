"""The truth about each file fits the file, and the files stay as they are."""

import csv
import hashlib
import io

import pytest

from tests.offices.files import offices
from tests.offices.measuring import key_of
from tests.offices.office import Office

FROZEN = "2a60fb2e89b9012404ccafbf27ea30b8d51768fdeda8902e46de04b5e6725c09"
"""Digest of what the files say. Whoever changes the proposal must not change the files to suit it."""
EACH = pytest.mark.parametrize("office", offices(), ids=lambda office: office.file_name)


def test_there_are_twenty_files_of_at_least_twelve_countries() -> None:
    made = offices()
    assert len({office.file_name for office in made}) == 20
    assert len({office.country for office in made}) >= 12
    assert len({office.language for office in made}) >= 12


def test_the_files_are_those_that_were_agreed_on() -> None:
    said = [(office.file_name, office.encoding, office.header, office.rows) for office in offices()]
    assert hashlib.sha256(repr(said).encode()).hexdigest() == FROZEN


def test_the_bytes_are_the_same_in_every_run() -> None:
    assert [office.content for office in offices()] == [office.content for office in offices()]


@EACH
def test_every_column_is_judged_once(office: Office) -> None:
    truth = office.truth
    assert sorted([*truth.identifying, *truth.known, *truth.sensitive, *truth.harmless]) == sorted(office.header)
    assert set(truth.texts) <= set(truth.identifying)


@EACH
def test_people_with_several_rows_have_a_column(office: Office) -> None:
    """Ids of people who have one row each are all different, except where numbers begin again."""
    truth = office.truth
    if truth.unit is None:
        return
    assert truth.unit in truth.identifying
    place = office.header.index(truth.unit)
    ids = [row[place] for at, row in enumerate(office.rows) if at not in truth.totals]
    assert 50 < len(set(ids)) < len(ids)


@EACH
def test_pairs_of_people_are_of_one_kind(office: Office) -> None:
    """The two ends of an edge are columns with the same values; no table has a second column of its ids."""
    unit = office.truth.unit
    if unit is None:
        return
    columns = dict(zip(office.header, map(set, zip(*office.rows, strict=True)), strict=True))
    shared = [name for name, ids in columns.items() if name != unit and len(ids & columns[unit]) > len(ids) / 2]
    assert bool(shared) == (office.truth.shape != "table")


@EACH
def test_totals_are_no_people(office: Office) -> None:
    assert all(sum(cell == "" for cell in office.rows[place]) > len(office.header) / 3 for place in office.truth.totals)


@EACH
def test_missing_codes_and_planted_names_are_in_the_file(office: Office) -> None:
    cells = {key_of(cell) for row in office.rows for cell in row}
    assert {key_of(code) for code in office.truth.missing} <= cells
    whole = "\n".join(cell for row in office.rows for cell in row)
    assert not office.truth.named or sum(name in whole for name in office.truth.named) > len(office.truth.named) / 2


@EACH
def test_the_content_has_the_header_and_the_rows(office: Office) -> None:
    if not office.encoding:
        assert office.content.startswith(b"PK")
        return
    text = office.content.decode(office.encoding)
    delimiter = max(",;\t", key=text.count)
    read = [tuple(row[: len(office.header)]) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)]
    assert read[-len(office.rows) :] == list(office.rows)
    assert read[-len(office.rows) - 1] == office.header
