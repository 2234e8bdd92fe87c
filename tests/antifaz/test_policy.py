"""Policies: what is accepted, what is refused with which pointer, and what may be disclosed."""

import copy
import json
from typing import Any

import pytest

from antifaz.errors import InvalidPolicy
from antifaz.policy.graphs import GRAPH_GATES
from antifaz.policy.parse import hierarchy_shape, parse_hierarchy, parse_policy
from antifaz.policy.tables import TABLE_GATES
from antifaz.tables.table import Role

CANARY = "cnry0d3f"

TABLE: dict[str, Any] = {
    "kind": "table",
    "attributes": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi_identifier", "type": "integer", "recoding": "range"},
        "town": {
            "role": "quasi_identifier",
            "hierarchy": {"kind": "levels", "rows": [[f"{CANARY}a", "north", "*"], [f"{CANARY}b", "south", "*"]]},
        },
        "disease": {"role": "sensitive"},
        "ward": {"role": "insensitive"},
    },
    "guarantees": [{"model": "k_anonymity", "k": 5}],
    "method": {"name": "mondrian"},
}
GRAPH: dict[str, Any] = {
    "kind": "graph",
    "guarantees": [{"model": "k_degree_anonymity", "k": 3}],
    "method": {"name": "k_degree"},
}


def changed(base: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The policy with one place changed; the path's last name may be new."""
    policy = copy.deepcopy(base)
    *folders, last = path.strip("/").split("/")
    here: Any = policy
    for folder in folders:
        here = here[int(folder)] if isinstance(here, list) else here.setdefault(folder, {})
    here[int(last) if isinstance(here, list) else last] = value
    return policy


def pointers(policy: Any) -> list[str]:
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy(policy)
    assert CANARY not in str(caught.value.faults)
    return [pointer for pointer, _ in caught.value.faults]


def test_a_table_policy_survives_a_round_trip():
    policy = parse_policy(TABLE)
    assert parse_policy(policy.canonical()) == policy
    assert policy.having(Role.QUASI_IDENTIFIER) == ["age", "town"]


def test_a_graph_policy_survives_a_round_trip():
    policy = parse_policy(GRAPH)
    assert parse_policy(policy.canonical()) == policy


def test_what_is_shown_of_a_policy_holds_no_label():
    shown = parse_policy(changed(TABLE, "/attributes/ward/role", "quasi_identifier") | {}).public()
    assert CANARY not in json.dumps(shown)
    assert shown["attributes"]["town"]["hierarchy"] == {"kind": "levels"}


def test_an_order_of_values_is_not_shown_either():
    policy = changed(TABLE, "/attributes/ward", {"role": "quasi_identifier", "order": [f"{CANARY}x", f"{CANARY}y"]})
    assert CANARY not in json.dumps(parse_policy(policy).public())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/color", "red"),
        ("/method/seed", 7),
        ("/guarantees/0/k", 1),
        ("/guarantees/0/k", "5"),
        ("/guarantees/0/k", 2.5),
        ("/attributes/age/role", "secret"),
        ("/attributes/age/type", "number"),
        ("/attributes/disease/recoding", "set"),
        ("/attributes/ward/hierarchy", {"kind": "mask"}),
        ("/attributes/ward/order", ["a", "b"]),
        ("/attributes/age/pseudonym", True),
        ("/attributes/name/pseudonym", "yes"),
        ("/gate/max_suppressed", 1.5),
        ("/gate/max_edges_changed", 0.1),
        ("/formats", ["csv", "csv"]),
        ("/formats", []),
        ("/privacy_unit", "age"),
        ("/privacy_unit", "nobody"),
        ("/report/sampling_fraction", 0),
        ("/report/threshold", 1.5),
        ("/report/color", "red"),
    ],
)
def test_a_fault_is_pointed_at(path, value):
    assert path in pointers(changed(TABLE, path, value))


