"""Forms of released graphs: probabilities, supernodes, weights, and graphs drawn from supernodes."""

from typing import Any

import pytest

from antifaz import catalogue
from verifier import Artifact, Verdict, verify
from verifier.evidence.release_parts import read_tables
from verifier.readers.cells import Cells
from verifier.readers.forms import (
    describe_uncertain,
    edge_column_faults,
    form_of,
    inconsistencies,
    may_have_columns,
    needed_columns,
    sampled_parts,
    shown_of_nodes,
)
from verifier.readers.graphs import read_graph
from verifier.readers.networks import Network

NODES = Artifact("csv", "nodes", b"node\n0\n1\n2\n")


def edge_list(text: str, part: str = "graph") -> Artifact:
    return Artifact("edgelist", part, text.encode())


def judged(artifacts: list[Artifact], **policy: Any) -> Verdict:
    return verify({"kind": "graph", "method": {"name": "naive"}, "guarantees": [], **policy}, artifacts)


WEIGHTED = edge_list("source,target,weight\n0,1,2.5\n1,2,3\n")


def test_edges_say_nothing_unless_the_policy_lets_them() -> None:
    assert judged([WEIGHTED, NODES]).faults
    assert not judged([WEIGHTED, NODES], edge_attributes="keep").faults
    assert not judged([WEIGHTED, NODES], edge_attributes="noise").faults


def test_a_noised_release_has_numbers_alone() -> None:
    labeled = edge_list("source,target,kind\n0,1,kin\n1,2,work\n")
    assert not judged([labeled, NODES], edge_attributes="keep").faults
    assert judged([labeled, NODES], edge_attributes="noise").faults


def test_a_label_of_an_edge_that_a_spreadsheet_would_run_is_a_fault() -> None:
    formula = edge_list("source,target,kind\n0,1,=kin\n1,2,work\n")
    assert judged([formula, NODES], edge_attributes="keep").faults


GRAPHML = """<graphml><key id="e0" for="edge" attr.name="weight" attr.type="double"/><graph edgedefault="undirected">
<node id="0"/><node id="1"/><node id="2"/>
<edge source="0" target="1"><data key="e0">{first}</data></edge>
<edge source="1" target="2"><data key="e0">{second}</data></edge></graph></graphml>"""


def graphml(first: str, second: str) -> Artifact:
    return Artifact("graphml", "graph", GRAPHML.format(first=first, second=second).encode())


def test_formats_must_agree_on_what_they_say_of_edges() -> None:
    assert not judged([WEIGHTED, graphml("2.5", "3"), NODES], edge_attributes="keep").faults
    assert judged([WEIGHTED, graphml("3", "2.5"), NODES], edge_attributes="keep").faults


UNCERTAIN = {"method": {"name": "uncertain"}}


def test_an_uncertain_graph_has_probabilities_and_nothing_else() -> None:
    good = edge_list("source,target,probability\n0,1,0.25\n1,2,1\n")
    verdict = judged([good, NODES], **UNCERTAIN)
    assert not verdict.faults
    assert verdict.describe == {"form": "uncertain", "nodes": 3, "pairs": 2, "expected_edges": 1.25}
    assert judged([edge_list("source,target\n0,1\n"), NODES], **UNCERTAIN).faults
    endless = edge_list("source,target,probability\n0,1,1e999\n1,2,1\n")
    assert judged([endless, NODES], **UNCERTAIN).describe["expected_edges"] == 1.0
    more = edge_list("source,target,probability,name\n0,1,0.25,x\n")
    assert judged([more, NODES], **UNCERTAIN).faults


GENERALIZED = {"method": {"name": "supernodes", "samples": 1}}
SUPERNODES = Artifact("csv", "nodes", b"node,size,edges\n0,2,1\n1,3,2\n")
BETWEEN = edge_list("source,target,edges\n0,1,2\n")
SAMPLE = edge_list("source,target\n0,2\n1,3\n3,4\n0,1\n2,4\n", "sample_1")
HOMES = Artifact("csv", "sample_1_nodes", b"node,supernode\n0,0\n1,1\n2,0\n3,1\n4,1\n")


