"""ISCO-08: unit, minor, sub-major and major groups of occupations.

International Labour Organization, "International Standard Classification of Occupations: ISCO-08", 2012;
`antifaz/hierarchies/lists/isco08.py` has the codes.

The four-digit code of an occupation generalizes to its minor group (three digits), its sub-major group (two), its major
group (one) and `*`. A column may also have codes of groups: they stay unchanged up to their own level.

Guarantees: levels nest.
"""

from functools import cache
from typing import Literal

from antifaz.hierarchies.listed import Listed
from antifaz.hierarchies.lists.isco08 import UNIT_GROUPS


class Isco08(Listed):
    """Generalize occupation codes to the minor, sub-major and major groups of ISCO-08."""

    kind: Literal["isco08"] = "isco08"

    def place(self, text: str) -> tuple[str, ...] | None:
        """The groups of a code."""
        return (text[:3], text[:2], text[:1]) if text in _groups() else None

    def height(self) -> int:
        return 3

    def described(self) -> str:
        return "codes of ISCO-08"


@cache
def _groups() -> frozenset[str]:
    """The codes of all groups: every prefix of a unit group's code."""
    return frozenset(unit[:length] for unit in UNIT_GROUPS for length in range(1, 5))
