"""Chance and time: docs/chance.md lists every test that differs from run to run, and how rarely it fails wrongly."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "chance.md").read_text()
EACH, ALL = 1e-9, 1e-6
"""How often a test, and a whole run, may fail wrongly."""
DRAWING = {
    *(
        "cryptographic_generator",
        "noisy_count",
        "counting",
        "choosing",
        "counting_within",
        "choosing_within",
        "SystemRandom",
        "urandom",
        "randbelow",
        "randbits",
    ),
    *("rand", "randn", "random_sample", "RandomState"),
}
"""Functions that always draw at random."""
SEEDED = {"default_rng", "Random"}
"""Functions that draw at random unless they are given a seed."""
WORKING = {"steward", "stack", "story", "rig"}
"""Fixtures whose worker runs jobs, with its own randomness."""
CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time", "clock_gettime", "sleep", "Timer"}
LEAST_BYTES = 8
"""Length of a random name or key of a test: shorter ones could collide."""


Nodes = list[ast.AST]


def nodes_of(source: str) -> Nodes:
    return list(ast.walk(ast.parse(source)))


@cache
def files() -> dict[str, Nodes]:
    """The syntax tree of every test file except this one."""
    found = [file for file in sorted((ROOT / "tests").rglob("*.py")) if file != Path(__file__)]
    return {str(file.relative_to(ROOT)): nodes_of(file.read_text()) for file in found}


def name_of(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def draws(nodes: Nodes) -> Iterator[str]:
    """The unseeded sources of randomness that a file names."""
    for node in nodes:
        if isinstance(node, ast.Attribute | ast.Name) and name_of(node) in DRAWING:
            yield name_of(node)
        if isinstance(node, ast.Call) and name_of(node.func) in SEEDED and not node.args + node.keywords:
            yield name_of(node.func)
        if isinstance(node, ast.keyword) and node.arg == "noisy":
            yield "noisy"
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield from WORKING & {argument.arg for argument in node.args.args}


def looks_at_clocks(nodes: Nodes) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr in CLOCKS for node in nodes)


def rows(title: str) -> dict[str, list[str]]:
    """The rows of one section's table, by the file or test that each row describes."""
    section = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines()]
    found = {row[0].strip("`| "): row[1:] for row in cells if row[0].lstrip("| ").startswith("`tests/")}
    assert found, title
    return found


CHANCE, TIME = "What differs from run to run", "What reads a clock"


def files_of(title: str) -> set[str]:
    return {row.partition("::")[0] for row in rows(title)}


def test_every_file_that_draws_by_chance_is_listed() -> None:
    drawing = {name: sorted(set(draws(nodes))) for name, nodes in files().items()}
    assert {name: found for name, found in drawing.items() if found and name not in files_of(CHANCE)} == {}


def test_every_file_that_looks_at_a_clock_is_listed() -> None:
    assert {name for name, nodes in files().items() if looks_at_clocks(nodes)} - files_of(TIME) == set()


@pytest.mark.parametrize("title", [CHANCE, TIME])
def test_what_is_listed_exists(title: str) -> None:
    for row in rows(title):
        name, _, test = row.partition("::")
        assert name in files(), row
        defined = [node.name for node in files()[name] if isinstance(node, ast.FunctionDef)]
        assert not test or test in defined, row


def test_no_test_and_no_run_fails_wrongly_more_often_than_is_promised() -> None:
    chances = [float(row[1]) for row in rows(CHANCE).values()]
    assert all(0 <= chance < EACH for chance in chances)
    stated = re.search(r"in one run together: (\S+)\.", PAGE)
    assert stated is not None
    assert sum(chances) <= float(stated[1]) < ALL


def short_names(nodes: Nodes) -> Iterator[int]:
    """The lengths of random names and keys that are too short."""
    for node in nodes:
        if isinstance(node, ast.Call) and name_of(node.func) in ("token_hex", "token_bytes", "token_urlsafe"):
            yield from (size.value for size in node.args if isinstance(size, ast.Constant) and size.value < LEAST_BYTES)


def test_random_names_are_long_enough_never_to_meet() -> None:
    assert {name: found for name, nodes in files().items() if (found := list(short_names(nodes)))} == {}


@pytest.mark.parametrize(
    ("source", "noticed"),
    [
        ("rng = np.random.default_rng()", ["default_rng"]),
        ("rng = np.random.default_rng(7)", []),
        ("rng = random.Random()", ["Random"]),
        ("rng = random.Random(f'{name}')", []),
        ("rng = random.SystemRandom()", ["SystemRandom"]),
        ("rng = cryptographic_generator()", ["cryptographic_generator"]),
        ("run(Density(noisy=1.0))", ["noisy"]),
        ("def test_a(stack): ...", ["stack"]),
        ("def made(stack): ...", []),
    ],
)
def test_a_new_source_of_chance_would_be_noticed(source: str, noticed: list[str]) -> None:
    assert list(draws(nodes_of(source))) == noticed
    assert list(short_names(nodes_of("secrets.token_hex(4)"))) == [4]
    assert looks_at_clocks(nodes_of("time.perf_counter()"))
