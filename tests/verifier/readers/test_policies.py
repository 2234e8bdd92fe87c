"""Invalid policies and impossible verdicts: what the verifier reports if it cannot judge."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.edge_local_dp import Density, EdgeLocalDp
from antifaz.graphs.methods.edge_local_dp import EdgeLocalNoise
from antifaz.policy.graphs import GraphPolicy
from antifaz.policy.model import AttributePolicy
from antifaz.policy.tables import TablePolicy
from antifaz.tables.table import Role
from antifaz.watch import unwatched
from formats.writing import render_graph, render_nodes
from verifier import Artifact, verify
from verifier.__main__ import main
from verifier.readers.policies import MEMBERS, ROLES, SETTINGS

Write = Callable[..., Artifact]
POLICY: dict[str, Any] = {
    "kind": "table",
    "attributes": {"q": {"role": "quasi_identifier"}, "s": {"role": "sensitive"}},
    "guarantees": [{"model": "k_anonymity", "k": 2}],
}


def table(write: Write) -> list[Artifact]:
    return [write("csv", ["q", "s"], [["a", "x"], ["a", "y"]])]


# policies


def test_the_verifier_knows_the_words_of_policies() -> None:
    assert set(TablePolicy.model_fields) | set(GraphPolicy.model_fields) == MEMBERS
    assert set(AttributePolicy.model_fields) == SETTINGS
    assert set(ROLES) == set(Role)


def test_a_true_policy_passes(write: Write) -> None:
    assert verify(POLICY, table(write)).holds


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            {"attributes": {"q": {"role": "quasi_identifer"}, "s": {"role": "sensitive"}}},
            "the policy gives the attribute 'q' a role that does not exist",
        ),
        (
            {"attributes": {"q": {}, "s": {"role": "sensitive"}}},
            "the policy gives the attribute 'q' a role that does not exist",
        ),
        (
            {"attributes": {"q": {"role": "quasi_identifier", "recodng": "bounds"}, "s": {"role": "sensitive"}}},
            "the policy gives the attribute 'q' a setting that does not exist",
        ),
        ({"garantees": []}, "the policy has a member that policies do not have"),
        ({"attributes": ["q", "s"]}, "the attributes of the policy are not objects"),
        ({"attributes": {"q": "quasi_identifier", "s": {}}}, "the attributes of the policy are not objects"),
        ({"guarantees": ["k_anonymity"]}, "the guarantees of the policy are not objects"),
        ({"guarantees": {"model": "k_anonymity"}}, "the guarantees of the policy are not objects"),
        ({"kind": "tabel"}, "the verifier does not know this kind of dataset"),
    ],
)
def test_a_misspelled_policy_asks_for_nothing_and_is_refused(write: Write, change: Any, fault: str) -> None:
    verdict = verify({**POLICY, **change}, table(write))
    assert not verdict.holds
    assert fault in verdict.faults
    assert verdict.cannot_tell == ()
    assert not any(finding.holds for finding in verdict.findings)


@pytest.mark.parametrize(
    "guarantee",
    [
        {"model": "k_anonymity", "k": 2},
        {"model": "l_diversity", "l": 2, "attribute": "s"},
        {"model": "t_closeness", "t": 1, "attribute": "s"},
        {"model": "alpha_k", "alpha": 1, "k": 2, "attribute": "s"},
        {"model": "beta_likeness", "beta": 9, "attribute": "s"},
    ],
)
def test_a_guarantee_over_classes_without_a_quasi_identifier_says_nothing(
    write: Write, guarantee: dict[str, Any]
) -> None:
    """The whole table would be its only class, however unlike its people are."""
    policy = {**POLICY, "guarantees": [guarantee]}
    none = {**policy, "attributes": {"q": {"role": "insensitive"}, "s": {"role": "sensitive"}}}
    assert verify(policy, table(write)).findings[0].detail != "the policy names no quasi-identifier"
    finding = verify(none, table(write)).findings[0]
    assert not finding.holds
    assert finding.detail == "the policy names no quasi-identifier"


# cannot be judged


def status(folder: Path, policy: Any, files: dict[str, bytes], *more: str) -> int:
    (folder / "policy.json").write_text(json.dumps(policy))
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return main([str(folder / "policy.json"), *(str(folder / name) for name in files), *more])


REPORT = {
    "schema_version": 1,
    "kind": "table",
    "policy": POLICY,
    "guarantees": [{"model": "k_anonymity"}],
    "software": {},
}
TABLE = {"t.csv": b"q,s\na,x\na,y\n"}
EDGES = {"edges.csv": b"source,target\n0,1\n"}
NODES = {"nodes.csv": b"node\n0\n1\n"}
GRAPH: dict[str, Any] = {"kind": "graph", "guarantees": [{"model": "k_degree_anonymity", "k": 2}]}
WITH_TOWNS = {**GRAPH, "attributes": {"town": {"role": "insensitive"}}}


@pytest.mark.parametrize(
    ("policy", "files", "why"),
    [
        (REPORT, TABLE, "a report was given instead of the policy; its member `policy` may be the policy"),
        (GRAPH, EDGES, "no node list"),
        (GRAPH, NODES, "no graph"),
        (
            WITH_TOWNS,
            EDGES | {"g.gml": b"graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]"},
            "no node table",
        ),
        ({**POLICY, "privacy_unit": "q"}, TABLE, "there is no sealed map that says which rows belong to one person"),
        (
            {**POLICY, "guarantees": [{"model": "k_map", "k": 2, "population": "x"}]},
            TABLE,
            "there is no sealed map of the population",
        ),
        (
            {**POLICY, "guarantees": [{"model": "local_differential_privacy", "epsilon": 1}]},
            TABLE,
            "a sensitive column has no matrix by which it was randomized",
        ),
        (
            {**GRAPH, "guarantees": [{"model": "k_automorphism", "k": 2}]},
            EDGES | NODES,
            "there is no sealed map with functions over the nodes",
        ),
        (
            {**GRAPH, "guarantees": [{"model": "edge_local_dp", "epsilon": 1}]},
            EDGES | NODES,
            "there is no mechanism by which pairs were reported",
        ),
    ],
)
def test_where_something_was_not_given_the_verifier_cannot_tell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], policy: Any, files: dict[str, bytes], why: str
) -> None:
    assert status(tmp_path, policy, files) == 3
    printed = json.loads(capsys.readouterr().out)
    assert printed["holds"] is False
    assert why in printed["cannot_tell"]


@pytest.mark.parametrize(
    ("policy", "files"),
    [
        ({**POLICY, "guarantees": [{"model": "k_anonymity", "k": 3}]}, TABLE),
        ({**POLICY, "privacy_unit": "q"}, {"t.csv": b"q,s\na,x\na,y\n\n"}),
        (GRAPH, {"edges.csv": b"source,target\n0,0\n"} | NODES),
        (GRAPH, {"edges.csv": b"source,target\n0,1\n0,1\n"}),
        ({**POLICY, "privacy_unit": "q", "guarantees": [*POLICY["guarantees"], {"model": "unknown"}]}, TABLE),
    ],
)
def test_what_is_wrong_whatever_else_is_given_does_not_hold(
    tmp_path: Path, policy: Any, files: dict[str, bytes]
) -> None:
    assert status(tmp_path, policy, files) == 1


# edge_local_dp from outside


def noised() -> tuple[dict[str, bytes], dict[str, Any], dict[str, Any]]:
    """A release by the product's own method: its files, its policy, and its public report."""
    rng = np.random.default_rng(5)
    ends = rng.integers(0, 200, (5000, 2))
    graph = Graph.from_pairs(200, ends[:, 0], ends[:, 1], False)
    density = Density(declared=0.2)
    released = EdgeLocalNoise().apply(graph, [EdgeLocalDp(epsilon=3.0, density=density)], rng, unwatched)
    files = {
        "edges.csv": b"".join(render_graph(released.graph, "edgelist")),
        "nodes.csv": b"".join(render_nodes(200, [], "csv")),
    }
    asked = {"model": "edge_local_dp", "epsilon": 3.0, "density": {"declared": 0.2}}
    policy = {"kind": "graph", "guarantees": [asked], "method": {"name": "edge_local_dp"}}
    return files, policy, json.loads(json.dumps(released.account["public"]))


