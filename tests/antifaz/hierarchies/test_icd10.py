"""ICD-10: categories, blocks and chapters, checked by hand against the classification."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.icd10 import Icd10
from antifaz.hierarchies.lists.icd10 import BLOCKS, CHAPTERS
from tests.antifaz.hierarchies.walks import nests, walk


def test_places_codes_in_category_block_and_chapter():
    assert walk(Icd10(), "E11.9", "E119", "e11", "A09", "C50.9", "U07.1", "X59", "Y09", "S72.001A", "Z00") == [
        ["E11.9", "E11", "E10-E14", "E00-E90", "*"],
        ["E119", "E11", "E10-E14", "E00-E90", "*"],
        ["e11", "E11", "E10-E14", "E00-E90", "*"],
        ["A09", "A09", "A00-A09", "A00-B99", "*"],
        ["C50.9", "C50", "C50-C50", "C00-D49", "*"],
        ["U07.1", "U07", "U00-U49", "U00-U99", "*"],
        ["X59", "X59", "X58-X59", "V00-Y99", "*"],
        ["Y09", "Y09", "X85-Y09", "V00-Y99", "*"],
        ["S72.001A", "S72", "S70-S79", "S00-T98", "*"],
        ["Z00", "Z00", "Z00-Z13", "Z00-Z99", "*"],
    ]


def test_borders_of_chapters_that_share_a_letter():
    chapters = [path[3] for path in walk(Icd10(), "D48", "D50", "H59", "H60", "B99", "C00")]
    assert chapters == ["C00-D49", "D50-D89", "H00-H59", "H60-H95", "A00-B99", "C00-D49"]


def test_a_category_outside_the_blocks_shows_its_chapter():
    assert [path[1:4] for path in walk(Icd10(), "C4A.0", "E08.9", "O9A.1", "D49", "A10")] == [
        ["C4A", "C00-D49", "C00-D49"],
        ["E08", "E00-E90", "E00-E90"],
        ["O9A", "O00-O9A", "O00-O9A"],
        ["D49", "C00-D49", "C00-D49"],
        ["A10", "A00-B99", "A00-B99"],
    ]


def test_marks_of_dagger_and_asterisk_do_not_matter():
    assert {path[2] for path in walk(Icd10(), "A17.0†", "A17.0+", "A17")} == {"A15-A19"}
    assert walk(Icd10(), "G01*")[0][2] == "G00-G09"


def test_the_list_is_whole():
    assert (len(CHAPTERS), len(BLOCKS)) == (22, 263)
    assert list(BLOCKS) == sorted(BLOCKS)
    assert all(one[4:] < other[:3] for one, other in pairwise(BLOCKS))
    for block in BLOCKS:
        assert any(chapter[:3] <= block[:3] and block[4:] <= chapter[4:] for chapter in CHAPTERS), block


@pytest.mark.parametrize("text", ["flu", "E1", "11.9", "E91", "T99", "É11", "E11.12345", "E11 E12"])
def test_what_is_no_code_is_an_error_or_is_hidden(text):
    with pytest.raises(InvalidDataset) as caught:
        walk(Icd10(), "E11", text)
    assert (caught.value.column, caught.value.count, list(caught.value.unplaced)) == ("c", 1, [1])
    assert text not in str(caught.value)
    assert walk(Icd10(otherwise="*"), "E11", text)[1] == [text, "*", "*", "*", "*"]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.from_regex(r"[A-Z][0-9]{2}(\.[0-9])?", fullmatch=True), min_size=1, max_size=30, unique=True))
def test_levels_nest(codes):
    assert nests(Icd10(otherwise="*").resolve("c", np.array(codes, dtype=object), None))
