"""Ready-made hierarchies: find a public list that contains all values of a column, by what the column is about."""

from collections.abc import Iterator
from typing import Any

from antifaz.advice.facts import Facts
from antifaz.columns.shapes import sample_of
from antifaz.hierarchies.countries import Countries
from antifaz.hierarchies.icd10 import Icd10
from antifaz.hierarchies.isco08 import Isco08
from antifaz.hierarchies.listed import Listed
from antifaz.hierarchies.lists.postal_codes import FORMS
from antifaz.hierarchies.nuts import Nuts
from antifaz.hierarchies.postal_codes import PostalCodes

_LISTS: dict[str, tuple[Listed, ...]] = {
    "place": (Nuts(), Countries()),
    "nationality": (Countries(),),
    "occupation": (Isco08(),),
    "diagnosis": (Icd10(),),
}
"""Lists that may contain the values of a concept's columns."""
_WHOSE = {
    "zip": ("US",), "zipcode": ("US",), "plz": ("DE", "AT"), "postleitzahl": ("DE", "AT"), "cap": ("IT",),
    "cep": ("BR",), "codigo": ("ES", "PT", "AR"), "cod": ("ES", "PT"), "codi": ("ES",), "cp": ("ES", "PT"),
    "code": ("FR", "BE", "CA", "GB", "NL"), "postcode": ("GB", "NL", "AU"), "post": ("GB", "NL", "AU"),
    "postal": ("CA", "GB", "PT"),
}  # fmt: skip
"""Countries whose postal codes a word of a column's name suggests; countries with the same form have similar
prefixes."""
LEAST = 3
"""Smallest number of distinct values; with fewer, a list does not help: they meet at its root."""


def ready_hierarchy(facts: Facts, concept: str | None) -> dict[str, Any] | None:
    """A hierarchy whose list contains every value of a column, in the form of a policy; None if there is none."""
    if facts.distinct < LEAST:
        return None
    found = next((each for each in _candidates(facts, concept) if _has_all(each, facts)), None)
    return None if found is None else found.model_dump(exclude_none=True)


def _candidates(facts: Facts, concept: str | None) -> Iterator[Listed]:
    if concept != "postal_code":
        yield from _LISTS.get(concept or "", ())
        return
    countries = dict.fromkeys(country for word in facts.reading.words for country in _WHOSE.get(word, ()))
    for country in countries:
        if _is_whole(facts, country):
            yield PostalCodes(country=country)


def _is_whole(facts: Facts, country: str) -> bool:
    """Whether most codes have all digits of the country's form: shorter ones then get back their leading zeros."""
    if country == "GB":
        return True
    length, texts = len(FORMS[country][0]), sample_of(facts.column)
    return 2 * sum(1 for text in texts if len(text) >= length) > len(texts)


def _has_all(hierarchy: Listed, facts: Facts) -> bool:
    """Whether every value is on the list; some are checked first, since most columns fail quickly."""
    if any(hierarchy.place(text) is None for text in sample_of(facts.column)[:50]):
        return False
    known = facts.column.values[facts.column.missing + 1 :]
    return all(hierarchy.place(str(value)) is not None for value in known)
