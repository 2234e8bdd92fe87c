"""A zoo of odd inputs: on each of them every method, in every variant and at every effort, ends and says how.

Three things are required of each run. Between two calls of the watch at most a second of CPU time passes (asserted
with the margin of `test_watching`). When the time is used up, and later when the work is cancelled, it ends. And it
ends with a result or a typed error, never with a graph that has silently lost its edges.
"""

from collections.abc import Callable, Iterator
from typing import Any, get_args

import networkx as nx
import numpy as np
import pytest

from antifaz import catalogue
from antifaz.errors import Cancelled, Infeasible, InvalidDataset, InvalidPolicy
from antifaz.graphs.graph import Graph, NodeAttribute
from antifaz.part import Part
from antifaz.tables.reading.attributes import AttributeSettings, cast_column, resolve_attribute
from antifaz.tables.table import Role, Table
from antifaz.temporal.snapshots import Snapshots
from tests.antifaz.test_conformance import guarantees_for, sample_graph, sample_snapshots, sample_table
from tests.antifaz.test_watching import LONGEST, Stopwatch, load
from tests.patience import shortest

HURRY, PATIENCE = 0.02, 0.1
"""CPU seconds after which the watch says that the time is used up, and after which it cancels."""
LONG_HURRY, LONG_PATIENCE = 5.0, 20.0
KEPT = 0.1
"""Least share of the original edges in a result, where much less has to change."""


class Impatient(Stopwatch):
    """A watch that records the longest time between two calls, wants results soon, and finally stops the work."""

    def __init__(self, hurry: float, patience: float) -> None:
        super().__init__(patience)
        self.hurry = hurry

    def __call__(self, fraction: float) -> bool:
        super().__call__(fraction)
        return self.last - self.started > self.hurry


def arcs(n: int, senders: Any, receivers: Any) -> Graph:
    return Graph.from_pairs(n, np.asarray(senders), np.asarray(receivers), directed=True)


