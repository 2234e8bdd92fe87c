"""Month names: dates such as `07-Jun-1970`, `7. Juni 1970`, `7 de junio de 1970` and `Jun 7, 1970`, with the month as a
number.

Names and short names of English, German, French, Spanish, Portuguese, Italian, Dutch and the Scandinavian languages are
known. None of them means different months in two of these.
"""

import re
from dataclasses import dataclass

_NAMES = (
    "january jan januar jän janvier janv enero ene janeiro gennaio gen januari",
    "february feb februar février févr fév febrero fevereiro fev febbraio februari",
    "march mar märz mär mrz mars marzo março maart mrt marts",
    "april apr avril avr abril abr aprile",
    "may mai mayo maio maggio mag mei maj",
    "june jun juni juin junio junho giugno giu",
    "july jul juli juillet juil julio julho luglio lug",
    "august aug août agosto ago augustus augusti",
    "september sep sept septembre septiembre setembro set settembre",
    "october oct oktober okt octobre octubre outubro out ottobre ott",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre déc diciembre dic dezembro dicembre desember des",
)
_MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}
_REST = r"(?P<year>[0-9]{4}|[0-9]{2})(?P<time>[T ,].*)?"
_MONTH = r"(?P<month>[^\W\d_]{3,10})"
_DAY = r"(?P<day>[0-9]{1,2})"
_DAY_FIRST = re.compile(rf"{_DAY}(?P<before>[-/. ]|\. | de ){_MONTH}(?P<after>[-/ ]|\.? | de | del ){_REST}", re.DOTALL)
_MONTH_FIRST = re.compile(rf"{_MONTH}(?P<before>\.? ){_DAY}(?P<after>,? ){_REST}", re.DOTALL)


@dataclass(frozen=True)
class NamedDate:
    """A date with its month as a number, and how it was written."""

    text: str
    """Day, month and year, then the rest."""
    year_digits: int
    form: str


def named_date(text: str) -> NamedDate | None:
    """A date with the name of a month; None for any other text."""
    found = _DAY_FIRST.fullmatch(text) or _MONTH_FIRST.fullmatch(text)
    month = _MONTHS.get(found["month"].lower()) if found else None
    if found is None or month is None:
        return None
    parts = ("dd", "mmm") if found.re is _DAY_FIRST else ("mmm", "dd")
    years = len(found["year"])
    form = found["before"].join(parts) + found["after"] + "y" * years
    return NamedDate(f"{found['day']}-{month}-{found['year']}{found['time'] or ''}", years, form)
