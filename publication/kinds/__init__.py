"""What publishing does differently by kind of data; everything else is the same for all kinds.

Imported by the workers and the library. One module for each kind, found by the name of the kind.
"""

from collections.abc import Mapping
from typing import Any

from publication.kinds.graph import GraphPublisher
from publication.kinds.kind import Publisher
from publication.kinds.table import TablePublisher
from publication.kinds.temporal import TemporalPublisher

PUBLISHERS: Mapping[str, Publisher[Any, Any, Any, Any]] = {
    "table": TablePublisher(),
    "graph": GraphPublisher(),
    "temporal_graph": TemporalPublisher(),
}
"""By the name of the kind."""
