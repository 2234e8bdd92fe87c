"""Columns whose values each belong to few people: one rule for text, numbers, dates and times."""

from typing import Any

import numpy as np
import pytest

from antifaz.columns.unique_values import LEAST, points_at_people
from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph
from antifaz.kinds.graph import GraphDataset
from antifaz.kinds.kind import Dataset
from antifaz.kinds.temporal import TemporalDataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from antifaz.temporal.snapshots import Snapshots
from formats.core.raw import RawColumn

ROWS = 40
WAIVER = [{"rule": "free_text", "reason": "a register that anybody may read"}]
UNIQUE = {
    "ssn": [f"{100_000_000 + 7919 * row}" for row in range(ROWS)],
    "phone": [f"+34 600 {row:03d} {999 - row}" for row in range(ROWS)],
    "gps": [f"{40 + row / 1000:.3f}" for row in range(ROWS)],
    "income": [f"{1000 + 17 * row}.{row:02d}" for row in range(ROWS)],
    "born": [f"19{40 + row}-03-{1 + row % 28:02d}" for row in range(ROWS)],
    "seen": [f"2024-05-01T12:{row:02d}:09" for row in range(ROWS)],
    "name": [f"Person {row}" for row in range(ROWS)],
}


def encoded(name: str, cells: list[str]) -> RawColumn:
    values, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
    return RawColumn(name, codes.astype(np.int32), values)