def outside(folder: Path, policy: Any, files: dict[str, bytes], mechanism: Any) -> int:
    (folder / "report.json").write_text(json.dumps({"kind": "graph", "mechanism": mechanism}))
    return status(folder, policy, files, "--mechanism", str(folder / "report.json"))


def test_edge_local_dp_is_judged_outside_by_the_public_mechanism(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files, policy, mechanism = noised()
    assert outside(tmp_path, policy, files, mechanism) == 0
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["achieved"], finding["evidence"]) == ({"epsilon": 3.0}, "mechanism")
    assert status(tmp_path, policy, files) == 3


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("keep", "9999/10000"),
        ("rate", "1/1000"),
        ("density", "0.3"),
        ("epsilon_structure", "3.5"),
        ("epsilon", "3.5"),
        ("p01", 0.0001),
        ("p10", 0.0001),
        ("p11", 0.5),
        ("density_source", "exact"),
    ],
)
def test_a_public_mechanism_that_does_not_add_up_is_refused_outside(tmp_path: Path, member: str, value: Any) -> None:
    files, policy, mechanism = noised()
    assert member in mechanism["edge_local_dp"]
    mechanism["edge_local_dp"][member] = value
    assert outside(tmp_path, policy, files, mechanism) == 1


def test_a_release_that_the_public_mechanism_makes_of_no_graph_is_refused_outside(tmp_path: Path) -> None:
    """Without any edge: the chance of that is below 2^-64, for of 19900 pairs more than 800 are to be expected."""
    files, policy, mechanism = noised()
    assert outside(tmp_path, policy, {**files, "edges.csv": b"source,target\n"}, mechanism) == 1
