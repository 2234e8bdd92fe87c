"""The mutants: what is changed, what is left alone, which tests are chosen, and what the page tells."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from bench.mutants.__main__ import ROOT
from bench.mutants.coverage import Coverage
from bench.mutants.engine import KILLED, SURVIVED, TIMED_OUT, UNTRIED, Copy, Fate
from bench.mutants.operators import Mutant, mutants_of
from bench.mutants.page import Row, stated_reasons, write_part
from bench.mutants.parts import PARTS

SOURCE = '''"""A module."""

import math

LIMIT = 3
"""A bound."""


def judge(figure: int, strict: bool = True) -> str:
    """Whether a figure is within the bound."""
    if figure < LIMIT and not strict:
        raise ValueError("too small")
    return "fine" if figure == LIMIT else "other"


class Rule:
    """A rule."""

    @property
    def bound(self) -> int:
        return LIMIT + 1
'''


@pytest.fixture
def module(tmp_path: Path) -> str:
    """A file of its own."""
    (tmp_path / "mutated_here.py").write_text(SOURCE)
    return "mutated_here.py"


def changes(root: Path, name: str) -> list[str]:
    return [f"{mutant.function}: {mutant.before} → {mutant.after}" for mutant in mutants_of(root, name)]


def find(root: Path, name: str, after: str) -> Mutant:
    return next(mutant for mutant in mutants_of(root, name) if mutant.after == after)


def test_every_kind_of_change_is_made_once(tmp_path: Path, module: str) -> None:
    assert changes(tmp_path, module) == [
        ": LIMIT = 3 → LIMIT = 4",
        ": LIMIT = 3 → LIMIT = 2",
        "judge: True → False",
        "judge: figure < LIMIT and (not strict) → figure < LIMIT or not strict",
        "judge: figure < LIMIT and (not strict) → not strict",
        "judge: figure < LIMIT and (not strict) → figure < LIMIT",
        "judge: figure < LIMIT and (not strict) → figure <= LIMIT and (not strict)",
        "judge: figure < LIMIT and (not strict) → figure >= LIMIT and (not strict)",
        "judge: figure < LIMIT and (not strict) → figure < LIMIT and strict",
        "judge: raise ValueError('too small') → removed",
        "judge: raise ValueError('too small') → raise ValueError()",
        "judge: raise ValueError('too small') → raise ValueError('XXtoo smallXX')",
        "judge: return 'fine' if figure == LIMIT else 'other' → return None",
        "judge: return 'fine' if figure == LIMIT else 'other' → return 'fine' if figure != LIMIT else 'other'",
        "judge: return 'fine' if figure == LIMIT else 'other' → return 'XXfineXX' if figure == LIMIT else 'other'",
        "judge: return 'fine' if figure == LIMIT else 'other' → return 'fine' if figure == LIMIT else 'XXotherXX'",
        "Rule.bound: return LIMIT + 1 → return None",
        "Rule.bound: return LIMIT + 1 → return LIMIT - 1",
        "Rule.bound: return LIMIT + 1 → return LIMIT + 2",
        "Rule.bound: return LIMIT + 1 → return LIMIT + 0",
    ]


def test_looking_for_mutants_changes_nothing(tmp_path: Path, module: str) -> None:
    found = mutants_of(tmp_path, module)
    texts = [mutant.changed() for mutant in found]
    assert len(set(texts)) == len({mutant.name for mutant in found}) == len(found)
    assert ast.unparse(ast.parse(SOURCE)) + "\n" not in texts
    assert [mutant.changed() for mutant in found] == texts


def test_functions_can_be_chosen(tmp_path: Path, module: str) -> None:
    assert {mutant.function for mutant in mutants_of(tmp_path, module, ["Rule.bound"])} == {"Rule.bound"}


TESTS = """
import threading

from mutated_here import LIMIT, Rule, judge


def test_a_judgment():
    assert judge(LIMIT) == "fine"


