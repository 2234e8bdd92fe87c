"""Classes: how many equivalence classes a release has, and how large they are.

Samarati, "Protecting Respondents' Identities in Microdata Release", IEEE TKDE 2001, defines them: records with equal
quasi-identifiers.

Guarantees: none; a measure.
"""

from typing import Any, Literal

import numpy as np

from antifaz.tables.classes.classes import class_sizes, released_classes
from antifaz.tables.parts import TableUtility
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch


class Classes(TableUtility):
    """Number, smallest, largest, mean and variance of the classes of the release."""

    name: Literal["classes"] = "classes"

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Count the classes and their sizes."""
        watch(0.0)
        sizes = class_sizes(*released_classes(released))
        watch(1.0)
        if not len(sizes):
            return {"value": 0, "min": 0, "max": 0, "mean": 0.0, "variance": 0.0}
        return {
            "value": len(sizes),
            "min": int(sizes.min()),
            "max": int(sizes.max()),
            "mean": float(sizes.mean()),
            "variance": float(sizes.var()),
        }
