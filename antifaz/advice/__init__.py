"""Advice: a policy that a steward can start from, with a reason for each column.

Roles come from the names of columns, the shapes of their values and from counting; the advice contains no value,
minimum or maximum.
"""

from typing import Any

import numpy as np

from antifaz.advice.networks import advise_graph, advise_temporal
from antifaz.advice.tables import advise_table
from antifaz.kinds.graph import GraphDataset
from antifaz.kinds.kind import Dataset
from antifaz.kinds.temporal import TemporalDataset
from antifaz.watch import Watch, unwatched

__all__ = ["advise"]


def advise(dataset: Dataset, rng: np.random.Generator, watch: Watch = unwatched) -> dict[str, Any]:
    """The policy that a careful steward would propose for a dataset, as the API returns it."""
    if isinstance(dataset, TemporalDataset):
        return advise_temporal(dataset)
    if isinstance(dataset, GraphDataset):
        return advise_graph(dataset)
    return advise_table(dataset, rng, watch)
