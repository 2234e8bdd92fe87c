"""Countries: sub-regions and regions of the world.

ISO 3166-1, 2020, and United Nations, "Standard country or area codes for statistical use (M49)", 2022;
`antifaz/hierarchies/lists/countries.py` has the codes and names.

A country generalizes to its sub-region (`Southern Europe`), its region (`Europe`) and `*`. Countries may be written as
their two-letter or three-letter code, their number, or their English short name; case and accents are ignored.

Guarantees: levels nest.
"""

from functools import cache
from typing import Literal

from antifaz.hierarchies.levels import fold
from antifaz.hierarchies.listed import Listed
from antifaz.hierarchies.lists.countries import COUNTRIES, REGIONS


class Countries(Listed):
    """Generalize countries to the sub-regions and regions of the United Nations."""

    kind: Literal["countries"] = "countries"

    def place(self, text: str) -> tuple[str, ...] | None:
        """The sub-region and the region of a country."""
        region = _known().get(_number(text) or fold(text))
        return None if region is None else REGIONS[region]

    def height(self) -> int:
        return 2

    def described(self) -> str:
        return "codes or English short names of countries in ISO 3166"


@cache
def _known() -> dict[str, str]:
    """The region of every country, by each of its spellings."""
    return {
        fold(spelling): region
        for region, two, three, number, names in COUNTRIES
        for spelling in (two, three, number, *names.split(";"))
    }


def _number(text: str) -> str | None:
    """A number with the zeros that a spreadsheet may have dropped."""
    return text.zfill(3) if text.isdecimal() else None
