"""Samples for tests of protection."""

from typing import Any

import numpy as np

from antifaz.policy.parse import parse_policy
from formats.core.raw import RawColumn


def encoded(name: str, cells: list[str]) -> RawColumn:
    values = sorted(set(cells))
    codes = np.array([values.index(cell) for cell in cells], dtype=np.int32)
    return RawColumn(name, codes, np.array(values, dtype=object))


def graph_policy(**changes: Any) -> Any:
    guarantees = [{"model": "k_degree_anonymity", "k": 3}, *changes.pop("more", [])]
    return parse_policy({"kind": "graph", "guarantees": guarantees, "method": {"name": "k_degree"}, **changes})


def cells_of(column: Any) -> list[str]:
    return [str(label) for label in column.labels[column.codes]]
