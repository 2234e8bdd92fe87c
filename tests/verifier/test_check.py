"""The verdict on whole releases: worked examples, known pitfalls, a brute-force oracle, and broken releases."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifier.conftest import released_parquet
from verifier import Artifact, Verdict, verify

FORMATS = ("csv", "parquet", "jsonl")
Write = Callable[..., Artifact]
Draw = Callable[..., dict[str, Artifact]]

HOSPITAL = [
    ("130**", "<30", "*", "arrhythmia"),
    ("130**", "<30", "*", "arrhythmia"),
    ("130**", "<30", "*", "infection"),
    ("130**", "<30", "*", "infection"),
    ("1485*", ">40", "*", "cancer"),
    ("1485*", ">40", "*", "arrhythmia"),
    ("1485*", ">40", "*", "infection"),
    ("1485*", ">40", "*", "infection"),
    ("130**", "3*", "*", "cancer"),
    ("130**", "3*", "*", "cancer"),
    ("130**", "3*", "*", "cancer"),
    ("130**", "3*", "*", "cancer"),
]
HOSPITAL_NAMES = ("zip", "age", "nationality", "disease")


def table_policy(quasi: Sequence[str], *guarantees: dict[str, Any], sensitive: str = "", **rest: Any) -> dict[str, Any]:
    attributes: dict[str, Any] = {name: {"role": "quasi_identifier"} for name in quasi}
    if sensitive:
        attributes[sensitive] = {"role": "sensitive"}
    return {"kind": "table", "attributes": attributes, "guarantees": list(guarantees), **rest}


def k_anonymity(k: int) -> dict[str, Any]:
    return {"model": "k_anonymity", "k": k}


def l_diversity(bound: float, attribute: str, variant: str = "distinct", **rest: float) -> dict[str, Any]:
    return {"model": "l_diversity", "variant": variant, "l": bound, "attribute": attribute, **rest}


def hospital_policy(*guarantees: dict[str, Any]) -> dict[str, Any]:
    return table_policy(HOSPITAL_NAMES[:3], *guarantees, sensitive="disease")


def achieved_k(verdict: Verdict) -> int:
    return int(verdict.findings[0].achieved["k"])


# worked examples


@pytest.mark.parametrize("form", FORMATS)
def test_the_hospital_table_is_4_anonymous_and_its_last_class_is_homogeneous(write: Write, form: str) -> None:
    artifact = write(form, HOSPITAL_NAMES, HOSPITAL)
    verdict = verify(hospital_policy(k_anonymity(4), l_diversity(2, "disease")), [artifact])
    anonymity, diversity = verdict.findings
    assert anonymity.holds
    assert anonymity.achieved == {"k": 4}
    assert anonymity.evidence == "bytes"
    assert not diversity.holds
    assert diversity.achieved["l"] == 1
    assert diversity.detail
    assert not verdict.holds
    assert verdict.faults == ()


def test_the_hospital_table_without_its_homogeneous_class_is_2_diverse_but_not_5_anonymous(write: Write) -> None:
    artifact = write("csv", HOSPITAL_NAMES, HOSPITAL[:8])
    assert verify(hospital_policy(k_anonymity(4), l_diversity(2, "disease")), [artifact]).holds
    assert not verify(hospital_policy(k_anonymity(5)), [artifact]).holds
    assert not verify(hospital_policy(l_diversity(3, "disease")), [artifact]).holds


def test_describes_the_class_sizes_of_the_release(write: Write) -> None:
    describe = verify(hospital_policy(k_anonymity(4)), [write("csv", HOSPITAL_NAMES, HOSPITAL)]).describe
    assert (describe["rows"], describe["classes"], describe["smallest"]) == (12, 3, 4)
    shown = [part for part in describe["histogram"] if part["classes"]]
    assert shown == [{"from": 3, "to": 4, "classes": 3, "rows": 12}]


def test_entropy_diversity_of_a_uniform_class_is_exactly_its_number_of_values(write: Write) -> None:
    for values in range(2, 12):
        rows = [("x", f"s{value}") for value in range(values)] * 3
        policy = table_policy(["q"], l_diversity(values, "s", "entropy"), sensitive="s")
        (finding,) = verify(policy, [write("csv", ("q", "s"), rows)]).findings
        assert finding.holds
        assert finding.achieved["l"] == values
        stricter = table_policy(["q"], l_diversity(values + 1e-12, "s", "entropy"), sensitive="s")
        assert not verify(stricter, [write("csv", ("q", "s"), rows)]).holds


def test_recursive_diversity_is_strict_at_its_bound(write: Write) -> None:
    rows = [("x", "a")] * 11 + [("x", "b")] * 10
    artifact = write("csv", ("q", "s"), rows)
    for c, holds in ((1.1, False), (1.2, True), (1.0, False)):
        policy = table_policy(["q"], l_diversity(2, "s", "recursive", c=c), sensitive="s")
        assert verify(policy, [artifact]).holds is holds


# pitfalls of others


@pytest.mark.parametrize("form", FORMATS)
def test_a_missing_value_does_not_hide_a_unique_row(write: Write, form: str) -> None:
    verdict = verify(table_policy(["c"], k_anonymity(2)), [write(form, ["c"], [["a"], ["a"], [None]])])
    assert achieved_k(verdict) == 1
    assert not verdict.holds


@pytest.mark.parametrize("form", FORMATS)
def test_the_order_of_rows_does_not_matter(write: Write, form: str) -> None:
    rows = [("1", "a"), ("1", "a"), ("2", "b"), ("2", "c")]
    policy = table_policy(["q"], l_diversity(2, "s"), sensitive="s")
    for order in ((0, 1, 2, 3), (0, 2, 1, 3), (3, 1, 2, 0)):
        (finding,) = verify(policy, [write(form, ("q", "s"), [rows[place] for place in order])]).findings
        assert finding.achieved["l"] == 1
        assert not finding.holds


@pytest.mark.parametrize("form", FORMATS)
def test_a_suppressed_row_is_a_class_of_its_own(write: Write, form: str) -> None:
    rows = [("20", "m"), ("20", "m"), ("*", "*")]
    assert achieved_k(verify(table_policy(["age", "sex"], k_anonymity(2)), [write(form, ("age", "sex"), rows)])) == 1


@pytest.mark.parametrize("form", FORMATS)
def test_a_missing_cell_is_a_value_and_not_a_wildcard(write: Write, form: str) -> None:
    rows = [("a", "x", "1"), (None, "x", "1"), ("a", None, "1"), ("a", "x", None)]
    names = ("key1", "key2", "key3")
    assert achieved_k(verify(table_policy(names, k_anonymity(2)), [write(form, names, rows)])) == 1


@pytest.mark.parametrize("form", FORMATS)
def test_a_trailing_space_makes_another_class(write: Write, form: str) -> None:
    rows = [["1"], ["1"], ["1 "]]
    assert achieved_k(verify(table_policy(["q"], k_anonymity(2)), [write(form, ["q"], rows)])) == 1


def test_texts_that_readers_take_for_missing_stay_texts(write: Write) -> None:
    rows = [[text] for text in ("NA", "NaN", "null", "N/A", "", "None")]
    verdict = verify(table_policy(["q"], k_anonymity(2)), [write("csv", ["q"], rows)])
    assert verdict.describe["classes"] == 6


def test_a_number_and_its_text_are_two_cells() -> None:
    content = b'{"q": 1}\n{"q": "1"}\n'
    assert achieved_k(verify(table_policy(["q"], k_anonymity(2)), [Artifact("jsonl", "table", content)])) == 1


@pytest.mark.parametrize("form", FORMATS)
def test_k_counts_persons_and_not_their_rows(write: Write, form: str) -> None:
    artifact = write(form, ["q"], [["a"]] * 5)
    policy = table_policy(["q"], k_anonymity(5), privacy_unit="person")
    alone = verify(policy, [artifact], {"units": [7] * 5}).findings[0]
    assert alone.achieved == {"k": 1}
    assert not alone.holds
    assert alone.evidence == "bytes+sealed_map"
    assert verify(policy, [artifact], {"units": [3, 1, 4, 2, 5]}).holds


@pytest.mark.parametrize("sealed_map", [None, {}, {"units": []}, {"units": [1, 2]}, {"units": ["a", "b", "c"]}])
def test_without_a_usable_map_of_persons_nothing_is_granted(write: Write, sealed_map: dict[str, Any] | None) -> None:
    policy = table_policy(["q"], k_anonymity(2), privacy_unit="person")
    (finding,) = verify(policy, [write("csv", ["q"], [["a"]] * 3)], sealed_map).findings
    assert not finding.holds
    assert finding.detail


def test_with_a_map_of_persons_the_formats_must_agree_row_by_row(write: Write) -> None:
    rows = [["a"], ["a"], ["b"], ["b"]]
    policy = table_policy(["q"], k_anonymity(2), privacy_unit="person")
    pair = [write("csv", ["q"], rows), write("parquet", ["q"], rows[::-1])]
    assert verify(policy, pair, {"units": [1, 2, 3, 4]}).faults
    assert verify(table_policy(["q"], k_anonymity(2)), pair).holds


@pytest.mark.parametrize("form", FORMATS)
def test_an_empty_release_never_passes(write: Write, form: str) -> None:
    verdict = verify(table_policy(["q"], k_anonymity(2)), [write(form, ["q"], [])])
    assert not verdict.holds
    assert not verdict.findings[0].holds
    assert not verify(table_policy(["q"]), [write(form, ["q"], [])]).holds


def test_a_release_without_artifacts_never_passes() -> None:
    assert verify(table_policy(["q"]), []).faults == ("no table",)
    assert not verify({"kind": "graph", "guarantees": []}, []).holds


# parameters and models that cannot be judged


@pytest.mark.parametrize(
    "guarantee",
    [
        {"model": "t_closeness", "t": 0.2, "attribute": "s"},
        {"model": "k_degree_anonymity", "k": 2},
        {"model": "k_anonymity"},
        {"model": "k_anonymity", "k": 1},
        {"model": "k_anonymity", "k": "2"},
        {"model": "k_anonymity", "k": True},
        {"model": "l_diversity", "variant": "average", "l": 2, "attribute": "s"},
        {"model": "l_diversity", "l": 2, "attribute": "q"},
        {"model": "l_diversity", "l": 2, "attribute": "absent"},
        {"model": "l_diversity", "l": float("nan"), "attribute": "s"},
        {"model": "l_diversity", "variant": "recursive", "l": 2, "attribute": "s"},
        {"model": "l_diversity", "variant": "recursive", "l": 2, "c": 0, "attribute": "s"},
    ],
)
def test_what_the_verifier_cannot_judge_does_not_hold(write: Write, guarantee: dict[str, Any]) -> None:
    rows = [("x", "a"), ("x", "b"), ("x", "c")]
    verdict = verify(table_policy(["q"], guarantee, sensitive="s"), [write("csv", ("q", "s"), rows)])
    (finding,) = verdict.findings
    assert not finding.holds
    assert finding.detail
    assert not verdict.holds


def test_an_unknown_model_has_no_verifier(write: Write) -> None:
    (finding,) = verify(table_policy(["q"], {"model": "m_invariance", "m": 3}), [write("csv", ["q"], [["a"]])]).findings
    assert (finding.model, finding.required, finding.detail) == ("m_invariance", {"m": 3}, "no verifier")


def test_an_unknown_kind_of_dataset_is_refused(write: Write) -> None:
    verdict = verify({"kind": "hypergraph", "guarantees": [k_anonymity(2)]}, [write("csv", ["q"], [["a"]] * 2)])
    assert verdict.faults
    assert not verdict.findings[0].holds


def test_a_policy_without_guarantees_is_judged_by_its_form_alone(write: Write) -> None:
    assert verify(table_policy(["q"]), [write("csv", ["q"], [["a"]])]).holds


# the oracle

CELLS = st.one_of(
    st.none(),
    st.sampled_from(
        ["", "*", "a", "a ", "A", "1", "01", "=1+1", "'=1+1", "-x", "é", "e\u0301", 'q"q', "a,b", "l\nm", "\r"]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=3),
)
TABLES = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=9).flatmap(
    lambda rows: st.lists(st.sampled_from(rows), min_size=1, max_size=14)
)


def seen(form: str, cell: str | None) -> str | None:
    """What one format can tell apart: csv writes a missing cell as an empty one, and marks formulas."""
    if form != "csv":
        return cell
    if cell is not None and cell[:1] in ("=", "+", "-", "@", "\t", "\r") and cell:
        return "'" + cell
    return cell or ""


def oracle(rows: Sequence[tuple[Any, ...]], l_bound: Fraction, c: Fraction) -> tuple[int, int, bool, bool]:
    """Smallest class, fewest distinct values, entropy and recursive l-diversity, by comparing all pairs of rows."""
    smallest, distinct, entropy, recursive = len(rows), len(rows), True, True
    for row in rows:
        members = [other[2] for other in rows if other[:2] == row[:2]]
        counts = sorted(Counter(members).values(), reverse=True)
        size, product = len(members), 1
        for count in counts:
            product *= count**count
        smallest, distinct = min(smallest, size), min(distinct, len(counts))
        entropy = entropy and Fraction(size) ** size >= l_bound**size * product
        recursive = recursive and counts[0] < c * sum(counts[int(l_bound) - 1 :])
    return smallest, distinct, entropy, recursive


@settings(deadline=None, max_examples=5 * settings().max_examples // 2)
@given(TABLES, st.integers(2, 4), st.integers(2, 3), st.sampled_from([0.5, 1, 1.1, 2, 3]))
def test_agrees_with_the_comparison_of_all_pairs_of_rows(
    write: Write, rows: list[tuple[Any, ...]], k: int, bound: int, c: float
) -> None:
    variants = (l_diversity(bound, "s"), l_diversity(bound, "s", "entropy"), l_diversity(bound, "s", "recursive", c=c))
    policy = table_policy(["p", "q"], k_anonymity(k), *variants, sensitive="s")
    for form in FORMATS:
        verdict = verify(policy, [write(form, ("p", "q", "s"), rows)])
        shown = [tuple(seen(form, cell) for cell in row) for row in rows]
        smallest, distinct, entropy, recursive = oracle(shown, Fraction(bound), Fraction(str(c)))
        assert verdict.faults == ()
        assert [finding.holds for finding in verdict.findings] == [smallest >= k, distinct >= bound, entropy, recursive]
        assert verdict.findings[0].achieved == {"k": smallest}
        assert verdict.findings[1].achieved["l"] == distinct


@settings(deadline=None)
@given(TABLES, st.randoms(use_true_random=False))
def test_formats_of_one_table_agree_in_any_order_of_rows(
    write: Write, rows: list[tuple[Any, ...]], shuffler: Any
) -> None:
    shuffled = list(rows)
    shuffler.shuffle(shuffled)
    names = ("p", "q", "s")
    artifacts = [write("csv", names, rows), write("parquet", names, shuffled), write("jsonl", names, rows[::-1])]
    assert verify(table_policy(names[:2], sensitive="s"), artifacts).faults == ()


@settings(deadline=None, max_examples=3 * settings().max_examples // 2)
@given(TABLES, st.data())
def test_one_changed_cell_in_one_format_is_found(
    write: Write, rows: list[tuple[Any, ...]], data: st.DataObject
) -> None:
    place, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, 2))
    changed = [list(row) for row in rows]
    changed[place][column] = (changed[place][column] or "") + "!"
    names = ("p", "q", "s")
    for form in ("parquet", "jsonl"):
        artifacts = [write("csv", names, rows), write(form, names, changed)]
        assert verify(table_policy(names[:2], sensitive="s"), artifacts).faults


# broken releases


def test_one_row_moved_to_another_class_breaks_k(write: Write) -> None:
    moved = [("1485*", ">40", "*", "arrhythmia"), *HOSPITAL[1:]]
    assert verify(hospital_policy(k_anonymity(4)), [write("csv", HOSPITAL_NAMES, HOSPITAL)]).holds
    assert achieved_k(verify(hospital_policy(k_anonymity(4)), [write("csv", HOSPITAL_NAMES, moved)])) == 3


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_must_satisfy_the_guarantee_by_itself(write: Write, form: str) -> None:
    broken = [("1485*", ">40", "x", "arrhythmia"), *HOSPITAL[1:]]
    others = [write(other, HOSPITAL_NAMES, HOSPITAL) for other in FORMATS if other != form]
    verdict = verify(hospital_policy(k_anonymity(4)), [*others, write(form, HOSPITAL_NAMES, broken)])
    assert achieved_k(verdict) == 1
    assert verdict.faults


@pytest.mark.parametrize("form", FORMATS)
def test_an_unreadable_artifact_spoils_the_findings_of_the_others(write: Write, form: str) -> None:
    bad = Artifact(form, "table", b"\xff\xfe")
    verdict = verify(hospital_policy(k_anonymity(4)), [write("csv", HOSPITAL_NAMES, HOSPITAL), bad])
    assert verdict.faults
    assert not verdict.findings[0].holds


@pytest.mark.parametrize("form", FORMATS)
def test_columns_must_be_those_of_the_policy(write: Write, form: str) -> None:
    policy = hospital_policy(k_anonymity(4))
    policy["attributes"]["name"] = {"role": "identifier"}

    def faults(names: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
        verdict = verify(policy, [write(form, names, rows)])
        assert not verdict.holds
        return verdict.faults

    with_name = [(*row, "Ana") for row in HOSPITAL]
    assert faults((*HOSPITAL_NAMES, "name"), with_name) == (f"{form} table: the identifier column 'name' is present",)
    assert faults((*HOSPITAL_NAMES, "ward"), with_name) == (f"{form} table: column 5 is not named by the policy",)
    assert faults(HOSPITAL_NAMES[:3], [row[:3] for row in HOSPITAL]) == (
        f"{form} table: the column 'disease' is missing",
    )
    missing = verify(policy, [write(form, HOSPITAL_NAMES[1:], [row[1:] for row in HOSPITAL])])
    assert not missing.findings[0].holds


def test_bounds_are_two_columns(write: Write) -> None:
    policy = table_policy(["age"], k_anonymity(2))
    policy["attributes"]["age"]["recoding"] = "bounds"
    rows = [(20, 29), (20, 29), (30, 31), (30, 31)]
    pair = [write(form, ("age_min", "age_max"), rows) for form in FORMATS]
    assert verify(policy, pair).holds
    assert not verify(policy, [write("csv", ["age"], [["20"], ["20"]])]).holds
    assert achieved_k(verify(policy, [write("csv", ("age_min", "age_max"), [*rows[:3], (30, 32)])])) == 1


def test_a_part_that_the_kind_does_not_have_is_a_fault(write: Write) -> None:
    good = write("csv", HOSPITAL_NAMES, HOSPITAL)
    extra = Artifact("csv", "nodes", good.content)
    assert verify(hospital_policy(k_anonymity(4)), [good, extra]).faults


def test_numbers_may_be_spelled_differently_but_must_be_equal(write: Write) -> None:
    def agree(csv_text: str, number: float) -> bool:
        csv_artifact = Artifact("csv", "table", f"q\n{csv_text}\n".encode())
        return verify(table_policy(["q"]), [csv_artifact, write("parquet", ["q"], [[number]])]).holds

    assert agree("1.50", 1.5)
    assert agree("-5", -5)
    assert agree("1", 1.0)
    assert not agree("1.50", 1.51)
    assert not agree("5", -5)
    assert not agree("5.0", 5)


def test_a_csv_cell_that_a_spreadsheet_would_run_is_a_fault() -> None:
    for cell in ("=1+1", "@x", "+a", "-a", '"\t"', '"\r"'):
        assert verify(table_policy(["q"]), [Artifact("csv", "table", f"q\n{cell}\n".encode())]).faults
    for cell in ("-5", "+5", "-1.5e3", "'=1+1"):
        assert verify(table_policy(["q"]), [Artifact("csv", "table", f"q\n{cell}\n".encode())]).holds


def test_no_text_of_a_verdict_repeats_a_cell_or_an_unknown_name(write: Write) -> None:
    canary = "cnry_7f3a"
    artifacts = [
        write("csv", [canary, "q"], [[canary, canary]]),
        write("parquet", ["q"], [["x"]]),
        Artifact("jsonl", "table", f'{{"q": "{canary}"'.encode()),
    ]
    verdict = verify(table_policy(["q"], k_anonymity(2)), artifacts)
    assert len(verdict.faults) >= 3
    assert canary not in repr(verdict)


def test_a_suppressed_value_that_stays_in_a_parquet_dictionary_is_a_fault() -> None:
    labels = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int32()), pa.array(["a", "suppressed"]))
    content = released_parquet(pa.table({"q": labels}))
    verdict = verify(table_policy(["q"], k_anonymity(2)), [Artifact("parquet", "table", content)])
    assert verdict.faults == ("parquet table: a dictionary with values that no row shows",)
    assert not verdict.findings[0].holds


# graphs

EXAMPLE = [(0, 1), (0, 3), (1, 2), (1, 4), (2, 4), (2, 5), (3, 5)]
GRAPH_FORMATS = ("edgelist", "graphml", "gml", "node-link")


def graph_policy(k: int = 2, attributes: dict[str, Any] | None = None, *more: dict[str, Any]) -> dict[str, Any]:
    guarantees = [{"model": "k_degree_anonymity", "k": k}, *more]
    return {"kind": "graph", "attributes": attributes or {}, "guarantees": guarantees}


@pytest.mark.parametrize("form", GRAPH_FORMATS)
def test_the_degree_example_is_2_anonymous_and_its_edit_is_not(draw: Draw, form: str) -> None:
    drawn = draw(6, EXAMPLE)
    verdict = verify(graph_policy(), [drawn[form], drawn["nodes"]])
    assert verdict.holds
    assert verdict.findings[0].achieved == {"k": 2}
    assert verdict.describe == {"nodes": 6, "edges": 7, "smallest": 2, "degrees": {"2": 4, "3": 2}}
    edited = draw(6, [edge for edge in EXAMPLE if edge != (0, 1)] + [(0, 2)])
    broken = verify(graph_policy(), [edited[form], edited["nodes"]])
    assert broken.findings[0].achieved == {"k": 1}
    assert not broken.holds
    assert broken.faults == ()


def test_adding_an_edge_to_the_degree_example_gives_groups_of_four_and_two(draw: Draw) -> None:
    verdict = verify(graph_policy(), list(draw(6, [*EXAMPLE, (3, 4)]).values()))
    assert verdict.describe["degrees"] == {"2": 2, "3": 4}
    assert verdict.holds


@st.composite
def graphs(draw_value: st.DrawFn) -> tuple[int, list[tuple[int, int]], bool]:
    n, directed = draw_value(st.integers(1, 12)), draw_value(st.booleans())
    pairs = list(combinations(range(n), 2))
    pairs += [(v, u) for u, v in pairs] if directed else []
    edges = draw_value(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return n, [edge if directed or draw_value(st.booleans()) else edge[::-1] for edge in edges], directed


@settings(deadline=None, max_examples=3 * settings().max_examples // 2)
@given(graphs(), st.integers(2, 4))
def test_agrees_with_the_enumeration_of_degrees(draw: Draw, graph: tuple[int, list[Any], bool], k: int) -> None:
    n, edges, directed = graph
    if directed:
        degrees: list[Any] = [(sum(v == x for _, v in edges), sum(u == x for u, _ in edges)) for x in range(n)]
    else:
        degrees = [sum(x in edge for edge in edges) for x in range(n)]
    smallest = min(degrees.count(degree) for degree in degrees)
    drawn = draw(n, edges, directed)
    for artifacts in (list(drawn.values()), [drawn["gml"]], [drawn["edgelist"], drawn["nodes"]]):
        verdict = verify(graph_policy(k), artifacts, directed=directed)
        assert verdict.faults == ()
        assert verdict.findings[0].achieved == {"k": smallest}
        assert verdict.holds is (smallest >= k)


@settings(deadline=None, max_examples=60)
@given(graphs(), st.sampled_from(GRAPH_FORMATS), st.data())
def test_one_changed_edge_in_one_format_is_found(
    draw: Draw, graph: tuple[int, list[Any], bool], form: str, data: st.DataObject
) -> None:
    n, edges, directed = graph
    if n < 2:
        return
    u, v = data.draw(st.sampled_from(list(combinations(range(n), 2))))
    present = (u, v) in edges or (not directed and (v, u) in edges)
    changed = [edge for edge in edges if edge not in ((u, v), (v, u))] + ([] if present else [(u, v)])
    drawn = draw(n, edges, directed)
    artifacts = [artifact for name, artifact in drawn.items() if name != form]
    assert verify(graph_policy(), [*artifacts, draw(n, changed, directed)[form]], directed=directed).faults


@pytest.mark.parametrize("form", GRAPH_FORMATS)
@pytest.mark.parametrize(
    ("edge", "fault"),
    [
        ((2, 2), "{} graph: a self-loop"),
        ((1, 0), "{} graph: a repeated edge"),
        ((0, 6), "{} graph: an end point is not among the nodes"),
        ((-1, 0), "{} graph: an end point is not among the nodes"),
    ],
)
def test_what_is_not_a_simple_graph_is_a_fault(draw: Draw, form: str, edge: tuple[int, int], fault: str) -> None:
    drawn = draw(6, [*EXAMPLE, edge])
    verdict = verify(graph_policy(), [drawn[form], drawn["nodes"]])
    assert fault.format(form) in verdict.faults
    assert not verdict.findings[0].holds


def test_both_orientations_are_two_arcs_of_a_directed_graph(draw: Draw) -> None:
    drawn = draw(2, [(0, 1), (1, 0)], True)
    assert verify(graph_policy(), list(drawn.values()), directed=True).holds


def test_an_edge_list_alone_cannot_show_the_isolated_nodes(draw: Draw) -> None:
    verdict = verify(graph_policy(), [draw(6, EXAMPLE)["edgelist"]])
    assert "no node list" in verdict.faults
    assert not verdict.holds


@pytest.mark.parametrize(
    "ids", [[0, 1, 2, 3, 4, 6], [0, 1, 2, 3, 4, 4], [0, 1, 2, 3, 4], ["0", "1", "2", "3", "4", "05"]]
)
def test_nodes_must_be_0_to_n_minus_1_each_once(draw: Draw, write: Write, ids: list[Any]) -> None:
    nodes = write("csv", ["node"], [[node] for node in ids], part="nodes")
    drawn = draw(6, EXAMPLE)
    assert verify(graph_policy(), [drawn["graphml"], nodes]).faults
    assert not verify(graph_policy(), [drawn["edgelist"], nodes]).holds


def test_formats_must_list_the_same_number_of_nodes(draw: Draw) -> None:
    verdict = verify(graph_policy(), [draw(6, EXAMPLE)["graphml"], draw(7, EXAMPLE)["nodes"]])
    assert "the artifacts list different numbers of nodes" in verdict.faults


def test_node_attributes_are_held_to_the_guarantees_of_tables(draw: Draw, write: Write) -> None:
    attributes = {"age": {"role": "quasi_identifier"}, "name": {"role": "identifier"}}
    policy = graph_policy(2, attributes, k_anonymity(3))
    drawn = draw(6, EXAMPLE)
    ages = ["young", "young", "young", "old", "old", "old"]

    def judge(names: Sequence[str], rows: Sequence[Sequence[Any]], form: str = "csv") -> Verdict:
        return verify(policy, [drawn["edgelist"], drawn["graphml"], write(form, names, rows, part="nodes")])

    for form in FORMATS:
        verdict = judge(("node", "age"), list(enumerate(ages)), form)
        assert verdict.holds
        assert verdict.describe["node_classes"]["smallest"] == 3
    assert judge(("node", "age"), list(enumerate(["old", *ages[1:]]))).findings[1].achieved == {"k": 2}
    assert judge(("node", "age", "name"), [(*row, "x") for row in enumerate(ages)]).faults
    assert judge(("age", "node"), [row[::-1] for row in enumerate(ages)]).faults
    missing = verify(policy, [drawn["graphml"]])
    assert "no node table" in missing.faults
    assert not missing.findings[1].holds


def test_attributes_inside_a_graph_format_are_judged_like_the_node_table(draw: Draw, write: Write) -> None:
    policy = graph_policy(2, {"age": {"role": "quasi_identifier"}}, k_anonymity(3))
    drawn = draw(6, EXAMPLE)
    ages = ["young", "young", "young", "old", "old", "old"]
    nodes = write("csv", ("node", "age"), list(enumerate(ages)), part="nodes")

    def linked(values: Sequence[str], key: str = "age") -> Artifact:
        document = json.loads(bytes(drawn["node-link"].content))
        document["nodes"] = [{"id": node, key: value} for node, value in enumerate(values)]
        return Artifact("node-link", "graph", json.dumps(document).encode())

    assert verify(policy, [drawn["edgelist"], linked(ages), nodes]).holds
    disagreeing = verify(policy, [drawn["edgelist"], linked(ages[::-1]), nodes])
    assert "the artifacts of one part show different rows" in disagreeing.faults
    assert verify(policy, [drawn["edgelist"], linked(["old", *ages[1:]]), nodes]).findings[1].achieved == {"k": 2}
    assert verify(policy, [drawn["edgelist"], linked(ages, "name"), nodes]).faults
