"""The work that differs by kind of data; everything else in a job is the same for all kinds."""

from collections.abc import Mapping
from typing import Any

from publication.kinds.graph import GraphWork
from publication.kinds.kind import Work
from publication.kinds.table import TableWork
from publication.kinds.temporal import TemporalWork

WORK: Mapping[str, Work[Any, Any, Any, Any]] = {
    "table": TableWork(),
    "graph": GraphWork(),
    "temporal_graph": TemporalWork(),
}
"""By the name of the kind."""