def test_a_bound():
    found = []
    thread = threading.Thread(target=lambda: found.append(Rule().bound))
    thread.start()
    thread.join()
    assert found == [4]
"""


def test_the_tests_that_run_a_line_are_tried_on_its_mutants(tmp_path: Path, module: str) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / module).write_text(SOURCE)
    (tmp_path / "tree" / "test_rules.py").write_text(TESTS)
    copy = Copy(tmp_path / "tree")
    coverage = Coverage(copy, {module}, ["test_rules.py"], 60.0, 60.0)

    def fate(after: str) -> Fate:
        mutant = find(tmp_path, module, after)
        return copy.fate({module: mutant.changed()}, coverage.tests_of(mutant))

    judgment, bound = "test_rules.py::test_a_judgment", "test_rules.py::test_a_bound"
    assert coverage.tests_of(find(tmp_path, module, "return LIMIT - 1")) == [bound]
    assert sorted(coverage.tests_of(find(tmp_path, module, "LIMIT = 4"))) == [bound, judgment]
    assert coverage.tests_of(find(tmp_path, module, "raise ValueError()")) == [judgment]
    assert fate("return 'fine' if figure != LIMIT else 'other'") == Fate(KILLED, judgment)
    assert fate("return LIMIT - 1") == Fate(KILLED, bound)
    assert fate("False") == Fate(SURVIVED)
    assert (tmp_path / "tree" / module).read_text() == SOURCE


def test_tests_that_do_not_end_are_ended(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text("WAIT = 0\n")
    (tmp_path / "test_part.py").write_text("import time\nimport part\n\n\ndef test_it():\n    time.sleep(part.WAIT)\n")
    assert Copy(tmp_path).fate({"part.py": "WAIT = 600\n"}, ["test_part.py"], 5.0) == Fate(TIMED_OUT)


def test_the_page_tells_figures_and_reasons(tmp_path: Path, module: str) -> None:
    first, second, third, *_ = mutants_of(tmp_path, module)
    rows = [
        Row(first, Fate(KILLED, "a test"), ""),
        Row(second, Fate(SURVIVED), "Equivalent."),
        Row(third, Fate(SURVIVED), ""),
    ]
    (tmp_path / "page.md").write_text("# Mutants\n\n## The part\n\nformer figures\n\n## Another part\n")
    write_part(tmp_path / "page.md", "The part", "python -m us", rows)
    text = (tmp_path / "page.md").read_text()
    assert text.startswith("# Mutants\n\n## The part\n\nBy `python -m us`.\n\n### Tried whole\n")
    assert text.endswith("\n## Another part\n")
    assert "former" not in text
    assert "| `mutated_here.py` | 3 | 3 | 1 | 0 | 2 | 0 | 1 | 33.3% | 66.7% |" in text
    assert "- Equivalent.\n  - `mutated_here.py:5` `LIMIT = 3` → `LIMIT = 2`" in text
    assert "- **No reason yet.**\n" in text
    write_part(tmp_path / "page.md", "The part", "python -m us", [*rows[:2], replace(rows[2], fate=Fate(UNTRIED))])
    text = (tmp_path / "page.md").read_text()
    assert "### Tried in part\n" in text
    assert "| `mutated_here.py` | 3 | 2 | 1 | 0 | 1 | 0 | 1 | 50.0% | 100.0% |" in text
    write_part(tmp_path / "page.md", "The part", "python -m us", [replace(row, fate=Fate(UNTRIED)) for row in rows])
    assert "### Not tried\n\n`mutated_here.py` (3).\n" in (tmp_path / "page.md").read_text()


def test_every_reason_is_that_of_a_mutant_that_there_is() -> None:
    """If a line changes, the reasons of its mutants must change too."""
    stated = set(stated_reasons())
    files = {name.partition("::")[0] for name in stated}
    chosen = [each for part in PARTS.values() for each in part.files(ROOT) if each[0] in files]
    known = {mutant.name for file, functions in chosen for mutant in mutants_of(ROOT, file, functions)}
    assert sorted(stated - known) == []
