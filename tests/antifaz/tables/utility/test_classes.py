"""Classes: their number and sizes."""

from dataclasses import replace

import numpy as np

from antifaz.tables.labels.recode import release_classes
from antifaz.tables.table import ProtectedTable
from antifaz.tables.utility.classes import Classes
from antifaz.watch import unwatched


def test_counts_classes_and_their_sizes(table_of):
    table = table_of({"a": ["1", "2", "3", "9", "9"]})
    released = release_classes(table, np.array([0, 0, 0, 1, 1]), 2)
    measured = Classes().measure(table, released, np.random.default_rng(0), unwatched)
    assert measured == {"value": 2, "min": 2, "max": 3, "mean": 2.5, "variance": 0.25}


def test_a_release_without_records_has_no_classes(table_of):
    table = table_of({"a": ["1", "2"]})
    released = release_classes(table, np.arange(2), 2)
    empty = ProtectedTable(tuple(replace(c, codes=c.codes[:0]) for c in released.columns), released.records[:0])
    measured = Classes().measure(table, empty, np.random.default_rng(0), unwatched)
    assert measured == {"value": 0, "min": 0, "max": 0, "mean": 0.0, "variance": 0.0}
