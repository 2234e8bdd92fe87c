"""Countries of NUTS.

Source: Eurostat, "Regions in the European Union: Nomenclature of territorial units for statistics", edition of 2024,
and its statistical regions outside the Union: the two letters with which the codes of a country start, which are facts.
Below a country the regions change every few years, and each level adds one character: so levels are prefixes.
"""

_CODES = (
    "AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK UK"
    " CH IS LI NO AL BA GE MD ME MK RS TR UA XK"
)
COUNTRIES = frozenset(_CODES.split())
"""The first two letters of codes."""
