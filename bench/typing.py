"""Typing: CPU time of detecting the type of long columns, and of reading, merging and sorting their values.

Each column is typed as a whole, as the engine does it, and text by text, by the reference that the engine is tested
against; both must agree. The last row is a job on the three columns of decimals: it detects their types, then checks
them against a policy.

    python -m bench.typing
"""

import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np

from antifaz.kinds.kind import Dataset
from antifaz.kinds.records import column_types
from antifaz.policy.parse import parse_policy
from antifaz.protection import check
from antifaz.tables.reading.attributes import cast_column
from bench.results import write_section
from formats.core.raw import RawColumn
from tests.oracles.column_types import type_cells

DISTINCT = 500_000


def main() -> None:
    """Measure a column of every type."""
    order = _order()
    start = datetime(2001, 2, 3, tzinfo=UTC)
    columns = {
        **decimals(),
        "integers": [str(number - 1000) for number in order],
        "dates": [str(date.fromordinal(1 + number)) for number in order],
        "datetimes": [str(start + timedelta(seconds=number * 977, microseconds=number)) for number in order],
        "texts": [f"street {number}" for number in order],
    }
    write_section(
        "Typing",
        "python -m bench.typing",
        f"CPU seconds to type a column of {DISTINCT:,} distinct texts.",
        ("column", "text by text", "whole"),
        [
            *[(title, *measure(cells)) for title, cells in columns.items()],
            ("a job on the decimals", "", measure_job(decimals())),
        ],
    )


def decimals() -> dict[str, list[str]]:
    """Three columns of decimals, written in three ways."""
    order = _order()
    return {
        "decimals, first": [f"{number / 100:.2f}" for number in order],
        "decimals, second": [f"{number / 7:.6f}" for number in order],
        "decimals, third": [f"-{number}.{number % 1000:03}" for number in order],
    }


def measure(cells: list[str]) -> tuple[str, str]:
    """Seconds text by text, and seconds of the engine."""
    texts, codes = np.array(cells, dtype=object), np.arange(len(cells), dtype=np.int32)
    (type_, values, _, places), before = _timed(lambda: type_cells(cells))
    column, after = _timed(lambda: cast_column("column", texts, codes))
    if (column.type, list(column.values), column.codes.tolist()) != (type_, values, places):
        raise AssertionError("the two ways of typing a column disagree")
    return f"{before:.2f}", f"{after:.2f}"


def measure_job(columns: dict[str, list[str]]) -> str:
    """Seconds of detecting the types of all columns and checking them."""
    codes = np.arange(DISTINCT, dtype=np.int32)
    dataset = Dataset(
        tuple(RawColumn(name, codes, np.array(cells, dtype=object)) for name, cells in columns.items()), DISTINCT
    )
    attributes = {name: {"role": "quasi_identifier"} for name in columns}
    guarantees, method = [{"model": "k_anonymity", "k": 2}], {"name": "mondrian"}
    policy = parse_policy({"kind": "table", "attributes": attributes, "guarantees": guarantees, "method": method})
    return f"{_timed(lambda: (column_types(dataset), check(dataset, policy)))[1]:.2f}"


def _order() -> list[int]:
    found: list[int] = np.random.default_rng(1).permutation(DISTINCT).tolist()
    return found


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    return work(), time.process_time() - start


if __name__ == "__main__":
    main()
