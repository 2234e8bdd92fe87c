"""Cards: the description of a release for people who find it. Portal entries and citations are made from cards."""

import json
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from api_schemas.schema import Answer, Body

_LINE = r"^[^\x00-\x1f\x7f\ufffe\uffff]*$"
_PROSE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]*$"
"""Excludes characters that XML does not allow."""
_WEB = r"^https?://[!#-;=?-\[\]_a-z~]+$"
_MAIL = r"^[0-9A-Za-z.!#$%&'*+/=?^_`{|}~-]{1,64}@[0-9A-Za-z-]{1,63}([.][0-9A-Za-z-]{1,63}){0,8}$"
_DAY = r"^[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$"

Line = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=_LINE)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=_LINE)]
Web = Annotated[str, StringConstraints(max_length=500, pattern=_WEB)]
Mail = Annotated[str, StringConstraints(max_length=254, pattern=_MAIL)]
Day = Annotated[str, StringConstraints(pattern=_DAY)]
Theme = Literal[
    "AGRI", "ECON", "EDUC", "ENER", "ENVI", "GOVE", "HEAL", "INTR", "JUST", "OP_DATPRO", "REGI", "SOCI", "TECH", "TRAN"
]
"""Codes of the European list of dataset themes."""

OWN_LICENSE = "LicenseRef-"


@cache
def known_licenses() -> frozenset[str]:
    """The identifiers of the SPDX License List."""
    listed = json.loads(Path(__file__).with_name("licenses.json").read_text("utf-8"))
    return frozenset(listed["identifiers"])


def _is_license(text: str) -> str:
    if text not in known_licenses() and not text.startswith(OWN_LICENSE):
        raise ValueError(
            "is not an SPDX license identifier such as CC-BY-4.0 or CC0-1.0; your own must begin with LicenseRef-"
        )
    return text


License = Annotated[
    str, StringConstraints(max_length=64, pattern=r"^[0-9A-Za-z][0-9A-Za-z.+-]*$"), AfterValidator(_is_license)
]


class Publisher(Body):
    """Who makes the release available."""

    name: Line
    url: Web | None = None


class Contact(Body):
    """Contact for questions about the release."""

    name: Line | None = None
    email: Mail


class Period(Body):
    """The period that the data covers: its first and last day, month or year."""

    start: Day
    end: Day | None = None


class About(Body):
    """The card of a release, or the defaults that a tenant sets for all its cards."""

    title: Line | None = None
    description: Annotated[str, StringConstraints(min_length=50, max_length=5000, pattern=_PROSE)] | None = None
    keywords: Annotated[list[Word], Field(max_length=50)] | None = None
    themes: Annotated[list[Theme], Field(max_length=14)] | None = None
    """Codes of the European list of themes."""
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")] | None = None
    """Language of the data, as a two-letter code (ISO 639-1)."""
    license: License | None = None
    """An identifier of the SPDX License List, or your own that begins with ``LicenseRef-`` and is explained in
    ``terms``."""
    publisher: Publisher | None = None
    contact: Contact | None = None
    spatial: Line | None = None
    """Name of the place that the data covers, or its address in a gazetteer."""
    temporal: Period | None = None
    version: Word | None = None
    doi: Annotated[str, StringConstraints(max_length=200, pattern=r"^10[.][0-9]{4,9}/[0-9A-Za-z._;()/:-]+$")] | None = (
        None
    )
    """DOI of the release, minted elsewhere."""
    terms: Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=_PROSE)] | None = None
    """Terms of use in addition to the license, as text."""


REQUIRED = ("title", "description", "license", "publisher", "contact")
"""Fields that the card of a public release must have."""


def missing_in(card: dict[str, Any]) -> list[str]:
    """Required fields that a card lacks."""
    return [name for name in REQUIRED if not card.get(name)]


class Card(Answer):
    """The current card of a release."""

    about: About
    """The release's own card, completed by the tenant's defaults."""
    version: int
    """How often the card was written; 0 if its content comes only from the upload or the tenant."""
    missing: list[str]
    """Fields that must be added before the release may be public."""
