"""Exact numbers of a policy, and figures rounded so that none looks better than it is."""

import math
from fractions import Fraction

_DECIMALS = 10**6
_DOUBT = 1e-9


def exact(number: object) -> Fraction | None:
    """A number of the policy as the written decimal, not as its nearest binary fraction."""
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        return None
    return Fraction(str(number))


def rounded_up(figure: float) -> float:
    """Round a figure that must stay below a bound to six decimals."""
    return math.ceil((figure - _DOUBT) * _DECIMALS) / _DECIMALS


def rounded_down(figure: float) -> float:
    """Round a figure that must stay above a bound to six decimals."""
    return math.floor((figure + _DOUBT) * _DECIMALS) / _DECIMALS
