"""Random populations and generalized tables of some of their people, judged by the definitions.

Labels are made from the values they cover, so the definition never has to parse one.
"""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tests.oracles import definitions as by
from tests.oracles.tables import near
from tests.oracles.trial import Expected, Trial
from tests.oracles.writers import TABLE_FORMATS, write_table

AGES = ("20", "21", "25", "30", "30.0", "9")
TOWNS = ("Vic", "Olot", "Ripoll", "Alp")
REGIONS = (("Vic", "Osona", "*"), ("Olot", "Garrotxa", "*"), ("Ripoll", "Ripollès", "*"), ("Alp", "Osona", "*"))
DAYS = ("2020-01-31", "2020-02-01", "2019-12-31")
Covers = Callable[[str], bool]


@dataclass(frozen=True)
class Label:
    """A released label and the values it covers."""

    text: Any
    covers: Covers


@dataclass(frozen=True)
class Census:
    """A population and a release about some of its people."""

    names: tuple[str, ...]
    people: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[Label, ...], ...]
    formats: tuple[str, ...]
    labels: tuple[tuple[Label, ...], ...]
    """The labels that each column draws from."""


def age_labels() -> list[Label]:
    def within(low: int, high: int) -> Covers:
        return lambda value: low <= Fraction(value) <= high

    ranges = [Label(f"[{low}, {high}]", within(low, high)) for low, high in ((20, 21), (20, 30), (9, 29), (30, 30))]
    single = [Label(text, within(int(text), int(text))) for text in ("20", "30")]
    return [*ranges, *single, Label("*", lambda value: True)]


def town_labels() -> list[Label]:
    def among(*towns: str) -> Covers:
        return lambda value: value in towns

    sets = [Label(json.dumps(sorted(towns)), among(*towns)) for towns in (("Vic", "Olot"), ("Alp", "Ripoll", "Vic"))]
    groups = [Label("Osona", among("Vic", "Alp")), Label("Garrotxa", among("Olot"))]
    return [*sets, *groups, Label("Vic", among("Vic")), Label("*", lambda value: True)]


def day_labels() -> list[Label]:
    def between(low: str, high: str) -> Covers:
        return lambda value: low <= value <= high

    spans = (("2020-01-01", "2020-01-31"), ("2019-12-31", "2020-02-01"))
    ranges = [Label(json.dumps(list(span)), between(*span)) for span in spans]
    return [*ranges, Label("2020-02-01", between("2020-02-01", "2020-02-01")), Label("*", lambda value: True)]


COLUMNS: dict[str, tuple[Sequence[str], list[Label], str, dict[str, Any]]] = {
    "age": (AGES, age_labels(), "decimal", {}),
    "town": (TOWNS, town_labels(), "text", {"hierarchy": {"kind": "levels", "rows": [list(row) for row in REGIONS]}}),
    "day": (DAYS, day_labels(), "date", {}),
}


def draw_census(rng: random.Random) -> Census:
    names = tuple(rng.sample(list(COLUMNS), rng.randint(1, 2)))
    people = [tuple(rng.choice(COLUMNS[name][0]) for name in names) for _ in range(rng.randint(4, 20))]
    labels = tuple(tuple(rng.sample(COLUMNS[name][1], rng.randint(1, 3))) for name in names)
    rows = []
    for _ in range(rng.randint(1, 3)):
        key = tuple(rng.choice(column) for column in labels)
        rows += [key] * rng.choice((1, 1, 2, 3))
    rng.shuffle(rows)
    formats = tuple(rng.sample(TABLE_FORMATS, rng.choice((1, 1, 2))))
    return Census(names, tuple(people), tuple(rows), formats, tuple(tuple(COLUMNS[name][1]) for name in names))


def crowds(census: Census) -> list[tuple[int, list[int]]]:
    """For every class, its number of rows and the people it covers."""
    texts = [tuple(label.text for label in row) for row in census.rows]
    found = []
    for alike in by.classes(texts):
        row = census.rows[alike[0]]
        covered = [
            number
            for number, person in enumerate(census.people)
            if all(label.covers(value) for label, value in zip(row, person, strict=True))
        ]
        found.append((len(alike), covered))
    return found