@pytest.mark.parametrize(
    ("path", "value", "pointer"),
    [
        ("/method", {"name": "magic"}, "/method"),
        ("/guarantees", [], "/guarantees"),
        ("/guarantees/0", {"model": "k_degree_anonymity", "k": 2}, "/guarantees/0"),
        ("/guarantees/0", {"model": "l_diversity", "l": 2, "attribute": "ward"}, "/guarantees/0/attribute"),
        ("/guarantees", [{"model": "k_anonymity", "k": 2}, {"model": "k_anonymity", "k": 3}], "/guarantees/1"),
        ("/attributes/age/recoding", "ancestor", "/attributes/age/recoding"),
        (
            "/attributes/town/hierarchy",
            {"kind": "levels", "rows": [[CANARY, "*"], [CANARY]]},
            "/attributes/town/hierarchy/rows",
        ),
        ("/attributes/town/hierarchy", {"kind": "tree"}, "/attributes/town/hierarchy"),
        ("/waivers", [{"rule": "everything", "reason": "x"}], "/waivers/0/rule"),
        ("/waivers", [{"rule": "free_text", "reason": ""}], "/waivers/0/reason"),
        ("/report", {"utility": ["beauty"]}, "/report/utility/0"),
        ("/report", {"utility": [{"name": "beauty"}]}, "/report/utility/0"),
        ("/report", {"utility": [7]}, "/report/utility/0"),
        ("/report", {"utility": ["ncp", "ncp"]}, "/report/utility/1"),
        ("/report", {"utility": [{"name": "ml_accuracy", "held_out": 2}]}, "/report/utility/0/held_out"),
        ("/report", {"utility": [{"name": "ml_accuracy", "target": "age"}]}, "/report/utility/0/target"),
        ("/report", {"attacks": [{"name": "record_linkage", "color": 1}]}, "/report/attacks/0/color"),
        (
            "/guarantees",
            [{"model": "t_closeness", "t": 0.2, "distance": "hierarchical", "attribute": "disease"}],
            "/guarantees/0/distance",
        ),
        ("/method", {"name": "pram", "matrix": "invariant", "publish": True}, "/method"),
    ],
)
def test_a_contradiction_is_pointed_at(path, value, pointer):
    assert pointer in pointers(changed(TABLE, path, value))


def test_a_name_with_a_slash_is_escaped_in_a_pointer():
    policy = changed(TABLE, "/attributes/ward", {"role": "insensitive"})
    policy["attributes"]["a/b~c"] = {"role": "insensitive", "recoding": "set"}
    assert "/attributes/a~1b~0c/recoding" in pointers(policy)


def test_a_policy_without_guarantees_needs_a_risk_gate_or_a_waiver():
    bare = changed(TABLE, "/guarantees", [])
    assert parse_policy(changed(bare, "/gate/max_prosecutor_risk", 0.2)).guarantees == ()
    waived = changed(bare, "/waivers", [{"rule": "no_guarantee", "reason": "a public register"}])
    assert parse_policy(waived).waives("no_guarantee")


def test_quasi_identifiers_of_nodes_need_a_guarantee():
    policy = changed(GRAPH, "/attributes", {"age": {"role": "quasi_identifier"}})
    assert pointers(policy) == ["/guarantees"]
    policy["guarantees"].append({"model": "k_anonymity", "k": 3})
    assert parse_policy(policy).warnings()


def test_a_node_method_must_keep_every_node():
    policy = changed(GRAPH, "/attributes", {"age": {"role": "quasi_identifier"}})
    policy["guarantees"].append({"model": "k_anonymity", "k": 3})
    policy["node_method"] = {"name": "datafly"}
    assert pointers(policy) == ["/node_method"]


def test_every_column_needs_a_role_and_every_role_a_column():
    policy = parse_policy(TABLE)
    policy.check_columns(["name", "age", "town", "disease", "ward"])
    with pytest.raises(InvalidPolicy) as caught:
        policy.check_columns(["name", "age", "town", "disease", "extra"])
    assert dict(caught.value.faults).keys() == {"/attributes", "/attributes/ward"}
    assert "extra" in str(caught.value.faults)


def test_k_anonymity_alone_with_a_sensitive_column_is_accepted_with_a_warning():
    assert "sensitive" in parse_policy(TABLE).warnings()[0]


@pytest.mark.parametrize("junk", [None, 3, "table", [], [TABLE], {}, {"kind": "hypergraph"}])
def test_what_is_not_a_policy_is_refused(junk):
    assert pointers(junk) == [""]


def test_the_shape_of_a_hierarchy_holds_counts_only():
    shape = hierarchy_shape(parse_hierarchy(TABLE["attributes"]["town"]["hierarchy"]))
    assert shape == {"kind": "levels", "levels": 3, "groups": [2, 2, 1]}


def test_populations_are_named_by_the_guarantees_that_speak_of_them():
    guarantees = [
        {"model": "k_anonymity", "k": 3},
        {"model": "k_map", "k": 3, "population": "town"},
        {"model": "delta_presence", "maximum": 0.5, "population": "town"},
    ]
    assert parse_policy(changed(TABLE, "/guarantees", guarantees)).populations() == {"town": "/guarantees/1/population"}


