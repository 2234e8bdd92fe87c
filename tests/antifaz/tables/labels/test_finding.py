"""Finding: what counts as masked, what names a true value, and whose records are nearest."""

from dataclasses import replace

import numpy as np

from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.labels.finding import TrueValues, masked_columns, most_exposed, most_frequent, nearest_records
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.methods.additive_noise import AdditiveNoise
from antifaz.tables.methods.microaggregation import Microaggregation
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.watch import unwatched


def people(table_of, n=60):
    rng = np.random.default_rng(3)
    columns = {"age": rng.integers(0, 90, n).astype(str), "city": [f"c{i}" for i in rng.integers(0, 4, n)]}
    return table_of({**columns, "s": [f"s{i}" for i in rng.integers(0, 3, n)]}, {"s": "sensitive"})


def test_ranges_and_sets_cover_their_values_and_noise_and_means_do_not(table_of):
    table, rng = people(table_of), np.random.default_rng(1)
    assert masked_columns(table, Mondrian().apply(table, [KAnonymity(k=5)], rng, unwatched)) == ()
    noisy = AdditiveNoise(attributes=["age"]).apply(table, [], rng, unwatched)
    assert masked_columns(table, noisy) == ("age",)
    means = Microaggregation(attributes=["age"], variant="univariate", size=5).apply(table, [], rng, unwatched)
    assert masked_columns(table, means) == ("age",)


def test_an_exchanged_city_is_masked_too(table_of):
    table = people(table_of)
    released = release_classes(table, np.arange(60), 60)
    place = [column.name for column in released.columns].index("city")
    turned = replace(released.columns[place], codes=np.roll(released.columns[place].codes, 1))
    columns = (*released.columns[:place], turned, *released.columns[place + 1 :])
    assert masked_columns(table, replace(released, columns=columns)) == ("city",)
    assert masked_columns(table, released) == ()


def test_a_value_is_true_in_any_spelling_and_a_star_names_nothing(table_of):
    table = table_of({"a": ["1", "2", "3"], "s": ["HIV", "hiv", "flu"]}, {"s": "sensitive"})
    released = release_classes(table, np.arange(3), 3)
    column = next(each for each in released.columns if each.name == "s")
    truth = TrueValues(table, released, column)
    hiv = int(column.folded_codes[0])
    assert truth.named(np.full(3, hiv), np.arange(3)).tolist() == [True, True, False]
    star = replace(column, labels=np.array(["*"], dtype=object), codes=np.zeros(3, dtype=np.int32))
    hidden = replace(released, columns=tuple(star if each is column else each for each in released.columns))
    assert not TrueValues(table, hidden, star).named(np.zeros(3, dtype=np.int64), np.arange(3)).any()


def test_the_nearest_records_of_an_unchanged_release_are_the_persons_own(table_of):
    table = table_of({"a": [str(value) for value in range(0, 300, 3)]})
    released = release_classes(table, np.arange(100), 100)
    found = list(nearest_records(table, released, 100, np.random.default_rng(0), unwatched))
    assert len(found) == 100
    assert all(members.tolist() == [person] for person, members in found)
    assert list(nearest_records(table, released, 100, np.random.default_rng(0), unwatched, ["a"])) == []


def test_the_most_frequent_value_and_the_most_exposed_column_by_hand():
    assert most_frequent(np.array([0, 0, 0, 1]), 2, np.array([5, 2, 5, 1])).tolist() == [5, 5, 5, 1]
    assert most_exposed({"a": {"rate": 0.98, "baseline": 0.97}, "b": {"rate": 0.3, "baseline": 0.1}}) == "b"


def test_the_nearest_records_are_near_in_every_column(table_of):
    table = table_of({"a": ["0", "0", "9", "9"], "b": ["0", "9", "0", "9"]})
    released = release_classes(table, np.arange(4), 4)
    found = list(nearest_records(table, released, 4, np.random.default_rng(0), unwatched))
    assert [(person, members.tolist()) for person, members in found] == [(person, [person]) for person in range(4)]


def test_what_is_masked_is_found_again_for_another_original(table_of):
    table, other = table_of({"a": ["1", "2"]}), table_of({"a": ["2", "1"]})
    released = release_classes(table, np.arange(2), 2)
    assert masked_columns(table, released) == ()
    assert masked_columns(other, released) == ("a",)