def test_a_generalized_graph_tells_sizes_and_counts() -> None:
    verdict = judged([BETWEEN, SUPERNODES], method={"name": "supernodes"})
    assert not verdict.faults
    told = {key: verdict.describe[key] for key in ("form", "supernodes", "nodes", "edges", "smallest")}
    assert told == {"form": "generalized", "supernodes": 2, "nodes": 5, "edges": 5, "smallest": 2}
    assert judged([BETWEEN, Artifact("csv", "nodes", b"node\n0\n1\n")], method={"name": "supernodes"}).faults
    assert judged([edge_list("source,target\n0,1\n"), SUPERNODES], method={"name": "supernodes"}).faults


def test_only_quasi_identifiers_stand_beside_the_counts() -> None:
    attributes = {"town": {"role": "quasi_identifier"}, "illness": {"role": "sensitive"}}
    policy = {"method": {"name": "sangreea"}, "attributes": attributes}
    towns = Artifact("csv", "nodes", b"node,size,edges,town\n0,2,1,north\n1,3,2,south\n")
    assert not judged([BETWEEN, towns], **policy).faults
    ill = Artifact("csv", "nodes", b"node,size,edges,town,illness\n0,2,1,north,flu\n1,3,2,south,flu\n")
    assert judged([BETWEEN, ill], **policy).faults


def test_a_sampled_graph_is_one_of_those_that_the_supernodes_stand_for() -> None:
    assert judged([BETWEEN, SUPERNODES, SAMPLE, HOMES], **GENERALIZED).faults == ()


@pytest.mark.parametrize(
    ("sample", "homes"),
    [
        (SAMPLE, HOMES.content.replace(b"2,0", b"2,1")),
        (SAMPLE, HOMES.content.replace(b"2,0", b"2,7")),
        (SAMPLE, HOMES.content.replace(b"supernode", b"home")),
        (SAMPLE, b"node,supernode\n0,0\n"),
        (edge_list("source,target\n0,2\n1,3\n3,4\n0,1\n", "sample_1"), HOMES.content),
        (edge_list("source,target\n0,2\n1,3\n3,4\n0,1\n1,4\n", "sample_1"), HOMES.content),
        (edge_list("source,target\n0,2\n1,3\n3,4\n0,1\n2,9\n", "sample_1"), HOMES.content),
        (edge_list("source,target\n0,2\n0,2\n3,4\n0,1\n2,4\n", "sample_1"), HOMES.content),
    ],
)
def test_a_sampled_graph_that_is_none_of_them_is_a_fault(sample: Artifact, homes: bytes) -> None:
    files = [BETWEEN, SUPERNODES, sample, Artifact("csv", "sample_1_nodes", homes)]
    assert judged(files, **GENERALIZED).faults


def test_a_sampled_graph_that_is_missing_or_was_not_asked_for_is_a_fault() -> None:
    assert judged([BETWEEN, SUPERNODES], **GENERALIZED).faults
    assert judged([BETWEEN, SUPERNODES, SAMPLE, HOMES], method={"name": "supernodes"}).faults


def test_the_edges_of_a_directed_sample_are_counted_by_direction() -> None:
    policy = {"kind": "graph", "method": {"name": "supernodes", "samples": 1}, "guarantees": []}
    supernodes = Artifact("csv", "nodes", b"node,size,edges\n0,1,0\n1,1,0\n")
    homes = Artifact("csv", "sample_1_nodes", b"node,supernode\n0,1\n1,0\n")
    between = edge_list("source,target,edges\n1,0,1\n")
    right, wrong = edge_list("source,target\n0,1\n", "sample_1"), edge_list("source,target\n1,0\n", "sample_1")
    assert verify(policy, [between, supernodes, right, homes], directed=True).faults == ()
    assert verify(policy, [between, supernodes, wrong, homes], directed=True).faults


@pytest.mark.parametrize("part", catalogue.parts("methods", "graph"), ids=lambda part: part.wire_name())
def test_the_verifier_knows_the_form_that_every_method_releases(part: Any) -> None:
    assert form_of({"kind": "graph", "method": {"name": part.wire_name()}}) == part.form


LACK = "edgelist graph: edges lack a column that the method gives them"
FOREIGN = "edgelist graph: edges have a column that the method does not give them"
BESIDE = "edgelist graph: edges have something beside noised numbers"
RUNS = "edgelist graph: edges have a cell that a spreadsheet would run"
DIFFER = "the artifacts show different attributes of their edges"


def network(text: str, form: str = "edgelist") -> Network:
    return read_graph(Artifact(form, "graph", text.encode()), False, with_columns=True)


