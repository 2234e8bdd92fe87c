"""Every graph method through the API: every release is verified, and impossible requests are refused."""

import csv
import io
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from antifaz import catalogue
from handbook.examples import example
from tests.system.samples import friends

NAIVE = [{"rule": "naive", "reason": "a test of renumbering alone"}]
WAIVED = [{"rule": "no_guarantee", "reason": "a test of perturbation alone"}, *NAIVE]
K_DEGREE = {"model": "k_degree_anonymity", "k": 3}
POLICIES: dict[str, dict[str, Any]] = {
    "naive": {"waivers": NAIVE},
    "random_perturbation": {"waivers": WAIVED},
    "random_switch": {"waivers": WAIVED},
    "edge_rotation": {"waivers": WAIVED},
    "spectral_perturbation": {"waivers": WAIVED},
    "spectral_switch": {"waivers": WAIVED},
    "edge_relevance": {"waivers": WAIVED},
    "feature_preserving_switch": {"waivers": WAIVED},
    "k_degree": {"guarantees": [K_DEGREE]},
    "k_neighborhood": {"guarantees": [{"model": "k_neighborhood_anonymity", "k": 2}]},
    "k_automorphism": {"guarantees": [{"model": "k_automorphism", "k": 2}, K_DEGREE | {"k": 2}]},
    "neighborhood_twins": {"guarantees": [{"model": "neighborhood_twins", "k": 2}]},
    "kl_anonymity": {"guarantees": [{"model": "kl_anonymity", "k": 2, "l": 1, "definition": "neighbors"}]},
    "supernodes": {"guarantees": [{"model": "supernode_size", "k": 4}], "method": {"samples": 2}},
    "sangreea": {"guarantees": [{"model": "supernode_size", "k": 4}]},
    "uncertain": {"guarantees": [{"model": "k_eps_obfuscation", "k": 2, "epsilon": 0.3}]},
    "edge_local_dp": {
        "guarantees": [{"model": "edge_local_dp", "epsilon": 4.0}],
        "method": {"density": {"declared": 0.08}},
    },
    "pipeline": {
        "guarantees": [K_DEGREE],
        "method": {"steps": [{"name": "random_switch", "share": 0.1}, {"name": "k_degree"}]},
    },
}
METHODS = [part.wire_name() for part in catalogue.parts("methods", "graph")]
STRATEGIES = sorted({str(e.get("strategy", "greedy")) for e in catalogue.part("methods", "graph", "k_degree").examples})


def policy_of(name: str, **method: Any) -> dict[str, Any]:
    stated = dict(POLICIES.get(name) or _example(name))
    settings = {"name": name, **stated.pop("method", {}), **method}
    return {"kind": "graph", "guarantees": [], **stated, "method": settings}


def _example(name: str) -> dict[str, Any]:
    """The method's own example, from the reference pages."""
    policy = dict(example("methods", "graph", catalogue.part("methods", "graph", name)) or {})
    return {"method": {}, "waivers": WAIVED} | policy


def test_every_policy_is_of_a_method() -> None:
    assert set(POLICIES) <= set(METHODS)


@pytest.fixture(scope="module")
def job_of(stack: Any) -> Callable[..., dict[str, Any]]:
    """One job for each method, run at its first use."""

    @cache
    def publish(name: str, strategy: str = "") -> dict[str, Any]:
        more = {"strategy": strategy} if strategy else {}
        policy = policy_of(name, **more)
        policy["report"] = {"utility": ["edges"], "attacks": ["degree"]}
        return dict(stack.publish(friends(seed=len(name + strategy)), policy, kind="graph", name=name))

    return publish


def rows_of(stack: Any, job: dict[str, Any], **which: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(stack.data(job["release_id"], **which).decode())))


def degrees_of(stack: Any, job: dict[str, Any]) -> Counter[str]:
    nodes = rows_of(stack, job, part="nodes")
    ends = Counter(row[side] for row in rows_of(stack, job) for side in ("source", "target"))
    return Counter({row["node"]: ends[row["node"]] for row in nodes})


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS)
def test_a_release_comes_out_of_every_method(stack, job_of, name):
    job = job_of(name)
    assert job["status"] == "released", (job, stack.said())
    with stack.client("consumer") as consumer:
        report = consumer.get(f"/v1/releases/{job['release_id']}/report").json()
    assert all(guarantee["holds"] for guarantee in report["guarantees"])
    assert {guarantee["model"] for guarantee in report["guarantees"]} == {
        guarantee["model"] for guarantee in policy_of(name).get("guarantees", [])
    }
    assert rows_of(stack, job, part="nodes")
    assert rows_of(stack, job)
    assert b"id-" not in stack.data(job["release_id"], format="graphml")


