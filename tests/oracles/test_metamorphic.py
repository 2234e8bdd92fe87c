"""Properties that must stay the same, or may only move one way, under certain changes of a release."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.oracles.graphs import Network, draw_network, expect_degree, network_trial
from tests.oracles.structures import draw_symmetric
from tests.oracles.tables import TREE, Release, draw_release, expect_k, table_trial
from tests.oracles.trial import Expected
from verifier import Finding

RELEASES = 25
ILLNESSES = tuple(row[0] for row in TREE)
HIERARCHY = {"hierarchy": {"kind": "levels", "rows": [list(row) for row in TREE]}}
GUARANTEES: list[dict[str, Any]] = [
    {"model": "k_anonymity", "k": 2},
    {"model": "l_diversity", "variant": "distinct", "l": 2, "attribute": "s"},
    {"model": "l_diversity", "variant": "entropy", "l": 1.5, "attribute": "s"},
    {"model": "l_diversity", "variant": "recursive", "l": 2, "c": 2, "attribute": "s"},
    {"model": "t_closeness", "distance": "equal", "t": 0.3, "attribute": "s"},
    {"model": "t_closeness", "distance": "ordered", "t": 0.2, "attribute": "s"},
    {"model": "t_closeness", "distance": "hierarchical", "t": 0.3, "attribute": "s"},
    {"model": "alpha_k", "alpha": 0.6, "k": 2, "attribute": "s"},
    {"model": "beta_likeness", "beta": 0.5, "attribute": "s"},
    {"model": "beta_likeness", "beta": 1, "variant": "enhanced", "attribute": "s"},
]


def judged(release: Release, guarantee: dict[str, Any]) -> Finding:
    trial = table_trial(release, guarantee, lambda *_: Expected(False), **HIERARCHY)
    return trial.verdict().findings[0]


def releases(seed: str) -> Iterator[tuple[random.Random, Release]]:
    """Releases with rows and at least one quasi-identifier."""
    rng, made = random.Random(seed), 0
    while made < RELEASES:
        release = draw_release(rng, ILLNESSES)
        if release.rows and len(release.names) > 1:
            made += 1
            yield rng, release


def permuted_rows(rng: random.Random, release: Release) -> Release:
    return replace(release, rows=tuple(rng.sample(release.rows, len(release.rows))))


def permuted_columns(rng: random.Random, release: Release) -> Release:
    order = rng.sample(range(len(release.names) - 1), len(release.names) - 1)
    rows = tuple((*(row[place] for place in order), row[-1]) for row in release.rows)
    return replace(release, names=(*(release.names[place] for place in order), "s"), rows=rows)


def with_a_constant(rng: random.Random, release: Release) -> Release:
    return with_column(release, ["same"] * len(release.rows))


def with_renamed_labels(rng: random.Random, release: Release) -> Release:
    """Every label of a quasi-identifier replaced by another, equal ones by equal ones."""
    labels: dict[Any, str] = {}
    rows = []
    for row in release.rows:
        label = labels.setdefault((type(row[0]).__name__, row[0]), f"label {len(labels)}")
        rows.append((label, *row[1:]))
    return replace(release, rows=tuple(rows), formats=("jsonl",))


def with_column(release: Release, column: list[Any]) -> Release:
    rows = tuple((cell, *row) for cell, row in zip(column, release.rows, strict=True))
    return replace(release, names=("added", *release.names), rows=rows)


HARMLESS: list[Callable[[random.Random, Release], Release]] = [permuted_rows, permuted_columns, with_a_constant]


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda each: " ".join(map(str, each.values())))
@pytest.mark.parametrize("change", HARMLESS, ids=lambda each: each.__name__.replace("_", " "))
def test_a_change_without_meaning_changes_nothing(
    guarantee: dict[str, Any], change: Callable[[random.Random, Release], Release]
) -> None:
    verdicts = set()
    for rng, release in releases(change.__name__):
        before, after = judged(release, guarantee), judged(change(rng, release), guarantee)
        assert (before.holds, before.achieved) == (after.holds, after.achieved)
        verdicts.add(before.holds)
    assert verdicts == {True, False}


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda each: " ".join(map(str, each.values())))
def test_other_labels_of_the_same_classes_change_nothing(guarantee: dict[str, Any]) -> None:
    for rng, release in releases("labels"):
        typed = replace(release, formats=("jsonl",))
        before, after = judged(typed, guarantee), judged(with_renamed_labels(rng, release), guarantee)
        assert (before.holds, before.achieved) == (after.holds, after.achieved)


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda each: " ".join(map(str, each.values())))
def test_every_row_twice_doubles_k_and_leaves_shares_alone(guarantee: dict[str, Any]) -> None:
    for _, release in releases("twice"):
        before, after = (
            judged(each, guarantee).achieved for each in (release, replace(release, rows=release.rows * 2))
        )
        if "k" in before:
            assert after.pop("k") == 2 * before.pop("k")
        assert before == after


def test_every_row_twice_of_new_persons_doubles_k_and_of_the_same_ones_does_not() -> None:
    guarantee = {"model": "k_anonymity", "k": 2}
    for rng, release in releases("persons"):
        units = tuple(rng.randrange(9) for _ in release.rows)
        reached = judged(replace(release, units=units), guarantee).achieved["k"]
        doubled = replace(release, rows=release.rows * 2)
        new, same = units + tuple(unit + 9 for unit in units), units * 2
        assert judged(replace(doubled, units=new), guarantee).achieved["k"] == 2 * reached
        assert judged(replace(doubled, units=same), guarantee).achieved["k"] == reached


def test_a_quasi_identifier_that_tells_all_rows_apart_leaves_k_one() -> None:
    for rng, release in releases("unique"):
        column = [f"row {place}" for place in range(len(release.rows))]
        rng.shuffle(column)
        finding = judged(with_column(release, column), {"model": "k_anonymity", "k": 2})
        assert (finding.achieved, finding.holds) == ({"k": 1}, False)


def test_leaving_out_a_quasi_identifier_never_lowers_k_or_l() -> None:
    raised = 0
    for rng, release in releases("dropped"):
        if len(release.names) < 3:
            continue  # the last quasi-identifier: without one there are no classes, and the verifier refuses that
        place = rng.randrange(len(release.names) - 1)
        names = (*release.names[:place], *release.names[place + 1 :])
        rows = tuple((*row[:place], *row[place + 1 :]) for row in release.rows)
        fewer = replace(release, names=names, rows=rows)
        for guarantee, figure in ((GUARANTEES[0], "k"), (GUARANTEES[1], "l"), (GUARANTEES[2], "l")):
            before, after = judged(release, guarantee).achieved[figure], judged(fewer, guarantee).achieved[figure]
            assert after >= before
            raised += after > before
    assert raised > RELEASES // 10


def test_a_larger_k_or_l_and_a_smaller_t_alpha_or_beta_are_never_easier() -> None:
    for _, release in releases("monotone"):
        for guarantee in GUARANTEES:
            name = next(each for each in ("l", "t", "alpha", "beta", "k") if each in guarantee)
            factor = 2 if name in ("l", "k") else 0.5
            harder = guarantee | {name: guarantee[name] * factor}
            assert judged(release, guarantee).holds >= judged(release, harder).holds


# --- graphs ----------------------------------------------------------------------------------------------------------


def degree_finding(network: Network) -> Finding:
    return network_trial(network, {"model": "k_degree_anonymity", "k": 2}, expect_degree).verdict().findings[0]


def networks(directed: bool) -> Iterator[tuple[random.Random, Network]]:
    rng = random.Random(f"networks {directed}")
    for _ in range(RELEASES):
        yield rng, draw_network(rng, directed)


@pytest.mark.parametrize("directed", [False, True])
def test_other_names_of_the_nodes_and_another_order_of_the_edges_change_nothing(directed: bool) -> None:
    verdicts = set()
    for rng, network in networks(directed):
        names = rng.sample(range(network.n), network.n)
        edges = [(names[u], names[v]) for u, v in rng.sample(network.edges, len(network.edges))]
        if not directed:
            edges = [edge if rng.random() < 0.5 else edge[::-1] for edge in edges]
        before, after = degree_finding(network), degree_finding(replace(network, edges=tuple(edges)))
        assert (before.holds, before.achieved) == (after.holds, after.achieved)
        verdicts.add(before.holds)
    assert verdicts == {True, False}


@pytest.mark.parametrize("directed", [False, True])
def test_two_copies_side_by_side_double_k(directed: bool) -> None:
    for _, network in networks(directed):
        copy = tuple((u + network.n, v + network.n) for u, v in network.edges)
        twice = replace(network, n=2 * network.n, edges=network.edges + copy)
        assert degree_finding(twice).achieved["k"] == 2 * degree_finding(network).achieved["k"]


def test_turning_every_edge_round_changes_nothing() -> None:
    for _, network in networks(True):
        turned = replace(network, edges=tuple((v, u) for u, v in network.edges))
        assert degree_finding(turned).achieved == degree_finding(network).achieved


def test_the_complement_has_the_same_k() -> None:
    for _, network in networks(False):
        known = {frozenset(edge) for edge in network.edges}
        pairs = [(u, v) for u in range(network.n) for v in range(u)]
        rest = tuple(pair for pair in pairs if frozenset(pair) not in known)
        assert degree_finding(replace(network, edges=rest)).achieved == degree_finding(network).achieved


STRUCTURAL: list[dict[str, Any]] = [
    {"model": "neighborhood_twins"},
    *({"model": "k_neighborhood_anonymity", "radius": radius} for radius in (3, 2, 1)),
    *({"model": "k_candidate_anonymity", "query": query} for query in ("H4", "H3", "H2", "H1")),
    {"model": "kl_anonymity", "l": 3, "definition": "indices"},
    {"model": "kl_anonymity", "l": 2, "definition": "indices"},
    {"model": "kl_anonymity", "l": 1, "definition": "indices"},
]


def structural_k(network: Network, guarantee: dict[str, Any]) -> int:
    """The k that a structural guarantee reaches."""
    trial = network_trial(network, {**guarantee, "k": 2}, lambda *_: Expected(True))
    return int(trial.verdict().findings[0].achieved["k"])


@pytest.mark.parametrize("guarantee", STRUCTURAL, ids=lambda each: " ".join(map(str, each.values())))
def test_other_names_of_the_nodes_change_no_structure(guarantee: dict[str, Any]) -> None:
    rng = random.Random(str(guarantee))
    for _ in range(RELEASES):
        network = replace(draw_symmetric(rng, directed=False), formats=("edgelist",))
        if network.n >= 5:
            names = rng.sample(range(network.n), network.n)
            renamed = replace(network, edges=tuple((names[u], names[v]) for u, v in network.edges))
            assert structural_k(network, guarantee) == structural_k(renamed, guarantee)


def test_who_knows_more_finds_no_more_nodes() -> None:
    """Twins are alike whatever is known; a wider ball, a deeper query and more indices show no less; degrees least."""
    rng = random.Random("more")
    for _ in range(2 * RELEASES):
        network = replace(draw_symmetric(rng, directed=False), formats=("edgelist",))
        if network.n < 5:
            continue
        reached = [structural_k(network, guarantee) for guarantee in STRUCTURAL]
        twins, balls, queries, indices = reached[0], reached[1:4], reached[4:8], reached[8:]
        for chain in (balls, queries, indices):
            assert [twins, *chain] == sorted([twins, *chain])
        assert balls[-1] <= queries[-1] == degree_finding(network).achieved["k"]


def test_the_k_of_a_table_is_found_by_its_definition() -> None:
    """The counterpart: these relations are checked on releases whose k the definition knows."""
    for _, release in releases("definition"):
        assert judged(release, GUARANTEES[0]).achieved == dict(expect_k(release, GUARANTEES[0]).exact)
