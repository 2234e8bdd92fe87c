"""Published means beside our own: by how many standard errors they differ."""

from collections.abc import Sequence
from decimal import Decimal

import numpy as np

PUBLISHED_RUNS = 5
"""Runs of which each published figure is the mean."""


def beside(figure: str, values: Sequence[float]) -> str:
    """A published figure, and in brackets how far off it is; without runs that differ, nothing can be said of that."""
    distance = standard_errors(figure, values)
    return figure if distance is None else f"{figure} ({distance:+.1f})"


def standard_errors(figure: str, values: Sequence[float]) -> float | None:
    """By how many standard errors of the difference a published mean is off that of the values, beyond its rounding."""
    error = float(np.std(values, ddof=1)) * np.sqrt(1 / PUBLISHED_RUNS + 1 / len(values))
    if not figure or error == 0:
        return None
    half = 0.5 * 10.0 ** int(Decimal(figure).as_tuple().exponent)
    difference = float(figure) - float(np.mean(values))
    return float(np.sign(difference) * max(0.0, abs(difference) - half) / error)
