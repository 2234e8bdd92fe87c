"""Shapes: what the distinct values of a column look like.

Only a sample of the distinct values is read, spread evenly over their order, so that a column of millions costs as much
as one of thousands. Nothing here stores values.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.columns.check_digits import confirmed_number
from antifaz.columns.codes import are_assigned
from antifaz.columns.given_names import GIVEN, SURNAMES
from antifaz.columns.names import fold
from antifaz.tables.table import Column
from antifaz.tables.texts.value_types import ValueType

SAMPLE = 2_000
"""Largest number of distinct values that are read."""
MOST = 0.8
"""Share of values that must have a shape."""
PEOPLE = 0.3
"""Share of values that must contain a common name in a column of people."""
FEW = 5
"""Smallest number of distinct values; with fewer, no shape is reported."""
CATEGORY, DIVIDED = 3, 10
"""Characters of a category of ICD-10, and the largest mean number of its codes: a category has ten places."""
SHARED = 2
"""Smallest mean number of rows of a code of a classification: codes that nearly all rows have alone are others."""

_PATTERNS: dict[str, re.Pattern[str]] = {
    "mail": re.compile(r"[^@\s]{1,64}@[^@\s]+\.[A-Za-z]{2,}"),
    "url": re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE),
    "ip": re.compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}|(?:[0-9a-f]{0,4}:){4,7}[0-9a-f]{0,4}", re.IGNORECASE),
    "uuid": re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}|(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}|[0-9a-f]{32,}",
                       re.IGNORECASE),
    "date": re.compile(
        r"(?:[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{4}|[0-9]{2})|[0-9]{4}[./-][0-9]{1,2}[./-][0-9]{1,2})"
        r"(?:[ T][0-9:.]+)?|(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
    ),
    "social_security": re.compile(r"[0-9]{3}-[0-9]{2}-[0-9]{4}"),
    "curp": re.compile(r"[A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[0-9A-Z][0-9]"),
    "insurance": re.compile(r"[A-CEGHJ-PR-TW-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]"),
    "phone": re.compile(r"(?:\+|00)[0-9][0-9 ().\-/]{6,20}|\(?[0-9]{2,4}\)?(?:[ .\-/]{1,2}[0-9]{2,4}){2,5}"),
    "coordinates": re.compile(r"\(?-?[0-9]{1,2}\.[0-9]{2,}\s*[,; ]\s*-?[0-9]{1,3}\.[0-9]{2,}\)?"),
    "icd": re.compile(r"[A-TV-Z][0-9][0-9A-Z](?:\.?[0-9A-Z]{1,4})?"),
    "postal_code": re.compile(
        r"[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}|[0-9]{4} ?[A-Z]{2}|[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]|[0-9]{4}-[0-9]{3}"
        r"|[0-9]{5}-[0-9]{3,4}"
    ),
}  # fmt: skip
IDENTIFYING = ("mail", "url", "ip", "uuid", "number", "social_security", "curp", "insurance", "phone", "person")
"""Shapes of direct identifiers."""
SAYS = {
    "mail": "e-mail addresses",
    "url": "web addresses",
    "ip": "network addresses",
    "uuid": "generated identifiers",
    "number": "numbers with the check digits of identifiers",
    "social_security": "social security numbers",
    "curp": "personal codes",
    "insurance": "insurance numbers",
    "phone": "phone numbers",
    "person": "names of people",
    "text": "free text",
    "date": "dates",
    "coordinates": "places on the map",
    "icd": "ICD-10 codes",
    "postal_code": "postal codes",
    "sex": "the sexes",
}
"""Description of each shape."""
_WRITTEN_NAME = re.compile(
    r"(?:[^\W\d_]{1,5}\.[ -]?){1,4}[^\W\d_]{2,}(?:[ '’-][^\W\d_]{2,})*"
    r"|[^\W\d_]{2,}(?:[ '’-][^\W\d_]{2,})?, ?[^\W\d_]+\.?(?:[ -][^\W\d_]+\.?)*"
)
"""Initials or a title before a surname, or a given name after it and a comma."""
_WORDS = re.compile(r"[^\W\d_]+")
_SEXES = (
    frozenset("m male h hombre v varon home homme mann mannlich masculino masculi masculin maschio uomo man mas"
              " maschile herr masc".split()),
    frozenset("f female mujer dona femme frau weiblich w feminino femenino femeni feminin femmina donna woman fem"
              " femminile d k fema".split()),
)  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """What the values of a column look like."""

    name: str | None
    """Wire name of the shape, or None if the values have none."""
    length: float
    """Mean number of characters."""
    words: float
    """Mean number of words."""
    digits: bool
    """Whether all values are runs of digits of one length."""
    number: str | None = None
    """The kind of number with check digits, if any."""
    titled: bool = False
    """Whether they are several words that all begin with a capital letter, as names of people do."""
    assigned: bool = False
    """Whether they are codes that were assigned to people or things one by one."""


def shape_of(column: Column) -> Shape:
    """The shape of a column's values."""
    texts = sample_of(column)
    if not texts:
        return Shape(None, 0.0, 0.0, False)
    lengths = [len(text) for text in texts]
    words = float(np.mean([len(text.split()) for text in texts]))
    digits = len(set(lengths)) == 1 and all(text.isdigit() for text in texts)
    name, number = _find_shape(column, texts, words, float(np.mean(lengths)))
    assigned = column.type is ValueType.TEXT and name not in ("date", "postal_code") and are_assigned(texts)
    if name == "icd" and (assigned or not _is_classification(column, texts)):
        name = None
    return Shape(name, float(np.mean(lengths)), words, digits, number, _are_titled(texts), assigned)


