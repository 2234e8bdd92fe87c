"""Temporal graphs: snapshots of one set of nodes.

`snapshots` is the data; `each_snapshot` runs a graph method on every snapshot. It may import graphs, and graphs never
import it.
"""
