"""What a part of another package lacks is reported before it is used."""

from contextlib import suppress
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
from pydantic import ConfigDict, field_serializer

from antifaz import catalogue
from antifaz.errors import Cancelled
from antifaz.extending.conformance import faults_of, faults_of_attempt, faults_of_levels
from antifaz.hierarchies.hierarchy import Generalization
from antifaz.hierarchies.listed import Listed
from antifaz.hierarchies.nuts import Nuts
from antifaz.part import Part, Question, Story
from antifaz.tables.methods.suppress import Suppress
from antifaz.tables.parts import TableAttack
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch, unwatched
from tests.antifaz.test_conformance import identify, sample_table


class Incomplete(Part):
    """No sentence"""

    kinds = ("file",)
    examples = ({"size": "large"},)

    name: Literal["incomplete"] = "incomplete"
    size: int = 1


class Changing(Part):
    """A part that JSON changes, with the same example twice."""

    model_config = ConfigDict(extra="ignore")
    kinds = ("table",)
    examples = ({}, {})

    name: Literal["changing"] = "changing"
    size: int = 1
    """Its size."""

    @field_serializer("size")
    def _grow(self, size: int) -> int:
        return size + 1


class Silent(TableAttack):
    """An attack that states nothing."""

    name: Literal["silent"] = "silent"


class Talking(Silent):
    """An attack whose texts do not fit into a report."""

    question: ClassVar[Question] = "whereabouts"
    knows: ClassVar[str] = "A sentence."
    learns: ClassVar[str] = "it"
    guesses: ClassVar[str] = "what anyone guesses"
    story: ClassVar[Story] = Story("someone", "finds them")


@pytest.mark.parametrize(
    ("part", "faults"),
    [
        (Part, ["no field name, model or kind"]),
        (Incomplete, ["kinds must", "begin with a sentence", "without a docstring: size", "example is not valid"]),
        (Changing, ["unknown fields must", "all of them different", "changes on its way"]),
        (Silent, ["must state question, knows, learns, guesses, story"]),
        (Talking, ["question must be", "knows must be", "learns must be", "story must have"]),
    ],
    ids=identify,
)
def test_what_is_missing_in_a_part_is_reported(part, faults):
    found = faults_of(part)
    assert len(found) == len(faults)
    assert all(fault in said for fault, said in zip(faults, found, strict=True)), found


def seeded() -> np.random.Generator:
    return np.random.default_rng(1)


@pytest.fixture(scope="module")
def released() -> tuple[Table, ProtectedTable]:
    table = sample_table()
    return table, Suppress(attributes=["sex"]).mask(table, [], seeded(), unwatched)


@pytest.mark.parametrize("part", catalogue.parts("attacks", "table"), ids=identify)
def test_an_attack_on_tables_returns_shares_watches_and_repeats_itself(part, released):
    assert faults_of_attempt(part(), *released, seeded) == []


class Careless:
    """An attack that does everything wrong."""

    def __init__(self) -> None:
        self.times = 0

    def attempt(self, table: Table, released: ProtectedTable, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        self.times += 1
        with suppress(Cancelled):
            watch(2.0)
        return {"rate": 7.0, "times": self.times}


def test_what_an_attack_does_wrong_is_reported(released):
    found = faults_of_attempt(Careless(), *released, seeded)
    wrong = ("rate must be", "baseline must be", "the same generator", "the watch must be", "raised by the watch")
    assert all(fault in said for fault, said in zip(wrong, found, strict=True)), found


class Crossing(Listed):
    """A hierarchy whose levels do not nest."""

    def resolve(self, column: str, values: Any, numbers: Any) -> Generalization:
        labels = tuple(np.array(names, dtype=object) for names in (["a", "b", "c"], ["x", "y"], ["u", "v"]))
        groups = np.array([[0, 1, 2], [0, 0, 1], [0, 1, 1]], dtype=np.int32)
        return Generalization(groups, labels, tuple(np.ones(len(names), dtype=np.int64) for names in labels))


def test_levels_that_do_not_nest_or_lose_values_are_reported():
    assert faults_of_levels(Nuts(), ["", "DE212", "ES511"]) == []
    found = faults_of_levels(Crossing(), ["a", "b", "c"])
    assert found == [
        "the highest level must be one group",
        "level 1 does not nest: values that share a group must share every higher one",
    ]
    assert "the lowest level" in faults_of_levels(Crossing(), ["a", "b", "d"])[0]
    assert faults_of_levels(Crossing(), ["a", "b"]) == ["every value needs a group at every level"]
