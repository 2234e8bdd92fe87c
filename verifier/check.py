"""verify: read every artifact, look for faults of form, judge every guarantee."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from verifier.cells import Cells, same_rows
from verifier.columns import NODE, column_faults, expected_columns, pseudonym_faults, pseudonyms
from verifier.findings import Evidence, find, unfounded
from verifier.forms import (
    EDGES,
    SIZE,
    SUPERNODE,
    describe_uncertain,
    edge_column_faults,
    form_of,
    inconsistencies,
    may_have_columns,
    sampled_parts,
    shown_of_nodes,
)
from verifier.graphs import read_graph
from verifier.models import degree_groups
from verifier.networks import Network, covers, edge_faults, edge_keys, node_numbers, numbers_of
from verifier.policies import policy_faults
from verifier.tables import read_table
from verifier.verdict import Artifact, Missing, Unreadable, Verdict
from verifier.watch import Watch, look, unwatched, watched_by

_BINS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))


def verify(
    policy: Mapping[str, Any],
    artifacts: Sequence[Artifact],
    sealed_map: Mapping[str, Any] | None = None,
    directed: bool = False,
    watch: Watch = unwatched,
) -> Verdict:
    """Judge a release by its bytes; ``watch`` is called now and then and may raise, see `verifier.watch`.

    ``sealed_map`` holds what the bytes do not show. ``units``: for every released row, in the order of the files, the
    number of the person it belongs to; needed where the policy names a privacy unit. ``unit_texts``, if given: the
    texts that these numbers index; those that fold to one are one person's. ``pseudonyms``: for every column of
    pseudonyms the number of the value behind each row's. ``populations`` and ``hierarchies``: see
    `verifier.populations`. ``mechanism``: the matrices by which sensitive columns were randomized;
    ``pairs``: the chances by which pairs of nodes were told, see `verifier.pairs`.
    """
    with watched_by(watch):
        return _verify(policy, artifacts, sealed_map, directed)


def _verify(
    policy: Mapping[str, Any], artifacts: Sequence[Artifact], sealed_map: Mapping[str, Any] | None, directed: bool
) -> Verdict:
    faults = policy_faults(policy)
    if faults:
        return Verdict(tuple(unfounded(policy, faults[0])), tuple(faults))
    return VERIFIERS[policy["kind"]](policy, artifacts, sealed_map, directed)


def _judged(evidence: Evidence, faults: Iterable[str], describe: Mapping[str, Any]) -> Verdict:
    guarantees = evidence.policy.get("guarantees") or ()
    return Verdict(tuple(find(guarantee, evidence) for guarantee in guarantees), tuple(faults), describe)


def _verify_table(
    policy: Mapping[str, Any], artifacts: Sequence[Artifact], sealed_map: Mapping[str, Any] | None, _directed: bool
) -> Verdict:
    faults = _foreign_parts(artifacts, ("table",))
    tables, unreadable = _read_tables([artifact for artifact in artifacts if artifact.part == "table"])
    faults += unreadable
    if not tables and not unreadable:
        faults.append(Missing("no table"))
    for cells in tables:
        faults += column_faults(cells, policy) + pseudonym_faults(cells, policy, sealed_map)
    faults += _disagreements(tables, bool(policy.get("privacy_unit") or pseudonyms(policy)))
    evidence = Evidence(policy, tables, flaw=_table_flaw(tables, unreadable), sealed_map=sealed_map)
    return _judged(evidence, faults, _describe_table(evidence) if tables else {})


def _foreign_parts(artifacts: Sequence[Artifact], parts: Sequence[str]) -> list[str]:
    foreign = sum(artifact.part not in parts for artifact in artifacts)
    return [f"{foreign} artifact(s) of a part that this kind of release does not have"] if foreign else []


def _read_tables(artifacts: Iterable[Artifact]) -> tuple[list[Cells], list[str]]:
    tables, faults = [], []
    for artifact in artifacts:
        look()
        try:
            tables.append(read_table(artifact))
        except Unreadable as problem:
            faults.append(f"{artifact.format} {artifact.part}: {problem}")
    return tables, faults


def _table_flaw(tables: Sequence[Cells], unreadable: Sequence[str]) -> str:
    if unreadable:
        return "an artifact could not be read"
    if not tables:
        return Missing("there is no table")
    if any(not cells.rows for cells in tables):
        return "no rows"
    if any(len(set(cells.names)) < len(cells.names) for cells in tables):
        return "a column name is repeated"
    return ""


def _disagreements(tables: Sequence[Cells], in_order: bool) -> list[str]:
    """Formats of one part must show the same rows; where rows are told apart by a sealed map, in the same order."""
    if len(tables) < 2:
        return []
    names = {frozenset(cells.names) for cells in tables}
    if len(names) > 1 or any(len(set(cells.names)) < len(cells.names) for cells in tables):
        return ["the artifacts of one part have different columns"]
    return [] if same_rows(tables, in_order) else ["the artifacts of one part show different rows"]


def _describe_table(evidence: Evidence) -> dict[str, Any]:
    cells, classes = evidence.tables[0], evidence.classes[0]
    if classes is None or not cells.rows:
        return {"rows": cells.rows}
    sizes = classes.sizes
    histogram = _bars(sizes, cells.rows)
    return {"rows": cells.rows, "classes": classes.count, "smallest": int(sizes.min()), "histogram": histogram}


def _bars(sizes: np.typing.NDArray[Any], largest: int) -> list[dict[str, Any]]:
    """Classes by their size, in bins."""
    histogram = []
    for low, high in _BINS:
        chosen = sizes[(sizes >= low) & (sizes <= (high or largest))]
        histogram.append({"from": low, "to": high, "classes": len(chosen), "rows": int(chosen.sum())})
    return histogram


def _verify_graph(
    policy: Mapping[str, Any], artifacts: Sequence[Artifact], sealed_map: Mapping[str, Any] | None, directed: bool
) -> Verdict:
    samples = sampled_parts(policy)
    faults = _foreign_parts(artifacts, ("graph", "nodes", *(part for names in samples for part in names)))
    tables, unreadable_tables = _read_tables([artifact for artifact in artifacts if artifact.part == "nodes"])
    networks, unreadable_graphs = _read_networks(
        [artifact for artifact in artifacts if artifact.part == "graph"], directed, may_have_columns(policy)
    )
    n, node_faults = _count_nodes(tables, networks)
    form = node_faults + _network_faults(networks, n or _largest_end(networks) + 1, directed)
    tables += [network.attributes for network in networks if network.attributes is not None]
    faults += unreadable_tables + unreadable_graphs + form + _node_table_faults(tables, policy)
    faults += edge_column_faults(networks, policy)
    if samples and not faults:
        faults += _sample_faults(policy, artifacts, tables[0], networks[0], directed)
    evidence = Evidence(
        policy,
        tables,
        _table_flaw(tables, unreadable_tables + unreadable_graphs),
        networks,
        n,
        _graph_flaw(networks, unreadable_tables + unreadable_graphs, form),
        directed,
        sealed_map,
    )
    return _judged(evidence, faults, _describe_graph(evidence) if not evidence.graph_flaw else {})


def _sample_faults(
    policy: Mapping[str, Any], artifacts: Sequence[Artifact], supernodes: Cells, network: Network, directed: bool
) -> list[str]:
    """Faults of the ordinary graphs that were drawn from a generalized one: each must be one of those it stands for."""
    faults = []
    for part, nodes_part in sampled_parts(policy):
        tables, unreadable = _read_tables([artifact for artifact in artifacts if artifact.part == nodes_part])
        drawn, unreadable_graphs = _read_networks(
            [artifact for artifact in artifacts if artifact.part == part], directed, False
        )
        n, form = _count_nodes(tables, drawn)
        form += unreadable + unreadable_graphs + _network_faults(drawn, n, directed) + _disagreements(tables, True)
        if any(cells.names != (NODE, SUPERNODE) for cells in tables):
            form.append(f"{nodes_part}: the columns are not {NODE} and {SUPERNODE}")
        faults += form or inconsistencies(supernodes, network, tables[0], drawn[0], directed)
    return faults


def _read_networks(
    artifacts: Iterable[Artifact], directed: bool, with_columns: bool
) -> tuple[list[Network], list[str]]:
    networks, faults = [], []
    for artifact in artifacts:
        look()
        try:
            networks.append(read_graph(artifact, directed, with_columns))
        except Unreadable as problem:
            faults.append(f"{artifact.format} {artifact.part}: {problem}")
    return networks, faults


def _count_nodes(tables: Sequence[Cells], networks: Sequence[Network]) -> tuple[int, list[str]]:
    """The number of nodes, from the lists of nodes: an edge list alone cannot show the isolated ones."""
    lists = [(cells.label, node_numbers(cells.column(NODE))) for cells in tables if NODE in cells.names]
    lists += [(network.label, network.nodes) for network in networks if network.nodes is not None]
    if not lists:
        return 0, [Missing("no node list")]
    n = len(lists[0][1])
    faults = [f"{label}: the nodes are not 0…n-1, each once" for label, nodes in lists if not covers(nodes, len(nodes))]
    if any(len(nodes) != n for _, nodes in lists):
        faults.append("the artifacts list different numbers of nodes")
    return n, faults if n else [*faults, "no nodes"]


def _largest_end(networks: Sequence[Network]) -> int:
    """The largest node that an edge names: where no list of the nodes was given, they are at least as many."""
    ends = (network.sources if place == 0 else network.targets for network in networks for place in (0, 1))
    return max((int(side.max()) for side in ends if side.size), default=0)


def _network_faults(networks: Sequence[Network], n: int, directed: bool) -> list[str]:
    if not networks:
        return [Missing("no graph")]
    faults = [fault for network in networks for fault in edge_faults(network, n, directed)]
    if faults:
        return faults
    first, *others = [edge_keys(network, n, directed) for network in networks]
    agree = all(np.array_equal(first, other) for other in others)
    return [] if agree else ["the artifacts show different edges"]


def _node_table_faults(tables: Sequence[Cells], policy: Mapping[str, Any]) -> list[str]:
    shown, leading = shown_of_nodes(policy)
    faults = [fault for cells in tables for fault in column_faults(cells, shown, leading)]
    if not tables and expected_columns(shown):
        faults.append(Missing("no node table"))
    return faults + _disagreements(tables, bool(policy.get("privacy_unit")))


def _graph_flaw(networks: Sequence[Network], unreadable: Sequence[str], form: Sequence[str]) -> str:
    if unreadable:
        return "an artifact could not be read"
    if not networks:
        return Missing("there is no graph")
    if form and all(isinstance(fault, Missing) for fault in form):
        return Missing("there is no list of the nodes")
    return "the artifacts do not show one simple graph over 0…n-1" if form else ""


def _describe_graph(evidence: Evidence) -> dict[str, Any]:
    network = evidence.networks[0]
    if form_of(evidence.policy) == "uncertain":
        return describe_uncertain(evidence.n, network)
    if form_of(evidence.policy) == "generalized":
        return _describe_supernodes(evidence)
    outward, inward, groups = degree_groups(evidence.n, network.sources, network.targets, evidence.directed)
    description: dict[str, Any] = {"nodes": evidence.n, "edges": len(network.sources), "smallest": int(groups.min())}
    if evidence.directed:
        description["degrees"] = {"in": _histogram(inward), "out": _histogram(outward)}
    else:
        description["degrees"] = _histogram(inward + outward)
    if evidence.tables and expected_columns(evidence.policy):
        description["node_classes"] = _describe_table(evidence)
    return description


def _describe_supernodes(evidence: Evidence) -> dict[str, Any]:
    cells, network = evidence.tables[0], evidence.networks[0]
    if not {SIZE, EDGES} <= set(cells.names):
        return {"form": "generalized"}
    sizes, inside = (numbers_of(cells.column(name)) for name in (SIZE, EDGES))
    between = network.edge_cells.get(EDGES, np.zeros(0))
    return {
        "form": "generalized",
        "supernodes": evidence.n,
        "nodes": int(np.nansum(sizes)),
        "edges": int(np.nansum(inside) + np.nansum(between)),
        "smallest": int(np.nanmin(sizes)),
        "histogram": _bars(sizes, int(np.nanmax(sizes))),
    }


def _histogram(degrees: np.typing.NDArray[np.int64]) -> dict[str, int]:
    values, counts = np.unique(degrees, return_counts=True)
    return {str(value): count for value, count in zip(values.tolist(), counts.tolist(), strict=True)}


VERIFIERS = {"table": _verify_table, "graph": _verify_graph}
"""By the kind of data."""
