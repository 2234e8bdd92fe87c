"""verify: read every artifact, look for faults of form, verify every guarantee."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from verifier.evidence.evidence import Evidence
from verifier.evidence.models import degree_groups
from verifier.evidence.release_parts import (
    bars,
    count_nodes,
    describe_table,
    disagreements,
    foreign_parts,
    node_table_faults,
    read_tables,
    table_flaw,
)
from verifier.evidence.unchanged import find_unchanged_attributes, find_unchanged_records
from verifier.evidence.unchanged_nodes import count_exposed, find_unchanged_nodes, likely
from verifier.judges import find, unfounded
from verifier.readers.cells import Cells
from verifier.readers.columns import NODE, column_faults, expected_columns, pseudonym_faults, pseudonyms
from verifier.readers.forms import (
    EDGES,
    PROBABILITY,
    SIZE,
    SUPERNODE,
    describe_uncertain,
    edge_column_faults,
    form_of,
    inconsistencies,
    may_have_columns,
    sampled_parts,
)
from verifier.readers.graphs import read_graph
from verifier.readers.networks import Network, edge_faults, edge_keys, numbers_of
from verifier.readers.policies import policy_faults
from verifier.temporal.temporal import verify_temporal
from verifier.verdict.verdict import Artifact, Finding, Missing, Unreadable, Verdict
from verifier.verdict.watch import Watch, look, unwatched, watched_by


def verify(
    policy: Mapping[str, Any],
    artifacts: Sequence[Artifact],
    sealed_map: Mapping[str, Any] | None = None,
    directed: bool = False,
    watch: Watch = unwatched,
) -> Verdict:
    """Verify a release by its bytes; ``watch`` is called regularly and may raise, see `verifier.verdict.watch`.

    ``sealed_map`` holds information that the bytes do not contain. ``units``: for every released row, in the order of
    the files, the number of the person it belongs to; required if the policy names a privacy unit. ``unit_texts``, if
    given: the texts that these numbers index; texts that fold to the same value belong to one person. ``pseudonyms``:
    for every column of pseudonyms, the number of the original value of each row. ``populations`` and ``hierarchies``:
    see `verifier.people.populations`. ``mechanism``: the matrices that randomized the sensitive columns. ``pairs``: the
    chances with which pairs of nodes were reported, see `verifier.mechanisms.pairs`. ``marginals``: the noisy figures
    from which a synthetic table was drawn, see `verifier.mechanisms.marginals`. ``degree_noise`` and
    ``community_noise``: see `verifier.mechanisms.degree_noise`. ``original_records`` and ``original_edges``: what the
    released records and nodes were, see `verifier.evidence.unchanged` and `verifier.evidence.unchanged_nodes`.
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


def _judged(
    evidence: Evidence, faults: Iterable[str], describe: Mapping[str, Any], outcome: Iterable[Finding | None] = ()
) -> Verdict:
    guarantees = evidence.policy.get("guarantees") or ()
    findings = tuple(find(guarantee, evidence) for guarantee in guarantees)
    return Verdict(findings, tuple(faults), describe, tuple(found for found in outcome if found is not None))


def _verify_table(
    policy: Mapping[str, Any], artifacts: Sequence[Artifact], sealed_map: Mapping[str, Any] | None, _directed: bool
) -> Verdict:
    faults = foreign_parts(artifacts, ("table",))
    tables, unreadable = read_tables([artifact for artifact in artifacts if artifact.part == "table"], policy)
    faults += unreadable
    if not tables and not unreadable:
        faults.append(Missing("no table"))
    for cells in tables:
        faults += column_faults(cells, policy) + pseudonym_faults(cells, policy, sealed_map)
    # The sealed map names rows by their places. Without it the files may have their rows in any order.
    by_row = policy.get("privacy_unit") or pseudonyms(policy) or "original_records" in (sealed_map or {})
    faults += disagreements(tables, bool(by_row))
    evidence = Evidence(policy, tables, flaw=table_flaw(tables, unreadable), sealed_map=sealed_map)
    # How much is unchanged is only counted in a release that is sound: of a faulty one, every figure may be wrong.
    outcome = () if faults else (find_unchanged_records(evidence),)
    return _judged(evidence, faults, describe_table(evidence) if tables else {}, outcome)


