"""Times of day: hours, parts of the day."""

import pytest
from antifaz_example.time_of_day import TimeOfDay

from antifaz.errors import InvalidDataset
from antifaz.extending.conformance import faults_of, faults_of_levels


def test_it_is_complete_and_its_levels_nest():
    assert faults_of(TimeOfDay) == []
    assert faults_of_levels(TimeOfDay(), ["", "00:00", "05:59", "06:00", "11:30", "18:05", "23:59:59"]) == []


def test_a_time_belongs_to_its_hour_and_its_part_of_the_day():
    assert TimeOfDay().place("8:30") == ("08:00–08:59", "morning")
    assert TimeOfDay().place("23:59") == ("23:00–23:59", "evening")


@pytest.mark.parametrize("text", ["24:00", "12", "12:60", "noon"])
def test_what_is_no_time_is_an_error_that_does_not_repeat_it(text):
    with pytest.raises(InvalidDataset) as caught:
        faults_of_levels(TimeOfDay(), [text])
    assert text not in str(caught.value)
    assert TimeOfDay(otherwise="*").place(text) is None
