"""Published means compared with ours: their difference in standard errors."""

from collections.abc import Sequence
from decimal import Decimal

import numpy as np

PUBLISHED_RUNS = 5
"""Number of runs behind each published mean."""


def beside(figure: str, values: Sequence[float]) -> str:
    """A published figure with its distance in brackets; no distance if all runs are equal."""
    distance = standard_errors(figure, values)
    return figure if distance is None else f"{figure} ({distance:+.1f})"


def standard_errors(figure: str, values: Sequence[float]) -> float | None:
    """Distance of a published mean from that of the values, in standard errors, beyond its rounding."""
    error = float(np.std(values, ddof=1)) * np.sqrt(1 / PUBLISHED_RUNS + 1 / len(values))
    if not figure or error == 0:
        return None
    half = 0.5 * 10.0 ** int(Decimal(figure).as_tuple().exponent)
    difference = float(figure) - float(np.mean(values))
    return float(np.sign(difference) * max(0.0, abs(difference) - half) / error)
