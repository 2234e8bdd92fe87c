"""The engine and the verifier as a library: data frames and networkx graphs in, protected ones out.

`import antifaz` exposes the same names. Nothing here needs a server, a database or a file.
"""

from antifaz.errors import Infeasible, InvalidDataset, InvalidPolicy
from publication.library.datasets import Graph, Table
from publication.library.release import Release, assess, protect, verify
from publication.library.temporal import TemporalGraph

__all__ = [
    "Graph", "Infeasible", "InvalidDataset", "InvalidPolicy", "Release", "Table", "TemporalGraph", "assess",
    "protect", "verify",
]  # fmt: skip