def test_a_privacy_unit_is_an_identifier_and_counts_against_no_population():
    policy = changed(TABLE, "/privacy_unit", "name")
    assert parse_policy(policy).privacy_unit == "name"
    mapped = changed(policy, "/guarantees", [{"model": "k_map", "k": 3, "population": "town"}])
    assert pointers(mapped) == ["/guarantees/0/population"]


def test_new_records_are_nobodys():
    synthetic = {"method": {"name": "synthetic"}, "guarantees": [], "gate": {"max_linkage_rate": 0.1}}
    chained = {"method": {"name": "pipeline", "steps": [{"name": "synthetic"}, {"name": "mondrian"}]}}
    for parts in (synthetic, chained):
        assert pointers(changed(TABLE | parts, "/privacy_unit", "name")) == ["/privacy_unit"]
        assert pointers(changed(TABLE | parts, "/attributes/name/pseudonym", True)) == ["/attributes/name/pseudonym"]


def test_pseudonyms_come_with_a_warning_about_what_they_link():
    policy = parse_policy(changed(TABLE, "/attributes/name/pseudonym", True))
    assert policy.pseudonyms() == ["name"]
    assert any("link the rows of one person" in text for text in policy.warnings())
    assert any("privacy unit" in text for text in policy.warnings())
    counted = parse_policy(changed(changed(TABLE, "/attributes/name/pseudonym", True), "/privacy_unit", "name"))
    assert not any("Without a privacy unit" in text for text in counted.warnings())


def test_nodes_have_no_pseudonyms():
    policy = changed(GRAPH, "/attributes", {"name": {"role": "identifier", "pseudonym": True}})
    assert pointers(policy) == ["/attributes/name/pseudonym"]


@pytest.mark.parametrize(
    ("method", "accepted"),
    [
        ({"name": "mondrian"}, True),
        ({"name": "pipeline", "steps": [{"name": "rounding"}, {"name": "mondrian"}]}, True),
        ({"name": "pipeline", "steps": [{"name": "mondrian"}, {"name": "suppress"}]}, False),
        ({"name": "datafly"}, False),
        ({"name": "optimal"}, False),
        ({"name": "microaggregation"}, False),
    ],
)
def test_bounds_are_for_methods_that_write_them(method, accepted):
    policy = changed(TABLE | {"method": method}, "/attributes/age/recoding", "bounds")
    if accepted:
        parse_policy(policy)
    else:
        assert pointers(policy) == ["/attributes/age/recoding"]


def test_a_column_may_not_have_the_name_of_a_bound():
    policy = changed(TABLE, "/attributes/age/recoding", "bounds")
    policy["attributes"]["age_max"] = {"role": "insensitive"}
    assert pointers(policy) == ["/attributes/age/recoding"]


def test_sensitive_values_may_have_a_hierarchy_and_an_order():
    close = [{"model": "t_closeness", "t": 0.2, "distance": "hierarchical", "attribute": "disease"}]
    assert pointers(changed(TABLE, "/guarantees", close)) == ["/guarantees/0/distance"]
    rows = {"kind": "levels", "rows": [[f"{CANARY}a", "*"], [f"{CANARY}b", "*"]]}
    placed = changed(changed(TABLE, "/guarantees", close), "/attributes/disease/hierarchy", rows)
    assert CANARY not in json.dumps(parse_policy(placed).public())
    ordered = changed(TABLE, "/attributes/disease/order", [f"{CANARY}a", f"{CANARY}b"])
    assert CANARY not in json.dumps(parse_policy(ordered).public())
    both = changed(placed, "/attributes/disease/order", [f"{CANARY}a"])
    assert pointers(both) == ["/attributes/disease/order"]


def test_measures_are_asked_for_by_name_or_with_parameters():
    wanted = {
        "utility": ["ncp", {"name": "ml_accuracy", "target": "ward", "held_out": 0.5}],
        "sampling_fraction": 0.1,
    }
    policy = parse_policy(changed(TABLE, "/report", wanted))
    named = policy.report.named("utility")
    assert named is not None
    assert list(named) == ["ncp", "ml_accuracy"]
    assert named["ncp"] is None
    assert named["ml_accuracy"].model_dump()["held_out"] == 0.5
    assert policy.report.named("attacks") is None
    assert policy.report.about_risk() == {"sampling_fraction": 0.1}
    assert parse_policy(policy.canonical()) == policy


