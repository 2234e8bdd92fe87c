"""Public data sets for tests: those in `tests/data`, and larger ones that may lie beside the checkout."""

import csv
import gzip
from pathlib import Path

import pytest

OURS = Path(__file__).resolve().parent / "data"
BESIDE = OURS.parents[2] / "shared" / "data"


def find_data(path: str) -> Path | None:
    """The file of a data set, by its path below the folder of all data; None where it is not here."""
    return next((folder / path for folder in (OURS, BESIDE) if (folder / path).exists()), None)


def data_file(path: str) -> Path:
    """The file of a data set; a test that needs one which is not here, and not ours to ship, is skipped."""
    found = find_data(path)
    if found is None:
        pytest.skip("a benchmark: this public data set is not ours to redistribute and not beside the checkout")
    return found


def present(paths: list[str]) -> list[str]:
    """Those of the data sets that are here."""
    return [path for path in paths if find_data(path) is not None]


def adult() -> dict[str, tuple[str, ...]]:
    """The columns of the Adult table."""
    content = gzip.decompress((OURS / "tables/adult/adult.csv.gz").read_bytes()).decode()
    header, *rows = csv.reader(content.splitlines(), delimiter=";")
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def adult_hierarchy(column: str) -> list[list[str]]:
    """The levels of one of its columns: every value with what it generalizes to."""
    with (OURS / f"tables/adult/adult_hierarchy_{column}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, delimiter=";"))
