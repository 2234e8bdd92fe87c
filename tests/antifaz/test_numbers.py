"""Numbers of policies at the ends of their ranges: refused with a pointer, or computed with; never a crash."""

import copy
from collections.abc import Iterator
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from antifaz import catalogue
from antifaz.assessment import assess
from antifaz.errors import AntifazError, InvalidPolicy
from antifaz.graphs.graph import Graph
from antifaz.kinds import kind_named
from antifaz.kinds.graph import GraphDataset
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from formats.core.raw import RawColumn

TABLE: dict[str, Any] = {
    "kind": "table",
    "attributes": {
        "age": {"role": "quasi_identifier", "type": "integer"},
        "city": {"role": "quasi_identifier"},
        "disease": {"role": "sensitive"},
    },
    "guarantees": [{"model": "k_anonymity", "k": 3}],
    "method": {"name": "mondrian"},
    "report": {"utility": [], "attacks": []},
}
GRAPH: dict[str, Any] = {
    "kind": "graph",
    "guarantees": [{"model": "k_degree_anonymity", "k": 2}],
    "method": {"name": "k_degree", "effort": "fast"},
    "report": {"utility": [], "attacks": []},
}
WAIVED = [{"rule": rule, "reason": "x"} for rule in ("no_guarantee", "pram_invariant", "exact_density")]
NEEDED: dict[str, dict[str, Any]] = {
    "t_closeness": {"t": 0.5, "distance": "equal", "attribute": "disease"},
    "alpha_k": {"alpha": 0.9, "k": 3, "attribute": "disease"},
    "beta_likeness": {"beta": 2.0, "attribute": "disease"},
    "l_diversity": {"l": 2, "c": 2.0, "variant": "recursive", "attribute": "disease"},
    "local_differential_privacy": {"epsilon": 1.0},
    "edge_local_dp": {"epsilon": 3.0, "density": {"declared": 0.15}},
    "k_eps_obfuscation": {"k": 2, "epsilon": 0.2},
}
DECLARED = {"disease": ["flu", "cold", "asthma"]}
GIVER = {"local_differential_privacy": "randomized_response", "k_eps_obfuscation": "uncertain"}


def has_floats(annotation: Any) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return any(has_floats(field.annotation) for field in annotation.model_fields.values())
    return annotation is float or any(has_floats(inner) for inner in get_args(annotation))


def float_fields(part: Any) -> list[str]:
    return [name for name, field in part.model_fields.items() if has_floats(field.annotation)]


