"""NCP: the normalized certainty penalty, per attribute and for the whole table.

Xu, Wang, Pei, Wang, Shi and Fu, "Utility-Based Anonymization Using Local Recoding", KDD 2006.

The loss of a cell is the width of its range over that of the domain, or the number of values (leaves) that its label
covers over the number of all values; it is 0 for an exact cell and 1 for a suppressed one. The mean over all cells of
all quasi-identifiers is the global certainty penalty (GCP). Records that are left out lose everything.

It is measured between the original and the release, whatever the steps. A number or a date covers what it says, the
true values of all records that show it, and what its method states: a rounded number covers its base, a top-coded one
everything above the bound, a mean or median its group, a swapped number the ranks within reach, a noisy one 1.96
deviations of the noise to either side. A text that is not the true one of some of its records (PRAM, swapping, the most
frequent value of a group) loses the share of these records over the share that a random text would get wrong, at most
1. Synthetic records are not those of the original: they lose everything.

Guarantees: none; a measure.
"""

from typing import Any, Literal

import numpy as np

from antifaz.tables.labels.losses import mean_over_original, standing_of
from antifaz.tables.parts import TableUtility
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch


class Ncp(TableUtility):
    """Information lost between original and release, from 0 (none) to 1 (all)."""

    name: Literal["ncp"] = "ncp"

    def measure(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """The penalty of each quasi-identifier and, as ``value``, their mean."""
        losses = {}
        for done, attribute in enumerate(table.quasi_identifiers):
            watch(done / len(table.quasi_identifiers))
            losses[attribute.name] = _loss(attribute.name, table, released)
        watch(1.0)
        return {"value": float(np.mean(list(losses.values()))) if losses else 0.0, "attributes": losses}


def _loss(name: str, table: Table, released: ProtectedTable) -> float:
    """The mean loss of one attribute over all original records; an attribute released as two columns counts once."""
    standing = standing_of(table, released, name)
    return mean_over_original(table, None if standing is None else standing.penalties[standing.codes])