def uniform(n: int, count: int) -> Graph:
    keys = np.random.default_rng(n).choice(n * (n - 1), count, replace=False)
    return arcs(n, keys // (n - 1), keys % (n - 1) + (keys % (n - 1) >= keys // (n - 1)))


def skewed(n: int, count: int) -> Graph:
    """Many arcs from few senders to few receivers; fewer than drawn, as some coincide."""
    return arcs(n, *(n * np.random.default_rng(n).random((2, count)) ** 2).astype(np.int64))


def network(made: nx.Graph) -> Graph:
    ends = np.array(list(made.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(made.number_of_nodes(), ends[:, 0], ends[:, 1])


def path(n: int, directed: bool = False) -> Graph:
    return Graph.from_pairs(n, np.arange(n - 1), np.arange(1, n), directed)


def star(n: int, directed: bool = False) -> Graph:
    return Graph.from_pairs(n, np.zeros(n - 1, np.int64), np.arange(1, n), directed)


def bipartite(a: int, b: int) -> Graph:
    return Graph.from_pairs(a + b, np.repeat(np.arange(a), b), np.tile(np.arange(a, a + b), a))


GRAPHS: dict[str, Callable[[], Graph]] = {
    "one node": lambda: Graph(1, np.empty(0, np.int64)),
    "no edge": lambda: Graph(20, np.empty(0, np.int64)),
    "star": lambda: star(40),
    "directed star": lambda: star(40, directed=True),
    "path": lambda: path(150),
    "directed path": lambda: path(100, directed=True),
    "clique": lambda: network(nx.complete_graph(14)),
    "regular": lambda: network(nx.random_regular_graph(4, 40, seed=1)),
    "bipartite": lambda: bipartite(6, 30),
    "uniform arcs": lambda: uniform(80, 900),
    "skewed arcs": lambda: skewed(90, 900),
}
LONG_GRAPHS: dict[str, Callable[[], Graph]] = {
    "star": lambda: star(100_000),
    "directed star": lambda: star(50_000, directed=True),
    "path": lambda: path(100_000),
    "clique": lambda: network(nx.complete_graph(800)),
    "regular": lambda: network(nx.random_regular_graph(6, 20_000, seed=1)),
    "bipartite": lambda: bipartite(300, 1_000),
    "uniform arcs": lambda: uniform(5_000, 250_000),
    "skewed arcs": lambda: skewed(20_000, 300_000),
}
ROBUST = ("path", "directed path", "clique", "regular", "uniform arcs", "skewed arcs")
"""Graphs that no method has to change much."""


def sequence(graph: Graph, length: int) -> Snapshots:
    """Snapshots that each have a random half of the edges."""
    times, edges = np.nonzero(np.random.default_rng(4).random((length, graph.m)) < 0.5)
    labels = [str(t) for t in range(length)]
    return Snapshots.from_rows(graph.n, graph.sources[edges], graph.targets[edges], times, labels, graph.directed)


SEQUENCES = {
    "one node": lambda: sequence(GRAPHS["one node"](), 4),
    "no edge": lambda: sequence(GRAPHS["no edge"](), 4),
    "one snapshot": lambda: sequence(GRAPHS["regular"](), 1),
    "star": lambda: sequence(star(30), 6),
    "clique": lambda: sequence(GRAPHS["clique"](), 6),
    "path": lambda: sequence(path(60), 6),
    "uniform arcs": lambda: sequence(uniform(40, 300), 6),
}
LONG_SEQUENCES = {
    "star": lambda: sequence(star(20_000), 10),
    "path": lambda: sequence(path(20_000), 10),
    "uniform arcs": lambda: sequence(uniform(5_000, 100_000), 10),
    "skewed arcs": lambda: sequence(skewed(10_000, 100_000), 6),
}


def table(rows: int, distinct: int, more: int = 0) -> Table:
    """A table of the columns that the examples of methods name, and more; each has about as many distinct values."""
    rng = np.random.default_rng(5)
    attributes = []
    names = ["age", "zip", "sex", *(f"q{number}" for number in range(more)), "disease"]
    for name in names:
        role = Role.SENSITIVE if name == "disease" else Role.QUASI_IDENTIFIER
        texts = np.array([str(20 + i) if name == "age" else f"{name}{i}" for i in range(distinct)], dtype=object)
        codes = rng.permutation(np.arange(rows) % distinct).astype(np.int32)
        column = cast_column(name, texts, codes, None)
        attributes.append(resolve_attribute(column, AttributeSettings(role=role), None))
    return Table(tuple(attributes), rows)


def one_column(rows: int) -> Table:
    whole = table(rows, rows)
    return Table(tuple(each for each in whole.attributes if each.name in ("age", "disease")), rows)


TABLES: dict[str, Callable[[], Table]] = {
    "one row": lambda: table(1, 1),
    "one column": lambda: one_column(300),
    "equal values": lambda: table(300, 1),
    "two values": lambda: table(3_000, 2),
    "unique values": lambda: table(300, 300),
    "50 columns": lambda: table(100, 8, more=46),
}
LONG_TABLES: dict[str, Callable[[], Table]] = {
    "one column": lambda: one_column(200_000),
    "equal values": lambda: table(1_000_000, 1),
    "two values": lambda: table(1_000_000, 2),
    "unique values": lambda: table(100_000, 100_000),
    "50 columns": lambda: table(50_000, 40, more=46),
}


def variants(kind: str) -> Iterator[Any]:
    """Every method of a kind in each of its examples, at each effort if it has that choice."""
    for part in catalogue.parts("methods", kind):
        if part.kinds[0] != kind and kind == "temporal_graph":
            continue  # a method of graphs, which protects each snapshot as a graph
        for number, example in enumerate(part.examples):
            field = part.model_fields.get("effort")
            for effort in get_args(field.annotation) if field else (None,):
                method = part(**example | ({"effort": effort} if effort else {}))
                yield pytest.param(method, id=f"{part.__name__}-{number}" + (f"-{effort}" if effort else ""))


def on(short: dict[str, Any], long: dict[str, Any]) -> Any:
    """Odd inputs by name, and how long the watch waits: small ones for every day, large ones for long tests."""
    marks = [pytest.mark.long, pytest.mark.timeout(1200)]
    rows = [pytest.param(name, make, HURRY, PATIENCE, id=name) for name, make in short.items()]
    rows += [
        pytest.param(name, make, LONG_HURRY, LONG_PATIENCE, id=f"large {name}", marks=marks)
        for name, make in long.items()
    ]
    return pytest.mark.parametrize(("name", "make", "hurry", "patience"), rows)


def run(method: Part, kind: str, original: Any, small: Any, hurry: float, patience: float) -> Any:
    """The result of a run within the limits, or None if it ended with a typed error or was cancelled."""

    def work(data: Any, watch: Any) -> Any:
        try:
            return method.apply(data, guarantees_for(method, kind), np.random.default_rng(1), watch)  # type: ignore[attr-defined]
        except (Infeasible, InvalidDataset, InvalidPolicy):
            return None

    load(
        lambda watch: work(small, lambda fraction: True),
        method.model_dump_json(),
        kind,
        getattr(original, "directed", None),
    )
    result = None

    def measure() -> float:
        nonlocal result
        watch = Impatient(hurry, patience)
        try:
            result = work(original, watch)
        except Cancelled:
            result = None
        watch.mark()
        # Whatever it was doing: once it is told to stop, it has stopped within the time between two calls.
        return max(watch.longest, watch.last - watch.started - patience)

    assert shortest(measure, LONGEST) < LONGEST
    return result


@on(GRAPHS, LONG_GRAPHS)
@pytest.mark.parametrize("method", list(variants("graph")))
def test_a_method_ends_on_an_odd_graph_and_keeps_some_of_it(method, name, make, hurry, patience):
    graph = make()
    roles = ("sensitive", "quasi_identifier")
    attributes = tuple(NodeAttribute(role, role, np.arange(graph.n) % 2, 2) for role in roles)
    graph = Graph(graph.n, graph.keys, graph.directed, attributes)
    small = uniform(12, 40) if graph.directed else sample_graph()
    result = run(method, "graph", graph, small, hurry, patience)
    if result is not None and name in ROBUST and method.wire_name() == "k_degree":
        # A result with made-up nodes numbers its pairs in another way.
        after = result.graph.sources * np.int64(graph.n) + result.graph.targets
        assert len(np.intersect1d(graph.keys, after)) >= KEPT * graph.m


@on(SEQUENCES, LONG_SEQUENCES)
@pytest.mark.parametrize("method", list(variants("temporal_graph")))
def test_a_method_ends_on_odd_snapshots(method, name, make, hurry, patience):
    run(method, "temporal_graph", make(), sample_snapshots(), hurry, patience)


@on(TABLES, LONG_TABLES)
@pytest.mark.parametrize("method", list(variants("table")))
def test_a_method_ends_on_an_odd_table(method, name, make, hurry, patience):
    run(method, "table", make(), sample_table(), hurry, patience)


def test_work_that_does_not_end_is_told_to_hurry_and_then_cancelled():
    watch = Impatient(0.01, 0.05)
    assert not watch(0.1)

    def endless() -> None:
        hurried = False
        while True:
            assert watch(0.5) or not hurried
            hurried = watch(0.5)

    with pytest.raises(Cancelled):
        endless()
    assert watch.looks > 2
