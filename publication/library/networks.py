"""Networks: converts a structure and its released attributes to a networkx graph."""

from collections.abc import Sequence
from typing import Any

from antifaz.graphs.graph import Graph
from antifaz.tables.table import ReleasedColumn
from antifaz.tables.texts.value_types import ValueType
from antifaz.temporal.snapshots import Snapshots


def to_networkx(
    graph: Graph,
    nodes: Sequence[ReleasedColumn] = (),
    edges: Sequence[ReleasedColumn] = (),
    names: Sequence[Any] | None = None,
) -> Any:
    """The graph with the columns of its nodes and edges as attributes; nodes are numbers, or names if given."""
    import networkx  # takes as long to import as the rest of this package

    network = networkx.DiGraph() if graph.directed else networkx.Graph()
    called = range(graph.n) if names is None else names
    of_nodes, of_edges = _attributes(nodes, graph.n), _attributes(edges, graph.m)
    network.add_nodes_from(zip(called, of_nodes, strict=True))
    ends = zip(graph.sources.tolist(), graph.targets.tolist(), of_edges, strict=True)
    network.add_edges_from((called[source], called[target], about) for source, target, about in ends)
    return network


def to_multigraph(
    snapshots: Snapshots,
    nodes: Sequence[ReleasedColumn] = (),
    edges: Sequence[ReleasedColumn] = (),
    names: Sequence[Any] | None = None,
) -> Any:
    """The same for a temporal graph: an edge for every snapshot in which a pair is joined, with the snapshot as key."""
    import networkx

    network = networkx.MultiDiGraph() if snapshots.directed else networkx.MultiGraph()
    network.graph["snapshots"] = list(snapshots.labels)
    called = range(snapshots.n) if names is None else names
    of_nodes, of_edges = _attributes(nodes, snapshots.n), _attributes(edges, snapshots.m)
    network.add_nodes_from(zip(called, of_nodes, strict=True))
    rows = (snapshots.sources.tolist(), snapshots.targets.tolist(), snapshots.times.tolist(), of_edges)
    network.add_edges_from(
        (called[source], called[target], t, {**about, "snapshot": t})
        for source, target, t, about in zip(*rows, strict=True)
    )
    return network


def _attributes(columns: Sequence[ReleasedColumn], n: int) -> list[dict[str, Any]]:
    """The attributes of every node or edge; a missing value is left out."""
    found: list[dict[str, Any]] = [{} for _ in range(n)]
    for column in columns:
        labels = [_value(str(label), column.type) for label in column.labels]
        for place, code in enumerate(column.codes.tolist()):
            if column.labels[code] != "":
                found[place][column.name] = labels[code]
    return found


def _value(label: str, type_: ValueType) -> str | int | float:
    """A number if the label is one, else the label: a range, a set or a star stays a text."""
    if not type_.is_number:
        return label
    try:
        return int(label) if type_ is ValueType.INTEGER else float(label)
    except ValueError:
        return label
