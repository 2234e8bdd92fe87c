"""Same: synthetic records that are those of one person, by hand."""

import numpy as np

from antifaz.tables.labels.recode import release_classes
from antifaz.tables.labels.same import exposed_share


def test_a_record_that_follows_nobody_counts_if_all_its_values_are_those_of_one_person(table_of):
    table = table_of({"a": ["1", "2", "3", "3"], "b": ["x", "y", "z", "z"]})
    released = release_classes(table, np.arange(4), 4)
    # The last two are alike, in the original and in the release.
    assert exposed_share(table, released, ["a", "b"], follows=False) == 0.5
    other = table_of({"a": ["1", "2", "3", "3"], "b": ["y", "x", "z", "z"]})
    assert exposed_share(other, released, ["a", "b"], follows=False) == 0.0
