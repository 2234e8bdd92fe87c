"""Postal codes: the areas that their prefixes name.

Prefixes of postal codes generalize places in Sweeney, "k-Anonymity: A Model for Protecting Privacy", IJUFKS 2002;
`antifaz/hierarchies/lists/postal_codes.py` has the forms of each country's codes.

A code generalizes to prefixes of the lengths that name an area in its country, written with a star (`080*`, `08*`), and
finally to `*`. Spaces, hyphens and the country's letters before the code are ignored, and leading zeros that a
spreadsheet dropped are restored. British codes are cut to their outward part and then to its letters.

Guarantees: levels nest.
"""

import re
from typing import ClassVar, Literal

from pydantic import field_validator

from antifaz.hierarchies.listed import Listed
from antifaz.hierarchies.lists.postal_codes import FORMS
from antifaz.part import Examples

_BRITISH = re.compile(r"(([A-Z]{1,2})[0-9][0-9A-Z]?)[0-9][A-Z]{2}")
_AMERICAN = re.compile(r"([0-9]{5})[0-9]{4}")
_CLASSES = {"9": "[0-9]", "A": "[A-Z]"}
_MARKS = re.compile(r"[\s\-.]")
_DROPPED = 2
"""Largest number of leading zeros that a spreadsheet may have dropped from a code."""
KNOWN = ("GB", *sorted(FORMS))
_PATTERNS = {form: re.compile("".join(_CLASSES[mark] for mark in form)) for form, _ in FORMS.values()}


class PostalCodes(Listed):
    """Generalize postal codes to the areas that their prefixes name in a country."""

    examples: ClassVar[Examples] = ({"country": "ES"},)

    kind: Literal["postal_codes"] = "postal_codes"
    country: str
    """Country of the codes, in two letters (ISO 3166)."""

    @field_validator("country")
    @classmethod
    def _is_known(cls, country: str) -> str:
        if country not in KNOWN:
            raise ValueError(f"must be one of {', '.join(KNOWN)}; for others use the hierarchy mask")
        return country

    def place(self, text: str) -> tuple[str, ...] | None:
        """The prefixes of a code."""
        code = _MARKS.sub("", text).upper()
        if self.country == "GB":
            found = _BRITISH.fullmatch(code)
            return (f"{found.group(1)}*", f"{found.group(2)}*") if found else None
        form, lengths = FORMS[self.country]
        if self.country == "US":
            code = _AMERICAN.sub(r"\1", code)
        if not form.startswith("A"):
            code = code.removeprefix(self.country)
        if set(form) == {"9"} and code.isdecimal() and len(code) >= len(form) - _DROPPED:
            code = code.zfill(len(form))
        if _PATTERNS[form].fullmatch(code) is None:
            return None
        return tuple(f"{code[:length]}*" for length in lengths)

    def height(self) -> int:
        return 2 if self.country == "GB" else len(FORMS[self.country][1])

    def described(self) -> str:
        return f"postal codes of {self.country}"