@pytest.mark.parametrize(
    ("edges", "policy", "faults"),
    [
        ("source,target\n0,1\n", {}, []),
        ("source,target\n0,1\n", {"method": None}, []),
        ("source,target,probability\n0,1,0.5\n", UNCERTAIN, []),
        ("source,target\n0,1\n", UNCERTAIN, [LACK]),
        ("source,target\n", UNCERTAIN, []),
        ("source,target,edges\n0,1,0.5\n", UNCERTAIN, [LACK, FOREIGN]),
        ("source,target,probability,edges\n0,1,0.5,1\n", UNCERTAIN, [FOREIGN]),
        ("source,target,edges\n0,1,2\n", GENERALIZED, []),
        ("source,target,probability\n0,1,2\n", GENERALIZED, [LACK, FOREIGN]),
        ("source,target,edges\n0,1,2\n", {"method": {"name": "sangreea"}}, []),
        ("source,target,weight\n0,1,2\n", {"edge_attributes": "noise"}, []),
        ("source,target,weight,kind\n0,1,2,x\n", {"edge_attributes": "noise"}, [BESIDE]),
        ("source,target,weight,kind\n0,1,2,x\n", {"edge_attributes": "keep"}, []),
        ("source,target,kind\n0,1,=x\n", {"edge_attributes": "keep"}, [RUNS]),
        ("source,target,weight,kind\n0,1,2,=x\n", {"edge_attributes": "noise"}, [BESIDE, RUNS]),
    ],
)
def test_the_columns_of_edges_are_those_of_the_method(edges: str, policy: Any, faults: list[str]) -> None:
    assert edge_column_faults([network(edges)], policy) == faults


def test_a_formula_is_one_in_a_spreadsheet_alone() -> None:
    labeled = GRAPHML.replace("double", "string").format(first="=1", second="3")
    assert edge_column_faults([network(labeled, "graphml")], {"edge_attributes": "keep"}) == []


def test_artifacts_agree_on_edges_and_their_order() -> None:
    kept = {"edge_attributes": "keep"}
    first = network("source,target,weight\n0,1,2.5\n1,2,3\n")
    for text, faults in (
        ("source,target,weight\n0,1,2.5\n1,2,3\n", []),
        ("source,target,weight\n1,2,3\n0,1,2.5\n", [DIFFER]),
        ("source,target,weight\n0,1,3\n1,2,2.5\n", [DIFFER]),
        ("source,target,weight\n0,2,2.5\n1,2,3\n", [DIFFER]),
        ("source,target,weight\n1,1,2.5\n1,2,3\n", [DIFFER]),
        ("source,target,height\n0,1,2.5\n1,2,3\n", [DIFFER]),
        ("source,target,weight,height\n0,1,2.5,1\n1,2,3,1\n", [DIFFER]),
        ("source,target\n0,1\n1,2\n", []),
        ("source,target\n1,2\n0,1\n", []),
    ):
        assert edge_column_faults([first, network(text)], kept) == faults
        assert edge_column_faults([first, first, network(text)], kept) == faults
    both = [network(f"source,target,{names}\n0,1,2,2\n") for names in ("weight,height", "height,weight")]
    assert edge_column_faults(both, kept) == []


@pytest.mark.parametrize(
    ("policy", "form", "needed", "may", "begins"),
    [
        ({}, "graph", (), False, ("node",)),
        ({"method": None}, "graph", (), False, ("node",)),
        ({"edge_attributes": "keep"}, "graph", (), True, ("node",)),
        ({"edge_attributes": "noise"}, "graph", (), True, ("node",)),
        ({"edge_attributes": "drop"}, "graph", (), False, ("node",)),
        (UNCERTAIN, "uncertain", ("probability",), True, ("node",)),
        (GENERALIZED, "generalized", ("edges",), True, ("node", "size", "edges")),
    ],
)
def test_a_form_needs_its_columns(policy: Any, form: str, needed: Any, may: bool, begins: Any) -> None:
    assert form_of(policy) == form
    assert needed_columns(policy) == needed
    assert may_have_columns(policy) is may
    roles = {name: {"role": name} for name in ("quasi_identifier", "identifier", "sensitive", "insensitive")}
    shown, first = shown_of_nodes({**policy, "attributes": roles})
    kept = ["quasi_identifier", "identifier"] if form == "generalized" else list(roles)
    assert (list(shown["attributes"]), first) == (kept, begins)
    assert form_of(shown) == form