def places() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Every float of a part that a policy can hold: its name, a policy that holds the part, and the pointer to it."""
    for base in (TABLE, GRAPH):
        for part in catalogue.parts("methods", base["kind"]):
            name = part.wire_name()
            policy = {**base, "method": {"name": name, **part.examples[0]}, "waivers": WAIVED, "guarantees": []}
            if name == "randomized_response":
                policy["method"]["values"] = DECLARED
            if name in NEEDED:
                policy["guarantees"] = [{"model": name, **NEEDED[name]}]
            for field in float_fields(part):
                yield f"{name}.{field}", policy, f"/method/{field}"
        for part in catalogue.parts("guarantees", base["kind"]):
            name = part.wire_name()
            if name not in NEEDED or (base is GRAPH and "table" in part.kinds):
                continue
            known = {method.wire_name() for method in catalogue.parts("methods", base["kind"])}
            method = GIVER.get(name, name if name in known else base["method"]["name"])
            stated = {"values": DECLARED} if method == "randomized_response" else {}
            policy = {**base, "method": {"name": method, **stated}, "guarantees": [{"model": name, **NEEDED[name]}]}
            for field in float_fields(part):
                yield f"{name}.{field}", policy, f"/guarantees/0/{field}"
        for folder in ("utility", "attacks"):
            for part in catalogue.parts(folder, base["kind"]):
                for field in float_fields(part):
                    report = {**base["report"], folder: [{"name": part.wire_name()}]}
                    yield f"{part.wire_name()}.{field}", {**base, "report": report}, f"/report/{folder}/0/{field}"
    for name in ("sampling_fraction", "threshold"):
        yield f"report.{name}", TABLE, f"/report/{name}"
    for name in ("declared", "noisy"):
        policy = copy.deepcopy({**GRAPH, "method": {"name": "edge_local_dp", "least_survival": 0}})
        policy["guarantees"] = [{"model": "edge_local_dp", "epsilon": 3.0, "density": {}}]
        yield f"density.{name}", policy, f"/guarantees/0/density/{name}"
    policy = copy.deepcopy(policy)
    policy["guarantees"][0]["density"] = {"noisy": {"share": 0.5}}
    yield "density.share", policy, "/guarantees/0/density/noisy/share"
    width = {"kind": "intervals", "width": 5.0}
    policy = copy.deepcopy(TABLE)
    policy["attributes"]["age"]["hierarchy"] = width
    yield "intervals.width", policy, "/attributes/age/hierarchy/width"


PLACES = {name: (policy, pointer) for name, policy, pointer in places()}
MECHANISMS = [
    name for name in PLACES if name.split(".")[0] in ("density", "local_differential_privacy", "edge_local_dp")
] + ["randomized_response.epsilon"]
SHAPES: dict[str, Any] = {
    "bounds": lambda number: {"age": [0.0, number]},
    "density": lambda number: {"declared": number},
}


def with_number(name: str, number: float) -> dict[str, Any]:
    """The policy of a place with another number there."""
    policy, pointer = PLACES[name]
    policy = copy.deepcopy(policy)
    *folders, last = pointer.strip("/").split("/")
    here: Any = policy
    for folder in folders:
        here = here[int(folder)] if isinstance(here, list) else here[folder]
    here[last] = SHAPES.get(last, lambda number: number)(number)
    return policy


def people() -> Dataset:
    rng = np.random.default_rng(3)
    columns = {
        "age": [str(20 + value) for value in range(30)],
        "city": [f"c{value}" for value in range(5)],
        "disease": ["flu", "cold", "asthma"],
    }
    encoded = [
        RawColumn(name, rng.integers(0, len(texts), 60).astype(np.int32), np.array(texts, dtype=object))
        for name, texts in columns.items()
    ]
    return Dataset(tuple(encoded), 60)


def friends() -> Dataset:
    rng = np.random.default_rng(4)
    return GraphDataset((), 16, graph=Graph.from_pairs(16, rng.integers(0, 16, 40), rng.integers(0, 16, 40)))


DATA = {"table": people(), "graph": friends()}


def publish(policy: dict[str, Any]) -> None:
    """What the service and a worker do; an error of the engine is an answer."""
    try:
        parsed = parse_policy(policy)
        parsed.forecast(1_000, directed=False)
        rng = np.random.default_rng(1)
        checked = check(DATA[parsed.kind], parsed)
        protected = protect(checked, parsed, rng)
        assess(checked, protected, parsed, rng)
        kind_named(parsed.kind).explain(checked, protected, parsed)
    except AntifazError:
        return


EXTREME = (5e-324, 2.3e-308, 1e-300, 1e-160, 1e-30, 1e-12, 1e-9, 1e-6, 1 - 2**-53, 1e15, 1e18, 1e160, 1.7e308)


@pytest.mark.parametrize("name", PLACES)
def test_no_number_of_a_policy_is_too_small_or_too_large_to_be_answered(name: str) -> None:
    for number in EXTREME:
        for signed in (number, -number):
            publish(with_number(name, signed))


@settings(max_examples=3 * settings().max_examples // 2, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(MECHANISMS)), st.floats(allow_nan=False, allow_infinity=False))
@example("edge_local_dp.epsilon", 1e-6)
@example("density.noisy", 3.0 - 1e-9)
def test_whatever_number_a_mechanism_is_given_it_is_answered(name: str, number: float) -> None:
    publish(with_number(name, number))


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("number", [5e-324, 1e-300, 1e-13])
def test_what_is_too_small_for_a_mechanism_is_pointed_at(name: str, number: float) -> None:
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy(with_number(name, number))
    assert caught.value.pointer.startswith(PLACES[name][1].removesuffix("/share"))
