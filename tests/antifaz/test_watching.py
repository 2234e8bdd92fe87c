"""Work that can be stopped: every part calls its watch once a second, on inputs that are made to be slow.

A watch that is not called cannot stop anything. So the time between two calls is measured for every method, measure,
attack and risk of the catalogue, as CPU time of this thread, which excludes other work of the machine. The work is
stopped after a while, so that the time to stop is measured too.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from antifaz import catalogue
from antifaz.errors import Cancelled, Infeasible, InvalidDataset
from antifaz.graphs.graph import Graph, NodeAttribute
from antifaz.graphs.methods.k_degree import KDegree
from antifaz.part import Part
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.reading.attributes import AttributeSettings, cast_column, resolve_attribute
from antifaz.tables.table import Role, Table
from antifaz.temporal.guarantees.degree_trajectory_anonymity import DegreeTrajectoryAnonymity
from antifaz.temporal.guarantees.temporal_k_degree_anonymity import TemporalKDegreeAnonymity
from antifaz.temporal.methods.temporal_k_degree import TemporalKDegree
from antifaz.temporal.snapshots import Snapshots
from antifaz.watch import Watch
from tests.antifaz.graphs.networks import perturbed
from tests.antifaz.temporal.sequences import changed
from tests.antifaz.test_conformance import guarantees_for, sample_graph, sample_table
from tests.patience import shortest

LONGEST = 2.0
"""Most CPU seconds between two calls. The target is one; slow processors may take twice as long."""
PATIENCE, LONG_PATIENCE = 0.2, 20.0
"""CPU seconds after which the work is stopped, in tests for every day and in long ones."""

SIZES = {"star": 4_000, "hub": 3_000, "ring": 4_000, "clique": 150}
LONG_SIZES = {"star": 200_000, "hub": 100_000, "ring": 100_000, "clique": 1_000}
ARCS = {"hub": 2_000, "clique": 100}
LONG_ARCS = {"star": 100_000, "hub": 50_000, "ring": 50_000, "clique": 600}
SEQUENCES = {"star": 300, "clique": 40, "changing hub": 150}
LONG_SEQUENCES = {"star": 30_000, "ring": 30_000, "clique": 300, "changing hub": 20_000}
ROWS = {"distinct": 4_000, "equal": 20_000, "wide": 300}
LONG_ROWS = {"distinct": 200_000, "equal": 500_000, "wide": 20_000}


class Stopwatch:
    """A watch that records the longest time between two calls, and stops the work after a while."""

    def __init__(self, patience: float) -> None:
        self.patience = patience
        self.longest = 0.0
        self.looks = 0
        self.started = self.last = time.thread_time()

    def __call__(self, fraction: float) -> bool:
        self.looks += 1
        self.mark()
        if self.last - self.started > self.patience:
            raise Cancelled("enough")
        return False

    def mark(self) -> None:
        now = time.thread_time()
        self.longest, self.last = max(self.longest, now - self.last), now


_LOADED: set[tuple[Any, ...]] = set()


def load(work: Callable[[Watch], object], *what: Any) -> None:
    """Do some work on a small input, once for all tests: what it loads for the first time is not measured."""
    if what not in _LOADED:
        work(lambda fraction: False)
        _LOADED.add(what)


def longest_gap(work: Callable[[Watch], object], patience: float, limit: float = LONGEST) -> float:
    """The longest CPU time without a call, from the beginning of some work to its end, its refusal or its stop."""

    def measure() -> float:
        watch = Stopwatch(patience)
        # A refusal ends the work as well as a result does.
        with suppress(Cancelled, Infeasible, InvalidDataset):
            work(watch)
        watch.mark()
        return watch.longest

    return shortest(measure, limit)


def graph_of(name: str, n: int) -> Graph:
    """A star, a star whose leaves form a ring, a ring, or a clique; with node attributes that measures may look at."""
    everyone, others = np.arange(n), np.arange(1, n)
    pairs = {
        "star": lambda: (np.zeros_like(others), others),
        "hub": lambda: (np.append(np.zeros_like(others), others), np.append(others, np.roll(others, 1))),
        "ring": lambda: (everyone, np.roll(everyone, 1)),
        "clique": lambda: np.triu_indices(n, 1),
    }
    plain = Graph.from_pairs(n, *pairs[name]())
    attributes = tuple(NodeAttribute(role, role, everyone % 2, 2) for role in ("sensitive", "quasi_identifier"))
    return Graph(n, plain.keys, False, attributes)


def table_of(name: str, n: int) -> Table:
    """Records that differ in every value, that are all alike, or that have 200 quasi-identifiers."""
    rng = np.random.default_rng(5)
    distinct = {"distinct": n, "equal": 1, "wide": 40}[name]
    more = [(f"q{i}", Role.QUASI_IDENTIFIER) for i in range(198 if name == "wide" else 0)]
    attributes = []
    for title, role in [
        ("age", Role.QUASI_IDENTIFIER),
        ("zip", Role.QUASI_IDENTIFIER),
        *more,
        ("disease", Role.SENSITIVE),
    ]:
        values = max(distinct, 4) if role is Role.SENSITIVE else distinct
        texts = [f"x{i}" if title in ("zip", "disease") else str(i) for i in range(values)]
        codes = rng.permutation(np.arange(n) % values).astype(np.int32)
        column = cast_column(title, np.array(texts, dtype=object), codes, None)
        attributes.append(resolve_attribute(column, AttributeSettings(role=role), None))
    return Table(tuple(attributes), n)


WAYS: dict[str, tuple[dict[str, Any], Part]] = {
    "vectors": ({}, TemporalKDegreeAnonymity(k=3)),
    "multisets": ({}, TemporalKDegreeAnonymity(k=3, recurrence="multiset")),
    "trajectories": ({"target": "trajectory"}, DegreeTrajectoryAnonymity(k=3)),
    "as published": ({"rebuild": "havel_hakimi"}, TemporalKDegreeAnonymity(k=3, directed="separate")),
}


def snapshots_of(name: str, n: int) -> Snapshots:
    """The same star or clique in twenty snapshots, or a hub that meets all others in a random half of a hundred."""
    if name != "changing hub":
        return Snapshots.from_graphs([graph_of(name, n)] * 20, [str(t) for t in range(20)])
    times, others = np.nonzero(np.random.default_rng(2).random((100, n - 1)) < 0.5)
    return Snapshots.from_rows(n, np.zeros_like(others), others + 1, times, [str(t) for t in range(100)])


PARAMETERS: dict[str, dict[str, Any]] = {
    "generalize": {"levels": {"age": "top", "zip": "top"}},
    "suppress": {"attributes": ["age"]},
    "pipeline": {"steps": [{"name": "generalize", "levels": {"age": 1}}, {"name": "datafly"}]},
    "GraphPipeline": {"steps": [{"name": "random_switch"}, {"name": "k_degree", "effort": "fast"}]},
}
"""Parameters that fit the columns of these inputs, by class or by name."""


def named(value: Any) -> str:
    return value if isinstance(value, str) else f"{value.__module__.split('.')[-2]}-{value.wire_name()}"


def apply(part: Any, kind: str, original: Any, watch: Watch, **parameters: Any) -> None:
    lacking = any(field.is_required() for field in part.model_fields.values())
    usual = PARAMETERS.get(part.wire_name(), part.examples[0] if lacking else {})
    method = part(**(parameters or PARAMETERS.get(part.__name__, usual)))
    method.apply(original, guarantees_for(method, kind), np.random.default_rng(1), watch)


def assess(part: Any, original: Any, released: Any, watch: Watch) -> None:
    rng, measure = np.random.default_rng(3), part()
    if hasattr(measure, "measure"):
        measure.measure(original, released, rng, watch)
    elif hasattr(measure, "attempt"):
        measure.attempt(original, released, rng, watch)
    else:
        measure.before(original)
        watch(0.5)
        measure.after(released)


def measures(kind: str) -> list[Any]:
    folders, package = ("utility", "attacks", "risk"), {"temporal_graph": "temporal"}.get(kind, f"{kind}s")
    return [p for folder in folders for p in catalogue.parts(folder, kind) if f".{package}." in p.__module__]


def classes_of(table: Table) -> Any:
    """The table in classes of ten records."""
    return release_classes(table, np.arange(table.n) // 10, -(-table.n // 10))


def sizes(short: dict[str, int], long: dict[str, int]) -> list[Any]:
    """Inputs by name, size and patience: small ones for every day, large ones for long tests."""
    rows = [pytest.param(name, size, PATIENCE, id=name) for name, size in short.items()]
    marks = [pytest.mark.long, pytest.mark.timeout(1200)]
    return rows + [pytest.param(*item, LONG_PATIENCE, id=f"large {item[0]}", marks=marks) for item in long.items()]


on_graphs = pytest.mark.parametrize(("shape", "size", "patience"), sizes(SIZES, LONG_SIZES))
on_arcs = pytest.mark.parametrize(("shape", "size", "patience"), sizes(ARCS, LONG_ARCS))
on_sequences = pytest.mark.parametrize(("shape", "size", "patience"), sizes(SEQUENCES, LONG_SEQUENCES))
on_tables = pytest.mark.parametrize(("shape", "size", "patience"), sizes(ROWS, LONG_ROWS))


@on_graphs
@pytest.mark.parametrize("part", catalogue.parts("methods", "graph"), ids=named)
def test_a_method_for_graphs_looks_at_its_watch_every_second(part, shape, size, patience):
    load(lambda watch: apply(part, "graph", sample_graph(), watch), part)
    graph = graph_of(shape, size)
    assert longest_gap(lambda watch: apply(part, "graph", graph, watch), patience) < LONGEST


@on_arcs
@pytest.mark.parametrize("part", catalogue.parts("methods", "graph"), ids=named)
def test_a_method_for_directed_graphs_looks_at_its_watch_every_second(part, shape, size, patience):
    small, graph = replace(graph_of("ring", 12), directed=True), replace(graph_of(shape, size), directed=True)
    # Those that are defined for undirected graphs alone refuse, which is an end too.
    with suppress(Infeasible, InvalidDataset):
        load(lambda watch: apply(part, "graph", small, watch), part, "directed")
    assert longest_gap(lambda watch: apply(part, "graph", graph, watch), patience) < LONGEST


@on_graphs
@pytest.mark.parametrize("strategy", ["liu_terzi", "genetic", "umga", "vertex_addition"])
def test_every_strategy_for_degrees_looks_at_its_watch_every_second(strategy, shape, size, patience):
    load(lambda watch: apply(KDegree, "graph", sample_graph(), watch, strategy=strategy), strategy)
    graph = graph_of(shape, size)
    assert longest_gap(lambda watch: apply(KDegree, "graph", graph, watch, strategy=strategy), patience) < LONGEST


@on_sequences
@pytest.mark.parametrize("arcs", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_degrees_over_time_looks_at_its_watch_every_second(way, arcs, shape, size, patience):
    parameters, guarantee = WAYS[way]
    method, rng = TemporalKDegree.model_validate(parameters), np.random.default_rng(1)
    small, large = snapshots_of("star", 12), snapshots_of(shape, size)
    if arcs:
        small, large = replace(small, directed=True), replace(large, directed=True)
    load(lambda watch: method.apply(small, [guarantee], rng, watch), way, arcs)
    assert longest_gap(lambda watch: method.apply(large, [guarantee], rng, watch), patience) < LONGEST


@on_tables
@pytest.mark.parametrize("part", catalogue.parts("methods", "table"), ids=named)
def test_a_method_for_tables_looks_at_its_watch_every_second(part, shape, size, patience):
    load(lambda watch: apply(part, "table", sample_table(), watch), part)
    table = table_of(shape, size)
    assert longest_gap(lambda watch: apply(part, "table", table, watch), patience) < LONGEST


@on_graphs
@pytest.mark.parametrize("part", measures("graph"), ids=named)
def test_a_measure_of_graphs_looks_at_its_watch_every_second(part, shape, size, patience):
    small = graph_of("ring", 50)
    load(lambda watch: assess(part, small, perturbed(small, 0.2), watch), part)
    graph = graph_of(shape, size)
    released = perturbed(graph, 0.2)
    assert longest_gap(lambda watch: assess(part, graph, released, watch), patience) < LONGEST


@on_sequences
@pytest.mark.parametrize("part", measures("temporal_graph"), ids=named)
def test_a_measure_of_temporal_graphs_looks_at_its_watch_every_second(part, shape, size, patience):
    small = snapshots_of("star", 20)
    load(lambda watch: assess(part, small, changed(small, 0.2), watch), part)
    snapshots = snapshots_of(shape, size)
    released = changed(snapshots, 0.2)
    assert longest_gap(lambda watch: assess(part, snapshots, released, watch), patience) < LONGEST


@on_tables
@pytest.mark.parametrize("part", measures("table"), ids=named)
def test_a_measure_of_tables_looks_at_its_watch_every_second(part, shape, size, patience):
    small = sample_table()
    load(lambda watch: assess(part, small, classes_of(small), watch), part)
    table = table_of(shape, size)
    released = classes_of(table)
    assert longest_gap(lambda watch: assess(part, table, released, watch), patience) < LONGEST


def test_work_that_never_looks_would_be_noticed():
    def deaf(watch: Watch) -> None:
        end = time.thread_time() + 0.3
        while time.thread_time() < end:
            pass

    assert longest_gap(deaf, PATIENCE) > 0.29
