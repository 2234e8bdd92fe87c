"""What workers do for each kind of data; everything else of a job is the same for all."""

from collections.abc import Mapping
from typing import Any

from workers.kinds.graph import GraphWork
from workers.kinds.kind import Work
from workers.kinds.table import TableWork

WORK: Mapping[str, Work[Any, Any, Any, Any]] = {"table": TableWork(), "graph": GraphWork()}
"""By the name of the kind."""
