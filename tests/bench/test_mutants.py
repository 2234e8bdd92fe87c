"""The mutants: what is changed, what is left alone, and that a change reaches the running code."""

import ast
import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bench.mutants.__main__ import ROOT
from bench.mutants.operators import Mutant, mutants_of
from bench.mutants.page import UNTRIED, Row, write_page
from bench.mutants.parts import PARTS
from bench.mutants.reasons import _stated
from bench.mutants.runner import KILLED, SURVIVED, Fate, _install

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
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A separate module that can be imported and changed."""
    (tmp_path / "mutated_here.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield "mutated_here.py"
    sys.modules.pop("mutated_here", None)


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
    assert ast.dump(found[0].tree) == ast.dump(ast.parse(SOURCE))
    assert len({mutant.name for mutant in found}) == len(found)


def test_functions_can_be_chosen(tmp_path: Path, module: str) -> None:
    assert {mutant.function for mutant in mutants_of(tmp_path, module, ["Rule.bound"])} == {"Rule.bound"}


def test_a_mutant_reaches_the_running_code(tmp_path: Path, module: str) -> None:
    living = importlib.import_module("mutated_here")
    judge, rule = living.judge, living.Rule()
    assert (judge(3), judge(2), rule.bound) == ("fine", "other", 4)
    _install(find(tmp_path, module, "return 'fine' if figure != LIMIT else 'other'"))
    assert (judge(3), judge(2)) == ("other", "fine")
    _install(find(tmp_path, module, "False"))
    with pytest.raises(ValueError, match="too small"):
        judge(2)
    _install(find(tmp_path, module, "return LIMIT - 1"))
    assert rule.bound == 2
    _install(find(tmp_path, module, "LIMIT = 4"))
    assert (judge(4), rule.bound) == ("fine", 3)


def test_the_page_tells_figures_and_reasons(tmp_path: Path, module: str) -> None:
    first, second, third, *_ = mutants_of(tmp_path, module)
    rows = [
        Row("The part", first, Fate(KILLED, "a test"), ""),
        Row("The part", second, Fate(SURVIVED), "Equivalent."),
        Row("The part", third, Fate(SURVIVED), ""),
    ]
    write_page(tmp_path / "page.md", rows)
    text = (tmp_path / "page.md").read_text()
    assert "### Tried whole\n" in text
    assert "| `mutated_here.py` | 3 | 3 | 1 | 0 | 2 | 0 | 1 | 33.3% | 66.7% |" in text
    assert "- Equivalent.\n  - `mutated_here.py:5` `LIMIT = 3` → `LIMIT = 2`" in text
    assert "- **No reason yet.**\n" in text
    write_page(tmp_path / "page.md", [*rows[:2], replace(rows[2], fate=Fate(UNTRIED))])
    text = (tmp_path / "page.md").read_text()
    assert "### Tried in part\n" in text
    assert "| `mutated_here.py` | 3 | 2 | 1 | 0 | 1 | 0 | 1 | 50.0% | 100.0% |" in text
    write_page(tmp_path / "page.md", [replace(row, fate=Fate(UNTRIED)) for row in rows])
    assert "### Not tried\n\n`mutated_here.py` (3).\n" in (tmp_path / "page.md").read_text()


def test_every_reason_is_that_of_a_mutant_that_there_is() -> None:
    """If a line changes, the reasons of its mutants must change too."""
    stated = set(_stated())
    files = {name.partition("::")[0] for name in stated}
    chosen = [each for part in PARTS.values() for each in part.files(ROOT) if each[0] in files]
    known = {mutant.name for file, functions in chosen for mutant in mutants_of(ROOT, file, functions)}
    assert sorted(stated - known) == []
