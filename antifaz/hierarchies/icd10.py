"""ICD-10: category, block, chapter.

World Health Organization, "International Statistical Classification of Diseases and Related Health Problems", 10th
revision, edition of 2019; `antifaz/hierarchies/lists/icd10.py` has the ranges.

A code generalizes to its category (`E11`), its block (`E10-E14`), its chapter (`E00-E90`) and `*`. Codes are read with
or without their point, in upper or lower case, and with dagger and asterisk marks. A category that is in a chapter but
in no block (the clinical modification of the United States has some) shows its chapter at the level of blocks.

Guarantees: levels nest.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal

from antifaz.hierarchies.listed import Listed
from antifaz.hierarchies.lists.icd10 import BLOCKS, CHAPTERS

_CODE = re.compile(r"([A-Z][0-9][0-9A-Z])(?:\.?[0-9A-Z]{1,4})?\.?-?[*+†!]?")


class Icd10(Listed):
    """Generalize diagnosis codes to their category, block and chapter of ICD-10."""

    kind: Literal["icd10"] = "icd10"

    def place(self, text: str) -> tuple[str, ...] | None:
        """The category, the block and the chapter of a code."""
        found = _CODE.fullmatch(text.strip().upper())
        if found is None:
            return None
        category = found.group(1)
        chapter = _range_of(category, CHAPTERS)
        return None if chapter is None else (category, _range_of(category, BLOCKS) or chapter, chapter)

    def height(self) -> int:
        return 3

    def described(self) -> str:
        return "codes of ICD-10"


def _range_of(category: str, ranges: Sequence[str]) -> str | None:
    """The range that contains a category; a final letter sorts after the digits, as in the classification."""
    place = bisect_right(ranges, category + "~") - 1
    return ranges[place] if place >= 0 and category <= ranges[place][4:] else None
