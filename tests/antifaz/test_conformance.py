"""Checks that every part of the catalogue must pass: one file, one test file, documented, harmless."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from antifaz import catalogue
from antifaz.errors import Cancelled, Infeasible, InvalidDataset
from antifaz.extending.conformance import faults_of
from antifaz.graphs.graph import Graph
from antifaz.part import Part
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.lattice.classwise import CLASSWISE
from antifaz.tables.methods.additive_noise import AdditiveNoise
from antifaz.tables.reading.attributes import AttributeSettings, cast_column, resolve_attribute
from antifaz.tables.table import Role, Table
from antifaz.temporal.snapshots import Snapshots
from antifaz.watch import unwatched
from tests.schemas import fixes_chance

FOLDERS = ("methods", "guarantees", "risk", "utility", "attacks", "hierarchies")
ALL = [(folder, part) for folder in FOLDERS for part in catalogue.parts(folder)]
WATCHED = [part for folder in ("utility", "attacks") for part in catalogue.parts(folder, "table")]
TESTS = Path(__file__).resolve().parent
CANARY = "cnry71d0a2f4"


def identify(value: Any) -> str:
    return value.__name__ if inspect.isclass(value) else str(value)


def parametrized(test: Any) -> Any:
    return pytest.mark.parametrize(("folder", "part"), ALL, ids=identify)(test)


def variants(parts: list[type[Part]]) -> Any:
    """Every example of the parts: a method in each of its variants."""
    every = [
        pytest.param(part(**example), id=f"{part.__name__}-{number}" if number else part.__name__)
        for part in parts
        for number, example in enumerate(part.examples)
    ]
    return pytest.mark.parametrize("method", every)


def table_methods() -> list[type[Part]]:
    return list(catalogue.parts("methods", "table"))


def graph_methods() -> list[type[Part]]:
    return list(catalogue.parts("methods", "graph"))


def temporal_methods() -> list[type[Part]]:
    """Those that read all snapshots; methods of graphs read each separately."""
    return [part for part in catalogue.parts("methods", "temporal_graph") if part.kinds[0] == "temporal_graph"]


def test_the_catalogue_finds_what_is_there():
    assert {"mondrian", "k_degree"} <= {part.wire_name() for part in catalogue.parts("methods")}
    assert {"k_anonymity", "l_diversity", "k_degree_anonymity"} <= {
        p.wire_name() for p in catalogue.parts("guarantees")
    }


@parametrized
def test_the_file_is_called_as_the_part(folder, part):
    assert part.__module__.rsplit(".", 1)[1] == part.wire_name()


@parametrized
def test_it_is_complete(folder, part):
    assert faults_of(part) == []


@parametrized
def test_a_mirror_test_exists(folder, part):
    mirror = TESTS.joinpath(*part.__module__.split(".")[1:-1], f"test_{part.wire_name()}.py")
    assert mirror.exists(), f"{mirror.relative_to(TESTS)} is missing"


@pytest.mark.parametrize("part", [part for folder, part in ALL if folder in ("methods", "guarantees")], ids=identify)
def test_every_variant_that_a_parameter_names_is_among_its_examples(part):
    """A parameter with one of these names chooses an algorithm."""
    # Attributes that are grouped one by one keep no guarantee of the records below: its own tests cover it.
    shown_elsewhere = {"microaggregation": {"univariate"}}.get(part.wire_name(), set())
    for name in ("strategy", "variant", "mode", "cut", "rebuild", "closure", "quotient", "matrix"):
        if name in part.model_fields:
            words = set(get_args(part.model_fields[name].annotation)) - shown_elsewhere
            assert {getattr(part(**example), name) for example in part.examples} == words, (part.__name__, name)


def test_class_wise_guarantees_are_settled_by_rules_that_speak_of_a_class():
    table = sample_table()
    for part in catalogue.parts("guarantees", "table"):
        if part.wire_name() in CLASSWISE:
            assert part(**part.examples[0]).rules(table), part.wire_name()
            assert part.evidence == "bytes", part.wire_name()
    assert {"k_anonymity", "t_closeness"} <= set(CLASSWISE)
    assert not {"k_map", "delta_presence", "local_differential_privacy"} & set(CLASSWISE)


@pytest.mark.parametrize("part", [*table_methods(), *graph_methods(), *temporal_methods()], ids=identify)
def test_a_method_states_its_source_and_its_guarantees(part):
    text = inspect.getdoc(inspect.getmodule(part)) or ""
    assert "Guarantees:" in text
    assert re.search(r"\b(19|20)\d\d\b", text), "a reference with its year"


@parametrized
def test_its_schema_fixes_no_chance(folder, part):
    assert fixes_chance(part.model_json_schema()) == []


@pytest.mark.parametrize("category", ["methods", "guarantees", "measures", "attacks", "hierarchies"])
def test_the_api_can_describe_every_part(category):
    for item in catalogue.describe(category):
        assert {"name", "summary", "kinds", "guarantees", "schema"} <= set(item)
        assert item["summary"]
        assert item["kinds"]


@pytest.mark.parametrize("kind", ["table", "graph", "temporal_graph"])
def test_who_someone_is_is_always_asked(kind):
    always = [part for part in catalogue.parts("attacks", kind) if part.always]
    assert [part.question for part in always] == ["identity"]
    assert always[0].default if hasattr(always[0], "default") else True


def test_an_attacker_who_knows_the_nodes_exists_only_where_the_list_of_nodes_is_public():
    knowing = {part.wire_name() for part in catalogue.parts("attacks") if part.knows_nodes}
    assert knowing == {"edge_presence", "fake_edge_plausibility", "reconstruction"}
    public = {part.wire_name() for part in catalogue.parts("guarantees") if part.lists_nodes}
    assert public == {"edge_local_dp", "edge_differential_privacy"}


def sample_table(n: int = 120) -> Table:
    rng = np.random.default_rng(5)
    attributes = []
    for name, role, size in (
        ("age", Role.QUASI_IDENTIFIER, 40),
        ("zip", Role.QUASI_IDENTIFIER, 6),
        ("sex", Role.QUASI_IDENTIFIER, 2),
        ("disease", Role.SENSITIVE, 4),
    ):
        texts = [str(20 + i) if name == "age" else f"{CANARY}{name}{i}" for i in range(size)]
        codes = rng.integers(0, size, n).astype(np.int32)
        column = cast_column(name, np.array(texts, dtype=object), codes, None)
        attributes.append(resolve_attribute(column, AttributeSettings(role=role), None))
    return Table(tuple(attributes), n)


def sample_graph() -> Graph:
    rng = np.random.default_rng(6)
    return Graph.from_pairs(40, (40 * rng.random(120) ** 2).astype(np.int64), rng.integers(0, 40, 120))


def sample_snapshots() -> Snapshots:
    rng = np.random.default_rng(8)
    ends = (30 * rng.random((2, 300)) ** 2).astype(np.int64)
    return Snapshots.from_rows(30, *ends, rng.integers(0, 6, 300), [str(t) for t in range(6)])


def guarantees_for(method: Any, kind: str) -> list[Any]:
    if kind == "temporal_graph":
        wanted = catalogue.part("guarantees", kind, method.guarantees_given()[0])
        return [wanted(**{**wanted.examples[0], **({"k": 2} if "k" in wanted.model_fields else {})})]
    examples = {
        "k_anonymity": {"k": 4},
        "l_diversity": {"l": 2, "attribute": "disease"},
        "t_closeness": {"t": 0.3, "distance": "equal", "attribute": "disease"},
        "alpha_k": {"alpha": 0.7, "k": 4, "attribute": "disease"},
        "beta_likeness": {"beta": 2, "attribute": "disease"},
        "local_differential_privacy": {"epsilon": 1.0},
        "k_degree_anonymity": {"k": 3},
        "k_candidate_anonymity": {"k": 3, "query": "H1"},
        "k_neighborhood_anonymity": {"k": 3},
        "k_automorphism": {"k": 3},
        "neighborhood_twins": {"k": 3},
        "kl_anonymity": {"k": 3, "l": 2},
        "supernode_size": {"k": 3},
        "k_eps_obfuscation": {"k": 3, "epsilon": 0.2},
        "edge_local_dp": {"epsilon": 3.0, "density": {"declared": 0.15}},
        "edge_differential_privacy": {"epsilon": 1.0},
    }
    wanted = [catalogue.part("guarantees", kind, name) for name in method.guarantees_given()]
    # A population is another dataset, which the samples have not.
    return [g(**examples.get(g.wire_name(), g.examples[0])) for g in wanted if "population" not in g.model_fields]


def subject(method: Any) -> tuple[Any, str]:
    if method.kinds[0] == "temporal_graph":
        return sample_snapshots(), "temporal_graph"
    return (sample_table(), "table") if "table" in method.kinds else (sample_graph(), "graph")


@variants([*table_methods(), *graph_methods(), *temporal_methods()])
def test_a_method_leaves_its_input_untouched(method):
    original, kind = subject(method)
    arrays = [a.column.codes for a in original.attributes] if kind == "table" else [original.keys]
    before = [array.copy() for array in arrays]
    method.apply(original, guarantees_for(method, kind), np.random.default_rng(1), unwatched)
    assert all(np.array_equal(a, b) for a, b in zip(arrays, before, strict=True))


@variants([*table_methods(), *graph_methods(), *temporal_methods()])
def test_the_watch_of_a_method_rises_within_its_bounds(method):
    original, kind = subject(method)
    seen: list[float] = []

    def watch(fraction: float) -> bool:
        seen.append(fraction)
        return False

    method.apply(original, guarantees_for(method, kind), np.random.default_rng(1), watch)
    assert seen
    assert seen == sorted(seen)
    assert seen[0] >= 0
    assert seen[-1] <= 1


@pytest.mark.parametrize("part", WATCHED, ids=identify)
@pytest.mark.parametrize("masked", [False, True])
def test_the_watch_of_a_measure_or_attack_of_tables_rises_within_its_bounds(part, masked):
    table, seen = sample_table(), []
    released = release_classes(table, np.arange(table.n) // 10, table.n // 10)
    if masked:
        released = AdditiveNoise(attributes=["age"]).apply(table, [], np.random.default_rng(1), unwatched)
    work = getattr(part(), "attempt", None) or part().measure
    work(table, released, np.random.default_rng(1), lambda fraction: seen.append(fraction) or False)
    assert seen
    assert seen == sorted(seen)
    assert 0 <= seen[0] <= seen[-1] <= 1


@variants([*table_methods(), *graph_methods(), *temporal_methods()])
def test_raising_from_the_watch_gets_out_of_a_method(method):
    original, kind = subject(method)

    def watch(fraction: float) -> bool:
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        method.apply(original, guarantees_for(method, kind), np.random.default_rng(1), watch)


def admit_and_apply(method: Any, table: Table) -> None:
    guarantees = guarantees_for(method, "table")
    for guarantee in guarantees:
        guarantee.admit(table)
    method.apply(table, guarantees, np.random.default_rng(1), unwatched)


@variants([part for part in table_methods() if "k_anonymity" in part.gives])
def test_no_cell_stands_in_an_error(method):
    table = sample_table(3)
    with pytest.raises((Infeasible, InvalidDataset)) as caught:
        admit_and_apply(method, table)
    assert CANARY not in str(caught.value)


def test_the_engine_has_no_hidden_source_of_chance_time_or_place():
    forbidden = {"random", "secrets", "logging", "time", "os", "pathlib", "socket", "threading"}
    calls = re.compile(r"np\.random\.(?!Generator\b)\w+")
    for source in Path(catalogue.__file__).parent.rglob("*.py"):
        text = source.read_text()
        assert not forbidden & set(imported(text)), source.name
        assert not calls.search(text), source.name


def imported(source: str) -> Iterator[str]:
    """The top-level modules that a source imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("part", [*graph_methods(), *temporal_methods()], ids=identify)
def test_a_graph_method_says_in_one_sentence_what_it_does_not_protect_against(part):
    assert part.leaves.endswith(".")
    assert len(part.leaves) < 200
