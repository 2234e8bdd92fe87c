"""Public data sets for tests: those in `tests/data`, and larger ones that may be next to the checkout."""

import csv
import gzip
from pathlib import Path

import pytest

OURS = Path(__file__).resolve().parent / "data"
BESIDE = OURS.parents[2] / "shared" / "data"


def find_data(path: str) -> Path | None:
    """The file of a data set, by its path below the data folder; None if it is missing."""
    return next((folder / path for folder in (OURS, BESIDE) if (folder / path).exists()), None)


def data_file(path: str) -> Path:
    """The file of a data set. The test is skipped if the file is missing and we may not redistribute it."""
    found = find_data(path)
    if found is None:
        pytest.skip("a benchmark: this public data set is not ours to redistribute and not beside the checkout")
    return found


def present(paths: list[str]) -> list[str]:
    """The data sets that are available."""
    return [path for path in paths if find_data(path) is not None]


def adult() -> dict[str, tuple[str, ...]]:
    """The columns of the Adult table."""
    content = gzip.decompress((OURS / "tables/adult/adult.csv.gz").read_bytes()).decode()
    header, *rows = csv.reader(content.splitlines(), delimiter=";")
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def adult_hierarchy(column: str) -> list[list[str]]:
    """The levels of one of its columns: every value with its generalizations."""
    with (OURS / f"tables/adult/adult_hierarchy_{column}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, delimiter=";"))
