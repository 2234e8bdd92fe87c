"""Notebooks: the code cells of a notebook, run as a Python program would run them.

Jupyter is not needed for that: a notebook is JSON, its cells share one namespace, and ours only print.

    python -m tests.publication.library.notebooks     write the cells' output into the notebooks
"""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def read_notebook(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


def run_cells(notebook: dict[str, Any]) -> list[str]:
    """What each code cell prints, in a folder of examples."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = []
    for cell in code_cells(notebook):
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown), contextlib.chdir(EXAMPLES):
            exec(compile("".join(cell["source"]), "<cell>", "exec"), names)  # noqa: S102 our own notebooks
        printed.append(shown.getvalue())
    return printed


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def shown_in(cell: dict[str, Any]) -> str:
    """The text that a cell of a stored notebook shows."""
    return "".join("".join(output["text"]) for output in cell["outputs"])


def main() -> None:
    for path in NOTEBOOKS:
        notebook = read_notebook(path)
        for number, (cell, text) in enumerate(zip(code_cells(notebook), run_cells(notebook), strict=True), start=1):
            output = {"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)}
            cell |= {"execution_count": number, "outputs": [output] if text else []}
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
