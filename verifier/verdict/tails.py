"""Implausible counts: how far a count of independent draws may be from its expectation.

Boucheron, Lugosi and Massart, "Concentration Inequalities", 2013 (Bernstein's inequality). A count of draws whose
chances are all at least ``low`` is never less likely to reach a number than one whose chances are all ``low``; likewise
for ``high`` from above. So a number can be checked without knowing what was drawn for whom.
"""

import math

_UNLIKELY = 64 * math.log(2)
"""A number is rejected if correct draws give it with a chance of less than 2^-64, on either side."""


def is_possible(number: int, draws: int, low: float, high: float, looks: int = 1) -> bool:
    """Whether ``number`` of the draws may have succeeded, each with a chance from low to high, in ``looks`` checks."""
    doubt = _UNLIKELY + math.log(looks)
    fewest = draws * low - _deviation(draws * low * (1 - low), doubt)
    most = draws * high + _deviation(draws * high * (1 - high), doubt)
    return fewest <= number <= most


def _deviation(variance: float, doubt: float) -> float:
    return doubt / 3 + math.sqrt((doubt / 3) ** 2 + 2 * doubt * variance)