def test_sampled_graphs_are_named_by_their_number() -> None:
    two = [("sample_1", "sample_1_nodes"), ("sample_2", "sample_2_nodes")]
    for samples, parts in ((2, two), (1, two[:1]), (0, []), (True, []), ("2", []), (2.0, [])):
        assert sampled_parts({"method": {"name": "supernodes", "samples": samples}}) == parts
    assert sampled_parts({"method": {"name": "supernodes"}}) == []
    assert sampled_parts({"method": {"name": "uncertain", "samples": 2}}) == []
    assert sampled_parts({}) == []


NODES_DIFFER = "a sampled graph has other numbers of nodes than its supernodes"
EDGES_DIFFER = "a sampled graph has other numbers of edges than its supernodes"


def cells_of(text: bytes, part: str = "nodes") -> Cells:
    tables, faults = read_tables([Artifact("csv", part, text)])
    assert not faults
    return tables[0]


@pytest.mark.parametrize(
    ("supernodes", "between", "homes", "edges", "faults"),
    [
        (b"0,2,1\n1,3,2\n", "0,1,2\n", b"0,0\n1,1\n2,0\n3,1\n4,1\n", "0,2\n1,3\n3,4\n0,1\n2,4\n", []),
        # Rows in another order say the same.
        (b"1,3,2\n0,2,1\n", "1,0,2\n", b"4,1\n2,0\n1,1\n0,0\n3,1\n", "2,0\n3,1\n4,3\n1,0\n4,2\n", []),
        (b"0,2,1\n1,3,2\n", "0,1,2\n", b"0,0\n1,1\n2,1\n3,1\n4,1\n", "0,2\n", [NODES_DIFFER]),
        (
            b"0,2,1\n1,3,2\n",
            "0,1,2\n",
            b"0,0\n1,1\n2,2\n3,1\n4,1\n",
            "0,2\n",
            ["a sampled graph has a node of no supernode"],
        ),
        (
            b"0,2,1\n1,3,2\n",
            "0,1,2\n",
            b"0,0\n1,1\n2,x\n3,1\n4,1\n",
            "0,2\n",
            ["a sampled graph has a node of no supernode"],
        ),
        (b"0,2,0\n1,3,2\n", "0,1,2\n", b"0,0\n1,1\n2,0\n3,1\n4,1\n", "0,2\n1,3\n3,4\n0,1\n2,4\n", [EDGES_DIFFER]),
        (b"0,2,0\n1,3,2\n", "0,1,2\n", b"0,0\n1,1\n2,0\n3,1\n4,1\n", "1,3\n3,4\n0,1\n2,4\n", []),
        (b"0,2,1\n1,3,2\n", "0,1,3\n", b"0,0\n1,1\n2,0\n3,1\n4,1\n", "0,2\n1,3\n3,4\n0,1\n2,4\n", [EDGES_DIFFER]),
        (b"0,2,1\n1,3,0\n", "", b"0,0\n1,1\n2,0\n3,1\n4,1\n", "0,2\n", []),
        (b"0,0,0\n", "", b"", "", []),
        # A node that is listed twice leaves another without a supernode.
        (b"0,3,0\n1,0,0\n", "", b"0,0\n0,0\n2,0\n", "", ["a sampled graph has a node of no supernode"]),
        # The ends of an edge in either order, and a pair of supernodes without edges.
        (b"0,1,0\n1,1,0\n2,1,0\n", "2,0,1\n0,1,1\n", b"0,0\n1,1\n2,2\n", "0,2\n1,0\n", []),
        (b"0,1,0\n1,1,0\n", "0,1,0\n", b"0,0\n1,1\n", "", []),
    ],
)
def test_a_sample_is_counted_by_supernode(
    supernodes: bytes, between: str, homes: bytes, edges: str, faults: list[str]
) -> None:
    found = inconsistencies(
        cells_of(b"node,size,edges\n" + supernodes),
        network("source,target,edges\n" + between),
        cells_of(b"node,supernode\n" + homes),
        network("source,target\n" + edges),
        False,
    )
    assert found == faults


def test_edges_that_are_to_be_expected_are_rounded() -> None:
    thirds = network("source,target,probability\n0,1,0.3333333\n1,2,x\n")
    described = {"form": "uncertain", "nodes": 9, "pairs": 2, "expected_edges": 0.333333}
    assert describe_uncertain(9, thirds) == described
    assert describe_uncertain(9, network("source,target\n0,1\n"))["expected_edges"] == 0
