"""NUTS: small regions, basic regions, major regions, countries.

Eurostat, "Nomenclature of territorial units for statistics", 2024; `antifaz/hierarchies/lists/nuts.py` has the
countries.

The code of a small region (NUTS 3, `DE212`) generalizes to its basic region (NUTS 2, `DE21`), its major region (NUTS 1,
`DE2`), its country (`DE`) and `*`. A column may also have codes of larger regions: they stay unchanged up to their own
level. Only the form and the country of codes are checked, since regions change with every edition.

Guarantees: levels nest.
"""

import re
from typing import Literal

from antifaz.hierarchies.listed import Listed
from antifaz.hierarchies.lists.nuts import COUNTRIES

_CODE = re.compile(r"[A-Z]{2}[0-9A-Z]{0,3}")


class Nuts(Listed):
    """Generalize regions of Europe by the prefixes of their NUTS codes."""

    kind: Literal["nuts"] = "nuts"

    def place(self, text: str) -> tuple[str, ...] | None:
        """The basic region, the major region and the country of a code."""
        code = text.strip().upper()
        known = _CODE.fullmatch(code) is not None and code[:2] in COUNTRIES
        return (code[:4], code[:3], code[:2]) if known else None

    def height(self) -> int:
        return 3

    def described(self) -> str:
        return "codes of NUTS"
