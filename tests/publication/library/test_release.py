"""Protect, verify and assess in a few lines, as a program would."""

from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import antifaz
from antifaz.kinds.table import ReleasedTable
from publication.library.release import Release

CLUB = nx.Graph(nx.karate_club_graph().edges)
K_DEGREE = {
    "kind": "graph",
    "guarantees": [{"model": "k_degree_anonymity", "k": 3}],
    "method": {"name": "k_degree"},
}


def people(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    ages, ills = rng.integers(20, 60, n), rng.integers(0, 3, n)
    return pd.DataFrame({"name": [f"p{i}" for i in range(n)], "age": ages, "ill": [f"d{ill}" for ill in ills]})


def policy(**changes: Any) -> dict[str, Any]:
    return {
        "kind": "table",
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi_identifier"},
            "ill": {"role": "sensitive"},
        },
        "guarantees": [{"model": "k_anonymity", "k": 4}],
        "method": {"name": "mondrian"},
        **changes,
    }


def protected_people(seed: int = 7, **changes: Any) -> Release:
    return antifaz.protect(antifaz.Table.from_pandas(people()), policy(**changes), np.random.default_rng(seed))


def test_a_frame_comes_out_protected_and_verified():
    release = protected_people()
    frame = release.to_pandas()
    assert list(frame) == ["age", "ill"]
    assert frame.groupby("age").size().min() >= 4
    assert sorted(frame["ill"]) == sorted(people()["ill"])
    assert antifaz.verify(release).holds
    assert release.to_polars().to_pandas().equals(frame)


def test_the_verifier_reads_the_bytes_and_refuses_a_release_that_breaks_its_promise():
    release = protected_people()
    assert isinstance(release.protected, ReleasedTable)
    age, ill = release.protected.table.columns
    tampered = replace(
        age, codes=np.append(np.int32(len(age.labels)), age.codes[1:]), labels=np.append(age.labels, "7")
    )
    broken = replace(release, protected=replace(
        release.protected, table=replace(release.protected.table, columns=(tampered, ill))
    ))  # fmt: skip
    (finding,) = antifaz.verify(broken).findings
    assert not finding.holds
    report = broken.report()
    assert report["status"] == "refused"
    assert report["reasons"][0]["rule"] == "guarantee:k_anonymity"
    assert report["attacks"] == []


def test_a_graph_comes_out_protected_and_verified():
    release = antifaz.protect(antifaz.Graph.from_networkx(CLUB), K_DEGREE, np.random.default_rng(7))
    network = release.to_networkx()
    degrees = [degree for _, degree in network.degree]
    assert min(degrees.count(degree) for degree in degrees) >= 3
    assert sorted(network) == list(range(34))
    assert antifaz.verify(release).holds


def test_a_directed_graph_with_attributes_comes_out_with_them():
    network = nx.DiGraph([(i, (i + j) % 20) for i in range(20) for j in (1, 2)])
    nx.set_node_attributes(network, {node: f"g{node % 2}" for node in network}, "group")
    wanted = K_DEGREE | {"attributes": {"group": {"role": "insensitive"}}}
    release = antifaz.protect(antifaz.Graph.from_networkx(network), wanted, np.random.default_rng(7))
    back = release.to_networkx()
    assert back.is_directed()
    assert sorted(nx.get_node_attributes(back, "group").values()) == ["g0"] * 10 + ["g1"] * 10
    assert release.to_pandas()["group"].tolist() == [back.nodes[node]["group"] for node in range(20)]
    assert antifaz.verify(release).holds


def test_probabilities_of_edges_are_numbers():
    wanted = {
        "kind": "graph",
        "guarantees": [{"model": "k_eps_obfuscation", "k": 2, "epsilon": 0.3}],
        "method": {"name": "uncertain"},
    }
    release = antifaz.protect(antifaz.Graph.from_networkx(CLUB), wanted, np.random.default_rng(7))
    chances = nx.get_edge_attributes(release.to_networkx(), "probability")
    assert chances
    assert all(0 < float(chance) <= 1 for chance in chances.values())


def test_a_generator_of_ones_own_repeats_and_another_does_not():
    first, again, other = (protected_people(seed).to_pandas() for seed in (7, 7, 8))
    assert first.equals(again)
    assert not first.equals(other)
    graph = antifaz.Graph.from_networkx(CLUB)
    networks = [antifaz.protect(graph, K_DEGREE, np.random.default_rng(seed)).to_networkx() for seed in (7, 7, 8)]
    assert nx.utils.graphs_equal(networks[0], networks[1])
    assert not nx.utils.graphs_equal(networks[0], networks[2])


def test_the_report_says_what_was_verified_measured_and_attacked():
    report = protected_people().report(np.random.default_rng(1))
    assert report["status"] == "released"
    assert [finding["holds"] for finding in report["guarantees"]] == [True]
    assert report["risk"]["after"]["prosecutor"]["max"] <= 0.25
    assert {"name", "rate", "baseline"} <= set(report["attacks"][0])
    assert report["account"]["rows_in"] == 60


def test_the_gate_refuses_as_the_service_does():
    report = protected_people(gate={"max_loss": 0.0001}).report(np.random.default_rng(1))
    assert report["status"] == "refused"
    assert [reason["rule"] for reason in report["reasons"]] == ["max_loss"]


def test_what_cannot_work_is_an_error_that_repeats_no_value():
    with pytest.raises(antifaz.InvalidPolicy):
        protected_people(method={"name": "nothing"})
    with pytest.raises(antifaz.InvalidDataset):
        protected_people(guarantees=[{"model": "k_anonymity", "k": 61}])
    with pytest.raises(antifaz.InvalidDataset):
        antifaz.protect(antifaz.Table.from_pandas(people()), K_DEGREE)


def test_a_table_is_no_network():
    with pytest.raises(antifaz.InvalidPolicy):
        protected_people().to_networkx()


def test_pseudonyms_repeat_under_ones_own_key_alone():
    attributes = policy()["attributes"] | {"name": {"role": "identifier", "pseudonym": True}}
    table = antifaz.Table.from_pandas(people())
    wanted = policy(attributes=attributes, privacy_unit="name")

    def pseudonyms(key: bytes | None) -> set[str]:
        return set(antifaz.protect(table, wanted, np.random.default_rng(7), key=key).to_pandas()["name"])

    assert pseudonyms(b"k" * 32) == pseudonyms(b"k" * 32)
    assert not pseudonyms(None) & pseudonyms(None)
