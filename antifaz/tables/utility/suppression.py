"""Suppression: the share of records and of cells that the release does not show.

Sweeney, "Achieving k-Anonymity Privacy Protection Using Generalization and Suppression", IJUFKS 2002.

Records that were left out before the method for missing values count as left out.

Guarantees: none; a measure.
"""

from typing import Any, Literal

import numpy as np

from antifaz.tables.parts import TableUtility
from antifaz.tables.table import ProtectedTable, Role, Table
from antifaz.watch import Watch


class Suppression(TableUtility):
    """The share of records that are left out, and of quasi-identifier cells that are only a star."""

    name: Literal["suppression"] = "suppression"

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Count suppressed records and cells; ``value`` is the share of records."""
        watch(0.0)
        columns = [column for column in released.columns if column.role is Role.QUASI_IDENTIFIER]
        stars = sum(int((column.labels == "*")[column.codes].sum()) for column in columns)
        cells = len(columns) * len(released.records)
        watch(1.0)
        records = table.n + table.left_out
        left_out = max(0, records - len(released.records))
        return {
            "value": left_out / max(records, 1),
            "records": left_out,
            "cells": stars / cells if cells else 0.0,
        }
