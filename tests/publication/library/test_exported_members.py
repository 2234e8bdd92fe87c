"""The exports of `import antifaz`: ten names, loaded when they are used."""

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import antifaz
from publication import library

ROOT = Path(__file__).resolve().parents[3]
NAMES = [
    "Graph", "Infeasible", "InvalidDataset", "InvalidPolicy", "Release", "Table", "TemporalGraph", "assess", "protect",
    "verify",
]  # fmt: skip


def test_exported_members():
    assert antifaz.__all__ == library.__all__ == NAMES
    for name in NAMES:
        assert getattr(antifaz, name) is getattr(library, name)
        assert callable(getattr(antifaz, name))
    assert set(NAMES) <= set(dir(antifaz))


def test_the_verbs_stay_functions_after_the_engine_was_loaded():
    for module in ("antifaz.protection", "antifaz.assessment"):
        importlib.import_module(module)
    assert antifaz.protect is library.protect
    assert antifaz.assess is library.assess


def test_other_names_are_refused():
    with pytest.raises(AttributeError):
        _ = antifaz.publish


def loaded_by(code: str) -> set[str]:
    late = {"numba", "scipy.linalg", "scipy.sparse", "scipy.special", "networkx", "pandas", "polars"}
    watched = late | {"numpy", "publication", "sqlalchemy", "celery", "fastapi"}
    code = f"import sys; {code}; print(*({watched} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(shown.stdout.split())


def test_importing_the_package_loads_nothing_else_and_large_libraries_only_if_they_are_used():
    assert loaded_by("import antifaz") == set()
    assert loaded_by("import antifaz; antifaz.protect") == {"numpy", "publication"}


def test_types_are_stated_for_every_name():
    stub = (ROOT / "antifaz" / "__init__.pyi").read_text()
    assert [line.rpartition(" as ")[2] for line in stub.splitlines()] == NAMES


def test_the_page_names_every_member():
    page = (ROOT / "docs" / "library.md").read_text()
    assert [name for name in NAMES if f"`{name}" not in page] == []


def test_the_example_of_the_page_runs_and_holds():
    page = (ROOT / "docs" / "library.md").read_text()
    names: dict[str, Any] = {}
    exec(page.partition("```python\n")[2].partition("```")[0], names)  # noqa: S102 our own page
    assert antifaz.verify(names["release"]).holds
