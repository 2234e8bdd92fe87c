"""Suppression: what the release does not show."""

import numpy as np

from antifaz.tables.labels.recode import release_classes
from antifaz.tables.table import ProtectedTable
from antifaz.tables.utility.suppression import Suppression
from antifaz.watch import unwatched


def measure(table, released):
    return Suppression().measure(table, released, np.random.default_rng(0), unwatched)


def test_counts_stars_and_absent_records(table_of):
    table = table_of({"a": ["", "3", "9", "9"], "b": ["x", "x", "y", "y"]})
    released = release_classes(table, np.array([0, 0, 1, 1]), 2)
    assert measure(table, released) == {"value": 0.0, "records": 0, "cells": 0.25}
    columns = tuple(type(c)(**{**vars(c), "codes": c.codes[2:]}) for c in released.columns)
    assert measure(table, ProtectedTable(columns, released.records[2:])) == {"value": 0.5, "records": 2, "cells": 0.0}