def _verify_graph(
    policy: Mapping[str, Any], artifacts: Sequence[Artifact], sealed_map: Mapping[str, Any] | None, directed: bool
) -> Verdict:
    samples = sampled_parts(policy)
    faults = foreign_parts(artifacts, ("graph", "nodes", *(part for names in samples for part in names)))
    tables, unreadable_tables = read_tables([artifact for artifact in artifacts if artifact.part == "nodes"])
    networks, unreadable_graphs = _read_networks(
        [artifact for artifact in artifacts if artifact.part == "graph"], directed, may_have_columns(policy)
    )
    n, node_faults = count_nodes(tables, networks)
    form = node_faults + _network_faults(networks, n or _largest_end(networks) + 1, directed)
    tables += [network.attributes for network in networks if network.attributes is not None]
    faults += unreadable_tables + unreadable_graphs + form + node_table_faults(tables, policy)
    faults += edge_column_faults(networks, policy)
    if samples and not faults:
        faults += _sample_faults(policy, artifacts, tables[0], networks[0], directed)
    evidence = Evidence(
        policy,
        tables,
        table_flaw(tables, unreadable_tables + unreadable_graphs),
        networks,
        n,
        _graph_flaw(networks, unreadable_tables + unreadable_graphs, form),
        directed,
        sealed_map,
    )
    outcome = () if faults else (find_unchanged_attributes(evidence), _unchanged_nodes(evidence))
    return _judged(evidence, faults, _describe_graph(evidence) if not evidence.graph_flaw else {}, outcome)


def _unchanged_nodes(evidence: Evidence) -> Finding | None:
    """The share of nodes that are joined as in the original and alone; a supernode of one node is that node."""
    known, network = (evidence.sealed_map or {}).get("original_edges"), evidence.networks[0]
    if not known:
        return None
    if form_of(evidence.policy) == "generalized":
        single = int(np.count_nonzero(numbers_of(evidence.tables[0].column(SIZE)) == 1))
        return find_unchanged_nodes(evidence.policy, single, int(known["n"]))
    ends = network.sources, network.targets
    if form_of(evidence.policy) == "uncertain":
        # An attacker who has to decide for every pair takes the likelier answer: this is the graph that is compared.
        ends = likely(*ends, network.edge_cells.get(PROBABILITY, np.zeros(0)))
    exposed = count_exposed(known, evidence.n, ends, evidence.directed)
    return find_unchanged_nodes(evidence.policy, exposed, int(known["n"]))


def _sample_faults(
    policy: Mapping[str, Any], artifacts: Sequence[Artifact], supernodes: Cells, network: Network, directed: bool
) -> list[str]:
    """Faults of the ordinary graphs drawn from a generalized graph: each must be a graph that it represents."""
    faults = []
    for part, nodes_part in sampled_parts(policy):
        tables, unreadable = read_tables([artifact for artifact in artifacts if artifact.part == nodes_part])
        drawn, unreadable_graphs = _read_networks(
            [artifact for artifact in artifacts if artifact.part == part], directed, False
        )
        n, form = count_nodes(tables, drawn)
        form += unreadable + unreadable_graphs + _network_faults(drawn, n, directed) + disagreements(tables, True)
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


def _largest_end(networks: Sequence[Network]) -> int:
    """The largest node that an edge names: without a list of the nodes, there are at least that many."""
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
        description["node_classes"] = describe_table(evidence)
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
        "histogram": bars(sizes, int(np.nanmax(sizes))),
    }


def _histogram(degrees: np.typing.NDArray[np.int64]) -> dict[str, int]:
    values, counts = np.unique(degrees, return_counts=True)
    return {str(value): count for value, count in zip(values.tolist(), counts.tolist(), strict=True)}


VERIFIERS = {"table": _verify_table, "graph": _verify_graph, "temporal_graph": verify_temporal}
"""Verifiers by kind of data."""
