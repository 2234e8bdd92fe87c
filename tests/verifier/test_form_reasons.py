"""Verdicts about the form of a release and about several artifacts."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.verifier.reasoning import COIN, KNOWS, PEOPLE, ROWS, csv_of, judge, policy_of
from verifier import Artifact, Finding, Verdict, verify
from verifier.evidence.evidence import Evidence
from verifier.judges import find

Write = Callable[..., Artifact]
Draw = Callable[..., dict[str, Artifact]]


# --- degrees ---------------------------------------------------------------------------------------------------------


def graph_policy(k: Any = 2) -> dict[str, Any]:
    return {"kind": "graph", "attributes": {}, "guarantees": [{"model": "k_degree_anonymity", "k": k}]}


def test_degrees_that_hold_and_that_do_not(draw: Draw) -> None:
    path = list(draw(4, [(0, 1), (1, 2), (2, 3)]).values())
    assumes = "the attacker knows the degree of a node and nothing else about the graph"
    (found,) = verify(graph_policy(), path).findings
    assert found == Finding("k_degree_anonymity", {"k": 2}, {"k": 2}, True, "bytes", assumes, "")
    (found,) = verify(graph_policy(3), path).findings
    assert (found.holds, found.achieved) == (False, {"k": 2})
    assert found.detail == "a group of nodes with one degree is smaller than k"
    (found,) = verify(graph_policy(1), path).findings
    assert (found.holds, found.achieved, found.detail) == (False, {}, "k is not a whole number above 1")
    circle = list(draw(3, [(0, 1), (1, 2), (2, 0)], True).values())
    (found,) = verify(graph_policy(3), circle, directed=True).findings
    assert found.holds
    assert found.assumes == "the attacker knows the in- and out-degree of a node and nothing else about the graph"


# --- the form of a release -------------------------------------------------------------------------------------------


def judged(kind: str, artifacts: Sequence[Artifact], **more: Any) -> Verdict:
    model = {"table": "k_anonymity", "graph": "k_degree_anonymity"}.get(kind, "k_anonymity")
    policy = {"kind": kind, "attributes": {}, "guarantees": [{"model": model, "k": 2}], **more}
    return verify(policy, artifacts)


def test_a_kind_that_nobody_knows() -> None:
    why = "the verifier does not know this kind of dataset"
    for model in ("k_anonymity", "k_degree_anonymity"):
        verdict = judged("film", [csv_of()], guarantees=[{"model": model, "k": 2}])
        assert (verdict.faults, verdict.findings[0].detail, verdict.describe) == ((why,), why, {})
        assert not verdict.holds


def test_tables_that_cannot_be_judged() -> None:
    attributes = {"q": {"role": "quasi_identifier"}}
    empty = judged("table", [], attributes=attributes)
    assert (empty.faults, empty.findings[0].detail, empty.describe) == (("no table",), "there is no table", {})
    broken = judged("table", [Artifact("csv", "table", b"")], attributes=attributes)
    assert (broken.faults, broken.findings[0].detail) == (
        ("csv table: no header",), "an artifact could not be read",
    )  # fmt: skip
    bare = judged("table", [csv_of([], "q")], attributes=attributes)
    assert (bare.faults, bare.findings[0].detail, bare.describe) == (("csv table: no rows",), "no rows", {"rows": 0})
    twice = judged("table", [csv_of([("1", "1"), ("1", "1")], "q,q")], attributes=attributes)
    assert (twice.faults, twice.findings[0].detail) == (
        ("csv table: a column name is repeated",), "a column name is repeated",
    )  # fmt: skip
    foreign = judged(
        "table", [csv_of([("1",), ("1",)], "q"), Artifact("csv", "nodes", b""), Artifact("gml", "graph", b"")],
        attributes=attributes,
    )  # fmt: skip
    assert foreign.faults == ("2 artifact(s) of a part that this kind of release does not have",)
    assert foreign.findings[0].holds
    assert not foreign.holds


def test_tables_that_disagree() -> None:
    attributes = {"q": {"role": "quasi_identifier"}}
    rows, other = csv_of([("1",), ("1",)], "q"), Artifact("jsonl", "table", b'{"q": "1"}\n{"q": "2"}\n')
    assert judged("table", [rows, other], attributes=attributes).faults == (
        "the artifacts of one part show different rows",
    )
    repeated = csv_of([("1", "2"), ("1", "2")], "q,q")
    assert judged("table", [repeated, repeated], attributes=attributes).faults[-1] == (
        "the artifacts of one part have different columns"
    )
    renamed = Artifact("jsonl", "table", b'{"z": "1"}\n{"z": "1"}\n')
    assert judged("table", [rows, renamed], attributes=attributes).faults[-1] == (
        "the artifacts of one part have different columns"
    )


def test_graphs_that_cannot_be_judged(draw: Draw, write: Write) -> None:
    drawn = draw(2, [(0, 1)])
    none = judged("graph", [drawn["nodes"]])
    assert (none.faults, none.findings[0].detail, none.describe) == (("no graph",), "there is no graph", {})
    broken = judged("graph", [Artifact("gml", "graph", b"["), drawn["nodes"], drawn["graphml"]])
    assert broken.faults == ("gml graph: not gml",)
    assert broken.findings[0].detail == "an artifact could not be read"
    looped = judged("graph", [Artifact("edgelist", "graph", b"source,target\n0,0\n")])
    assert looped.faults == ("no node list", "edgelist graph: a self-loop")
    unnamed = judged("graph", [Artifact("gml", "graph", b'graph [ node [ id 0 town "x" ] node [ id 1 town "x" ] ]')])
    assert unnamed.faults == ("gml graph: column 2 is not named by the policy",)
    lost = judged("graph", [drawn["edgelist"]])
    assert lost.faults[0] == "no node list"
    assert lost.findings[0].detail == "there is no list of the nodes"
    nobody = judged("graph", [Artifact("gml", "graph", b"graph [ ]")])
    assert nobody.faults == ("no nodes",)
    assert not nobody.holds
    wrong = judged("graph", [drawn["graphml"], write("csv", ["node"], [[0], [2]], part="nodes")])
    assert wrong.faults == ("csv nodes: the nodes are not 0…n-1, each once",)
    fewer = judged("graph", [drawn["edgelist"], draw(3, [(0, 1)])["gml"], drawn["nodes"]])
    assert fewer.faults == ("the artifacts list different numbers of nodes",)
    unnumbered = judged("graph", [drawn["gml"], write("csv", ["q"], [["x"], ["x"]], part="nodes")])
    assert "csv nodes: the column 'node' is missing" in unnumbered.faults
    other = judged("graph", [draw(3, [(0, 1)])["gml"], draw(3, [(0, 2)])["graphml"]])
    assert other.faults == ("the artifacts show different edges",)
    foreign = judged("graph", [drawn["gml"], Artifact("csv", "table", b"")])
    assert foreign.faults == ("1 artifact(s) of a part that this kind of release does not have",)
    unlisted = judged("graph", [drawn["gml"]], attributes={"age": {"role": "quasi_identifier"}})
    assert unlisted.faults == ("no node table",)


def test_a_description_counts_classes_by_size() -> None:
    sizes = [1, 2, 3, 4, 5, 9, 10, 19, 20, 49, 50, 99, 100, 150]
    rows = [(f"c{size}",) for size in sizes for _ in range(size)]
    verdict = judged("table", [csv_of(rows, "q")], attributes={"q": {"role": "quasi_identifier"}})
    assert verdict.describe == {
        "rows": sum(sizes),
        "classes": len(sizes),
        "smallest": 1,
        "histogram": [
            {"from": 1, "to": 1, "classes": 1, "rows": 1},
            {"from": 2, "to": 2, "classes": 1, "rows": 2},
            {"from": 3, "to": 4, "classes": 2, "rows": 7},
            {"from": 5, "to": 9, "classes": 2, "rows": 14},
            {"from": 10, "to": 19, "classes": 2, "rows": 29},
            {"from": 20, "to": 49, "classes": 2, "rows": 69},
            {"from": 50, "to": 99, "classes": 2, "rows": 149},
            {"from": 100, "to": None, "classes": 2, "rows": 250},
        ],
    }
    missing = judged("table", [csv_of(rows, "z")], attributes={"q": {"role": "quasi_identifier"}})
    assert missing.describe == {"rows": sum(sizes)}


def test_a_description_of_a_directed_graph_tells_both_degrees(draw: Draw) -> None:
    policy = {"kind": "graph", "attributes": {}, "guarantees": []}
    verdict = verify(policy, list(draw(3, [(0, 1), (0, 2)], True).values()), directed=True)
    assert verdict.describe == {
        "nodes": 3,
        "edges": 2,
        "smallest": 1,
        "degrees": {"in": {"0": 1, "1": 2}, "out": {"0": 2, "2": 1}},
    }


# --- several artifacts -----------------------------------------------------------------------------------------------

EVERY_SENSITIVE: list[dict[str, Any]] = [
    {"model": "l_diversity", "l": 2, "attribute": "s"},
    {"model": "t_closeness", "t": 0.1, "distance": "equal", "attribute": "s"},
    {"model": "alpha_k", "alpha": 0.5, "k": 2, "attribute": "s"},
    {"model": "beta_likeness", "beta": 0.1, "attribute": "s"},
]


@pytest.mark.parametrize("guarantee", EVERY_SENSITIVE, ids=lambda guarantee: guarantee["model"])
def test_an_artifact_that_lacks_a_column_is_the_reason_before_one_that_is_not_enough(guarantee: dict[str, Any]) -> None:
    poor = Artifact("jsonl", "table", b'{"q": "1", "s": "flu"}\n{"q": "2", "s": "cold"}\n')
    for names, why in (("s", "a quasi-identifier is missing"), ("q", "the sensitive attribute is missing")):
        for artifacts in ([csv_of([("1",), ("1",)], names), poor], [poor, csv_of([("1",), ("1",)], names)]):
            (found,) = verify(policy_of(guarantee), artifacts).findings
            assert (found.holds, found.detail) == (False, why)


@pytest.mark.parametrize("guarantee", EVERY_SENSITIVE, ids=lambda guarantee: guarantee["model"])
def test_the_worst_of_several_artifacts_decides(guarantee: dict[str, Any]) -> None:
    poor = Artifact("jsonl", "table", b'{"q": "1", "s": "flu"}\n{"q": "2", "s": "cold"}\n')
    alone = verify(policy_of(guarantee), [poor]).findings[0]
    assert not alone.holds
    for artifacts in ([csv_of(), poor], [poor, csv_of()]):
        (found,) = verify(policy_of(guarantee), artifacts).findings
        assert (found.holds, found.achieved, found.detail) == (False, alone.achieved, alone.detail)


@pytest.mark.parametrize(
    "guarantee",
    [
        *EVERY_SENSITIVE,
        {"model": "k_anonymity", "k": 2},
        {"model": "k_map", "k": 2, "population": "p"},
        {"model": "delta_presence", "maximum": 1, "population": "p"},
        {"model": "local_differential_privacy", "epsilon": 2},
    ],
    ids=lambda guarantee: guarantee["model"],
)
def test_an_artifact_that_cannot_be_read_satisfies_nothing(guarantee: dict[str, Any]) -> None:
    generous = {**guarantee, "l": 1, "t": 1, "alpha": 1, "beta": 9}
    stated = {name: generous[name] for name in guarantee}
    sealed = {**PEOPLE, "mechanism": {"s": COIN}}
    (found,) = verify(policy_of(stated), [csv_of()], sealed).findings
    assert found.holds
    (found,) = verify(policy_of(stated), [csv_of(), Artifact("jsonl", "table", b"{")], sealed).findings
    assert (found.holds, found.achieved, found.detail) == (False, {}, "an artifact could not be read")


def test_without_any_evidence_the_reason_is_its_absence() -> None:
    nothing = Evidence(policy_of())
    assert find({"model": "k_anonymity", "k": 2}, nothing).detail == "there is no table"
    found = find({"model": "k_degree_anonymity", "k": 2}, nothing)
    assert found.detail == "there is no graph"
    assert "in- and out-degree" not in found.assumes


def test_people_behind_nodes_are_counted_by_the_sealed_map(draw: Draw, write: Write) -> None:
    attributes = {"q": {"role": "quasi_identifier"}}
    policy = {
        "kind": "graph",
        "attributes": attributes,
        "guarantees": [{"model": "k_anonymity", "k": 2}],
        "privacy_unit": "person",
    }
    nodes = write("csv", ["node", "q"], [[0, "a"], [1, "a"]], part="nodes")
    artifacts = [draw(2, [(0, 1)])["edgelist"], nodes]
    assert verify(policy, artifacts, {"units": [7, 8]}).holds
    assert not verify(policy, artifacts, {"units": [7, 7]}).holds
    assert not verify(policy, artifacts).holds


def test_the_likelier_of_two_artifacts_decides_about_presence() -> None:
    fewer = Artifact("jsonl", "table", b'{"q": "1", "s": "flu"}\n{"q": "2", "s": "flu"}\n')
    guarantee = {"model": "delta_presence", "maximum": 0.9, "population": "p"}
    for artifacts in ([fewer, csv_of()], [csv_of(), fewer]):
        (found,) = verify(policy_of(guarantee), artifacts, PEOPLE).findings
        assert (found.holds, found.achieved) == (False, {"minimum": 0.333333, "maximum": 1.0})
        assert found.detail == "a person's presence is more likely than the maximum"
    assert verify(policy_of(guarantee), [fewer], PEOPLE).findings[0].holds


def test_a_population_whose_columns_do_not_belong_together() -> None:
    policy = policy_of({"model": "k_map", "k": 2, "population": "p"})
    policy["attributes"]["s"]["role"] = "quasi_identifier"
    columns = {
        "q": {"codes": [0, 0, 0], "values": ["1"], "type": "text"},
        "s": {"codes": [0, 0], "values": ["flu"], "type": "text"},
    }
    (found,) = verify(policy, [csv_of()], {"populations": {"p": {"columns": columns}}}).findings
    assert found.detail == "the columns of the population have different lengths"


def test_a_policy_that_promises_nothing_is_judged_by_form() -> None:
    for guarantees in (None, [], ()):
        verdict = verify({**policy_of(), "guarantees": guarantees}, [csv_of()])
        assert (verdict.findings, verdict.holds) == ((), True)
    silent = {name: value for name, value in policy_of().items() if name != "guarantees"}
    assert verify(silent, [csv_of()]).holds


def test_with_a_privacy_unit_nodes_must_stand_in_one_order(draw: Draw, write: Write) -> None:
    policy = {"kind": "graph", "attributes": {}, "guarantees": []}
    nodes = write("csv", ["node"], [[0], [1]], part="nodes")
    turned = write("jsonl", ["node"], [[1], [0]], part="nodes")
    artifacts = [draw(2, [(0, 1)])["edgelist"], nodes, turned]
    assert verify(policy, artifacts).faults == ()
    assert verify({**policy, "privacy_unit": "person"}, artifacts).faults == (
        "the artifacts of one part show different rows",
    )


def test_a_finding_that_holds_needs_no_detail() -> None:
    verdict = Verdict((Finding("k_anonymity", {}, {}, True, "bytes", KNOWS),))
    assert verdict.holds
    assert (verdict.findings[0].detail, verdict.faults, verdict.describe) == ("", (), {})


FIRST, SECOND = "0123456789abcdef" * 2, "f" * 32


def named(rows: Sequence[Sequence[str]], sealed: Any = None, *more: Artifact) -> tuple[str, ...]:
    """Faults of a table that shows two identifiers under other names."""
    role = {"role": "identifier", "pseudonym": True}
    policy = {"kind": "table", "attributes": {"a": role, "b": role}, "guarantees": []}
    return verify(policy, [csv_of(rows, "a,b"), *more], sealed).faults


def test_pseudonyms_have_a_form_and_follow_their_values() -> None:
    rows = [(FIRST, SECOND), (FIRST, ""), (SECOND, "")]
    known = {"pseudonyms": {"a": [4, 4, 7], "b": [1, 2, 2]}}
    assert named(rows) == named(rows, known) == ()
    assert named([("Ana", SECOND)]) == ("csv table: the column 'a' has a cell that is no pseudonym",)
    assert named([(FIRST, "Ana")]) == ("csv table: the column 'b' has a cell that is no pseudonym",)
    for values in ([4, 7, 7], [4, 4, 4], [4, 5, 7], [4, 4], [4, 4, 7, 7]):
        told = named(rows, {"pseudonyms": {"a": values, "b": [1, 2, 2]}})
        assert told == ("csv table: the pseudonyms of 'a' do not follow its values",)


def test_a_pseudonym_that_is_missing_does_not_excuse_the_next() -> None:
    role = {"role": "identifier", "pseudonym": True}
    policy = {"kind": "table", "attributes": {"a": role, "b": role}, "guarantees": []}
    assert verify(policy, [csv_of([("Ana",)], "b")]).faults == (
        "csv table: the column 'a' is missing",
        "csv table: the column 'b' has a cell that is no pseudonym",
    )


def test_pseudonyms_must_stand_in_one_order_in_every_format() -> None:
    rows = [(FIRST, FIRST), (SECOND, SECOND)]
    turned = "".join(f'{{"a": "{a}", "b": "{b}"}}\n' for a, b in reversed(rows))
    assert named(rows, None, Artifact("jsonl", "table", turned.encode())) == (
        "the artifacts of one part show different rows",
    )


def test_alpha_k_counts_people_where_the_policy_does() -> None:
    guarantee = {"model": "alpha_k", "alpha": 0.5, "k": 2, "attribute": "s"}
    found = judge(guarantee, sealed={"units": [1, 2, 3, 4]}, privacy_unit="person")
    assert (found.holds, found.evidence, found.achieved["k"]) == (True, "bytes+sealed_map", 2)
    found = judge(guarantee, sealed={"units": [1, 1, 3, 4]}, privacy_unit="person")
    assert (found.holds, found.detail, found.achieved["k"]) == (False, "a class is smaller than k", 1)
    found = judge(guarantee, privacy_unit="person")
    assert not found.holds
    assert found.detail == "there is no sealed map that says which rows belong to one person"


def test_columns_may_stand_in_another_order_in_every_format() -> None:
    turned = "".join(f'{{"s": "{s}", "q": "{q}"}}\n' for q, s in ROWS)
    verdict = verify(
        policy_of({"model": "k_anonymity", "k": 2}), [csv_of(), Artifact("jsonl", "table", turned.encode())]
    )
    assert verdict.holds


def test_a_sensitive_column_that_no_table_shows_is_not_private_by_its_absence() -> None:
    guarantee = {"model": "local_differential_privacy", "epsilon": 2}
    verdict = verify(policy_of(guarantee), [csv_of([("1",), ("1",)], "q")], {"mechanism": {"s": COIN}})
    assert not verdict.holds


# --- chances that a float cannot tell from their bound ---------------------------------------------------------------


def present(rows: int, others: int, **bounds: float) -> Finding:
    """Rows of one class, of which the population has more."""
    column = {"codes": [0] * (rows + others), "values": ["1"], "type": "text"}
    sealed = {"populations": {"p": {"columns": {"q": column}}}}
    artifact = csv_of([("1", "flu")] * rows)
    return judge({"model": "delta_presence", "population": "p", "maximum": 1, **bounds}, artifact, sealed)


def test_a_share_is_compared_with_the_decimal_that_stands_in_the_policy() -> None:
    assert 5 / 7 == 0.7142857142857143  # which as a decimal is more than five sevenths
    assert not present(5, 2, minimum=0.7142857142857143).holds
    assert present(5, 2, minimum=0.7142857142857142).holds
    assert present(5, 2, maximum=0.7142857142857143).holds
    assert 1 / 3 == 0.3333333333333333  # which as a decimal is less than a third
    assert not present(1, 2, maximum=0.3333333333333333).holds
    assert present(1, 2, minimum=0.3333333333333333).holds
