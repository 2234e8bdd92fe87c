"""Domains of randomized columns: declared by the policy, with counts that the chances allow.

The values that occur would reveal a value that only one record has, so the policy declares the domain, or waives this
by name. Only the release is examined: its difference from the original must not decide anything.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from verifier.evidence.evidence import Evidence
from verifier.readers.cells import Cells
from verifier.readers.columns import plain_texts, waives
from verifier.verdict.folding import folded
from verifier.verdict.tails import is_possible


def domain_flaw(evidence: Evidence, name: str, mechanism: Any) -> str:
    """Why a released column cannot be a draw from its domain; empty if it can."""
    size, low, high = _chances(mechanism)
    stated = ((evidence.policy.get("method") or {}).get("values") or {}).get(name)
    declared = None if stated is None else {folded(str(value)) for value in stated}
    if declared is None and not waives(evidence.policy, "observed_domain"):
        return "the values of a randomized column are not declared"
    if declared is not None and size != len(declared):
        return "the matrix is not one of the declared values"
    tables = [cells for cells in evidence.tables if name in cells.names]
    if declared is not None and any(folded(text) not in declared for c in tables for text in plain_texts(c, name)):
        return "a released value is not a declared one"
    if not all(_may_be_drawn(cells, name, size, low, high) for cells in tables):
        return "a value is released more often or more rarely than its chances allow"
    return ""


def _chances(mechanism: Any) -> tuple[int, float, float]:
    """The number of values, and the smallest and largest chance of any of them."""
    if isinstance(mechanism, Mapping):
        chances = [float(mechanism["keep"])] + ([float(mechanism["other"])] if mechanism["values"] > 1 else [])
        return int(mechanism["values"]), min(chances), max(chances)
    chances = [float(chance) for row in mechanism for chance in row]
    return len(mechanism[0]), min(chances), max(chances)


def _may_be_drawn(cells: Cells, name: str, size: int, low: float, high: float) -> bool:
    codes = cells.column(name).codes
    counts = np.bincount(codes, minlength=size)  # values that no row has get a count too
    return all(is_possible(int(count), len(codes), low, high, size) for count in counts)
