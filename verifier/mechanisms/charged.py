"""The charge in a ledger: in millionths of epsilon, or in 10^-9 of rho if losses are concentrated.

A mechanism that is epsilon-differentially private is zero-concentrated at half of epsilon squared (Bun and Steinke,
"Concentrated Differential Privacy", TCC 2016).
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

_MICRO = 10**6
_NANO = 10**9


def covers(ledger: Mapping[str, Any], epsilon: Fraction, rho: Fraction | None = None) -> bool:
    """Whether the charge covers a loss of epsilon, or of rho if it is known and the ledger counts it."""
    charged = ledger.get("charged")
    if not isinstance(charged, int) or isinstance(charged, bool):
        return False
    if ledger.get("measure", "pure") == "pure":
        return charged >= epsilon * _MICRO
    return charged >= (epsilon * epsilon / 2 if rho is None else rho) * _NANO
