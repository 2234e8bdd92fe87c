"""Parts of a release: its tables and lists of nodes, for all kinds of data."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from verifier.evidence.evidence import Evidence
from verifier.readers.cells import Cells, same_rows
from verifier.readers.columns import NODE, column_faults, expected_columns
from verifier.readers.forms import shown_of_nodes
from verifier.readers.networks import Network, covers, node_numbers
from verifier.readers.output import PLAIN, dialect_of, with_plain_labels
from verifier.readers.tables import read_table
from verifier.verdict.verdict import Artifact, Missing, Unreadable
from verifier.verdict.watch import look

_BINS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))


def foreign_parts(artifacts: Sequence[Artifact], parts: Sequence[str]) -> list[str]:
    """A fault if there are artifacts of other parts than the given ones."""
    foreign = sum(artifact.part not in parts for artifact in artifacts)
    return [f"{foreign} artifact(s) of a part that this kind of release does not have"] if foreign else []


def read_tables(
    artifacts: Iterable[Artifact], policy: Mapping[str, Any] | None = None
) -> tuple[list[Cells], list[str]]:
    """The readable tables, in the dialect of the policy, and why the others cannot be read."""
    dialect = dialect_of(policy or {}) or PLAIN
    tables, faults = [], []
    for artifact in artifacts:
        look()
        try:
            tables.append(with_plain_labels(read_table(artifact, dialect), policy or {}))
        except Unreadable as problem:
            faults.append(f"{artifact.format} {artifact.part}: {problem}")
    return tables, faults


def table_flaw(tables: Sequence[Cells], unreadable: Sequence[str]) -> str:
    """Why no guarantee of tables can hold; empty if it can."""
    if unreadable:
        return "an artifact could not be read"
    if not tables:
        return Missing("there is no table")
    if any(not cells.rows for cells in tables):
        return "no rows"
    if any(len(set(cells.names)) < len(cells.names) for cells in tables):
        return "a column name is repeated"
    return ""


def disagreements(tables: Sequence[Cells], in_order: bool) -> list[str]:
    """All formats of one part must show the same rows; in the same order if a sealed map refers to rows."""
    if len(tables) < 2:
        return []
    names = {frozenset(cells.names) for cells in tables}
    if len(names) > 1 or any(len(set(cells.names)) < len(cells.names) for cells in tables):
        return ["the artifacts of one part have different columns"]
    return [] if same_rows(tables, in_order) else ["the artifacts of one part show different rows"]


def count_nodes(tables: Sequence[Cells], networks: Sequence[Network]) -> tuple[int, list[str]]:
    """The number of nodes, from the lists of nodes: an edge list alone cannot show isolated nodes."""
    lists = [(cells.label, node_numbers(cells.column(NODE))) for cells in tables if NODE in cells.names]
    lists += [(network.label, network.nodes) for network in networks if network.nodes is not None]
    if not lists:
        return 0, [Missing("no node list")]
    n = len(lists[0][1])
    faults = [f"{label}: the nodes are not 0…n-1, each once" for label, nodes in lists if not covers(nodes, len(nodes))]
    if any(len(nodes) != n for _, nodes in lists):
        faults.append("the artifacts list different numbers of nodes")
    return n, faults if n else [*faults, "no nodes"]


def node_table_faults(tables: Sequence[Cells], policy: Mapping[str, Any]) -> list[str]:
    """Faults of the node tables."""
    shown, leading = shown_of_nodes(policy)
    faults = [fault for cells in tables for fault in column_faults(cells, shown, leading)]
    if not tables and expected_columns(shown):
        faults.append(Missing("no node table"))
    return faults + disagreements(tables, bool(policy.get("privacy_unit")))


def describe_table(evidence: Evidence) -> dict[str, Any]:
    """The numbers of rows and classes, and the sizes of classes."""
    cells, classes = evidence.tables[0], evidence.classes[0]
    if classes is None or not cells.rows:
        return {"rows": cells.rows}
    sizes = classes.sizes
    histogram = bars(sizes, cells.rows)
    return {"rows": cells.rows, "classes": classes.count, "smallest": int(sizes.min()), "histogram": histogram}


def bars(sizes: np.typing.NDArray[Any], largest: int) -> list[dict[str, Any]]:
    """Number of classes by size, in bins."""
    histogram = []
    for low, high in _BINS:
        chosen = sizes[(sizes >= low) & (sizes <= (high or largest))]
        histogram.append({"from": low, "to": high, "classes": len(chosen), "rows": int(chosen.sum())})
    return histogram