@pytest.mark.long
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_makes_degree_classes_of_k_nodes(stack, job_of, strategy):
    job = job_of("k_degree", strategy)
    assert job["status"] == "released", (job, stack.said())
    assert min(Counter(degrees_of(stack, job).values()).values()) >= 3


@pytest.mark.long
def test_an_uncertain_graph_has_a_probability_for_every_edge(stack, job_of):
    rows = rows_of(stack, job_of("uncertain"))
    assert all(0 < float(row["probability"]) <= 1 for row in rows)
    assert any(float(row["probability"]) < 1 for row in rows)


@pytest.mark.long
def test_supernodes_tell_sizes_and_counts_and_come_with_graphs_drawn_from_them(stack, job_of):
    job = job_of("supernodes")
    supernodes = rows_of(stack, job, part="nodes")
    assert min(int(row["size"]) for row in supernodes) >= 4
    edges = sum(int(row["edges"]) for row in supernodes) + sum(int(row["edges"]) for row in rows_of(stack, job))
    for part in ("sample_1", "sample_2"):
        assert len(rows_of(stack, job, part=part)) == edges
        homes = Counter(row["supernode"] for row in rows_of(stack, job, part=f"{part}_nodes"))
        assert homes == Counter({row["node"]: int(row["size"]) for row in supernodes})


def test_symmetries_are_verified_and_stay_sealed(stack, job_of):
    job = job_of("k_automorphism")
    assert job["status"] == "released", (job, stack.said())
    with stack.client("consumer") as consumer:
        report = consumer.get(f"/v1/releases/{job['release_id']}/report").json()
        release = consumer.get(f"/v1/releases/{job['release_id']}").json()
    finding = next(each for each in report["guarantees"] if each["model"] == "k_automorphism")
    assert (finding["holds"], finding["achieved"], finding["evidence"]) == (True, {"k": 2}, "bytes+sealed_map")
    assert {artifact["part"] for artifact in release["artifacts"]} == {"graph", "nodes"}
    assert min(Counter(degrees_of(stack, job).values()).values()) >= 2
    assert "automorphisms" not in str(report) + str(release)


DEGENERATE = {
    "star": "".join(f"hub,leaf{i}\n" for i in range(9)),
    "clique": "".join(f"v{i},v{j}\n" for i in range(8) for j in range(i)),
    "two nodes": "a,b\n",
    "two parts": "a,b\nb,c\nc,a\nx,y\ny,z\nz,x\n",
}


@pytest.mark.long
@pytest.mark.parametrize("shape", DEGENERATE)
@pytest.mark.parametrize("name", METHODS)
def test_a_graph_of_an_odd_shape_ends_in_a_release_or_a_reason(stack, name, shape):
    policy = policy_of(name)
    policy["report"] = {"utility": ["edges"], "attacks": ["degree"]}
    content = ("source,target\n" + DEGENERATE[shape]).encode()
    job = stack.publish(content, policy, kind="graph", name=f"{name} {shape}")
    assert job["status"] in ("released", "refused", "failed"), job
    if job["status"] == "refused":
        assert job["refusal"]["reasons"]
    if job["status"] == "failed":
        assert job["error"]["status"] == 422, job["error"]


def test_weights_are_kept_or_noised_as_the_policy_says(stack):
    content = friends().decode().splitlines()
    weighted = "\n".join([content[0] + ",weight", *(f"{line},{place % 7}.5" for place, line in enumerate(content[1:]))])
    policy = {"kind": "graph", "guarantees": [K_DEGREE], "method": {"name": "k_degree"}, "edge_attributes": "keep"}
    policy["report"] = {"utility": ["edges"], "attacks": ["degree"]}
    job = stack.publish(weighted.encode(), policy, kind="graph", name="weighted")
    assert job["status"] == "released", (job, stack.said())
    assert {float(row["weight"]) for row in rows_of(stack, job)} <= {place + 0.5 for place in range(7)}
    assert b'attr.name="weight"' in stack.data(job["release_id"], format="graphml")
    noised = stack.publish(weighted.encode(), {**policy, "edge_attributes": "noise"}, kind="graph", name="noised")
    assert noised["status"] == "released", (noised, stack.said())
    assert all(float(row["weight"]) % 1 == 0.5 for row in rows_of(stack, noised))
    with stack.client("auditor") as auditor, stack.client("consumer") as consumer:
        full = auditor.get(f"/v1/releases/{noised['release_id']}/report").json()
        public = consumer.get(f"/v1/releases/{noised['release_id']}/report").json()
    # About 0.38 of 150 weights survive; the probability that all do is below 1e-60.
    assert full["method"]["edge_noise"]["weight"]["unchanged"] < 1
    assert "edge_noise" not in str(public)
    assert "Noise on weights of edges is no guarantee" in str(public["warnings"])