def dataset_of(cells: list[str], **more: list[str]) -> Dataset:
    columns = [encoded("sex", ["f", "m"] * (len(cells) // 2)), encoded("it", cells)]
    return Dataset((*columns, *(encoded(name, given) for name, given in more.items())), len(cells))


def policy_of(role: str, method: dict[str, Any] | None = None, **more: Any) -> Any:
    attributes = {"sex": {"role": "quasi_identifier"}, "it": {"role": role}, **more.pop("attributes", {})}
    guarantees = more.pop("guarantees", [{"model": "k_anonymity", "k": 2}])
    return parse_policy(
        {
            "kind": "table",
            "attributes": attributes,
            "guarantees": guarantees,
            "method": method or {"name": "mondrian"},
            **more,
        }
    )


def refused(dataset: Dataset, policy: Any) -> InvalidDataset:
    with pytest.raises(InvalidDataset) as caught:
        protect(check(dataset, policy), policy, np.random.default_rng(1))
    assert (caught.value.rule, caught.value.column) == ("free_text", "it")
    return caught.value


def released(dataset: Dataset, policy: Any) -> bool:
    return protect(check(dataset, policy), policy, np.random.default_rng(1)).table is not None


@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
@pytest.mark.parametrize("kind", UNIQUE)
def test_a_column_of_any_type_that_points_at_people_is_refused_unless_waived(kind: str, role: str) -> None:
    dataset = dataset_of(UNIQUE[kind])
    error = refused(dataset, policy_of(role))
    for remedy in ("identifier", "quasi_identifier", "round or band", "free_text"):
        assert remedy in error.detail
    assert not any(cell in error.detail for cell in UNIQUE[kind])
    assert released(dataset, policy_of(role, waivers=WAIVER))


@pytest.mark.parametrize("role", ["identifier", "quasi_identifier"])
def test_the_remedies_that_are_roles_work(role: str) -> None:
    assert released(dataset_of(UNIQUE["income"]), policy_of(role))


def test_banding_in_the_file_works() -> None:
    banded = [str(round(float(cell) / 500) * 500) for cell in UNIQUE["income"]]
    assert released(dataset_of(banded), policy_of("sensitive"))


def then_suppress(**step: Any) -> dict[str, Any]:
    """A step on the column itself, and one that can give k-anonymity."""
    return {"name": "pipeline", "steps": [{**step, "attributes": ["it"]}, {"name": "suppress"}]}


def test_a_method_that_rounds_the_column_is_a_remedy_only_if_it_rounds_enough() -> None:
    dataset = dataset_of(UNIQUE["income"])
    assert released(dataset, policy_of("sensitive", then_suppress(name="rounding", base=200)))
    finely = then_suppress(name="rounding", base=1)
    refused(dataset, policy_of("sensitive", finely))
    assert released(dataset, policy_of("sensitive", finely, waivers=WAIVER))


def test_a_column_that_is_suppressed_shows_nothing_that_could_be_unique() -> None:
    assert released(dataset_of(UNIQUE["ssn"]), policy_of("insensitive", {"name": "suppress", "attributes": ["it"]}))


def test_swapping_unique_values_among_people_leaves_them_unique() -> None:
    refused(dataset_of(UNIQUE["ssn"]), policy_of("insensitive", then_suppress(name="rank_swapping")))


def test_with_a_guarantee_by_mechanism_the_file_decides_and_not_what_came_out() -> None:
    policy = policy_of(
        "sensitive",
        {"name": "randomized_response"},
        guarantees=[{"model": "local_differential_privacy", "epsilon": 1}],
        waivers=[{"rule": "observed_domain", "reason": "the file decides"}],
    )
    with pytest.raises(InvalidDataset):
        check(dataset_of(UNIQUE["ssn"]), policy)


def test_missing_values_do_not_hide_that_the_others_are_unique() -> None:
    sparse = [*UNIQUE["phone"][:30], *[""] * 70]
    refused(dataset_of(sparse), policy_of("insensitive"))


@pytest.mark.parametrize("people", [1, 2])
@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
def test_a_third_may_show_values_of_one_or_two_people_and_not_one_more(role: str, people: int) -> None:
    def cells(few: int) -> list[str]:
        return [str(1000 + n // people) for n in range(few)] + ["5"] * (60 - few)

    assert released(dataset_of(cells(20)), policy_of(role))
    refused(dataset_of(cells(22)), policy_of(role))


def test_values_of_two_rows_each_and_columns_that_are_nearly_half_unique_are_refused() -> None:
    pairs = [cell for cell in UNIQUE["ssn"] for _ in range(2)]
    refused(dataset_of(pairs), policy_of("sensitive"))
    nearly_half = [*UNIQUE["phone"][:39], *["0"] * 41]
    refused(dataset_of(nearly_half), policy_of("insensitive"))


@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
def test_codes_that_are_repeated_a_few_times_each_are_refused(role: str) -> None:
    """An identifier of people with up to four rows each, whom no privacy unit names."""
    for rows in (3, 4):
        refused(dataset_of([f"{(n // rows) * 7}" for n in range(20 * rows)]), policy_of(role))
    # Few values, many people for each, or mostly values that many people have: categories.
    assert released(dataset_of([f"{(n // 4) * 7}" for n in range(76)]), policy_of(role))
    assert released(dataset_of([f"{(n // 5) * 7}" for n in range(200)]), policy_of(role))
    assert released(dataset_of([f"{(n // 4) * 7}" for n in range(80)] + ["5"] * 80), policy_of(role))


def test_a_value_of_two_people_counts_however_many_rows_they_have() -> None:
    people = [f"p{row % 20}" for row in range(80)]
    numbers = [str(row % 20 // 2) for row in range(80)]
    dataset = dataset_of([f"{9000 + 7 * int(number)}" for number in numbers], who=people)
    attributes = {"who": {"role": "identifier"}}
    assert released(dataset, policy_of("sensitive", attributes=attributes))
    refused(dataset, policy_of("sensitive", attributes=attributes, privacy_unit="who"))


def test_few_values_are_not_judged() -> None:
    codes, known = np.arange(LEAST, dtype=np.int32), np.ones(LEAST, dtype=np.bool_)
    assert points_at_people(codes, known, None)
    assert not points_at_people(codes[1:], known[1:], None)
    assert not points_at_people(codes[:0], known[:0], None)


def test_a_value_that_one_person_has_in_several_rows_is_that_persons_alone() -> None:
    people = [f"p{row // 2}" for row in range(2 * ROWS)]
    numbers = [UNIQUE["ssn"][row // 2] for row in range(2 * ROWS)]
    dataset = dataset_of(numbers, who=people)
    attributes = {"who": {"role": "identifier"}}
    refused(dataset, policy_of("insensitive", attributes=attributes, privacy_unit="who"))


# --- graphs ----------------------------------------------------------------------------------------------------------


def ring(columns: tuple[RawColumn, ...] = (), edges: tuple[RawColumn, ...] = ()) -> Dataset:
    graph = Graph.from_pairs(ROWS, np.arange(ROWS), (np.arange(ROWS) + 1) % ROWS)
    return GraphDataset(columns, ROWS, graph=graph, edges=edges)


def graph_policy(**more: Any) -> Any:
    guarantees = [{"model": "k_degree_anonymity", "k": 2}]
    return parse_policy({"kind": "graph", "guarantees": guarantees, "method": {"name": "k_degree"}, **more})


def test_unique_numbers_of_nodes_are_refused_too() -> None:
    nodes = (encoded("it", UNIQUE["ssn"]),)
    attributes = {"it": {"role": "sensitive"}}
    with pytest.raises(InvalidDataset, match="belong to few people"):
        check(ring(nodes), graph_policy(attributes=attributes))
    assert check(ring(nodes), graph_policy(attributes=attributes, waivers=WAIVER)).nodes is not None


def test_a_generalized_graph_does_not_show_them() -> None:
    nodes = (encoded("it", UNIQUE["ssn"]),)
    guarantees = [{"model": "supernode_size", "k": 4}]
    policy = graph_policy(
        attributes={"it": {"role": "sensitive"}}, guarantees=guarantees, method={"name": "supernodes"}
    )
    protected = protect(check(ring(nodes), policy), policy, np.random.default_rng(1))
    assert protected.nodes is not None
    assert "it" not in [column.source for column in protected.nodes.columns]


def test_weights_that_are_mostly_unique_are_not_kept_but_may_be_noised_or_dropped() -> None:
    dataset = ring(edges=(encoded("it", UNIQUE["income"]),))
    with pytest.raises(InvalidDataset, match="drop it, add noise") as caught:
        check(dataset, graph_policy(edge_attributes="keep"))
    assert (caught.value.rule, caught.value.column) == ("free_text", "it")
    assert check(dataset, graph_policy(edge_attributes="keep", waivers=WAIVER)).edges
    assert check(dataset, graph_policy(edge_attributes="noise")).edges
    assert not check(dataset, graph_policy(edge_attributes="drop")).edges


def film(weights: list[str]) -> TemporalDataset:
    """The same ring in two snapshots, with a weight for each edge in the first and then in the second."""
    ends = np.tile(np.arange(ROWS), 2)
    snapshots = Snapshots.from_rows(ROWS, ends, (ends + 1) % ROWS, np.repeat([0, 1], ROWS), ["0", "1"], True)
    return TemporalDataset((), ROWS, snapshots=snapshots, edges=(encoded("it", weights),))


def film_policy(wanted: str) -> Any:
    policy = {"guarantees": [{"model": "temporal_k_degree_anonymity", "k": 2}], "edge_attributes": wanted}
    return parse_policy({"kind": "temporal_graph", "method": {"name": "temporal_k_degree"}, **policy})


def test_a_weight_that_one_pair_has_in_several_snapshots_is_that_pairs_alone() -> None:
    with pytest.raises(InvalidDataset, match="drop it, add noise") as caught:
        check(film(UNIQUE["income"] * 2), film_policy("keep"))
    assert (caught.value.rule, caught.value.column) == ("free_text", "it")
    shared = [str(row % 4) for row in range(2 * ROWS)]
    assert check(film(shared), film_policy("keep")).edges


def test_noise_on_a_weight_that_lasts_is_drawn_once_so_that_no_mean_gives_it_away() -> None:
    policy = film_policy("noise")
    checked = check(film(UNIQUE["income"] * 2), policy)
    protected = protect(checked, policy, np.random.default_rng(1))
    released, column = protected.structure.snapshots, protected.edges[0]
    weights = column.labels[column.codes]
    first, second = (dict(zip(released.keys_at(t), weights[released.times == t], strict=True)) for t in (0, 1))
    assert first == second
    assert len(first) == ROWS


def test_a_film_without_edges_has_no_weights_to_noise() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    snapshots = Snapshots.from_rows(ROWS, nothing, nothing, nothing, ["0", "1"])
    dataset = TemporalDataset((), ROWS, snapshots=snapshots, edges=(encoded("it", []),))
    for wanted in ("keep", "noise"):
        policy = film_policy(wanted)
        protected = protect(check(dataset, policy), policy, np.random.default_rng(1))
        assert [len(column.codes) for column in protected.edges] in ([0], [])
