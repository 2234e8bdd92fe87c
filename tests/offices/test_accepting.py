"""Whoever accepts the proposal for a real file without an edit exposes nobody.

`python -m tests.offices` prints what became of each file.
"""

import pytest

from tests.offices.accepting import attempt
from tests.offices.files import offices
from tests.offices.office import Office

LEAST_RELEASED = 16


@pytest.mark.parametrize("office", offices(), ids=lambda office: office.file_name)
def test_accepting_the_proposal_releases_no_id_no_name_and_no_total_and_leaves_nobody_alone(office: Office) -> None:
    found = attempt(office).exposed
    assert found is None or not (found.ids or found.names or found.totals or found.alone)


@pytest.mark.parametrize("office", offices(), ids=lambda office: office.file_name)
def test_a_file_that_is_not_released_is_stopped_by_a_question_that_quotes_nobody(office: Office) -> None:
    end = attempt(office)
    assert end.released or len(end.asked.split()) >= 5
    columns = [office.header.index(name) for name in office.truth.identifying]
    values = {row[place] for row in office.rows for place in columns}
    assert not [value for value in values if len(value) >= 5 and value in end.asked]


def test_most_files_are_released_at_the_first_attempt_and_none_is_misread() -> None:
    ends = [attempt(office) for office in offices()]
    assert sum(end.released for end in ends) >= LEAST_RELEASED
    assert not any(end.misread for end in ends)