def test_what_nobody_can_count_of_supernodes_and_probabilities_is_no_gate() -> None:
    for method, guarantee in (
        ("supernodes", {"model": "supernode_size", "k": 3}),
        ("uncertain", {"model": "k_eps_obfuscation", "k": 3, "epsilon": 0.1}),
    ):
        policy = {"kind": "graph", "guarantees": [guarantee], "method": {"name": method}}
        for rule in ("min_candidate_set", "max_edges_changed"):
            with pytest.raises(InvalidPolicy) as caught:
                parse_policy({**policy, "gate": {rule: 1}})
            assert caught.value.pointer == f"/gate/{rule}"
        assert "drawn from the release" in parse_policy({**policy, "gate": {"max_reidentified": 0.5}}).warnings()[-1]


def test_supernodes_generalize_attributes_by_themselves() -> None:
    attributes = {"town": {"role": "quasi_identifier"}, "illness": {"role": "sensitive"}}
    policy = {
        "kind": "graph",
        "attributes": attributes,
        "guarantees": [{"model": "supernode_size", "k": 3}],
        "method": {"name": "sangreea"},
    }
    assert not any("separately" in warning for warning in parse_policy(policy).warnings())
    for path, value in {
        "/node_method": {"name": "mondrian"},
        "/edge_attributes": "keep",
        "/attributes/size": {"role": "quasi_identifier"},
        "/guarantees/1": {"model": "k_anonymity", "k": 3},
        "/gate/max_loss": 0.5,
    }.items():
        changed = {**policy, "attributes": dict(attributes), "guarantees": list(policy["guarantees"])}
        _, field, *rest = path.split("/")
        if field == "guarantees":
            changed["guarantees"].append(value)
        elif field == "gate":
            changed["gate"] = {rest[0]: value}
        elif rest:
            changed[field][rest[0]] = value
        else:
            changed[field] = value
        with pytest.raises(InvalidPolicy) as caught:
            parse_policy(changed)
        assert path in [pointer for pointer, _ in caught.value.faults]


EDGES_DENIED: dict[str, Any] = {
    "kind": "graph",
    "guarantees": [{"model": "edge_local_dp", "epsilon": 4.0, "density": {"declared": 0.1}}],
    "method": {"name": "edge_local_dp"},
}
CELLS_DENIED: dict[str, Any] = {
    "kind": "table",
    "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
    "guarantees": [{"model": "local_differential_privacy", "epsilon": 1.0}],
    "method": {"name": "randomized_response", "values": {"disease": ["flu", "cold"]}},
}


@pytest.mark.parametrize("rule", sorted(GRAPH_GATES))
def test_a_graph_by_mechanism_has_no_gate(rule: str) -> None:
    assert pointers({**EDGES_DENIED, "gate": {rule: 1}}) == [f"/gate/{rule}"]
    assert parse_policy({**GRAPH, "gate": {rule: 1}})


@pytest.mark.parametrize("rule", sorted(TABLE_GATES))
def test_a_table_by_mechanism_has_no_gate(rule: str) -> None:
    assert pointers({**CELLS_DENIED, "gate": {rule: 1}}) == [f"/gate/{rule}"]
    assert parse_policy({**TABLE, "gate": {rule: 1}})


@pytest.mark.parametrize("rule", sorted(TABLE_GATES))
def test_nodes_beside_edges_by_mechanism_have_no_gate_either(rule: str) -> None:
    guarantees = [*EDGES_DENIED["guarantees"], {"model": "k_anonymity", "k": 3}]
    policy = {**EDGES_DENIED, "guarantees": guarantees, "attributes": {"age": {"role": "quasi_identifier"}}}
    assert parse_policy(policy)
    assert pointers({**policy, "gate": {rule: 1}}) == [f"/gate/{rule}"]


DECOMPOSED, COMPOSED = "ge\u0301nero", "g\u00e9nero"


def policy_about(**attributes: Any) -> dict[str, Any]:
    return {
        "kind": "table",
        "attributes": {DECOMPOSED: {"role": "sensitive"}, "age": {"role": "quasi_identifier"}, **attributes},
        "guarantees": [{"model": "l_diversity", "l": 2, "attribute": DECOMPOSED}, {"model": "k_anonymity", "k": 2}],
        "method": {"name": "mondrian"},
    }


def test_a_columns_name_is_the_same_however_it_is_composed() -> None:
    policy = parse_policy(policy_about())
    policy.check_columns([COMPOSED, "age"])
    assert set(policy.canonical()["attributes"]) == {COMPOSED, "age"}
    assert policy.canonical()["guarantees"][0]["attribute"] == COMPOSED


def test_two_names_that_are_composed_differently_are_one_name_twice() -> None:
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy(policy_about(**{COMPOSED: {"role": "insensitive"}}))
    assert caught.value.pointer == "/attributes"
    assert COMPOSED not in str(caught.value)
