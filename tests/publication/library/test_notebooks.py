"""The notebooks under examples/ run, and show what they print."""

import re
from pathlib import Path

import pytest

from tests.publication.library.notebooks import NOTEBOOKS, code_cells, read_notebook, run_cells, shown_in


def without_figures(text: str) -> str:
    """Words alone: a better method or measure changes figures, and that makes no notebook wrong."""
    return re.sub(r"\s+", " ", re.sub(r"[0-9][0-9.*]*", "#", text))


def test_there_is_one_for_tables_and_one_for_graphs():
    assert [path.name for path in NOTEBOOKS] == ["graph.ipynb", "table.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_its_cells_print(path: Path):
    notebook = read_notebook(path)
    printed, shown = run_cells(notebook), [shown_in(cell) for cell in code_cells(notebook)]
    assert len(printed) == len(shown)
    for now, then in zip(printed, shown, strict=True):
        # Which rows come first is chance, as far as a method's other steps drew before.
        if "   disease\n" not in then:
            assert without_figures(now) == without_figures(then)
    assert "True" in "".join(printed)
    assert "released" in "".join(printed)
