"""Population: the quasi-identifiers of the people from whom a table was drawn.

Guarantees against a population count its people behind a released label. The population is a separate dataset; its
values get the types of the table, and a released label counts for everyone whose values it covers.

The user who runs a job may not be allowed to see the population. So a combination that no one in it has is treated like
one that too few have, a value that a hierarchy does not list counts only under its root, and no count is reported: a
job discloses only whether its guarantees hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.hierarchies.levels import Levels
from antifaz.kernels.tables.classes import number_rows
from antifaz.tables.classes.classes import class_sizes, released_classes
from antifaz.tables.labels.label_distance import label_distances
from antifaz.tables.reading.attributes import cast_column
from antifaz.tables.reading.dialect import PLAIN, Dialect
from antifaz.tables.table import Column, Population, ProtectedTable, ReleasedColumn, Role, Table


def place_population(
    table: Table,
    columns: Mapping[str, tuple[NDArray[np.int32], NDArray[np.object_]]],
    hierarchies: Mapping[str, Hierarchy] | None = None,
    dialect: Dialect = PLAIN,
) -> Population:
    """A population from its raw columns (codes and distinct texts by name), with the types of the table.

    Raises `InvalidDataset` if a quasi-identifier is missing or of another type.
    """
    lacking = [attribute.name for attribute in table.quasi_identifiers if attribute.name not in columns]
    if lacking:
        raise InvalidDataset("population", "the population lacks a quasi-identifier of the table", column=lacking[0])
    placed, n = [], 0
    for attribute in table.quasi_identifiers:
        codes, texts = columns[attribute.name]
        column = cast_column(attribute.name, texts, codes, attribute.column.type, dialect)
        hierarchy = (hierarchies or {}).get(attribute.name)
        if isinstance(hierarchy, Levels):
            hierarchy = hierarchy.reaching(column.values)
        groups = hierarchy.resolve(column.name, column.values, column.numbers) if hierarchy else None
        placed.append(replace(attribute, column=column, generalization=groups))
        n = len(codes)
    return Population(tuple(placed), n)


@dataclass(frozen=True)
class Matches:
    """The combination of quasi-identifiers of each record of the table, and how many share it."""

    codes: NDArray[np.int32]
    """For every record, the number of its combination."""
    records: NDArray[np.int64]
    """For every combination, the number of records of the table that have it."""
    people: NDArray[np.int64]
    """For every combination, the number of people of the population who have it."""


def match_population(table: Table, population: Population) -> Matches:
    """Match the table's combinations of quasi-identifiers with those of the population."""
    own = [attribute.column.codes for attribute in table.quasi_identifiers]
    theirs = [
        _renumber(attribute.column, other.column)
        for attribute, other in zip(table.quasi_identifiers, population.attributes, strict=True)
    ]
    joint = [np.concatenate([mine, other]) for mine, other in zip(own, theirs, strict=True)]
    numbers, count = number_rows(np.ascontiguousarray(np.stack(joint, axis=1), dtype=np.int32))
    known = int(numbers[: table.n].max(initial=-1)) + 1
    return Matches(
        numbers[: table.n].astype(np.int32),
        np.bincount(numbers[: table.n], minlength=known).astype(np.int64),
        np.bincount(numbers[table.n :], minlength=count)[:known].astype(np.int64),
    )


def population_of(table: Table, name: str) -> Population:
    """The population of that name; a table without it cannot be judged against it."""
    population = table.populations.get(name)
    if population is None:
        raise InvalidDataset("population", "the population that the policy names does not exist")
    return population


@dataclass(frozen=True)
class Presence:
    """The people who may be in a release: by class, and by person of the population."""

    records: NDArray[np.int64]
    """Number of released records of every class."""
    people: NDArray[np.int64]
    """Number of people whose values the labels of the class cover."""
    most: NDArray[np.float64]
    """For every person, an upper bound of the probability of being in the table: the sum of records / people over the
    classes that cover them."""
    least: NDArray[np.float64]
    """For every person, a lower bound of it: the largest of these shares."""


def presence_of(released: ProtectedTable, population: Population) -> Presence:
    """Count the people behind every class; if no two classes cover one person, both bounds are records / people."""
    columns = [column for column in released.columns if column.role is Role.QUASI_IDENTIFIER]
    numbers, classes = released_classes(released)
    records = class_sizes(numbers, classes)
    examples = np.zeros(classes, dtype=np.int64)
    examples[numbers] = np.arange(len(numbers))
    tuples, sizes, homes = _combinations(population)
    tables = [_list_covered(population, column) for column in columns]
    people = np.zeros(classes, dtype=np.int64)
    most, least = np.zeros(len(sizes)), np.zeros(len(sizes))
    for number in range(classes):
        inside = np.ones(len(sizes), dtype=np.bool_)
        for (place, covered), column in zip(tables, columns, strict=True):
            inside &= covered[column.codes[examples[number]]][tuples[:, place]]
        people[number] = sizes[inside].sum()
        share = min(records[number] / max(int(people[number]), 1), 1.0)
        most[inside] += share
        least[inside] = np.maximum(least[inside], share)
    return Presence(records, people, most[homes], least[homes])


def _renumber(own: Column, other: Column) -> NDArray[np.int32]:
    """The codes of the other column in the domain of this one; -1 for values that it lacks."""
    places = {str(value): code for code, value in enumerate(own.values)}
    lookup = np.array([places.get(str(value), -1) for value in other.values], dtype=np.int32)
    return lookup[other.codes] if len(lookup) else np.zeros(0, dtype=np.int32)


def _combinations(population: Population) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """The distinct combinations of the population, the number of people with each, and each person's combination."""
    codes = [attribute.column.codes for attribute in population.attributes]
    matrix = np.ascontiguousarray(np.stack(codes, axis=1), dtype=np.int32)
    numbers, count = number_rows(matrix)
    examples = np.zeros(count, dtype=np.int64)
    examples[numbers] = np.arange(len(numbers))
    return matrix[examples], np.bincount(numbers, minlength=count).astype(np.int64), numbers


def _list_covered(population: Population, column: ReleasedColumn) -> tuple[int, NDArray[np.bool_]]:
    """The position of a released column's attribute, and for every label, which of its values it covers."""
    names = [attribute.name for attribute in population.attributes]
    place = names.index(column.source)
    attribute = population.attributes[place]
    half = column.name.removeprefix(f"{column.source}_") if column.name != column.source else ""
    codes = np.arange(len(attribute.column.values), dtype=np.int64)
    return place, np.ascontiguousarray((label_distances(attribute, column, codes, half) == 0.0).T)
