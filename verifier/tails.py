"""Numbers that chances do not make: how far from its expectation a count of independent draws may be.

Boucheron, Lugosi and Massart, "Concentration Inequalities", 2013 (Bernstein's inequality). A count of draws whose
chances are all at least ``low`` is never less likely to reach a number than one whose chances are all ``low``; the same
with ``high`` from above. So a number is judged without knowing what was drawn for whom.
"""

import math

_UNLIKELY = 64 * math.log(2)
"""A number that right draws make with a chance of less than 2^-64, on either side, is not believed."""


def is_possible(number: int, draws: int, low: float, high: float, looks: int = 1) -> bool:
    """Whether that number of the draws may have come out, each with a chance from low to high, in that many looks."""
    doubt = _UNLIKELY + math.log(looks)
    fewest = draws * low - _deviation(draws * low * (1 - low), doubt)
    most = draws * high + _deviation(draws * high * (1 - high), doubt)
    return fewest <= number <= most


def _deviation(variance: float, doubt: float) -> float:
    return doubt / 3 + math.sqrt((doubt / 3) ** 2 + 2 * doubt * variance)