def sample_of(column: Column) -> list[str]:
    """Some of the distinct known values, spread evenly over their order."""
    values: NDArray[np.object_] = column.values[column.missing + 1 :]
    places = np.linspace(0, len(values) - 1, min(len(values), SAMPLE)).astype(np.int64)
    return [str(value).strip() for value in values[places]]


def _find_shape(column: Column, texts: list[str], words: float, length: float) -> tuple[str | None, str | None]:
    if _is_sex(texts):
        return "sex", None
    if column.type is ValueType.TEXT and len(texts) > 1 and _share(texts, _WRITTEN_NAME.fullmatch) >= MOST:
        return "person", None
    if len(texts) < FEW or not (column.type.is_number or column.type is ValueType.TEXT):
        return None, None
    number = None if column.type is ValueType.DECIMAL else confirmed_number(texts)
    if number is not None:
        return "number", number
    if column.type is not ValueType.TEXT:
        return None, None
    for name, pattern in _PATTERNS.items():
        if _share(texts, pattern.fullmatch) >= MOST:
            return name, None
    if words <= 6 and _share(texts, _has_common_name) >= PEOPLE and _share(texts, _is_wordy) >= MOST:
        return "person", None
    if words >= 4 and length >= 25 and len(texts) >= 2 * FEW:
        return "text", None
    return None, None


def _are_titled(texts: list[str]) -> bool:
    """Whether values are written like full names; categories rarely capitalize each of their words."""
    return len(texts) >= FEW and _share(texts, _is_titled) >= MOST


def _is_titled(text: str) -> bool:
    words = text.split()
    return 2 <= len(words) <= 4 and _is_wordy(text) and all(word[:1].isupper() for word in words)


def _is_classification(column: Column, texts: list[str]) -> bool:
    """Whether codes are shared, and a category has no more of them than a classification gives it."""
    rows, values = int(np.count_nonzero(column.codes != column.missing)), len(column.values) - (column.missing + 1)
    categories = {text[:CATEGORY] for text in texts}
    return rows >= SHARED * values and len(texts) <= DIVIDED * len(categories)


def _share(texts: list[str], holds: Callable[[str], object]) -> float:
    return sum(1 for text in texts if holds(text)) / len(texts)


def _has_common_name(text: str) -> bool:
    """Whether a text contains a common given name or surname: names of places rarely do."""
    words = [fold(word) for word in _WORDS.findall(text)]
    return any(word in GIVEN for word in words) or any(word in SURNAMES for word in words)


def _is_wordy(text: str) -> bool:
    return all(letter.isalpha() or letter in " .,'’-·" for letter in text)


def _is_sex(texts: list[str]) -> bool:
    """Whether there are two to four values, among them a word for each sex."""
    if not 2 <= len(texts) <= 4:
        return False
    folded = {fold(text).rstrip(".") for text in texts}
    return all(folded & words for words in _SEXES)
