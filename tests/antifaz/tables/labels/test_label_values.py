"""Label values: the values that each kind of label covers."""

import numpy as np
import pytest

from antifaz.hierarchies.levels import Levels
from antifaz.tables.labels.label_values import cover_of, plain_cover
from antifaz.tables.labels.recode import release_classes


def values_of(table, cover, name, label):
    values = table.attribute(name).column.values
    low, high = cover.lows[label], cover.highs[label]
    codes = np.arange(low, high) if cover.listed is None else cover.listed[low:high]
    return [str(values[code]) for code in codes]


def covered(table, labels, name):
    """The values that stand behind each class, by class number."""
    cover = cover_of(table, release_classes(table, np.array(labels), max(labels) + 1), name)
    return [values_of(table, cover, name, cover.codes[labels.index(number)]) for number in range(max(labels) + 1)]


@pytest.mark.parametrize("recoding", ["range", "bounds"])
def test_ranges_cover_every_value_of_the_domain_within(table_of, recoding):
    table = table_of({"a": ["1", "9", "2", "2", "30"]}, a={"recoding": recoding})
    assert covered(table, [0, 0, 1, 1, 2], "a") == [["1", "2", "9"], ["2"], ["30"]]


def test_sets_groups_and_stars(table_of):
    tree = Levels(rows=[["a", "low", "*"], ["b", "low", "*"], ["c", "high", "*"], ["d", "high", "*"]])
    plain = table_of({"v": list("abcd")})
    assert covered(plain, [0, 1, 0, 1], "v") == [["a", "c"], ["b", "d"]]
    grouped = table_of({"v": list("abcd")}, hierarchies={"v": tree})
    assert covered(grouped, [0, 0, 1, 1], "v") == [["a", "b"], ["c", "d"]]
    assert covered(grouped, [0, 1, 0, 1], "v") == [list("abcd"), list("abcd")]


def test_missing_values_and_classes_that_mix_them(table_of):
    table = table_of({"a": ["", "", "5", "", "7"]})
    assert covered(table, [0, 0, 1, 2, 2], "a") == [[""], ["5"], ["", "5", "7"]]


def test_a_mean_stands_for_the_nearest_value(table_of):
    table = table_of({"a": ["1", "2", "10", "10"]}, a={"recoding": "mean"})
    cover = cover_of(table, release_classes(table, np.array([0, 0, 1, 1]), 2), "a")
    assert cover.centers[cover.codes].tolist() == [1.5, 1.5, 10, 10]
    assert values_of(table, cover, "a", cover.codes[0]) in (["1"], ["2"])


def test_shares_of_labels_and_of_their_weight(table_of):
    table = table_of({"a": ["1", "2", "3", "9"], "b": list("xyxz")})
    released = release_classes(table, np.array([0, 0, 0, 1]), 2)
    for name in ("a", "b"):
        cover = cover_of(table, released, name)
        weights = np.bincount(cover.codes, minlength=cover.labels).astype(float)
        shares = cover.spread(weights)
        assert shares.sum() == pytest.approx(4)
        inside = np.zeros(cover.domain, dtype=bool)
        inside[0] = True
        assert (weights * cover.fractions(inside)).sum() == pytest.approx(shares[0])
    assert cover_of(table, released, "a").spread(np.array([1.0, 3.0])).tolist() == pytest.approx([1.0] * 4)


def test_a_column_that_is_not_released_has_no_cover(table_of):
    table = table_of({"a": ["1"], "name": ["Ana"]}, {"name": "identifier"})
    assert cover_of(table, release_classes(table, np.zeros(1, dtype=np.int64), 1), "name") is None


def test_the_original_covers_itself(table_of):
    table = table_of({"a": ["3", "1", "3"]})
    cover = plain_cover(table.attribute("a"), np.array([0, 1]))
    assert cover.codes.tolist() == [1, 0]
    assert cover.sizes.tolist() == [1, 1]
