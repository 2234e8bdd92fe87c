"""Rows of totals: those of twenty offices' files are found, and no person is taken for one."""

import numpy as np
import pytest

from antifaz.advice import advise
from antifaz.columns.totals import rows_of_totals
from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from tests.antifaz.advice.samples import dataset_of
from tests.offices.accepting import reading
from tests.offices.files import offices
from tests.offices.office import Office


def found(dataset: Dataset) -> list[int]:
    return np.flatnonzero(rows_of_totals([dataset.typed(column.name) for column in dataset.columns])).tolist()


@pytest.mark.parametrize("office", offices(), ids=lambda office: office.file_name)
def test_the_rows_of_totals_of_an_office_are_found_and_no_others(office: Office) -> None:
    assert found(reading(office)) == list(office.truth.totals)


def test_a_person_with_such_a_word_in_a_full_row_is_no_total() -> None:
    rows = {
        "age": ["31", "32", "33", ""],
        "harm": ["total", "none", "Total loss", "Total"],
        "place": ["a", "b", "c", ""],
    }
    assert found(dataset_of(rows)) == [3]
    assert found(dataset_of({"totality": ["Totality", "Sumatra", "Summer"], "x": ["", "", ""]})) == []


PEOPLE = 40
ROWS = {
    "group": [*("north", "south") * (PEOPLE // 2), "Total 9137"],
    "age": [*(str(20 + n % 9) for n in range(PEOPLE)), ""],
    "sex": [*("f", "m") * (PEOPLE // 2), ""],
    "note": [*["", "late"] * (PEOPLE // 2), ""],
}


def test_a_total_needs_no_word_if_its_row_lacks_what_people_have() -> None:
    rows = {name: [*(str(n % 7) for n in range(60)), ""] for name in ("age", "ward", "place", "kind")}
    assert found(dataset_of(rows | {"cost": [*(str(10 + n) for n in range(60)), "2370"]})) == [60]
    many = {name: [str(n % 7) if n % 4 else "" for n in range(60)] for name in ("age", "ward")}
    assert found(dataset_of(many | {"cost": [str(10 + n) for n in range(60)]})) == []


def test_an_accepted_proposal_leaves_totals_out_and_quotes_none() -> None:
    dataset = dataset_of(ROWS)
    advice = advise(dataset, np.random.default_rng(0))
    assert any(warning.startswith("1 row looks like a total") for warning in advice["warnings"])
    assert not any("9137" in warning for warning in advice["warnings"])
    left_out = [name for name, each in advice["policy"]["attributes"].items() if each.get("missing") == "suppress_row"]
    assert left_out == ["age"]
    policy = parse_policy(advice["policy"])
    released = protect(check(dataset, policy), policy, np.random.default_rng(0))
    assert released.table is not None
    assert max(released.table.records) < PEOPLE
    assert not any("Total" in str(label) for column in released.table.columns for label in column.labels)


def test_totals_that_no_column_singles_out_are_only_pointed_at() -> None:
    """Half of the people have no note: leaving out the rows without one would lose them."""
    advice = advise(dataset_of({"group": ROWS["group"], "note": ROWS["note"]}), np.random.default_rng(0))
    assert any("remove such rows" in warning for warning in advice["warnings"])
    assert not any(each.get("missing") for each in advice["policy"]["attributes"].values())