Expect = Callable[[Census, dict[str, Any]], Expected]


def census_trial(rng: random.Random, census: Census, guarantee: dict[str, Any], expect: Expect) -> Trial:
    attributes = {name: {"role": "quasi_identifier", **COLUMNS[name][3]} for name in census.names}
    sealed: dict[str, Any] = {"populations": {"census": {"columns": _columns(census)}}}
    if "town" in census.names and rng.random() < 0.5:  # rows of a stored hierarchy are only in the sealed map
        attributes["town"] = {"role": "quasi_identifier", "hierarchy": {"id": "regions"}}
        sealed["hierarchies"] = {"town": [list(row) for row in REGIONS]}
    texts = [[label.text for label in row] for row in census.rows]
    consistent = all(rows <= len(covered) for rows, covered in crowds(census))
    return Trial(
        {"kind": "table", "attributes": attributes, "guarantees": [guarantee]},
        lambda: [write_table(form, census.names, texts) for form in census.formats],
        expect(census, guarantee) if consistent else Expected(False),
        sealed,
        spoil=lambda again: _spoilt(again, census, guarantee, expect),
    )


def _spoilt(rng: random.Random, census: Census, guarantee: dict[str, Any], expect: Expect) -> Trial | None:
    """The same with one label of one row changed."""
    rows = [list(row) for row in census.rows]
    row, column = rng.randrange(len(rows)), rng.randrange(len(census.names))
    rows[row][column] = rng.choice(census.labels[column])
    changed = replace(census, rows=tuple(tuple(each) for each in rows))
    return None if changed == census else census_trial(rng, changed, guarantee, expect)


def _columns(census: Census) -> dict[str, Any]:
    """The population as codes into distinct texts."""
    columns = {}
    for place, name in enumerate(census.names):
        values = list(dict.fromkeys(person[place] for person in census.people))
        codes = [values.index(person[place]) for person in census.people]
        columns[name] = {"codes": codes, "values": values, "type": COLUMNS[name][2]}
    return columns


def k_map(rng: random.Random) -> Trial:
    census = draw_census(rng)
    reached = min(len(covered) for _, covered in crowds(census))
    k = max(2, reached + rng.choice((-2, -1, 0, 0, 1)))
    return census_trial(rng, census, {"model": "k_map", "k": k, "population": "census"}, expect_k_map)


def expect_k_map(census: Census, guarantee: dict[str, Any]) -> Expected:
    reached = min(len(covered) for _, covered in crowds(census))
    return Expected(reached >= guarantee["k"], {"k": reached})


def delta_presence(rng: random.Random) -> Trial:
    census = draw_census(rng)
    least, most = presence(census) if all(covered for _, covered in crowds(census)) else (Fraction(0), Fraction(1))
    high = near(rng, min(most, Fraction(1)), (0.25, 0.5, 0.75, 0.9, 1.0, 1.0))
    low = rng.choice((0, 0, near(rng, least, (0.1, 0.2))))
    guarantee = {"model": "delta_presence", "minimum": min(low, high), "maximum": high, "population": "census"}
    return census_trial(rng, census, guarantee, expect_presence)


def expect_presence(census: Census, guarantee: dict[str, Any]) -> Expected:
    least, most = presence(census)
    low, high = Fraction(str(guarantee["minimum"])), Fraction(str(guarantee["maximum"]))
    return Expected(low <= least and most <= high, at_most={"maximum": most}, at_least={"minimum": least})


def presence(census: Census) -> tuple[Fraction, Fraction]:
    """The smallest and largest probability that a person of the population is in the table."""
    least, most = [], []
    for person in range(len(census.people)):
        chances = [Fraction(rows, len(covered)) for rows, covered in crowds(census) if person in covered]
        least.append(max(chances, default=Fraction(0)))
        most.append(sum(chances, Fraction(0)))
    return min(least), max(most)
